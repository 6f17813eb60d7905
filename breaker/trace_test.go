package breaker_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/switchgear-go/switchgear/breaker"
)

// Bounds of what is accepted as a trace. They keep a broken or hostile file from
// exhausting memory or time.
const (
	maxLine       = 16 << 20 // bytes of one record
	maxID         = 1 << 40
	maxMillis     = 10 * 365 * 24 * 3600 * 1000 // ten years
	maxWaitMillis = 30 * 24 * 3600 * 1000
	maxTurns      = 10_000 // transitions made by timers alone
)

// A trace is one recorded scenario: a configuration, then what was done to the
// recorded system and what it answered. testdata/conformance holds traces that
// were measured on an independent implementation, one in a line of JSON.
type trace struct {
	Name   string      `json:"name"`
	Config traceConfig `json:"config"`
	Steps  []traceStep `json:"steps"`
}

type traceConfig struct {
	FailureRate float64 `json:"failureRateThreshold"`
	SlowRate    float64 `json:"slowCallRateThreshold"`
	SlowCall    int64   `json:"slowCallDurationThreshold_ms"`
	Window      string  `json:"slidingWindowType"`
	Size        int64   `json:"slidingWindowSize"`
	Minimum     int64   `json:"minimumNumberOfCalls"`
	Wait        int64   `json:"waitDurationInOpenState_ms"`
	Probes      int64   `json:"permittedNumberOfCallsInHalfOpenState"`
	MaxHalfOpen int64   `json:"maxWaitDurationInHalfOpenState_ms"` // 0 is for ever
	Automatic   bool    `json:"automaticTransitionFromOpenToHalfOpenEnabled"`
}

type traceStep struct {
	T         int64          `json:"t"` // milliseconds since the start
	Op        string         `json:"op"`
	ID        int64          `json:"id"`
	Permitted *bool          `json:"permitted"`
	Duration  *int64         `json:"duration_ms"`
	To        *breaker.State `json:"to"`
	After     *traceAnswer   `json:"after"`
}

// traceAnswer is what the recorded system showed straight after the step. A rate is
// -1 while it is undefined.
type traceAnswer struct {
	State       breaker.State `json:"state"`
	FailureRate float64       `json:"failureRate"`
	SlowRate    float64       `json:"slowCallRate"`
	Buffered    int64         `json:"bufferedCalls"`
	Failed      int64         `json:"failedCalls"`
	Slow        int64         `json:"slowCalls"`
	SlowFailed  int64         `json:"slowFailedCalls"`
}

func (s *traceStep) String() string {
	switch {
	case s.To != nil:
		return fmt.Sprintf("t=%d %s %v", s.T, s.Op, *s.To)
	case s.ID != 0:
		return fmt.Sprintf("t=%d %s %d", s.T, s.Op, s.ID)
	}
	return fmt.Sprintf("t=%d %s", s.T, s.Op)
}

// readTraces calls do for each trace in a file of JSON Lines, which is compressed
// if its name says so.
func readTraces(path string, do func(*trace)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read: nothing can be lost
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		tr, err := parseTrace(lines.Bytes())
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		do(tr)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	return nil
}

// parseTrace reads one trace and checks that it makes sense: a trace that is
// accepted can be run to its end.
func parseTrace(line []byte) (*trace, error) {
	if len(line) > maxLine {
		return nil, fmt.Errorf("a record of %d bytes: at most %d are allowed", len(line), maxLine)
	}
	tr := new(trace)
	if err := json.Unmarshal(line, tr); err != nil {
		return nil, err
	}
	if tr.Name == "" {
		return nil, errors.New("a trace needs a name")
	}
	if err := tr.Config.check(); err != nil {
		return nil, fmt.Errorf("trace %q: config: %w", tr.Name, err)
	}
	running := map[int64]int64{} // calls by id: when they began
	now := int64(0)
	for i := range tr.Steps {
		s := &tr.Steps[i]
		if err := s.check(now, running); err != nil {
			return nil, fmt.Errorf("trace %q: step %d (%v): %w", tr.Name, i, s, err)
		}
		now = s.T
	}
	if c := &tr.Config; c.Automatic && c.MaxHalfOpen > 0 && now/(c.Wait+c.MaxHalfOpen) > maxTurns {
		return nil, fmt.Errorf("trace %q: timers alone would make more than %d transitions", tr.Name, maxTurns)
	}
	return tr, nil
}

func (c *traceConfig) check() error {
	within := func(what string, v, least, most int64) error {
		if v < least || v > most {
			return fmt.Errorf("%s = %d: must be from %d to %d", what, v, least, most)
		}
		return nil
	}
	rate := func(what string, v float64) error {
		if !(v > 0 && v <= 100) {
			return fmt.Errorf("%s = %v: must be above 0 and at most 100", what, v)
		}
		return nil
	}
	size := int64(10_000_000) // calls
	switch c.Window {
	case "COUNT_BASED":
	case "TIME_BASED":
		size = maxWaitMillis / 1000 // seconds
	default:
		return fmt.Errorf("slidingWindowType = %q: must be COUNT_BASED or TIME_BASED", c.Window)
	}
	return errors.Join(
		rate("failureRateThreshold", c.FailureRate),
		rate("slowCallRateThreshold", c.SlowRate),
		within("slowCallDurationThreshold_ms", c.SlowCall, 1, maxWaitMillis),
		within("slidingWindowSize", c.Size, 1, size),
		within("minimumNumberOfCalls", c.Minimum, 1, 1_000_000_000),
		within("waitDurationInOpenState_ms", c.Wait, 1, maxWaitMillis-1),
		within("permittedNumberOfCallsInHalfOpenState", c.Probes, 1, 10_000),
		within("maxWaitDurationInHalfOpenState_ms", c.MaxHalfOpen, 0, maxWaitMillis),
	)
}

// check looks at one step: now is the time of the one before, running the calls
// admitted and not yet ended.
func (s *traceStep) check(now int64, running map[int64]int64) error {
	switch {
	case s.T < now || s.T > maxMillis:
		return fmt.Errorf("t must be from %d, the time of the step before, to %d", now, int64(maxMillis))
	case s.After == nil:
		return errors.New("after is missing")
	}
	switch s.Op {
	case "acquire", "success", "error", "ignored", "release":
		if s.ID < 1 || s.ID > maxID {
			return fmt.Errorf("id = %d: must be from 1 to %d", s.ID, int64(maxID))
		}
	case "transition":
		if s.To == nil {
			return errors.New("to is missing")
		}
		return nil
	case "reset", "observe":
		return nil
	default:
		return fmt.Errorf("op = %q: unknown", s.Op)
	}
	began, known := running[s.ID]
	if s.Op == "acquire" {
		if s.Permitted == nil {
			return errors.New("permitted is missing")
		}
		if known {
			return errors.New("this call is still running")
		}
		if *s.Permitted {
			running[s.ID] = s.T
		}
		return nil
	}
	if !known {
		return errors.New("no such call is running")
	}
	delete(running, s.ID)
	if s.Op == "release" {
		return nil
	}
	if s.Duration == nil || *s.Duration != s.T-began {
		return fmt.Errorf("duration_ms must be %d, the time since its acquire", s.T-began)
	}
	return nil
}
