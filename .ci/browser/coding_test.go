package browser

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Messages are coded by hand: what was chosen outlives the page, is saved as a table,
// and is read back.
func TestCoding(t *testing.T) {
	f := newFolder(t)
	example, err := os.ReadFile(f.example("labels-by-hand.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	small := strings.Replace(string(example), "replicates: 40", "replicates: 4", 1)
	if err := os.WriteFile(filepath.Join(f.dir, "campaign.yaml"), []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	f.run("run", "campaign.yaml")
	f.run("label", "labels-by-hand", "--gold", "60", "-o", "coding.html")

	p := open(t, (&url.URL{Scheme: "file", Path: filepath.Join(f.dir, "coding.html")}).String())
	p.says("Coding by hand", "Said before, not to be coded", "0 of ")
	p.accessible("the page to code")
	p.phone("the page to code")
	p.do(chromedp.Click(chromedp.CSS(`#next`)), chromedp.KeyEvent(" ")) // the first box has the focus
	p.await(`document.getElementById("done").textContent === "1"`)
	p.do(chromedp.Reload())
	p.await(`document.getElementById("done").textContent === "1"`)
	p.accessible("a page that is coded in part")

	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("fieldset:not(.done) label:last-child input").forEach((i) => i.click())`))
	p.await(`document.getElementById("done").textContent === String(document.querySelectorAll("fieldset").length)`)
	params := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: f.dir}
	if _, err := chromedp.Call(p, browser.SetDownloadBehavior, params); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Click(chromedp.CSS(`#save`)))
	saved := filepath.Join(f.dir, js[string](p, "document.body.dataset.file"))
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if info, err := os.Stat(saved); err == nil && info.Size() > 0 {
			break
		}
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%s is not there", saved)
		}
	}
	f.run("label", "labels-by-hand", "--gold-from", saved, "--coder", "ada")

	f.run("label", "labels-by-hand", "--code-book", "drift", "--gold", "60", "-o", "drift.html")
	p = open(t, (&url.URL{Scheme: "file", Path: filepath.Join(f.dir, "drift.html")}).String())
	p.accessible("the page of another code book")
	for _, c := range []struct{ click, want string }{ // a label that stands alone, and others
		{"first-child", "Task Compliance"}, {"nth-child(2)", "Task Compliance,Lack of Progress"}, {"last-child", "None of these"}, {"first-child", "Task Compliance"},
	} {
		p.do(chromedp.Click(chromedp.CSS(`fieldset label:` + c.click + ` input`)))
		p.await(`[...document.querySelector("fieldset").querySelectorAll("input:checked")].map((i) => i.value).join() === "` + c.want + `"`)
	}
}
