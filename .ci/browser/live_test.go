package browser

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const progress = `document.querySelector(".state progress").value`

// A page follows a campaign while it runs, is killed, and goes on; its buttons pause,
// resume and tune it, each after a question.
func TestLive(t *testing.T) {
	f := newFolder(t)
	s := newService(t, 300*time.Millisecond, `{"target": [], "message": "I would take more apples.", "reason_for_decision": "so", "decision": 1}`)
	s.campaign(f, "live", 30)
	run := f.command("run", "live.yaml", "--no-check")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	s.awaitCalls(t)
	p := open(t, f.view()+"c/live/")
	p.await(`document.querySelector(".badge").textContent === "running"`)
	p.await(progress + ` > 0`)
	p.await(`/calls\/s/.test(document.querySelector(".sum").textContent)`)
	p.await(`document.querySelectorAll(".conditions tbody tr").length === 2`)
	p.await(`document.querySelector(".headline")`)
	p.says("No result yet", "So far: ")
	if counts := js[string](p, `document.getElementById("found").innerText.match(/\d+ of 60/g).join()`); !regexp.MustCompile(`^\d+ of 60$`).MatchString(counts) {
		t.Errorf("what had finished when the results were made is counted as %s", counts)
	}
	p.picture("view-live")
	p.accessible("a running campaign")

	steer(p, "pause", "no") // and nothing happens
	if js[string](p, `document.querySelector(".badge").textContent`) != "running" {
		t.Error("it pauses although the question was denied")
	}
	s.latency.Store(int64(10 * time.Second)) // a process stays as long as answers are under way
	time.Sleep(time.Second)
	steer(p, "pause", "yes")
	p.await(`document.querySelector(".badge").textContent === "paused"`)
	p.says("paused by hand")
	steer(p, "resume", "yes")
	s.latency.Store(int64(300 * time.Millisecond))
	p.await(`document.querySelector(".badge").textContent === "running"`)
	p.do(chromedp.Click(chromedp.CSS(`[data-do=tune]`)))
	if got := js[string](p, `["calls", "collaborations", "cost-usd", "model-timeout"].map((n) => document.getElementsByName(n)[0].placeholder).join(" ")`); got != "6 2 none none" {
		t.Errorf("the limits now are said to be %s", got)
	}
	p.accessible("the dialog that tunes")
	p.do(chromedp.SetValue(chromedp.CSS(`[name=calls]`), "60"), chromedp.SetValue(chromedp.CSS(`[name=collaborations]`), "20"))
	p.do(chromedp.Click(chromedp.CSS(`#yes`)))
	p.await(`document.getElementById("answer").textContent.includes("collaborations 2 → 20")`)

	p.do(chromedp.Click(chromedp.CSS(`[data-do=tune]`)))
	if said := js[string](p, `document.getElementById("answer").textContent`); said != "" {
		t.Errorf("before the next answer it still says %q", said)
	}
	p.do(chromedp.Click(chromedp.CSS(`#confirm button[value=no]`)))

	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	p.await(`document.querySelector(".badge").textContent === "interrupted"`)
	again := f.command("run", "live.yaml", "--no-check")
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	p.await(`document.querySelector(".badge").textContent === "running"`)
	if err := again.Wait(); err != nil {
		t.Fatal(err)
	}
	p.await(`document.querySelector(".badge").textContent === "done"`)
	p.says("60 of 60 ended", "100% done")
	p.await(`document.getElementById("found").textContent.includes("60 of 60 collaborations finished")`) // results follow by themselves
}

func steer(p *tab, button, answer string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(`[data-do=`+button+`]`)), chromedp.WaitVisible(chromedp.CSS(`#confirm`)))
	if js[string](p, `document.activeElement.value`) != "no" {
		p.t.Errorf("the key Enter would %s", button)
	}
	p.do(chromedp.Click(chromedp.CSS(`#confirm button[value=` + answer + `]`)))
	p.await(`!document.getElementById("confirm").open`)
}

// The page of a collaboration that runs follows it to its end: what was opened stays open and keeps
// the focus, and the rest is what a page that is opened afterwards has.
func TestLiveCollaboration(t *testing.T) {
	f := newFolder(t)
	s := newService(t, 700*time.Millisecond, `{"target": [], "message": "I would take more apples.", "reason_for_decision": "so", "decision": 1}`)
	s.campaign(f, "follows", 1)
	run := f.command("run", "follows.yaml", "--no-check")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	s.awaitCalls(t)
	p := open(t, f.view()+"c/follows/collaborations/?only=unfinished")
	p.await(`document.getElementById("list")?.dataset.ready`)
	p.do(chromedp.Click(chromedp.CSS(`#list tbody a`)))
	p.await(`document.querySelector(".verdict[data-live]")`)
	p.do(chromedp.Evaluate[chromedp.Void](`window.same = true`))
	p.await(`document.querySelector("details.asked")`)
	p.do(chromedp.Evaluate[chromedp.Void](`window.opened = document.querySelector("details.asked"); window.summary = opened.querySelector("summary"); summary.focus(); summary.click()`))
	p.await(`opened.querySelector("pre")`)
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	p.await(`!document.querySelector(".verdict[data-live]")`)
	if !js[bool](p, `window.same && opened.isConnected && opened.open && opened.querySelector("pre") !== null && document.activeElement === summary`) {
		t.Error("what was opened has not stayed, or has lost the focus")
	}
	p.do(chromedp.Evaluate[chromedp.Void](`opened.querySelector("div").remove()`))   // what was asked for
	const story = `document.querySelector(".story").textContent.replace(/\s+/g, "")` // with what is not on the screen
	if followed, new := js[string](p, story), js[string](open(t, js[string](p, `location.href`)), story); followed != new {
		t.Errorf("the page that followed says\n%s\none that is opened now\n%s", followed, new)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, 0); document.querySelector(".story > section").style.minHeight = "9000px"`))
	p.await(`!document.querySelector(".story").innerText.includes("Round 2")`) // it is off the screen
	p.do(chromedp.Evaluate[chromedp.Void](`navigator.clipboard.writeText = async (text) => { window.copied = text; }; document.querySelector("button.copy").click()`))
	p.await(`window.copied`)
	if copied := js[string](p, `copied`); !strings.Contains(copied, "Round 2") || !strings.Contains(copied, "There is no decision.") {
		t.Errorf("rounds that are off the screen are not copied:\n%s", copied)
	}
}

// A pause ends the process that owns the campaign: the page goes on saying that it is
// paused, and has the command that resumes it in place of the button.
func TestLivePaused(t *testing.T) {
	f := newFolder(t)
	s := newService(t, 100*time.Millisecond, `{"target": [], "message": "I would take more apples.", "reason_for_decision": "so", "decision": 1}`)
	s.campaign(f, "rests", 20)
	run := f.command("run", "rests.yaml", "--no-check")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	s.awaitCalls(t)
	p := open(t, f.view()+"c/rests/")
	p.await(`document.querySelector(".badge").textContent === "running"`)
	p.await(progress + ` > 0`)
	if js[bool](p, `document.querySelector(".resume").checkVisibility()`) {
		t.Error("a campaign that runs is to be resumed")
	}
	steer(p, "pause", "yes")
	_ = run.Wait()
	if code := run.ProcessState.ExitCode(); code != 3 {
		t.Errorf("the paused run ends with %d", code)
	}
	p.await(`document.querySelector(".resume").checkVisibility()`)
	p.says("paused by hand", "roundtable resume rests")
	if badge := js[string](p, `document.querySelector(".badge").textContent`); badge != "paused" {
		t.Errorf("it is %s", badge)
	}
	if js[bool](p, `document.querySelector("[data-do=resume]").checkVisibility()`) {
		t.Error("there is a button that can do nothing")
	}
	p.accessible("a paused campaign")
	f.run("resume", "rests")
	p.await(`document.querySelector(".badge").textContent === "done"`)
	p.await(`!document.querySelector(".resume").checkVisibility()`)
}
