package sghttp

import (
	"net/http"
	"sync/atomic"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/pipeline"
)

// The Source and the Name of the transport's own events and errors.
const (
	source = "sghttp"
	name   = "transport"
)

// A Transport is an [http.RoundTripper] with a breaker, or a whole pipeline, for each
// key in front of another one. Make it with [NewTransport]; it must not be copied. All its
// methods are safe for concurrent use. See the package comment for the model.
type Transport struct {
	next http.RoundTripper
	cfg  Config // with every default filled in
	clk  clock.Clock
	key  func(*http.Request) (Key, bool)

	configure func(Key) breaker.Config // or nil
	options   []breaker.Option

	configurePipeline func(Key) pipeline.Config // or nil
	pipelineOptions   []pipeline.Option
	discard           func(*http.Response) // method values, made once
	judge, judgeOnce  func(*http.Response) error

	breakers set
	exempt   atomic.Uint64
	events   event.Stream
}

// NewTransport returns a transport that sends what it admits to next; nil stands
// for [http.DefaultTransport]. If the configuration is not valid the error is a
// [*switchgear.ConfigError] that lists everything wrong with it, also in the
// configuration of the policies.
//
// The transport keeps its own copy of cfg.
func NewTransport(next http.RoundTripper, cfg Config, opts ...Option) (*Transport, error) {
	if next == nil {
		next = http.DefaultTransport
	}
	o := options{clock: clock.Real(), key: DefaultKey}
	for _, set := range opts {
		set(&o)
	}
	cfg, err := cfg.compile(&o)
	if err != nil {
		return nil, err
	}
	t := &Transport{
		next:      next,
		cfg:       cfg,
		clk:       o.clock,
		key:       o.key,
		configure: o.configure,
		options:   append(o.breaker, breaker.WithClock(o.clock)),

		configurePipeline: o.configurePipeline,
		pipelineOptions:   append(o.pipeline, pipeline.WithClock(o.clock)),
	}
	for _, l := range o.listeners {
		t.options = append(t.options, breaker.WithListener(l))
		t.pipelineOptions = append(t.pipelineOptions, pipeline.WithListener(l))
	}
	t.discard, t.judge, t.judgeOnce = t.discardAnswer, t.judgeAnswer, t.judgeOnlyAnswer
	t.events.Init(0, o.listeners...)
	t.breakers = set{
		max:       cfg.MaxBreakers,
		idleAfter: cfg.IdleAfter,
		clk:       o.clock,
		events:    &t.events,
		create:    t.newEntry,
		table:     newTable(cfg.MaxBreakers),
		making:    make(map[Key]chan struct{}),
	}
	return t, nil
}

// newEntry makes the entry of a key.
func (t *Transport) newEntry(key Key) *entry {
	if t.cfg.Pipeline == nil {
		return newEntry(key, t.newBreaker(key), t.clk.Mono())
	}
	p := t.newPipeline(key)
	e := newEntry(key, p.Breaker(), t.clk.Mono())
	e.pipeline = p
	if r := p.Retry(); r != nil {
		e.retries = r.Config().Attempts != 1
	}
	if h := p.Hedge(); h != nil {
		e.hedges = h.Config().MaxExtra != switchgear.Off
	}
	return e
}

// newPipeline makes the pipeline of a key.
func (t *Transport) newPipeline(key Key) *pipeline.Pipeline {
	if t.configurePipeline != nil {
		p, err := newPipeline(key.String(), t.configurePipeline(key), t.pipelineOptions)
		if err == nil {
			return p
		}
		t.warnOfConfig(err)
	}
	return pipeline.Must(newPipeline(key.String(), *t.cfg.Pipeline, t.pipelineOptions)) // compile has validated it
}

// newBreaker makes the breaker of a key.
func (t *Transport) newBreaker(key Key) *breaker.Breaker {
	if t.configure != nil {
		b, err := breaker.New(key.String(), t.configure(key), t.options...)
		if err == nil {
			return b
		}
		t.warnOfConfig(err)
	}
	return breaker.Must(breaker.New(key.String(), t.cfg.Breaker, t.options...)) // compile has validated it
}

func (t *Transport) warnOfConfig(err error) {
	t.events.Append(event.Event{
		Time: t.clk.Now(), Source: source, Name: name, Kind: event.Warning,
		Reason: err.Error() + "; the transport's configuration takes its place",
	})
}

// RoundTrip sends a request through the breaker, or the pipeline, of its key: see the
// package comment.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	key, ok := t.key(req)
	if !ok {
		t.exempt.Add(1)
		return t.next.RoundTrip(req)
	}
	e := t.breakers.begin(key)
	if e == nil {
		return t.next.RoundTrip(req)
	}
	if e.pipeline != nil {
		return t.piped(req, e)
	}
	return t.protected(req, e)
}

// protected makes a call that has been begun at e.
func (t *Transport) protected(req *http.Request, e *entry) (resp *http.Response, err error) {
	c := call{entry: e, clk: t.clk}
	returned := false
	defer func() {
		if !returned {
			c.unwind(recover())
		}
	}()
	c.permit, err = e.breaker.Acquire(req.Context())
	if err != nil {
		returned = true
		c.leave()
		return t.refuse(req, err)
	}
	resp, err = t.next.RoundTrip(req)
	settled := t.settle(&c, req, resp, err)
	returned = true
	if settled {
		c.leave()
	}
	return resp, err
}

// CloseIdleConnections passes on a call of [http.Client.CloseIdleConnections] to
// the inner transport, if that knows the method.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Close closes all breakers, or pipelines, also those made from now on, which stops their
// timers. The transport goes on working, see [breaker.Breaker.Close]. Close is
// needed only where breakers have timers. It does not touch connections.
func (t *Transport) Close() { t.breakers.close() }
