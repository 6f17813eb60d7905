package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/switchgear-go/switchgear/breaker"
	"github.com/switchgear-go/switchgear/event"
	"github.com/switchgear-go/switchgear/explain"
	"github.com/switchgear-go/switchgear/registry"
	"github.com/switchgear-go/switchgear/sghttp/admin"
)

func move(b *breaker.Breaker, reason string) {
	_ = b.Move(breaker.Move{To: breaker.ForcedOpen, Reason: reason})
}

func reasons(items []admin.Item) string {
	var s []string
	for _, it := range items {
		s = append(s, it.Reason)
	}
	return strings.Join(s, " ")
}

func TestEvents(t *testing.T) {
	t.Run("#150 what was before the handler, and what came after, once", func(t *testing.T) {
		r := newRig(t, admin.Config{})
		r.Close() // another one is made below
		b := r.breaker("stock")
		move(b, "1")
		move(b, "2")
		r.serve(admin.Config{})
		move(b, "3")
		r.settle()
		e := get[admin.Events](r, "/events")
		equal(t, "reasons", reasons(e.Events), "1 2 3")
		equal(t, "cause", e.Events[0].Cause, explain.Operator)
		equal(t, "last", e.Last, e.Events[2].ID)
	})
	t.Run("#151 from where one was", func(t *testing.T) {
		r := newRig(t, admin.Config{})
		b := r.breaker("stock")
		empty := get[admin.Events](r, "/events")
		equal(t, "events", len(empty.Events), 0)
		for i := range 10 {
			move(b, fmt.Sprint(i))
		}
		r.settle()
		newest := get[admin.Events](r, "/events?limit=3")
		equal(t, "newest", reasons(newest.Events), "7 8 9")
		equal(t, "missed", newest.Missed, false)
		var all []admin.Item
		e := get[admin.Events](r, "/events?limit=4&since="+empty.Last)
		for {
			all = append(all, e.Events...)
			equal(t, "missed", e.Missed, false)
			if !e.More {
				break
			}
			e = get[admin.Events](r, "/events?limit=4&since="+e.Last)
		}
		equal(t, "all", reasons(all), "0 1 2 3 4 5 6 7 8 9")
		e = get[admin.Events](r, "/events?since="+e.Last)
		equal(t, "nothing new", len(e.Events), 0)
		equal(t, "last stays", e.Last, all[9].ID)
	})
	t.Run("#152 what is no longer remembered is said to be missed", func(t *testing.T) {
		r := newRig(t, admin.Config{Recent: 5})
		b := r.breaker("stock")
		first := get[admin.Events](r, "/events").Last
		for i := range 12 {
			move(b, fmt.Sprint(i))
		}
		r.settle()
		e := get[admin.Events](r, "/events?since="+first)
		equal(t, "reasons", reasons(e.Events), "7 8 9 10 11")
		equal(t, "missed", e.Missed, true)
		equal(t, "and not if nobody asked", get[admin.Events](r, "/events").Missed, false)
		e = get[admin.Events](r, "/events?since=another-7")
		equal(t, "of another process", reasons(e.Events), "7 8 9 10 11")
		equal(t, "missed", e.Missed, true)
	})
	t.Run("#153 an identifier from the future is now", func(t *testing.T) {
		r := newRig(t, admin.Config{})
		move(r.breaker("stock"), "1")
		r.settle()
		id := get[admin.Events](r, "/events").Last
		e := get[admin.Events](r, "/events?since="+id+"000")
		equal(t, "events", len(e.Events), 0)
		equal(t, "last", e.Last, id)
	})
	t.Run("#154 wrong questions", func(t *testing.T) {
		r := newRig(t, admin.Config{})
		for _, since := range []string{"7", "-7", "x-", "x-y", "x--1", "x-99999999999999999999"} {
			p := read[problem](t, r.do(http.MethodGet, "/events?since="+since, ""), http.StatusBadRequest)
			equal(t, since, p.Field, "since")
			read[problem](t, r.do(http.MethodGet, "/events/stream?since="+since, ""), http.StatusBadRequest)
		}
		read[problem](t, r.do(http.MethodGet, "/events?limit=0", ""), http.StatusBadRequest)
	})
	t.Run("#155 events of others: all that every event has, bounded", func(t *testing.T) {
		r := newRig(t, admin.Config{})
		r.reg.Listener().OnEvent(event.Event{
			Source: "shop", Name: "till", Kind: "jammed\n", From: "A", To: "B\n", Reason: strings.Repeat("ä", 10_000), Detail: make(chan int),
		})
		r.settle()
		it := get[admin.Events](r, "/events").Events[0]
		equal(t, "source", it.Source, "shop")
		equal(t, "name", it.Name, "till")
		equal(t, "kind", it.Kind, "jammed\n")
		if len(it.Reason) > 256 || len(it.Text) > 1024 || strings.Contains(it.Text, "\n") {
			t.Errorf("%d bytes, %d bytes: %q", len(it.Reason), len(it.Text), it.Text)
		}
	})
	t.Run("#156 for people", func(t *testing.T) {
		r := newRig(t, admin.Config{Recent: 2})
		b := r.breaker("stock")
		first := get[admin.Events](r, "/events").Last
		for i := range 3 {
			move(b, fmt.Sprint(i))
		}
		r.settle()
		equal(t, "lines", r.lines("/events?since="+first), "(some events are missing)\n"+
			"2026-03-01 03:12:44 stock: FORCED_OPEN renewed by an operator: \"1\", after 0 s\n"+
			"2026-03-01 03:12:44 stock: FORCED_OPEN renewed by an operator: \"2\", after 0 s\n")
		id := get[admin.Events](r, "/events").Events[0].ID
		equal(t, "more", strings.HasSuffix(r.lines("/events?limit=1&since="+first), "for more: ?since="+id+"\n"), true)
	})
}

// A busyHub has an event between the moment at which somebody begins to listen and that at
// which they ask for what has been: it is in both.
type busyHub struct {
	recent   []event.Event
	listener event.Listener
	wg       sync.WaitGroup
	calm     bool // there is no such event
}

func (h *busyHub) Listen(l event.Listener) (stop func()) {
	h.listener = l
	if h.calm {
		return func() {}
	}
	e := event.Event{Source: "breaker", Name: "b", Seq: 3}
	h.recent = append(h.recent, e)
	h.wg.Go(func() { l.OnEvent(e) })
	return func() {}
}

func (h *busyHub) Recent(int) []event.Event { return h.recent }

func (h *busyHub) Counters() registry.Counters {
	return registry.Counters{Events: uint64(len(h.recent))}
}

func TestNothingIsRememberedTwice(t *testing.T) {
	for _, tt := range []struct {
		calm bool
		want []uint64
	}{
		{false, []uint64{1, 2, 3, 4, 1}},
		{true, []uint64{1, 2, 4, 1}},
	} {
		h := &busyHub{calm: tt.calm, recent: []event.Event{{Source: "breaker", Name: "b", Seq: 1}, {Source: "breaker", Name: "b", Seq: 2}}}
		var seqs []uint64
		events, lost := admin.Follow(h, func() {
			h.wg.Wait()
			h.listener.OnEvent(event.Event{Source: "breaker", Name: "b", Seq: 4})
			h.listener.OnEvent(event.Event{Source: "breaker", Name: "b", Seq: 1}) // another breaker of that name
		})
		for i, e := range events {
			seqs = append(seqs, e.Seq)
			equal(t, "lost", lost[i], 0)
		}
		equal(t, "events", seqs, tt.want)
	}
}

// Of 30,000 events in a burst 29,423 were to be read, and nothing told that there had been
// others: the registry's queue had been full, and the handler did not look.
func TestABurstLeavesNoSilentGap(t *testing.T) {
	const n = 30_000
	r := newRig(t, admin.Config{Recent: 100_000})
	first := get[admin.Events](r, "/events").Last
	hub := r.reg.Listener()
	for i := range n {
		hub.OnEvent(event.Event{Source: "shop", Name: "till", Seq: uint64(i + 1)})
	}
	came := map[uint64]bool{}
	missed := false
	for since := first; !came[n]; {
		e := get[admin.Events](r, "/events?limit=1000&since="+since)
		for _, it := range e.Events {
			came[it.Seq] = true
		}
		missed, since = missed || e.Missed, e.Last
	}
	equal(t, "missed", missed, len(came) < n)
}

// A queueHub is a hub with a queue that a test empties, and other listeners that lose events.
type queueHub struct {
	busyHub
	queue  []event.Event
	counts registry.Counters
}

func (h *queueHub) Counters() registry.Counters { return h.counts }

func (h *queueHub) send(n int) {
	for range n {
		h.counts.Events++
		h.queue = append(h.queue, event.Event{Source: "shop", Seq: h.counts.Events})
		if len(h.queue) > event.MaxWaiting {
			h.queue = h.queue[1:]
			h.counts.EventsDropped++
		}
	}
}

func (h *queueHub) take(n int) {
	for range n {
		e := h.queue[0]
		h.queue = h.queue[1:]
		h.listener.OnEvent(e)
	}
}

func TestWhatIsLostIsCounted(t *testing.T) {
	h := &queueHub{busyHub: busyHub{calm: true}}
	h.counts = registry.Counters{Events: 100, EventsDropped: 7} // of the time before
	events, lost := admin.Follow(h, func() {
		h.send(500)
		h.take(500)
		h.counts.EventsDropped += 40 // another listener's
		h.send(1)
		h.take(1)
		h.send(event.MaxWaiting) // just full
		h.take(10)
		h.counts.EventsDropped += 40
		h.send(1)
		h.take(1)
		h.send(30) // 20 too many
		h.take(2)
		h.send(300) // 298 too many
		h.take(len(h.queue))
		h.counts.EventsDropped += 40
		h.send(event.MaxWaiting + 1)
		h.take(len(h.queue))
	})
	var gaps []string
	sum := uint64(0)
	for i, e := range events {
		if i > 0 && e.Seq != events[i-1].Seq+1 {
			gaps = append(gaps, fmt.Sprint(e.Seq-events[i-1].Seq-1))
		}
		sum += lost[i]
	}
	equal(t, "gaps", strings.Join(gaps, " "), "20 298 1")
	equal(t, "told", sum, 20+298+1)
}
