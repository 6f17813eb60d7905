package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// How long an admin handler may take, and how much it may say.
const (
	ctlDial    = 5 * time.Second
	ctlHeaders = 10 * time.Second
	ctlWhole   = 30 * time.Second
	ctlMost    = 16 << 20 // bytes of an answer
)

// tokenVariable is the environment variable with the token.
const tokenVariable = "SWITCHGEAR_TOKEN"

// A ctlClient speaks with one admin handler.
type ctlClient struct {
	base      string
	token     string
	tokenFrom string // where it is from, to be told in place of it
	http      *http.Client
}

// client returns a client for what the flags say. What is wrong with them is wrong
// usage.
func (f *ctlFlags) client() (*ctlClient, error) {
	base, err := adminURL(f.addr)
	if err != nil {
		return nil, err
	}
	c := &ctlClient{base: base}
	if err := c.findToken(f.tokenFile); err != nil {
		return nil, err
	}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: ctlDial}).DialContext,
			TLSHandshakeTimeout:    ctlHeaders,
			ResponseHeaderTimeout:  ctlHeaders,
			MaxResponseHeaderBytes: 64 << 10,
		},
		// A token is for whom it was meant, so nobody sends it elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// adminURL reads --addr. Its errors do not repeat what was given: there may be a
// password in it.
func adminURL(text string) (string, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", errors.New("--addr must be a URL such as " + defaultAdmin)
	case u.User != nil:
		return "", errors.New("--addr must have no user name and no password: the token goes into --token-file or " + tokenVariable)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("--addr must have nothing after the path")
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// findToken never puts the token itself into an error.
func (c *ctlClient) findToken(path string) error {
	c.token, c.tokenFrom = os.Getenv(tokenVariable), tokenVariable
	if path != "" {
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
		defer file.Close()
		const most = 4 << 10
		text, err := io.ReadAll(io.LimitReader(file, most+1))
		if err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
		c.token, c.tokenFrom = string(text), path
		if len(text) > most || strings.TrimSpace(c.token) == "" {
			return fmt.Errorf("--token-file: %s must hold one token and nothing else", path)
		}
	}
	c.token = strings.TrimSpace(c.token)
	if strings.ContainsFunc(c.token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("the token from %s must be printable ASCII without spaces", c.tokenFrom)
	}
	return nil
}

// An answer is the JSON that a handler has sent, and when by its clock.
type answer struct {
	raw []byte
	now time.Time
}

// call sends a request, with a body unless that is nil, and reads the answer into v.
func (c *ctlClient) call(ctx context.Context, method, path string, body, v any) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, ctlWhole)
	defer cancel()
	resp, err := c.send(ctx, method, path, body, nil)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := readAnswer(resp)
	if err != nil {
		return answer{}, c.unreachable(err)
	}
	// The age of things is told by the clock that wrote down when they happened.
	a := answer{raw: raw, now: time.Now()}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		a.now = date
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return a, fmt.Errorf("%s gives an answer that is not understood: %s\nIs it an admin handler of this version? --addr names another", c.base, plain(err.Error()))
	}
	return a, nil
}

// errTooMuch is an answer that no admin handler gives.
var errTooMuch = fmt.Errorf("more than %d MiB came", ctlMost>>20)

func readAnswer(resp *http.Response) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, ctlMost+1))
	if err == nil && len(raw) > ctlMost {
		err = errTooMuch
	}
	return raw, err
}

// send sends a request and returns the response if its status is 200; /health has 503
// only if asked for it.
func (c *ctlClient) send(ctx context.Context, method, path string, body any, header http.Header) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "switchgear-ctl")
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, c.refused(resp)
	}
	return resp, nil
}

func (c *ctlClient) unreachable(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the URL, which would come a second time
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("cannot reach %s: %w\nIs the program running, and does it serve its admin handler there? --addr names another place", c.base, err)
}

// A refusal is an answer that is none.
type refusal struct {
	status int
	// What the handler says. Field is the part of the request that is wrong.
	problem struct {
		Error string `json:"error"`
		Field string `json:"field"`
	}
	says string
}

func (r *refusal) Error() string { return r.says }

// noBreaker reports whether it is the name that the handler does not know.
func (r *refusal) noBreaker() bool {
	return r.status == http.StatusNotFound && r.problem.Field == "name"
}

// passes reports whether the same request may succeed later.
func (r *refusal) passes() bool { return r.status >= 500 || r.status == http.StatusTooManyRequests }

// refused says what a status means, and what to do about it.
func (c *ctlClient) refused(resp *http.Response) error {
	r := &refusal{status: resp.StatusCode}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what it cannot say is not said
	_ = json.Unmarshal(raw, &r.problem)
	word := plain(cmp.Or(r.problem.Error, strings.ToLower(http.StatusText(r.status)), "status "+fmt.Sprint(r.status)))

	sent := "none was sent"
	if c.token != "" {
		sent = "the one from " + c.tokenFrom + " was sent"
	}
	advice := ""
	switch {
	case r.status >= 300 && r.status < 400:
		word = "it redirects to " + plain(resp.Header.Get("Location"))
		advice = "If that is right, --addr should have it"
	case r.problem.Error == "" && r.status != http.StatusUnauthorized && r.status != http.StatusForbidden:
		word = fmt.Sprintf("it answers %d, %s, and not as an admin handler does", r.status, word)
		advice = "Is the handler there, or below some path? --addr names another place"
	case r.status == http.StatusUnauthorized:
		advice = "It takes the program's token, in " + tokenVariable + " or the file of --token-file; " + sent
	case r.problem.Error == "writing is off":
		advice = "Only the program can allow it: AllowWrites in its admin.Config"
	case r.status == http.StatusForbidden:
		advice = "To move breakers takes the program's write token, in " + tokenVariable + " or the file of --token-file; " + sent
	case r.noBreaker():
	case r.status == http.StatusNotFound:
		advice = "Is the handler mounted below some path? Then --addr needs that path"
	case r.status == http.StatusMisdirectedRequest:
		advice = "Use localhost, an IP address, or a name that the program has in its Hosts"
	}
	r.says = c.base + ": " + word
	if advice != "" {
		r.says += "\n" + advice
	}
	return r
}
