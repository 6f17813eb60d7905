package adaptive

import (
	"strconv"
	"time"

	"github.com/switchgear-go/switchgear/event"
)

const source = "adaptive"

// LimitMoved is the kind of the event that tells of a limit. From and To are the limit
// that was told of last, at first the initial one, and the present limit, as decimal
// numbers; Reason says what made it worth telling.
//
// A limit moves all the time, so only this is told: that it has doubled or halved since
// the last such event, or that it has come to Config.Min or Config.Max. There is at
// most one such event a second; what would have come earlier comes with the next step
// after that, if it is still true.
const LimitMoved event.Kind = "limit"

// quiet is the shortest time between two such events.
const quiet = time.Second

// told is what the listeners know.
type told struct {
	limit int
	at    time.Duration
	any   bool // an event has been told; at is valid
}

// tell appends an event if the limit has moved far enough. Called under mu.
func (l *Limiter) tell(limit int, now time.Duration) {
	t := &l.told
	if limit == t.limit || t.any && now-t.at < quiet {
		return
	}
	reason := ""
	switch {
	case limit == l.rules.cfg.Max:
		reason = "at Max"
	case limit == l.rules.cfg.Min:
		reason = "at Min"
	case limit >= 2*t.limit:
		reason = "doubled"
	case 2*limit <= t.limit:
		reason = "halved"
	default:
		return
	}
	l.events.Append(event.Event{
		Time: l.now(), Source: source, Name: l.name, Kind: LimitMoved,
		From: strconv.Itoa(t.limit), To: strconv.Itoa(limit), Reason: reason,
	})
	*t = told{limit, now, true}
}
