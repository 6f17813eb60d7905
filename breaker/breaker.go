package breaker

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/clock"
	"github.com/switchgear-go/switchgear/event"
)

// A Breaker is one circuit breaker. Make it with [New]; it must not be copied.
// All its methods are safe for concurrent use. See the package comment for the
// model.
type Breaker struct {
	name string
	wiring

	// What callers touch on every call. cur is the period in force; it is
	// replaced, under mu, at each transition, and rules at each reconfiguration. In
	// a time window, fastUntil is the end of the newest bucket: outcomes before it
	// may be counted in the cells.
	cur       atomic.Pointer[period]
	rules     atomic.Pointer[rules]
	cells     cells
	fastUntil atomic.Int64

	events event.Stream

	// mu guards everything below, and transitions. It is held for a few
	// instructions; the protected call, classifiers, listeners and errors'
	// methods are never called under it. The stream's lock and the clock's are
	// taken inside it, never the other way round.
	mu sync.Mutex

	main   windowed      // the outcomes of admitted calls: CLOSED and METRICS_ONLY
	run    int64         // consecutive failures (T3)
	scores *scores       // T6; nil where it is off
	errs   *lastErrors   // nil until the first failure
	hint   time.Duration // the longest hint of this period (O3)

	fences   uint64        // number of the newest fence
	counting bool          // the cells are open
	booked   int64         // what has been booked of the counts now in the cells
	latest   time.Duration // the newest time that the window has seen
	born     time.Duration // instant of New
	grace    time.Duration // instant at which the grace ends; 0 when it is over (T7)
	version  uint64        // of the configuration

	total       Counters // without what the cells hold
	lastFailure time.Duration
	refused     uint64        // rejections at the start of the period
	openTime    time.Duration // in OPEN, up to the start of the period

	retrips int    // growth steps of the next interval (O1)
	probe   uint64 // number of the newest probe

	timer  clock.Timer // the one of O5, H6 or an expiry, of the current period
	alarm  uint64      // changes whenever the timer is stopped
	ended  bool        // Close was called
	held   []heldEvent // transitions whose error texts are still to be made
	random func() float64
}

// wiring is what the options set.
type wiring struct {
	clk      clock.Clock
	classify func(error) switchgear.Outcome
	kind     func(error) string
}

// An Option wires a breaker to its surroundings. What the breaker should do is
// in [Config]. A nil option, and one
// that was given nil, leaves the default.
type Option func(*options)

type options struct {
	wiring
	random    func() float64
	listeners []event.Listener
	recent    int
}

// defaultRecent is how many events a breaker remembers for its readers.
const defaultRecent = 32

// WithClock sets the clock. Default [clock.Real]. The breaker may call it under
// its lock, so it must not call the breaker.
func WithClock(c clock.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clk = c
		}
	}
}

// WithRandom sets the source of jitter: a function that returns numbers from 0
// to 1. It is called once for each open period (rule O2), under the breaker's
// lock, and must not call the breaker. Default [rand.Float64].
func WithRandom(f func() float64) Option {
	return func(o *options) {
		if f != nil {
			o.random = f
		}
	}
}

// WithListener adds a listener for the breaker's events (rule S7). Several may
// be given; each gets every event. A listener may call the breaker. One that is
// not quick belongs in [event.Async].
func WithListener(l event.Listener) Option {
	return func(o *options) { o.listeners = append(o.listeners, l) }
}

// WithRecent sets how many of its newest events the breaker remembers. Default
// 32; 0 or less remembers none.
func WithRecent(n int) Option { return func(o *options) { o.recent = n } }

// WithClassifier sets how errors are judged that rules C1.1 to C1.4 leave open.
// It may return [switchgear.Undecided] to leave an error to the last rule: any
// error is a failure. It is called outside all locks, also for a nil error.
func WithClassifier(f func(error) switchgear.Outcome) Option {
	return func(o *options) { o.classify = f }
}

// WithErrorKind sets how the errors in a trip record are grouped. The answer
// should come from a small set of words. Default [ErrorKind].
func WithErrorKind(f func(error) string) Option {
	return func(o *options) {
		if f != nil {
			o.kind = f
		}
	}
}

// New makes a breaker. The name appears in errors and events. If the
// configuration is not valid the error is a [*switchgear.ConfigError] that lists
// everything wrong with it. What is doubtful but possible is a warning: see
// [Breaker.Warnings]. New never panics.
//
// The breaker keeps its own copy of cfg.
func New(name string, cfg Config, opts ...Option) (*Breaker, error) {
	r, err := rulesFor(name, cfg)
	if err != nil {
		return nil, err
	}
	o := options{recent: defaultRecent, random: rand.Float64}
	o.clk, o.kind = clock.Real(), ErrorKind
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	b := &Breaker{
		name:   name,
		wiring: o.wiring,
		random: o.random,
		cells:  newCells(),
		main:   r.newWindow(),
	}
	b.rules.Store(r)
	b.scores = newScores(r)
	b.events.Init(o.recent, o.listeners...)
	b.fastUntil.Store(math.MaxInt64)
	b.start()
	return b, nil
}

// start begins the first period.
func (b *Breaker) start() {
	b.mu.Lock()
	now, r := b.clk.Mono(), b.rules.Load()
	b.born, b.latest, b.version = now, now, 1
	if g := r.cfg.Grace; g > 0 {
		b.grace = now + g
	}
	p := &period{breaker: b, id: 1, state: Closed, start: now, window: b.main, minimum: r.minimum}
	b.fence(p)
	b.cur.Store(p)
	b.warn(p)
	b.resume(p, now)
	b.unlock()
}

// warn makes events of the warnings. Called under mu.
func (b *Breaker) warn(p *period) {
	for _, w := range b.rules.Load().warnings {
		b.events.Append(event.Event{
			Time: b.clk.Now(), Source: source, Name: b.name, Kind: event.Warning, Period: p.id, Reason: w.String(),
		})
	}
}

// Must returns b, or panics if err is not nil. It is for package variables.
func Must(b *Breaker, err error) *Breaker {
	if err != nil {
		panic(err)
	}
	return b
}

// Name returns the breaker's name.
func (b *Breaker) Name() string { return b.name }

// State returns the state in force. Reading it changes nothing: an OPEN breaker
// whose interval has passed is OPEN until a call or a timer moves it (rule S6);
// [Breaker.Ready] tells whether that is so.
func (b *Breaker) State() State { return b.cur.Load().state }

// Ready reports whether a call is worth making now: the state admits calls, or the
// open interval has passed, or a slot for a probe is free, or a probe has been out
// for so long that the next call has it settled (rule H8) and moves the breaker on.
// Only in that last case may the call be refused all the same. Ready takes nothing
// and changes nothing (rule S6), so by the time of the call the answer may be
// another.
func (b *Breaker) Ready() bool {
	p := b.cur.Load()
	return p.state.admits() || int64(b.clk.Mono()) >= p.until.Load()
}

// Config returns the configuration in effect, every default filled in.
func (b *Breaker) Config() Config { return b.rules.Load().config() }

// Warnings returns what validation found doubtful: values that are replaced or
// have no effect (rule W3). They are also the breaker's first events.
func (b *Breaker) Warnings() []switchgear.Problem {
	return slices.Clone(b.rules.Load().warnings)
}

// Events returns the newest events, oldest first. See [WithRecent].
func (b *Breaker) Events() []event.Event { return b.events.Recent() }

// Close stops the breaker's timer, if there is one, and lets no other start.
// The breaker goes on working, lazily: an OPEN breaker probes at the next call
// after its interval, FORCED_OPEN does so after its expiry, HALF_OPEN waits for its
// verdict, and DISABLED and METRICS_ONLY stay until somebody moves them. Only breakers with a timer need Close:
// [OpenConfig.Automatic], [HalfOpenConfig.MaxWait] and moves with an expiry.
func (b *Breaker) Close() {
	b.mu.Lock()
	b.ended = true
	b.stopTimer()
	b.unlock()
}

// Do runs fn through the breaker, for calls without a result. See the function
// [Do].
func (b *Breaker) Do(ctx context.Context, fn func(context.Context) error) error {
	_, err := Do(ctx, b, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) })
	return err
}
