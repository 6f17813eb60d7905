package proof

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/clock"
)

// The published limits are the update steps of Netflix's concurrency-limits (AIMDLimit,
// VegasLimit, Gradient2Limit and its ExpAvgMeasurement), written down formula by formula,
// with the differences that the documentation of package adaptive states:
//
//   - The duration of a dropped call is no sample. (Published: VegasLimit and
//     Gradient2Limit look at it like at any other.)
//   - Gradient2 multiplies the limit by Backoff at a drop. (Published: it looks at no drops.)
//   - Vegas takes ⌊log₁₀⌋ for every limit. (Published: the square root from 1,000 on.)
//   - Every limit has a lower and an upper bound. (Published: not all of them.)
//
// Each takes one sample and returns the new limit, a number with a fraction. The duration
// is 0 if there was no success.
type publishedLimit interface {
	update(rtt time.Duration, inFlight int, dropped bool) float64
	// base is what Snapshot.Base should be, in nanoseconds.
	base() float64
}

type publishedAIMD struct {
	limit, lowest, highest int
	ratio                  float64
}

func (p *publishedAIMD) update(_ time.Duration, inFlight int, dropped bool) float64 {
	if dropped {
		p.limit = max(p.lowest, min(p.limit-1, int(float64(p.limit)*p.ratio)))
	} else if 2*inFlight >= p.limit {
		p.limit = min(p.highest, p.limit+1)
	}
	return float64(p.limit)
}

func (p *publishedAIMD) base() float64 { return 0 }

type publishedVegas struct {
	limit, lowest, highest float64
	alpha, beta            int
	smoothing              float64
	noLoad                 time.Duration

	multiplier int // of probes, 0 for none
	probes     int
	jitter     float64
	random     func() float64
}

func (p *publishedVegas) update(rtt time.Duration, inFlight int, dropped bool) float64 {
	log := 1
	for power := 100; power <= int(p.limit); power *= 10 {
		log++
	}
	step := 0.0
	if dropped {
		step = -float64(log)
	} else {
		p.probes++
		if p.multiplier > 0 && p.jitter*float64(p.multiplier)*p.limit <= float64(p.probes) {
			p.jitter, p.probes, p.noLoad = 0.5+p.random()/2, 0, rtt
			return p.limit
		}
		if p.noLoad == 0 || rtt < p.noLoad {
			p.noLoad = rtt
			return p.limit
		}
		if float64(inFlight)*2 < p.limit {
			return p.limit
		}
		queue := int(math.Ceil(p.limit * (1 - float64(p.noLoad)/float64(rtt))))
		if queue <= log {
			step = float64(p.beta * log)
		} else if queue < p.alpha*log {
			step = float64(log)
		} else if queue > p.beta*log {
			step = -float64(log)
		} else {
			return p.limit
		}
	}
	next := math.Max(p.lowest, math.Min(p.highest, p.limit+step))
	p.limit = (1-p.smoothing)*p.limit + p.smoothing*next
	return p.limit
}

func (p *publishedVegas) base() float64 { return float64(p.noLoad) }

type publishedGradient2 struct {
	limit, lowest, highest               float64
	queue, smoothing, tolerance, backoff float64

	window    int
	durations []float64 // the first ten
	long      float64
}

func (p *publishedGradient2) update(rtt time.Duration, inFlight int, dropped bool) float64 {
	short := float64(rtt)
	long := 0.0
	if rtt > 0 {
		if len(p.durations) < 10 {
			p.durations = append(p.durations, short)
			sum := 0.0
			for _, d := range p.durations {
				sum += d
			}
			p.long = sum / float64(len(p.durations))
		} else {
			factor := 2 / (float64(p.window) + 1)
			p.long = p.long*(1-factor) + short*factor
		}
		long = p.long
		if long/short > 2 {
			p.long *= 0.95
		}
	}
	next := p.limit * p.backoff
	if !dropped {
		if float64(inFlight) < p.limit/2 {
			return p.limit
		}
		gradient := math.Max(0.5, math.Min(1, p.tolerance*long/short))
		next = p.limit*gradient + p.queue
		next = p.limit*(1-p.smoothing) + next*p.smoothing
	}
	p.limit = math.Max(p.lowest, math.Min(p.highest, next))
	return p.limit
}

func (p *publishedGradient2) base() float64 { return p.long }

// tolerance is the relative error that the two may come to by adding and multiplying in
// another order. It matters where a limit is a whole number but for that.
const tolerance = 1e-9

// TestOracleAdaptive sends random calls through a limiter whose dependency has phases of
// different speed, so that there are steps up and down, and after each call holds the limit
// against the published formulas.
func TestOracleAdaptive(t *testing.T) {
	for _, algorithm := range []adaptive.Algorithm{adaptive.ByAIMD, adaptive.ByVegas, adaptive.ByGradient} {
		for _, windowed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, window %v", algorithm, windowed), func(t *testing.T) {
				var ledger ledger
				rapid.Check(t, func(t *rapid.T) {
					d := newAdaptiveDriver(t, algorithm, windowed)
					t.Repeat(map[string]func(*rapid.T){
						"full flight": d.flight(1), "another full flight": d.flight(1), "half a flight": d.flight(0.5), "small flight": d.flight(0.3),
						"calls that overlap": d.overlap,
						"another phase": func(t *rapid.T) {
							d.level = pick(t, "level", 20*ms, ms, 5*ms, 100*ms, 700*ms)
							d.drops = pick(t, "drops", 0, 0, 0.04, 0.3, 1)
						},
					})
					ledger.add(d.tally)
				})
				ledger.require(t, 50, "success", "dropped", "nothing", "raised", "lowered", "refused", "at the highest", "at the lowest")
			})
		}
	}
}

// An adaptiveDriver takes a limiter and a published limit through the same calls.
type adaptiveDriver struct {
	clk    *clock.Virtual
	l      *adaptive.Limiter
	cfg    adaptive.Config // with the defaults
	want   publishedLimit
	limit  float64 // what the published limit says
	whole  int     // the product's limit, after compare has found it right
	steps  uint64
	open   []openCall
	window publishedWindow
	level  time.Duration // duration of a call in this phase
	drops  float64       // share of them
	tally  tally
}

type openCall struct {
	adaptive.Permit
	start    time.Duration
	inFlight int
}

// A publishedWindow gathers samples as the documentation of adaptive.WindowConfig says.
type publishedWindow struct {
	begin     time.Duration
	durations []time.Duration
	drops     int
	inFlight  int
	lastDrop  time.Duration // that counted, without a window
}

func newAdaptiveDriver(t *rapid.T, algorithm adaptive.Algorithm, windowed bool) *adaptiveDriver {
	cfg := adaptive.Config{
		Algorithm: algorithm,
		Min:       pick(t, "min", 1, 2, 10),
		Max:       pick(t, "max", 40, 20, 200, 1500),
		Window:    adaptive.WindowConfig{Time: switchgear.Off},
	}
	cfg.Initial = pick(t, "initial", 20, cfg.Min, cfg.Max, (cfg.Min+cfg.Max)/2)
	if windowed {
		cfg.Window = adaptive.WindowConfig{
			Time: pick(t, "window", 100*ms, ms, sec), Samples: pick(t, "samples", 0, 1, 30), Drops: pick[switchgear.Percent](t, "drops", 0, 1, 33.33, 100),
		}
	}
	var randoms []float64
	for range 20 {
		randoms = append(randoms, pick(t, "random", 0.5, 0, 0.1, 0.99))
	}
	d := &adaptiveDriver{clk: clock.NewVirtual(time.Unix(0, 0)), level: 20 * ms, tally: tally{}}
	d.clk.Advance(12_345)
	d.limit, d.whole = float64(cfg.Initial), cfg.Initial
	lowest, highest := float64(cfg.Min), float64(cfg.Max)
	switch algorithm {
	case adaptive.ByAIMD:
		cfg.AIMD = adaptive.AIMDConfig{Backoff: pick(t, "backoff", 0.9, 0.5, 0.75, 0.99), Timeout: pick[time.Duration](t, "timeout", 0, switchgear.Off, 500*ms)}
		d.want = &publishedAIMD{cfg.Initial, cfg.Min, cfg.Max, cfg.AIMD.Backoff}
	case adaptive.ByVegas:
		cfg.Vegas = adaptive.VegasConfig{
			Alpha: pick(t, "alpha", 3, 1, 5), Beta: pick(t, "beta", 6, 7, 12), Smoothing: pick(t, "smoothing", 1, 0.3, 0.01),
			Probe: pick(t, "probe", 1, switchgear.Off, 30),
		}
		v := &publishedVegas{
			limit: d.limit, lowest: lowest, highest: highest, alpha: cfg.Vegas.Alpha, beta: cfg.Vegas.Beta,
			smoothing: cfg.Vegas.Smoothing, multiplier: max(0, cfg.Vegas.Probe), random: cycle(randoms),
		}
		v.jitter = 0.5 + v.random()/2
		d.want = v
	default:
		cfg.Gradient2 = adaptive.Gradient2Config{
			LongWindow: pick(t, "long window", 100, 1, 20, 600), Tolerance: pick(t, "tolerance", 1.5, 1, 2.5),
			QueueSize: pick(t, "queue size", 4, 1, 20), Smoothing: pick(t, "smoothing", 0.2, 1, 0.05), Backoff: pick(t, "backoff", 0.9, 0.5, 0.75),
		}
		g := cfg.Gradient2
		d.want = &publishedGradient2{
			limit: d.limit, lowest: lowest, highest: highest,
			queue: float64(g.QueueSize), smoothing: g.Smoothing, tolerance: g.Tolerance, backoff: g.Backoff, window: g.LongWindow,
		}
	}
	l, err := adaptive.New("stock", cfg, adaptive.WithClock(d.clk), adaptive.WithRandom(cycle(randoms)))
	if err != nil {
		t.Fatal(err)
	}
	d.l, d.cfg = l, l.Config()
	return d
}

// cycle returns the numbers, one after the other, for ever.
func cycle(numbers []float64) func() float64 {
	i := -1
	return func() float64 {
		i++
		return numbers[i%len(numbers)]
	}
}

// flight begins calls until a share of the limit is in use, lets them take about as long as
// calls take now, and ends them all.
func (d *adaptiveDriver) flight(share float64) func(*rapid.T) {
	return func(t *rapid.T) {
		for float64(len(d.open)) < share*float64(d.l.Limit()) {
			d.begin(t)
		}
		if share == 1 {
			d.begin(t) // one too many
		}
		// A few of the calls say something; more do not show more.
		rest := pick(t, "rest", 5, 1, 20)
		d.release(len(d.open) - rest)
		for len(d.open) > 0 {
			d.clk.Advance(d.level * pick[time.Duration](t, "takes", 10, 9, 11, 30) / 10 / time.Duration(rest))
			d.end(t, 0)
		}
	}
}

// overlap lets one more call begin, and one of those that run end.
func (d *adaptiveDriver) overlap(t *rapid.T) {
	for range 8 {
		d.begin(t)
		d.clk.Advance(d.level / pick[time.Duration](t, "part", 1, 2, 5))
		d.end(t, pick(t, "which", 0, 1, 2))
	}
}

func (d *adaptiveDriver) begin(t *rapid.T) {
	p, err := d.l.TryAcquire(adaptive.Critical)
	if admits := len(d.open) < d.l.Limit(); admits != (err == nil) {
		t.Fatalf("%d of %d run: got %v", len(d.open), d.l.Limit(), err)
	}
	if err != nil {
		d.tally.note("refused")
		return
	}
	d.open = append(d.open, openCall{p, d.clk.Mono(), len(d.open) + 1})
}

func (d *adaptiveDriver) take(i int) openCall {
	c := d.open[i]
	d.open = slices.Delete(d.open, i, i+1)
	return c
}

// release gives up the n oldest calls.
func (d *adaptiveDriver) release(n int) {
	for i := range max(n, 0) {
		d.open[i].Release()
	}
	d.open = d.open[max(n, 0):]
}

func (d *adaptiveDriver) end(t *rapid.T, i int) {
	if len(d.open) == 0 {
		return
	}
	c := d.take(min(i, len(d.open)-1))
	o := switchgear.Success
	switch {
	case d.drops > 0 && oneIn(t, int(1/d.drops), "dropped"):
		o = switchgear.Failure
	case oneIn(t, 20, "says nothing"):
		o = switchgear.Ignored
	}
	took := max(1, d.clk.Mono()-c.start)
	c.Done(o)
	switch {
	case o == switchgear.Ignored:
		d.tally.note("nothing")
	case o == switchgear.Failure:
		d.sample(took, c, true)
		d.tally.note("dropped")
	case d.cfg.Algorithm == adaptive.ByAIMD && d.cfg.AIMD.Timeout > 0 && took > d.cfg.AIMD.Timeout:
		d.sample(took, c, true)
		d.tally.note("too slow")
	default:
		d.sample(took, c, false)
		d.tally.note("success")
	}
	d.compare(t)
}

// sample is one call that says something. It becomes a step at once, or is put with others.
func (d *adaptiveDriver) sample(took time.Duration, c openCall, dropped bool) {
	w, now := &d.window, d.clk.Mono()
	if d.cfg.Window.Time == switchgear.Off {
		switch {
		case !dropped:
			d.step(took, c.inFlight, false)
		case c.start >= w.lastDrop: // of the flight that was punished otherwise
			w.lastDrop = now
			d.step(0, c.inFlight, true)
		}
		return
	}
	if len(w.durations)+w.drops == 0 {
		w.begin = now
	}
	w.inFlight = max(w.inFlight, c.inFlight)
	if dropped {
		w.drops++
	} else {
		w.durations = append(w.durations, took)
	}
	calls := len(w.durations) + w.drops
	if now < w.begin+d.cfg.Window.Time || calls < min(d.cfg.Window.Samples, d.whole) {
		return
	}
	var mean time.Duration
	for _, each := range w.durations {
		mean += each
	}
	mean /= time.Duration(max(1, len(w.durations)))
	share := 100 * float64(w.drops) / float64(calls)
	inFlight := w.inFlight
	drops := w.drops
	*w = publishedWindow{}
	d.step(mean, inFlight, drops > 0 && share >= float64(d.cfg.Window.Drops))
}

func (d *adaptiveDriver) step(rtt time.Duration, inFlight int, dropped bool) {
	before := d.limit
	d.limit = d.want.update(rtt, inFlight, dropped)
	d.steps++
	switch {
	case d.limit > before:
		d.tally.note("raised")
	case d.limit < before:
		d.tally.note("lowered")
	}
	switch d.limit {
	case float64(d.cfg.Max):
		d.tally.note("at the highest")
	case float64(d.cfg.Min):
		d.tally.note("at the lowest")
	}
}

func (d *adaptiveDriver) compare(t *rapid.T) {
	got := d.l.Limit()
	if from, to := math.Floor(d.limit*(1-tolerance)), math.Floor(d.limit*(1+tolerance)); float64(got) < from || float64(got) > to {
		t.Fatalf("the limit after %d steps: got %d, want %v; %+v", d.steps, got, d.limit, d.want)
	}
	d.whole = got
	s := d.l.Snapshot()
	if want := d.want.base(); math.Abs(float64(s.Base)-want) > 1+tolerance*want {
		t.Fatalf("the base after %d steps: got %v, want %v", d.steps, float64(s.Base), want)
	}
	if got := d.l.Counters().Steps; got != d.steps {
		t.Fatalf("steps: got %d, want %d", got, d.steps)
	}
}
