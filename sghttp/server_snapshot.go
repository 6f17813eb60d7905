package sghttp

import (
	"sync/atomic"

	"github.com/switchgear-go/switchgear/adaptive"
	"github.com/switchgear-go/switchgear/bulkhead"
	"github.com/switchgear-go/switchgear/ratelimit"
)

// ServerCounters count over the life of a [Server]. Each only grows. Every request is,
// once it has been decided on, in exactly one of Exempt, Admitted, Refused and Gone.
type ServerCounters struct {
	Requests uint64 `json:"requests"`
	// Exempt are the requests that were none of the server's business.
	Exempt uint64 `json:"exempt"`
	// Admitted are the requests that went to their handler.
	Admitted uint64 `json:"admitted"`
	// Refused are those that were answered instead.
	Refused ServerRefused `json:"refused"`
	// Gone are those whose client had left, or whose context had ended for another reason of
	// its own, before it was their turn.
	Gone uint64 `json:"gone"`

	// Statuses are the responses of admitted requests, by status, where that is known;
	// see [ServerConfig.CountStatuses].
	Statuses ServerStatuses `json:"statuses"`
	// Overdue are admitted requests whose deadline passed before their handler ended.
	// Counted where statuses are.
	Overdue uint64 `json:"overdue"`
	// Hijacked are admitted requests whose connection was taken over. Counted where
	// statuses are.
	Hijacked uint64 `json:"hijacked"`
	// Superfluous are statuses that handlers set when the response already had one. They
	// were dropped. Counted where statuses are.
	Superfluous uint64 `json:"superfluous"`
	// Panics are admitted requests whose handler panicked, Aborted those that it ended by
	// a panic with http.ErrAbortHandler.
	Panics  uint64 `json:"panics"`
	Aborted uint64 `json:"aborted"`
}

// ServerRefused are refused requests, by what refused them; see [RefusedBy].
type ServerRefused struct {
	Key      uint64 `json:"key"`
	Rate     uint64 `json:"rate"`
	Adaptive uint64 `json:"adaptive"`
	Bulkhead uint64 `json:"bulkhead"`
	Deadline uint64 `json:"deadline"`
}

// Total returns how many there are in all.
func (r ServerRefused) Total() uint64 {
	return r.Key + r.Rate + r.Adaptive + r.Bulkhead + r.Deadline
}

// ServerStatuses are responses by class of status. A response that its handler never
// began is none, and neither is a connection that was taken over.
type ServerStatuses struct {
	// Switched is the status 101 from a handler that did not take over the connection.
	Switched     uint64 `json:"1xx"`
	Successful   uint64 `json:"2xx"`
	Redirected   uint64 `json:"3xx"`
	ClientErrors uint64 `json:"4xx"`
	ServerErrors uint64 `json:"5xx"`
	// Others are 600 and above, which have no meaning.
	Others uint64 `json:"other"`
}

// ServerSnapshot is how a [Server] stands. Each part is as it was at one moment; the
// parts are read one after the other.
type ServerSnapshot struct {
	Name string `json:"name"`
	// Running is how many admitted requests have a handler that has not ended.
	Running int `json:"running"`

	Counters ServerCounters `json:"counters"`

	// Of the policies; nil for those that are not configured.
	KeyedRateLimit *ratelimit.KeyedSnapshot `json:"keyed_rate_limit,omitempty"`
	RateLimit      *ratelimit.Snapshot      `json:"rate_limit,omitempty"`
	Adaptive       *adaptive.Snapshot       `json:"adaptive,omitempty"`
	Bulkhead       *bulkhead.Snapshot       `json:"bulkhead,omitempty"`
}

// serverTally is the counters while they count.
type serverTally struct {
	requests, exempt, admitted, ended, gone         atomic.Uint64
	overdue, hijacked, superfluous, panics, aborted atomic.Uint64
	refused                                         [refusers]atomic.Uint64
	statuses                                        [7]atomic.Uint64 // by hundreds; the last are all above
}

// Counters returns the counters. They are read one after the other while requests are
// served, those of which others are part last.
func (s *Server) Counters() ServerCounters {
	t := &s.tally
	class := func(hundreds int) uint64 { return t.statuses[hundreds].Load() }
	refused := func(by RefusedBy) uint64 { return t.refused[by].Load() }
	return ServerCounters{
		Statuses: ServerStatuses{class(1), class(2), class(3), class(4), class(5), class(6)},
		Overdue:  t.overdue.Load(), Hijacked: t.hijacked.Load(), Superfluous: t.superfluous.Load(),
		Panics: t.panics.Load(), Aborted: t.aborted.Load(),
		Exempt: t.exempt.Load(), Admitted: t.admitted.Load(), Gone: t.gone.Load(),
		Refused: ServerRefused{
			refused(RefusedByKey), refused(RefusedByRate), refused(RefusedByAdaptive),
			refused(RefusedByBulkhead), refused(RefusedByDeadline),
		},
		Requests: t.requests.Load(),
	}
}

// Snapshot returns how the server and its policies stand. Reading changes nothing.
func (s *Server) Snapshot() ServerSnapshot {
	ended := s.tally.ended.Load() // before what was admitted, so that it is never more
	snap := ServerSnapshot{Name: s.name, Running: int(s.tally.admitted.Load() - ended), Counters: s.Counters()}
	if s.keyed != nil {
		snap.KeyedRateLimit = new(s.keyed.Snapshot())
	}
	if s.rate != nil {
		snap.RateLimit = new(s.rate.Snapshot())
	}
	if s.adaptive != nil {
		snap.Adaptive = new(s.adaptive.Snapshot())
	}
	if s.bulkhead != nil {
		snap.Bulkhead = new(s.bulkhead.Snapshot())
	}
	return snap
}
