// Package browser tests the program's pages in a real browser: what people see,
// click and type, on a desktop and a phone, with what a model may write against them.
package browser

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	binary   = flag.String("roundtable", "", "the built program")
	examples = flag.String("examples", "../../examples", "folder of the examples")
	chromium = flag.String("chromium", "chromium", "the browser")
	axe      = flag.String("axe", "", "file axe.min.js, which looks for what keeps people out; without it that is not checked")
	screens  = flag.String("screens", "", "folder for the pictures of the documentation; none if it is empty")
	large    = flag.String("large", "", "address of a large campaign's page, of which the pages are measured; none if it is empty")
)

// session is of a browser that is started once for all tests.
var session context.Context

func TestMain(m *testing.M) {
	flag.Parse()
	if *binary == "" {
		fmt.Fprintln(os.Stderr, "-roundtable names no program")
		os.Exit(2)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(*chromium), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1280, 900))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	var end context.CancelFunc
	session, end = chromedp.NewContext(allocated)
	if err := chromedp.Do(session); err != nil {
		fmt.Fprintln(os.Stderr, "the browser does not start:", err)
		os.Exit(1)
	}
	code := m.Run()
	end()
	stop()
	os.Exit(code)
}

// tab is a page that is looked at. It fails the test for an error in the page, or a
// request to any other place than the page's own.
type tab struct {
	context.Context
	t *testing.T

	mu    sync.Mutex
	home  string // where requests may go
	wrong []string
}

func open(t *testing.T, address string) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(session)
	if err := chromedp.Do(ctx); err != nil { // a timeout of the first call would end the browser
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &tab{Context: ctx, t: t, home: at.Scheme + "://" + at.Host}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		end()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, w := range p.wrong {
			t.Errorf("%s: %s", address, w)
		}
	})
	p.do(chromedp.Navigate(address))
	return p
}

func (p *tab) listen(event any) {
	note := func(format string, args ...any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.wrong = append(p.wrong, fmt.Sprintf(format, args...))
	}
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, p.home) && !strings.HasPrefix(e.Request.URL, "data:") {
			note("a request leaves the page: %s", e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		what := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			what += " " + e.ExceptionDetails.Exception.Description
		}
		note("a script fails: %s", what)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			note("%s (%s)", e.Entry.Text, e.Entry.URL)
		}
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// js returns what an expression of the page comes to.
func js[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%.200s: %v", expression, err)
	}
	return value
}

// await waits until an expression of the page, or of the one that comes after it, is true.
func (p *tab) await(expression string) {
	p.t.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if is, err := chromedp.Run(p, chromedp.Evaluate[bool]("Boolean("+expression+")")); err == nil && is {
			return
		}
		if time.Since(began) > 60*time.Second {
			p.t.Fatalf("after a minute it is not so that %s; the page says:\n%s", expression, js[string](p, "document.body.innerText"))
		}
	}
}

func (p *tab) text() string {
	p.t.Helper()
	return js[string](p, "document.body.innerText")
}

// says checks that the page has each of some texts, once it is drawn.
func (p *tab) says(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		for began := time.Now(); !strings.Contains(p.text(), text); time.Sleep(50 * time.Millisecond) {
			if time.Since(began) > 5*time.Second {
				p.t.Errorf("%q is not on the page:\n%s", text, p.text())
				break
			}
		}
	}
}

// accessible looks for what keeps people out (WCAG 2.2 A and AA), in both colour schemes.
func (p *tab) accessible(what string) {
	p.t.Helper()
	if *axe == "" {
		return
	}
	script, err := os.ReadFile(*axe)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.media(&emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme})
		js[chromedp.Void](p, string(script)+";null")
		found := js[string](p, `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then((r) =>
			r.violations.map((v) => v.id + ": " + v.help + "\n" + v.nodes.slice(0, 3).map((n) => "  " + n.html + "\n  " + n.failureSummary).join("\n")).join("\n"))`)
		if found != "" {
			p.t.Errorf("%s in %s:\n%s", what, scheme, found)
		}
	}
	p.media()
}

func (p *tab) media(features ...*emulation.MediaFeature) {
	p.t.Helper()
	if _, err := chromedp.Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		p.t.Fatal(err)
	}
}

// phone makes the page as wide as a phone, and checks that nothing has to be moved sideways.
func (p *tab) phone(what string) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(375, 844, chromedp.EmulateMobile))
	if wide := js[int](p, "document.documentElement.scrollWidth"); wide > 375 {
		p.t.Errorf("%s is %d pixels wide on a phone of 375: %s", what, wide, js[string](p, `Array.from(document.querySelectorAll("main *")).filter((e) => e.getBoundingClientRect().right > 376 && !e.closest(".wide, .list")).slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join("\n")`))
	}
	const broken = `Array.from(document.querySelectorAll("th, td")).filter((e) => e.checkVisibility() && e.clientWidth < 40 && e.innerText.length > 8).slice(0, 3).map((e) => e.innerText).join("; ")`
	if cells := js[string](p, broken); cells != "" {
		p.t.Errorf("%s has cells on a phone that are broken letter by letter: %s", what, cells)
	}
	p.do(chromedp.EmulateViewport(1280, 900))
}

// printed checks that nothing is cut where the page is printed.
func (p *tab) printed(what string) {
	p.t.Helper()
	if _, err := chromedp.Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		p.t.Fatal(err)
	}
	if cut := js[int](p, `Array.from(document.querySelectorAll("pre")).filter((e) => getComputedStyle(e).maxHeight !== "none").length`); cut > 0 {
		p.t.Errorf("%s: %d texts are cut in print", what, cut)
	}
	p.media()
}

// picture keeps what the page looks like.
func (p *tab) picture(name string) {
	p.t.Helper()
	if *screens == "" {
		return
	}
	png, err := chromedp.Run(p, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screens, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// still checks that nothing on the page has moved while it was put together.
func (p *tab) still(what string) {
	p.t.Helper()
	moved := js[float64](p, `new Promise((tell) => {
		let sum = 0;
		new PerformanceObserver((list) => list.getEntries().forEach((e) => { if (!e.hadRecentInput) sum += e.value; })).observe({ type: "layout-shift", buffered: true });
		setTimeout(() => tell(sum), 100);
	})`)
	if moved > 0.02 {
		p.t.Errorf("%s: what is on the page moves (layout shift %.3f)", what, moved)
	}
}

// painted returns after how long the page showed something, in ms.
func (p *tab) painted() float64 {
	p.t.Helper()
	p.await(`performance.getEntriesByName("first-contentful-paint").length`)
	return js[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
}

// folder is where campaigns are run.
type folder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T) folder { return folder{t, t.TempDir()} }

func (f folder) command(args ...string) *exec.Cmd {
	f.t.Helper()
	path, err := filepath.Abs(*binary)
	if err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=none")
	return cmd
}

// run runs a command to its end.
func (f folder) run(args ...string) {
	f.t.Helper()
	if out, err := f.command(args...).CombinedOutput(); err != nil {
		f.t.Fatalf("roundtable %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (f folder) example(name string) string {
	f.t.Helper()
	path, err := filepath.Abs(filepath.Join(*examples, name))
	if err != nil {
		f.t.Fatal(err)
	}
	return path
}

// few writes an example with few instances and one replicate of each, and returns its file.
func (f folder) few(name string) string {
	f.t.Helper()
	path := f.example(name)
	text, err := os.ReadFile(path)
	if err != nil {
		f.t.Fatal(err)
	}
	for pattern, with := range map[string]string{
		`(?m)^instances: \d+`: "instances: 3", `(?m)^replicates: \d+`: "replicates: 1", `(?m)^data: `: "data: " + filepath.Dir(path) + "/",
	} {
		text = regexp.MustCompile(pattern).ReplaceAll(text, []byte(with))
	}
	if err := os.WriteFile(filepath.Join(f.dir, name), text, 0o600); err != nil {
		f.t.Fatal(err)
	}
	return name
}

// view serves the pages and returns their address.
func (f folder) view() string {
	f.t.Helper()
	cmd := f.command("view")
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	var says bytes.Buffer
	cmd.Stderr = &says
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			f.t.Errorf("view ends with %v\n%s", err, &says)
		}
	})
	word, address := "", ""
	if _, err := fmt.Fscan(out, &word, &address); err != nil || word != "Open" {
		f.t.Fatalf("view says %q %q: %v\n%s", word, address, err, &says)
	}
	return address
}
