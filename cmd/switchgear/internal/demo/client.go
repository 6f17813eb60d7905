package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/breaker"
)

// client calls the inventory service.
type client struct {
	http http.Client
	url  string
}

// item is the answer that the client's own callers get. Source tells them where
// it came from, so that nobody takes a fallback for the truth.
type item struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
	Source   string `json:"source"`
}

// statusError is an answer other than 200. Its StatusCode groups the errors in
// trip records.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string   { return e.text }
func (e *statusError) StatusCode() int { return e.status }

// get asks how many there are. The error of a 4xx answer is marked as a success
// of the service: it is there and has answered, only the question was wrong.
func (c *client) get(ctx context.Context, sku string) (item, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/inventory/"+sku, nil)
	if err != nil {
		return item{}, switchgear.MarkIgnored(err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return item{}, err
	}
	defer resp.Body.Close()

	var answer struct {
		item
		Error string `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return item{}, fmt.Errorf("inventory answer: %w", err)
	}
	switch {
	case resp.StatusCode == http.StatusOK:
		answer.Source = "inventory"
		return answer.item, nil
	case resp.StatusCode < 500:
		return item{}, switchgear.MarkSuccess(&statusError{resp.StatusCode, answer.Error})
	}
	return item{}, &statusError{resp.StatusCode, answer.Error}
}

// setHealthy lets the service fail or recover.
func (c *client) setHealthy(ctx context.Context, healthy bool) error {
	url := fmt.Sprintf("%s/admin/set-healthy/%t", c.url, healthy)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s: %s", url, resp.Status)
	}
	return nil
}

// result is how one call ended, as its caller sees it.
type result struct {
	item item
	err  error
	took time.Duration
}

// refused reports whether the breaker refused the call.
func (r result) refused() bool { return errors.Is(r.err, breaker.ErrRejected) }

// status returns the HTTP status of the answer, 0 if there was none.
func (r result) status() int {
	if r.err == nil {
		return http.StatusOK
	}
	if e, ok := errors.AsType[*statusError](r.err); ok {
		return e.status
	}
	return 0
}

// outcome says in a few words how the call ended.
func (r result) outcome() string {
	switch {
	case r.err == nil:
		return fmt.Sprintf("%d in stock", r.item.Quantity)
	case r.refused():
		text := "refused"
		if wait, ok := switchgear.RetryAfter(r.err); ok {
			text += ", " + span(wait) + " left"
		}
		return text
	case r.status() != 0:
		return fmt.Sprintf("status %d", r.status())
	}
	return r.err.Error()
}

// through makes one call through a breaker.
func (c *client) through(ctx context.Context, b *breaker.Breaker, sku string) result {
	begin := time.Now()
	found, err := breaker.Do(ctx, b, func(ctx context.Context) (item, error) {
		return c.get(ctx, sku)
	})
	return result{found, err, time.Since(begin)}
}

// direct makes one call without a breaker.
func (c *client) direct(ctx context.Context, sku string) result {
	begin := time.Now()
	found, err := c.get(ctx, sku)
	return result{found, err, time.Since(begin)}
}
