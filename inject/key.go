package inject

import "context"

// WithKey returns a context whose calls have the key: a host, an operation, a
// customer, whatever the faults should tell apart. Of several around each other, the
// innermost counts. [WithKeyFunc] is another way.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, contextKey{}, key)
}

// KeyOf returns the key that [WithKey] gave to ctx; "" if it has none, and then only
// faults without keys strike its calls.
func KeyOf(ctx context.Context) string {
	key, _ := ctx.Value(contextKey{}).(string)
	return key
}

type contextKey struct{}
