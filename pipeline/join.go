package pipeline

func (l rateLayer) join(p *parts)     { p.rateLimit = l.l }
func (l adaptiveLayer) join(p *parts) { p.adaptive = l.l }
func (l throttleLayer) join(p *parts) { p.throttle = l.t }
func (l retryLayer) join(p *parts)    { p.retry = l.r }
func (l hedgeLayer) join(p *parts)    { p.hedge = l.h }
func (l *breakerLayer) join(p *parts) { p.breaker = l.b }
func (l bulkheadLayer) join(p *parts) { p.bulkhead = l.b }
func (l injectLayer) join(p *parts)   { p.injector = l.i }

func (l limitLayer) join(p *parts) {
	if l.k == total {
		p.total = l.t
	} else {
		p.attempt = l.t
	}
}
