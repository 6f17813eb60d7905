package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds what a test waits for the browser; a guard against hanging.
const patience = 4 * time.Minute

// find returns the browser's program.
func find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium or Chrome on the PATH")
	return ""
}

// start starts a browser of the test's own, with an empty profile.
func start(t *testing.T) context.Context {
	t.Helper()
	program := find(t)
	// The test's own context ends too early to close the browser in peace.
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	// The list is complete: the library's own defaults are left out. Without a folder
	// for the profile it makes an empty one, and takes it away when the browser ends.
	ctx, cancel = chromedp.NewExecAllocator(ctx,
		chromedp.ExecPath(program),
		chromedp.Headless,
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-extensions", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("lang", "en"),
	)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	do(t, ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Log(err)
		}
	})
	return ctx
}

// do runs actions in the browser.
func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask evaluates an expression in the page.
func ask[T any](t *testing.T, ctx context.Context, expression string) (v T) {
	t.Helper()
	do(t, ctx, chromedp.Evaluate(expression, &v))
	return v
}

// A tab is a page that is open, and everything it did that it should not do.
type tab struct {
	ctx context.Context
	url string

	mu       sync.Mutex
	requests []string // sent, other than for the page itself
	said     []string // on the console, or thrown
}

// open serves a page, opens it in a tab of the browser, and waits for its charts.
func open(t *testing.T, browser context.Context, html []byte, width, height int64) *tab {
	t.Helper()
	var served sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, again := served.LoadOrStore(r.URL.Path, true); again || r.URL.Path != "/" {
			t.Errorf("the browser asked for %s", r.URL.Path)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(html)
	}))
	t.Cleanup(server.Close)
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	tb := &tab{ctx: ctx, url: server.URL + "/"}
	chromedp.ListenTarget(ctx, tb.hear)
	do(t, ctx,
		network.Enable(), log.Enable(), runtime.Enable(),
		emulation.SetDeviceMetricsOverride(width, height, 1, false),
		page.BringToFront(), // what is behind is not drawn
		chromedp.Navigate(tb.url),
	)
	// The script runs before the page counts as loaded, and says so at its end.
	if !ask[bool](t, ctx, `document.documentElement.dataset.ready === "yes"`) {
		tb.quiet(t)
		t.Fatal("the script of the page has not come to its end")
	}
	return tb
}

func (tb *tab) hear(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		// A picture that is part of the page is no request.
		if e.Request.URL != tb.url && len(e.Request.URL) > 5 && e.Request.URL[:5] != "data:" {
			tb.requests = append(tb.requests, e.Request.URL)
		}
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			tb.said = append(tb.said, fmt.Sprintf("%s: %s", e.Type, a.Value))
		}
	case *runtime.EventExceptionThrown:
		tb.said = append(tb.said, e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		tb.said = append(tb.said, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
	}
}

// quiet fails the test with everything that the page fetched or complained about.
func (tb *tab) quiet(t *testing.T) {
	t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, url := range tb.requests {
		t.Errorf("the page fetched %s", url)
	}
	for _, text := range tb.said {
		t.Errorf("the console says: %s", text)
	}
}

// scheme switches between light and dark.
func (tb *tab) scheme(t *testing.T, name string) {
	t.Helper()
	do(t, tb.ctx, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}), nextFrame)
}

// nextFrame waits until what has changed has been drawn.
var nextFrame = chromedp.ActionFunc(func(ctx context.Context) error {
	var done bool
	return chromedp.Evaluate(`new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(true))))`, &done,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }).Do(ctx)
})

// keep saves a file for people to look at.
func keep(t *testing.T, name string, content []byte) {
	t.Helper()
	dir := os.Getenv("SWITCHGEAR_SCREENSHOTS")
	if dir == "" {
		dir = t.ArtifactDir()
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
		t.Error(err)
	}
}

// picture saves the whole page.
func (tb *tab) picture(t *testing.T, name string) {
	t.Helper()
	var png []byte
	do(t, tb.ctx, chromedp.FullScreenshot(&png, 100))
	keep(t, name, png)
}
