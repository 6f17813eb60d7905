package model

import (
	"reflect"
	"testing"
)

// Whatever can be changed changes the key. The test knows every field, so that one that
// is added is not forgotten in the key.
func TestKeyCoversEverything(t *testing.T) {
	changes := map[string]func(*Breaker){
		"State": func(b *Breaker) { b.State = Open }, "Period": func(b *Breaker) { b.Period++ },
		"Start": func(b *Breaker) { b.Start++ }, "Expires": func(b *Breaker) { b.Expires = 7 },
		"Author": func(b *Breaker) { b.Author = "ana" }, "Reason": func(b *Breaker) { b.Reason = "ana" },
		"Until": func(b *Breaker) { b.Until++ }, "Shown": func(b *Breaker) { b.Shown.Record(0, true, false) },
		"Needed": func(b *Breaker) { b.Needed++ }, "Run": func(b *Breaker) { b.Run++ },
		"Score": func(b *Breaker) { b.Score.Points++ }, "Slows": func(b *Breaker) { b.Slows.Points++ },
		"Hint": func(b *Breaker) { b.Hint++ }, "Errors": func(b *Breaker) { b.Errors = []string{"x"} },
		"Out": func(b *Breaker) { b.Out = []Probe{{}} }, "Settled": func(b *Breaker) { b.Settled++ },
		"Streak": func(b *Breaker) { b.Streak++ }, "admitted": func(b *Breaker) { b.admitted++ },
		"givenBack": func(b *Breaker) { b.givenBack++ }, "refused": func(b *Breaker) { b.refused++ },
		"lastProbe": func(b *Breaker) { b.lastProbe++ }, "draws": func(b *Breaker) { b.draws++ },
		"graceEnd": func(b *Breaker) { b.graceEnd++ }, "Retrips": func(b *Breaker) { b.Retrips++ },
		"ended": func(b *Breaker) { b.ended = true }, "LastFailed": func(b *Breaker) { b.LastFailed = 7 },
		"cfg": func(b *Breaker) { b.cfg.FailureRate++ }, "Counters": func(b *Breaker) { b.Counters.Overdue++ },
	}
	fresh := func() *Breaker { return New(Config{Calls: 3}, 5) }
	keys := map[string]string{fresh().Key(): "nothing"}
	for name, change := range changes {
		b := fresh()
		change(b)
		if other, ok := keys[b.Key()]; ok {
			t.Errorf("a change of %s has the same key as one of %s", name, other)
		}
		keys[b.Key()] = name
	}
	for f := range reflect.TypeFor[Breaker]().Fields() {
		if _, ok := changes[f.Name]; !ok && f.Name != "Last" && f.Name != "Events" {
			t.Errorf("the test does not know %s", f.Name)
		}
	}
	if n := reflect.TypeFor[Counters]().NumField(); n != 13 {
		t.Errorf("the key was written for 11 counters, there are %d", n)
	}
	if n := reflect.TypeFor[Score]().NumField(); n != 9 {
		t.Errorf("the key was written for 9 fields of a score, there are %d", n)
	}
}

// A clone shares nothing that changes.
func TestCloneIsIndependent(t *testing.T) {
	b := New(Config{Calls: 3, Minimum: 3, Consecutive: 2, Wait: 1, Factor: 1, MaxWait: 1, Probes: 2, ProbeLimit: 1}, 0)
	settle := func(b *Breaker, h Health) {
		p, _ := b.Acquire(9)
		b.Settle(9, p, Ending{Health: h, Kind: string(h)})
	}
	settle(b, Failure)
	key := b.Key()
	for _, ends := range [][]Health{{Failure}, {Success, Failure}, {Failure, Failure, Success}} {
		c := b.Clone()
		for _, h := range ends {
			settle(c, h)
		}
		c.Acquire(20)
		c.Acquire(21)
		c.Acquire(30)
	}
	if b.Key() != key || len(b.Events) != 0 {
		t.Error("what a clone did shows in the original")
	}
}
