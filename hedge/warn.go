package hedge

import (
	"time"

	"github.com/switchgear-go/switchgear/event"
)

// What there can be warnings about while calls are made. Each is told at most once
// per warnEvery, since every call may be a reason.
const (
	panicking = iota
	crowding
	warningKinds

	warnEvery = time.Minute
)

// warn tells the listeners, unless they were told a short while ago.
func (h *Hedge) warn(kind int, reason string, detail any) {
	now, next := int64(h.clk.Mono()), h.warned[kind].Load()
	if now < next || !h.warned[kind].CompareAndSwap(next, now+int64(warnEvery)) {
		return
	}
	h.tell(reason, detail)
	h.events.Deliver()
}

func (h *Hedge) tell(reason string, detail any) {
	h.events.Append(event.Event{
		Time: h.clk.Now(), Source: source, Name: h.name, Kind: event.Warning, Reason: reason, Detail: detail,
	})
}
