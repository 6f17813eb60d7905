package demo

import (
	"encoding/json"
	"time"

	"github.com/switchgear-go/switchgear/event"
)

// A Report is the outcome of a performance. It is one JSON document:
//
//	{"version": …, "speed": 10, "pass": true, "acts": [{"act": 1, "title": …,
//	  "pass": true, "expected": {…}, "measured": {…}, "verdicts": {…}}, …]}
//
// The three objects of an act have the same keys; a band is a list of its two
// bounds, null where there is none. Durations are numbers of seconds under keys
// that end in _s, except in the breaker's events, which are as the breaker writes
// them.
type Report struct {
	Version string
	Speed   int
	Acts    []*Act
}

// Pass reports whether every act passed.
func (r *Report) Pass() bool {
	for _, a := range r.Acts {
		if !a.Pass() {
			return false
		}
	}
	return true
}

// MarshalJSON writes the document that the type's comment describes.
func (r *Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Version string `json:"version"`
		Speed   int    `json:"speed"`
		Pass    bool   `json:"pass"`
		Acts    []*Act `json:"acts"`
	}{r.Version, r.Speed, r.Pass(), r.Acts})
}

// An Act is the outcome of one act.
type Act struct {
	Number int
	Title  string
	Checks []Check

	// Requests are the lines of act 4, Events and Ledger the story of act 6.
	Requests []Request
	Events   []event.Event
	Ledger   *Ledger
}

// A Request is one line of act 4.
type Request struct {
	Number  int     `json:"request"`
	Before  string  `json:"before"`
	After   string  `json:"after"`
	Outcome string  `json:"outcome"`
	Took    Seconds `json:"took_s"`
	End     Seconds `json:"end_s"` // since the act began
}

// A Ledger is what a breaker cost and saved in an outage.
type Ledger struct {
	// Made are calls that reached the service, Spared those refused instead.
	Made   int `json:"calls_made"`
	Spared int `json:"calls_spared"`
	// Waited is what the calls made took. SparedTime is what the spared ones
	// would have taken.
	Waited     Seconds `json:"waited_s"`
	SparedTime Seconds `json:"spared_s"`
}

// Seconds is a duration that is a number of seconds in JSON.
type Seconds time.Duration

// MarshalJSON writes the number.
func (s Seconds) MarshalJSON() ([]byte, error) { return json.Marshal(seconds(time.Duration(s))) }

// Pass reports whether nothing was wrong; notes are not.
func (a *Act) Pass() bool { return a.verdict() != Fail }

func (a *Act) verdict() Verdict { return worst(a.verdicts()) }

func (a *Act) verdicts() (verdicts []Verdict) {
	for _, c := range a.Checks {
		verdicts = append(verdicts, c.Verdict)
	}
	return verdicts
}

// MarshalJSON writes one element of "acts".
func (a *Act) MarshalJSON() ([]byte, error) {
	expected, measured, verdicts := map[string]any{}, map[string]any{}, map[string]Verdict{}
	for _, c := range a.Checks {
		expected[c.Name], measured[c.Name], verdicts[c.Name] = c.Expected, c.Measured, c.Verdict
	}
	return json.Marshal(struct {
		Number   int                `json:"act"`
		Title    string             `json:"title"`
		Pass     bool               `json:"pass"`
		Expected map[string]any     `json:"expected"`
		Measured map[string]any     `json:"measured"`
		Verdicts map[string]Verdict `json:"verdicts"`
		Requests []Request          `json:"requests,omitempty"`
		Events   []event.Event      `json:"events,omitempty"`
		Ledger   *Ledger            `json:"ledger,omitempty"`
	}{a.Number, a.Title, a.Pass(), expected, measured, verdicts, a.Requests, a.Events, a.Ledger})
}
