package browser

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Every page of finished campaigns: what it says, on a desktop and a phone, for everybody.
func TestPages(t *testing.T) {
	f := newFolder(t)
	f.run("run", f.example("voting-rules.yaml"))
	t.Run("view", func(t *testing.T) { viewed(t, f) })
	t.Run("report", func(t *testing.T) { reported(t, f) })
}

func viewed(t *testing.T, f folder) {
	f.t = t
	address := f.view()

	p := open(t, address)
	p.await(`document.querySelector(".badge").textContent === "done"`)
	p.says("voting-rules", "100% done")
	p.picture("view-campaigns")
	p.still("campaigns")
	p.accessible("campaigns")
	p.phone("campaigns")

	p.do(chromedp.Click(chromedp.CSS(`a[href="c/voting-rules/"]`)))
	p.await(`document.getElementById("found")?.dataset.ready`)
	p.says("SIMULATED", "Outcome by condition", "What ran", "CSV")
	if !strings.Contains(js[string](p, `document.querySelector(".headline").textContent`), "exchange · simulated: ") {
		t.Error("the page has no headline")
	}
	p.do(chromedp.Click(chromedp.CSS(`.contents a[href="#of-exchange-economy"]`)))
	p.await(`document.getElementById("of-exchange-economy").open`)
	p.says("Headline figures")
	p.still("a campaign")
	p.accessible("a campaign")
	p.phone("campaign")

	p.do(chromedp.Click(chromedp.CSS(`a[href="collaborations/"]`)))
	p.await(`document.getElementById("list")?.dataset.ready`)
	listed(p)
	p.still("collaborations")
	p.accessible("collaborations")
	p.phone("collaborations")

	p.do(chromedp.Click(chromedp.CSS(`#list tbody a`)))
	p.await(`document.querySelector(".story")`)
	told(p)
}

// listed sorts, filters and searches the list.
func listed(p *tab) {
	p.t.Logf("searched within %.0f ms, and once more within %.0f", js[float64](p, searching), js[float64](p, searching))
	all := js[string](p, `document.getElementById("shown").textContent`)
	p.do(chromedp.SetValue(chromedp.CSS(`#facets select`), js[string](p, `document.querySelector("#facets select").options[1].value`)),
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#facets select").dispatchEvent(new Event("change"))`))
	if some := js[string](p, `document.getElementById("shown").textContent`); some == all {
		p.t.Errorf("a facet leaves %s", some)
	}
	p.do(chromedp.SendKeys(chromedp.CSS("#said"), "no such words at all"))
	p.await(`document.getElementById("shown").textContent.startsWith("0 of")`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("said").value = ""; document.getElementById("said").dispatchEvent(new Event("input"))`))
	p.await(`!document.getElementById("shown").textContent.startsWith("0 of")`)
	p.do(chromedp.Focus(chromedp.CSS("#list th button")), chromedp.KeyEvent(kb.Enter))
	if got := js[string](p, `document.querySelector("th[aria-sort]").textContent`); got != js[string](p, `document.querySelector("#list th").textContent`) {
		p.t.Errorf("the keyboard sorts by %q", got)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`), chromedp.KeyEvent("jj"))
	if got := js[string](p, `document.activeElement.closest("tr").ariaRowIndex`); got != "3" {
		p.t.Errorf("j and j lead to row %s", got)
	}
	p.do(chromedp.KeyEvent("k"), chromedp.KeyEvent("/"))
	if got := js[string](p, `document.activeElement.id`); got != "words" {
		p.t.Errorf("/ leads to %q", got)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("words").value = ""; document.getElementById("words").dispatchEvent(new Event("input"))`)) // the driver also types the key
	some := js[string](p, `document.getElementById("shown").textContent`)
	p.do(chromedp.Click(chromedp.CSS(`#marks button.decided`)))
	if got := js[string](p, `document.getElementById("shown").textContent`); got != some || !strings.Contains(js[string](p, `location.search`), "only=decided") {
		p.t.Errorf("a chip leaves %s", got)
	}
	score := `Array.from(document.querySelectorAll("#list th button")).find((b) => b.textContent === "score").click()`
	p.do(chromedp.Evaluate[chromedp.Void](score), chromedp.Evaluate[chromedp.Void](score))
	if got := js[string](p, `document.querySelector("th[aria-sort]").getAttribute("aria-sort")`); got != "descending" {
		p.t.Errorf("sorted twice the scores are %s", got)
	}
	if !strings.Contains(js[string](p, `location.search`), "by=-score") {
		p.t.Error("what is chosen is not in the address")
	}
}

// told looks at a collaboration, its prompts, and another next to it.
func told(p *tab) {
	p.says("Round 1", "candidate 1", "saw no other turn", "score", "Decided.", "1 of ")
	if js[int](p, `document.querySelectorAll(".course tbody tr").length`) == 0 {
		p.t.Error("it is not shown who held what")
	}
	before := js[string](p, `document.querySelector(".story").dataset.story`)
	p.do(chromedp.KeyEvent("j"))
	p.await(`document.querySelector(".story") && document.querySelector(".story").dataset.story !== "` + before + `"`)
	p.says("2 of ")
	if js[int](p, `document.querySelectorAll("table.ballots").length`) == 0 {
		p.t.Error("there is no table of ballots")
	}
	if js[int](p, `document.querySelectorAll("table.proposal").length`) == 0 {
		p.t.Error("no allocation is a table")
	}
	if !strings.Contains(js[string](p, `document.querySelector("header nav a:nth-of-type(3)").href`), "by=-score") {
		p.t.Error("the way back to the list has lost what was chosen there")
	}
	p.do(chromedp.Click(chromedp.CSS(`details.asked summary`)))
	p.await(`document.querySelector("details.asked pre")`)
	p.says("system", "as received", "scripted/")
	p.printed("a collaboration")
	p.accessible("a collaboration")
	p.phone("collaboration")
	p.do(chromedp.Click(chromedp.CSS(`.other button`)))
	p.await(`document.querySelectorAll(".pair .story").length === 2`)
	p.accessible("two collaborations")
	p.picture("view-pair")
	p.phone("two collaborations")
	if wide := js[int](p, "document.documentElement.scrollWidth"); wide > 1280 {
		p.t.Errorf("two collaborations are %d pixels wide on a screen of 1280", wide)
	}
	if js[bool](p, `document.querySelector(".other select").selectedOptions[0].textContent === ""`) {
		p.t.Error("the other has no name")
	}
	p.do(chromedp.Click(chromedp.CSS(`.other a`)))
	p.await(`document.querySelectorAll(".story").length === 1`)
}

// Of questions the pages say what was asked, what is right, and who changed their minds.
func TestQuestions(t *testing.T) {
	f := newFolder(t)
	f.run("run", f.example("own-study.yaml"))
	address := f.view() + "c/own-study/"
	p := open(t, address)
	p.await(`document.getElementById("found")?.dataset.ready`)
	if drawn := js[string](p, `document.querySelector("#of-outcome-by-condition svg").textContent`); !strings.Contains(drawn, "guessing 0.33") {
		t.Errorf("guessing among three options is not drawn: %s", drawn)
	}
	if untitled := js[string](p, `Array.from(document.querySelectorAll(".contents a")).filter((a) => !document.querySelector(a.hash + " h2, h2" + a.hash)?.textContent.startsWith(a.textContent)).map((a) => a.textContent).join()`); untitled != "" {
		t.Errorf("of the contents these are no titles: %s", untitled)
	}
	p.picture("view-results")
	p.phone("results of questions")
	onPhone(p)
	p = open(t, address+"collaborations/?only=wrong")
	p.await(`document.getElementById("list")?.dataset.ready`)
	p.says("(A) Billing", "agreement", "debate, majority", "Every question begins with “A customer writes:”")
	if first := js[string](p, `document.querySelector("#list td.question").innerText`); first != "I was charged twice for one order. Which team should answer?" {
		t.Errorf("the first question in the list is %q", first)
	}
	if marks := js[string](p, `Array.from(new Set(Array.from(document.querySelectorAll("#list .pill"), (m) => m.textContent))).join()`); marks != "wrong" {
		t.Errorf("of those that are wrong the list has %q", marks)
	}
	p.accessible("questions")
	p.phone("the list of questions")
	p.do(chromedp.Click(chromedp.CSS(`#marks .wrong`)))
	p.picture("view-collaborations")
	p.do(chromedp.Click(chromedp.CSS(`#marks .wrong`)), chromedp.Click(chromedp.CSS(`#list tbody a`)))
	p.await(`document.querySelector(".verdict.wrong")`)
	p.says("Wrong. Group: (", "; right: (", "customer service manager", "moved since the round before", "1 of 39 wrong", "turn 1, saw no other turn", "Group decides: (", "tokens · $0")
	if clash := js[string](p, sameColours); clash != "" {
		t.Errorf("an option has several colours: %s", clash)
	}
	p.picture("view-collaboration")
	p.do(chromedp.Click(chromedp.CSS(`button.copy`)))
	p.await(`document.querySelector("button.copy").textContent === "Copied"`)
	p.accessible("a question")
	p.phone("a question")

	f.run("run", f.example("own-study.yaml"), "--name", "own-study-again", "--set", "seed=7")
	p = open(t, address)
	p.await(`document.getElementById("found")?.dataset.ready`)
	p.do(chromedp.SetValue(chromedp.CSS(`.compare select`), "own-study-again"), chromedp.Click(chromedp.CSS(`.compare button`)))
	p.await(`document.getElementById("beside")`)
	p.says("own-study and own-study-again", "12 instances in common", "Pairwise comparisons", "own-study alone")
	p.accessible("two campaigns")
	p.phone("two campaigns")
}

// onPhone looks at results and the list as a phone has them from the start.
func onPhone(p *tab) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Evaluate[chromedp.Void](`window.isOld = true; location.reload()`))
	p.await(`!window.isOld && document.getElementById("found")?.dataset.ready`)
	for what, is := range map[string]string{
		"the first column names the condition and stays in view": `(() => {
			const wide = document.querySelector("#of-outcomes .wide:has(.results)"), cell = wide.querySelector("td"), at = cell.getBoundingClientRect().left;
			wide.scrollLeft = 60;
			return wide.querySelector("th").textContent === "condition" && wide.scrollLeft === 60 && cell.getBoundingClientRect().left === at;
		})()`,
		"what scrolls has an edge, and what fits has none": `new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(() => tell(
			Array.from(document.querySelectorAll(".wide")).filter((e) => e.checkVisibility()).every((e) => (e.scrollWidth > e.clientWidth) === (getComputedStyle(e).getPropertyValue("--more-right") !== "0px"))))))`,
		"tables do not scroll within the page": `Array.from(document.querySelectorAll(".wide")).every((e) => e.scrollHeight <= e.clientHeight + 1)`,
	} {
		if !js[bool](p, is) {
			p.t.Errorf("on a phone it is not so that %s", what)
		}
	}
	p.do(chromedp.Click(chromedp.CSS(`.tools a[href="collaborations/"]`)))
	p.await(`document.getElementById("list")?.dataset.ready`)
	rows := `Array.from(document.querySelectorAll("#list tbody tr")).filter((r) => !r.querySelector(".space"))`
	for what, is := range map[string]string{
		"each row has question, answer and right answer in view": rows + `.every((r) => [".question a", ".answer", ".right-answer"].every((s) => {
			const at = r.querySelector(s)?.getBoundingClientRect(), row = r.getBoundingClientRect();
			return at && at.width > 0 && at.left >= 0 && at.right <= 390 && at.top >= row.top && at.bottom <= row.bottom + 1;
		}))`,
		"rows are as tall as they are counted": rows + `.every((r) => r.getBoundingClientRect().height === 124)`,
		"the condition is named":               rows + `[0].innerText.includes("majority")`,
	} {
		if !js[bool](p, is) {
			p.t.Errorf("in the list of a phone it is not so that %s", what)
		}
	}
	p.do(chromedp.EmulateViewport(1280, 900))
}

// sameColours returns the options that have different colours in the question, the course and the turns.
const sameColours = `(() => {
	const colours = {};
	document.querySelectorAll(".options .holds, .course td, .turn .holds").forEach((e) => {
		const option = e.textContent.match(/\([A-Z]\)(?!.*\([A-Z]\))/)?.[0];
		if (option) (colours[option] ??= new Set()).add(getComputedStyle(e).backgroundColor);
	});
	return Object.keys(colours).filter((o) => colours[o].size > 1).join(", ");
})()`

// A collaboration of each environment is shown as what it is.
func TestEnvironments(t *testing.T) {
	f := newFolder(t)
	shows := []struct{ example, campaign, what string }{
		{"debate.yaml", "debate", `ul.options`},
		{"robots.yaml", "robots", `figure[data-rounds] input[type=range]`},
		{"consensus.yaml", "consensus", `figure[data-rounds] input[type=range]`},
		{"publicgoods.yaml", "publicgoods", `table.proposal`},
		{"movielens-tiny.yaml", "movielens-tiny", `table.proposal`},
		{"deliberation.yaml", "deliberation", `.story .proposal`},
	}
	for _, x := range shows {
		f.run("run", f.few(x.example))
	}
	address := f.view()
	for _, x := range shows {
		t.Run(x.campaign, func(t *testing.T) {
			p := open(t, address+"c/"+x.campaign+"/collaborations/")
			p.await(`document.getElementById("list")?.dataset.ready`)
			p.do(chromedp.Click(chromedp.CSS(`#list tbody a`)))
			p.await("document.querySelector('" + x.what + "')")
			if x.campaign == "robots" {
				p.says("Task", "gather at one position", "higher is better, 0 is best", "in the round below")
				if !js[bool](p, `(() => { const c = document.querySelector(".course"); return c.scrollLeft > 0 && c.scrollLeft + c.clientWidth >= c.scrollWidth - 1; })()`) {
					t.Error("the last round is out of view")
				}
				if starts := js[string](p, `Array.from(document.querySelectorAll(".plot text"), (e) => e.textContent).filter((x) => /^A[0-9]$/.test(x)).join()`); starts != "A1,A2,A3" {
					t.Errorf("the paths are those of %q", starts)
				}
				p.picture("view-robots")
			}
			p.accessible(x.campaign)
			p.phone(x.campaign)
		})
	}
}

// What a model writes stays text, and acts nowhere.
func TestHostile(t *testing.T) {
	f := newFolder(t)
	s := newService(t, 0, `{"target": [], "reason_for_decision": "<b>why</b>", "decision": 1, "message": "</script><script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 2\"><b>bold</b> \u202egnp.exe \u001b[31mred"}`)
	s.campaign(f, "hostile", 1)
	f.run("run", "hostile.yaml", "--no-check")
	address := f.view()
	p := open(t, address+"c/hostile/collaborations/")
	p.await(`document.getElementById("list")?.dataset.ready`)
	p.do(chromedp.Click(chromedp.CSS(`#list tbody a`)))
	p.await(`document.querySelector(".story")`)
	p.says("<b>bold</b>", "window.hacked = 1", `\u202egnp.exe`, "␛[31mred")
	p.do(chromedp.Click(chromedp.CSS(`details.asked summary`)))
	p.await(`document.querySelector("details.asked pre")`)
	unhacked(p)
	f.run("report", "hostile")
	r := open(t, "file://"+filepath.Join(f.dir, "hostile.html"))
	r.await(`document.getElementById("list")?.dataset.ready`)
	unhacked(r)
}

func unhacked(p *tab) {
	p.t.Helper()
	if js[bool](p, `"hacked" in window || document.querySelector("img, .story b b") !== null`) {
		p.t.Error("what a model wrote acts in the page")
	}
	if strings.ContainsAny(p.text(), "\u202e\u001b") {
		p.t.Error("what a model wrote can turn or steer")
	}
}

// A report shows the same without a server.
func reported(t *testing.T, f folder) {
	f.t = t
	f.run("report", "voting-rules")
	f.run("report", "voting-rules", "-o", "pages/")
	for _, file := range []string{"voting-rules.html", "pages/index.html"} {
		p := open(t, (&url.URL{Scheme: "file", Path: filepath.Join(f.dir, file)}).String())
		p.await(`document.getElementById("list")?.dataset.ready`)
		p.says("SIMULATED", "Outcome by condition")
		searched(p)
		p.accessible("the report " + file)
		p.phone("report")
		p.do(chromedp.Click(chromedp.CSS(`#list tbody a`)))
		p.await(`document.querySelector(".story")?.checkVisibility({contentVisibilityAuto: true})`)
		p.says("Round 1")
		p.do(chromedp.Click(chromedp.CSS(`.story details.asked summary`)))
		p.await(`document.querySelector("details.asked pre")`)
		p.says("system", "You are Alex", "as received", "answered by")
	}
	unset(t, filepath.Join(f.dir, "voting-rules.html"))
	info, err := os.Stat(filepath.Join(f.dir, "voting-rules.html"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("the report has %d kB\n", info.Size()>>10)
}

// unset looks for collaborations of a condition that lacks a setting.
func unset(t *testing.T, file string) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "unset.html")
	if err := os.WriteFile(changed, []byte(strings.ReplaceAll(string(page), `"unanimous"]`, `""]`)), 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, (&url.URL{Scheme: "file", Path: changed}).String())
	p.await(`document.getElementById("list")?.dataset.ready`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("choices").open = true; document.querySelector("#facets select").value = "not set"; document.querySelector("#facets select").dispatchEvent(new Event("change"))`))
	p.says("not set (100)", "100 of 600")
}

const searching = `(async () => { const began = performance.now(); await window.searchTexts("most to me is"); return performance.now() - began; })()`

// searched looks for what one agent said, and for what only the page's own words say.
func searched(p *tab) {
	p.t.Helper()
	find := func(text, found string) {
		p.t.Helper()
		p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("said").value = "` + text + `"; document.getElementById("said").dispatchEvent(new Event("input"))`))
		p.await(`/` + found + `/.test(document.getElementById("shown").textContent)`)
	}
	p.t.Logf("searched within %.0f ms, and once more within %.0f", js[float64](p, searching), js[float64](p, searching))
	all := js[string](p, `document.getElementById("shown").textContent.split(" ").at(-1)`)
	find("most to me is", "^[1-9][0-9]* of "+all)
	find("questions asked", "^0 of "+all)
	find("", "^"+all+" of "+all)
}

// How long the pages of a large campaign take: go test -run Large -large ADDRESS -v, where
// the address is that of its page.
func TestLarge(t *testing.T) {
	if *large == "" {
		t.Skip("-large names no page")
	}
	for _, page := range []string{"../../", "", "collaborations/"} {
		p := open(t, *large+page)
		t.Logf("%q: painted after %.0f ms", page, p.painted())
	}
	p := open(t, *large+"collaborations/")
	p.await(`document.getElementById("list")?.dataset.ready`)
	t.Logf("the list of %s is there after %s ms", js[string](p, `document.getElementById("shown").textContent`), js[string](p, `document.getElementById("list").dataset.ready`))
	took := func(what, change string) {
		t.Logf("%s within %.0f ms", what, js[float64](p, `(async () => { const began = performance.now(); `+change+`; document.body.offsetHeight; return performance.now() - began; })()`))
	}
	took("filtered by words", `document.getElementById("words").value = "majority r7"; document.getElementById("words").dispatchEvent(new Event("input"))`)
	took("sorted", `document.querySelectorAll("#list th button")[4].click()`)
	took("one condition", `document.querySelector("#facets select").selectedIndex = 1; document.querySelector("#facets select").dispatchEvent(new Event("change"))`)
	took("searched, at first", `await window.searchTexts("most to me is apples")`)
	took("searched", `await window.searchTexts("most to me is bread")`)
}
