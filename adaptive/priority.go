package adaptive

import (
	"context"
	"fmt"
	"strconv"
)

// Priority is how important a call is; lower is more important, and 0 the most. See
// [Config.Shares] for what each level may use.
type Priority uint8

const (
	// Critical calls may use all of the limit. A call without a priority is critical.
	Critical Priority = iota
	// Normal calls leave some room to critical ones: by default, a tenth.
	Normal
	// Background calls are the first to be shed: by default, when three fifths of the
	// limit are in use.
	Background
)

// maxLevels bounds Config.Shares.
const maxLevels = 8

// String returns "critical", "normal" or "background", or the number of a level that
// has no name.
func (p Priority) String() string {
	switch p {
	case Critical:
		return "critical"
	case Normal:
		return "normal"
	case Background:
		return "background"
	}
	return strconv.Itoa(int(p))
}

// MarshalText writes the priority's name or number.
func (p Priority) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads "critical", "normal", "background" or a number from 0 to 255.
func (p *Priority) UnmarshalText(text []byte) error {
	s := string(text)
	for named := Critical; named <= Background; named++ {
		if s == named.String() {
			*p = named
			return nil
		}
	}
	n, err := strconv.ParseUint(s, 10, 8)
	if err != nil {
		return fmt.Errorf("adaptive: %q is no priority; priorities are critical, normal, background and numbers from 0 to 255", text)
	}
	*p = Priority(n)
	return nil
}

// WithPriority returns a context whose calls have the priority p. Of several around
// each other, the innermost counts.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return &priorityContext{ctx, p}
}

// PriorityOf returns the priority of ctx: [Critical] if it was given none.
func PriorityOf(ctx context.Context) Priority {
	if p, ok := ctx.Value(priorityKey{}).(*Priority); ok {
		return *p
	}
	return Critical
}

type priorityKey struct{}

// priorityContext costs one allocation, where context.WithValue may take two.
type priorityContext struct {
	context.Context
	priority Priority
}

func (c *priorityContext) Value(key any) any {
	if key == (priorityKey{}) {
		return &c.priority
	}
	return c.Context.Value(key)
}
