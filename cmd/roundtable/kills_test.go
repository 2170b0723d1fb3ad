package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/bucket"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/infra/embedded"
)

var (
	kills    = flag.Int("kills", 0, "kill the program so often, at random moments of every command that writes")
	killSeed = flag.Uint64("kill-seed", 1, "seed of these moments")
	killsOn  = flag.String("kills-on", "folder,s3,cluster", "where: lakes in a folder or a bucket, workflows on an outside server")
)

// What is killed: a paid campaign under a cap, whole and turn by turn, and all that is
// made from it afterwards.
const killedCampaign = `name: kills
replicates: 4
env: exchange
protocol: {name: roundtable, rounds: 2}
rule: ranked
grid: {model: [openai/fake, scripted/trader]}
generate: {max_tokens: 200}
limits: {collaborations: 3, calls: 6, cost_usd: 5}
` + vendorPrices

// What a kill can leave open: calls that were announced and have no stored answer. Each of
// three collaborations of three agents announces a round's at once; six are under way at
// most, but the next one goes out as soon as an answer is in, before it is stored.
const announcedAtOnce = 9

// killStage is one command, with the lake as it is before it and what is there after it.
type killStage struct {
	name     string
	args     []string
	again    []string // besides, once it has been started
	inParts  bool     // what was stored of a request is kept, although its bill is not known
	leaves   func(c *killCase) string
	template string // the folder before it
	lasts    time.Duration
	left     string
	books    killBooks // before and after it
	then     killBooks
}

func killStages() []*killStage {
	tables := func(args ...string) func(c *killCase) string {
		return func(c *killCase) string { return c.command(args...).out }
	}
	file := func(name string) func(c *killCase) string {
		return func(c *killCase) string {
			data, err := os.ReadFile(filepath.Join(c.dir, name))
			if err != nil {
				c.t.Fatal(err)
			}
			return string(data)
		}
	}
	embedder := []string{"--embedder", "openai/tiny"}
	return []*killStage{
		{name: "run", args: []string{"run", "kills.yaml"}, leaves: tables("analyze", "kills", "--table", "utility-by-rule", "--format", "csv")},
		{
			name: "label", args: []string{"label", "kills", "--no-cache", "--labeller", "openai/fake"},
			leaves: tables("query", "SELECT * FROM labels ORDER BY ALL", "--format", "csv"),
		},
		{
			name: "features", inParts: true, args: append([]string{"features", "kills", "--price", `{"input": 1}`}, embedder...),
			leaves: tables(append([]string{"analyze", "kills", "--table", "message-language", "--format", "csv"}, embedder...)...),
		},
		{name: "report", args: []string{"report", "kills", "-o", "report.html"}, leaves: file("report.html")},
		{name: "export", args: []string{"export", "kills", "--table", "turns", "-o", "turns.parquet"}, again: []string{"--force"}, leaves: file("turns.parquet")},
	}
}

// prepareKills runs the commands one after another without a kill, and keeps what each begins with.
func prepareKills(t *testing.T) []*killStage {
	t.Helper()
	c := newKillCase(t, "folder", nil)
	save(t, c.dir, "kills.yaml", killedCampaign)
	stages := killStages()
	for _, s := range stages {
		s.template = t.TempDir()
		noError(t, os.CopyFS(s.template, os.DirFS(c.dir)))
		c.killStage = s
		s.books = c.readBooks()
		began := time.Now()
		c.command(s.args...)
		s.lasts = time.Since(began)
		s.then, s.left = c.readBooks(), c.found()
		if err := os.RemoveAll(filepath.Join(c.dir, ".roundtable")); err != nil { // the next command needs the lake alone
			t.Fatal(err)
		}
	}
	return stages
}

// TestRandomKills kills commands with -9 at random moments and starts them again until
// they end. Each leaves what it would have left undisturbed, buys nothing that it has
// stored, and its ledger knows of all that the service billed.
func TestRandomKills(t *testing.T) {
	want := *kills
	if *long {
		want = max(want, 24)
	}
	if want == 0 {
		t.Skip("runs with -long or -kills N")
	}
	f := newKillFigures()
	stages := prepareKills(t)
	places := strings.Split(*killsOn, ",")
	for n := 0; f.kills < want; n++ {
		s, where := stages[n%len(stages)], places[n/len(stages)%len(places)]
		if where == "s3" && os.Getenv(storetest.ServerVariable) == "" || where == "cluster" && s.name != "run" {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s/%d", where, s.name, n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(*killSeed, uint64(n)))
			c := newKillCase(t, where, s)
			for c.kills == 0 || rng.IntN(2) == 0 {
				if !c.start(f).killAfter(time.Duration(rng.Int64N(int64(s.lasts)))) {
					break
				}
			}
			c.finish(f)
		})
	}
	f.log(t)
}

// killFigures are what kills came to.
type killFigures struct {
	kills   int
	by      map[string]int // of stages and places
	lost    int            // calls under way
	resumed []time.Duration
}

func newKillFigures() *killFigures { return &killFigures{by: map[string]int{}} }

func (f *killFigures) log(t *testing.T) {
	t.Helper()
	t.Logf("%d kills, %d calls lost that were under way", f.kills, f.lost)
	for _, by := range slices.Sorted(maps.Keys(f.by)) {
		t.Logf("%6d × %s", f.by[by], by)
	}
	if n := len(f.resumed); n > 0 {
		slices.Sort(f.resumed)
		t.Logf("from a restart to its first call, %d times: median %v, 99 %% %v, worst %v", n, f.resumed[n/2], f.resumed[n*99/100], f.resumed[n-1])
	}
}

// killCase is a stage on its way, in a copy of its template.
type killCase struct {
	*killStage
	t       *testing.T
	service *shop
	dir     string
	where   string
	lake    store.Store
	flags   []string // that say where
	program string   // another one than the usual
	starts  int
	kills   int
}

func newKillCase(t *testing.T, where string, s *killStage) *killCase {
	t.Helper()
	c := &killCase{killStage: s, t: t, service: newShop(t), dir: t.TempDir(), where: where}
	c.service.vendor.set(labelAnswers)
	c.service.latency = 20 * time.Millisecond
	if s != nil {
		noError(t, os.CopyFS(c.dir, os.DirFS(s.template)))
	}
	var err error
	if c.lake, err = store.NewLocal(filepath.Join(c.dir, "lake")); err != nil {
		t.Fatal(err)
	}
	switch where {
	case "s3":
		c.moveToBucket()
	case "cluster":
		server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true})
		noError(t, err)
		t.Cleanup(func() { server.Stop() })
		c.flags = []string{"--temporal", server.Target().HostPort}
	}
	return c
}

// moveToBucket puts the lake into a bucket of a server of its own.
func (c *killCase) moveToBucket() {
	t := c.t
	at := storetest.At(storetest.S3Server(t), "kills")
	s3, err := bucket.Open(at)
	noError(t, err)
	objects, err := c.lake.List(t.Context(), "")
	noError(t, err)
	for _, o := range objects {
		data, err := c.lake.Get(t.Context(), o.Key)
		if err == nil {
			err = s3.PutIfAbsent(t.Context(), o.Key, data)
		}
		noError(t, err)
	}
	noError(t, os.RemoveAll(filepath.Join(c.dir, "lake")))
	c.lake, c.flags = s3, []string{"--lake", at}
}

// labelAnswers gives a label for what is not a question to an agent.
func labelAnswers(a *asked) *trick {
	if !strings.Contains(a.prompt(), "dialogue act") && !slices.ContainsFunc(a.texts, func(s string) bool { return strings.Contains(s, `"acts"`) }) {
		return nil
	}
	return &trick{name: "label", play: func(v *vendor, a *asked, w http.ResponseWriter, _ *http.Request) {
		body, b := v.answer(a, `{"acts": ["Inform"]}`, "stop")
		v.book(&v.sold, b)
		w.Write(body)
	}}
}

// readingFlags are those of a command that only reads.
func (c *killCase) readingFlags() []string {
	if c.where == "s3" {
		return c.flags
	}
	return nil
}

func (c *killCase) command(args ...string) done {
	c.t.Helper()
	return ends(c.t, 0, c.dir, c.service.at(), append(slices.Clone(args), c.readingFlags()...)...)
}

// found is what readers find afterwards; verify must find all well.
func (c *killCase) found() string {
	c.t.Helper()
	return digestBy(c.t, c.dir, "kills", c.readingFlags()...) + "\n" + c.leaves(c)
}

// killBooks are sums of `cost`.
type killBooks struct{ answered, unknown, paid, worst float64 }

func (c *killCase) readBooks() (b killBooks) {
	c.t.Helper()
	if objects, err := c.lake.List(context.Background(), "answers/"); err == nil && len(objects) == 0 {
		return b
	}
	all, _ := costOf(c.t, c.dir, "kills", c.readingFlags()...)
	number := func(column string) float64 { n, _ := all[column].(float64); return n }
	return killBooks{number("answered"), number("unknown"), number("cost USD"), number("worst USD")}
}

// billed is what the service has sold, in US dollars.
func (c *killCase) billed() float64 {
	sold, _ := c.service.vendor.books()
	_, _, embedded := c.service.books()
	return float64(sold.nanoUSD)/1e9 + float64(embedded)/1e6
}

// stored are the keys of calls that have a stored answer.
func (c *killCase) stored() map[string]bool {
	c.t.Helper()
	keys := map[string]bool{}
	objects, err := c.lake.List(context.Background(), "answers/")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, o := range objects {
		if m := answerFile.FindStringSubmatch(o.Key); m != nil {
			keys[fmt.Sprintf("%s/%s/%s/%s", m[1], m[2], m[3], m[4])] = true
		}
	}
	return keys
}

// killStart is one start of the command.
type killStart struct {
	*killCase
	*background
	figures *killFigures
	stored  map[string]bool
	began   time.Time
	from    int // of the service's requests
}

func (c *killCase) start(f *killFigures, env ...string) *killStart {
	c.t.Helper()
	k := &killStart{killCase: c, figures: f, stored: c.stored(), from: len(c.service.arrivals()), began: time.Now()}
	args := slices.Concat(c.args, c.flags)
	if c.starts > 0 {
		args = append(args, c.again...)
	}
	c.starts++
	k.background = startsProgram(c.t, c.program, c.dir, append(c.service.at(), env...), args...)
	return k
}

// killAfter kills it after a time, unless it has ended well.
func (k *killStart) killAfter(d time.Duration) bool {
	k.t.Helper()
	select {
	case <-k.ended:
	case <-time.After(d):
	}
	if !k.cut(k.t) {
		k.compare()
		return false
	}
	k.killed(k.where + " " + k.name)
	return true
}

// killed counts a kill and what it has cost.
func (k *killStart) killed(by string) {
	k.t.Helper()
	k.compare()
	k.killCase.kills++
	k.figures.kills++
	k.figures.by[by]++
	stored, lost := k.killCase.stored(), 0
	for _, a := range k.service.arrivals()[k.from:] {
		if !stored[a.key] {
			lost++
		}
	}
	k.figures.lost += lost
	if lost > announcedAtOnce {
		k.t.Errorf("%d calls have no stored answer after a kill, %d may be announced", lost, announcedAtOnce)
	}
}

// compare holds what a start asked against what was stored before it.
func (k *killStart) compare() {
	k.t.Helper()
	asks := k.service.arrivals()[k.from:]
	for _, a := range asks {
		if k.stored[a.key] {
			k.t.Errorf("%s was stored and was asked again", a.key)
		}
	}
	if len(asks) > 0 && k.killCase.kills > 0 {
		k.figures.resumed = append(k.figures.resumed, asks[0].at.Sub(k.began).Round(time.Millisecond))
	}
}

// finish lets the command end, and compares with what it leaves undisturbed.
func (c *killCase) finish(f *killFigures) {
	t := c.t
	t.Helper()
	k := c.start(f)
	if code := k.code(t); code != 0 {
		t.Fatalf("after %d kills it ends with code %d\n%s", c.kills, code, &k.said)
	}
	k.compare()
	if got := c.found(); got != c.left {
		t.Errorf("after %d kills it leaves\n%.2000s\nundisturbed it leaves\n%.2000s", c.kills, got, c.left)
	}
	books, billed := c.readBooks(), c.billed()
	const cent = 1e-6 // of what is rounded
	switch {
	case books.paid > c.then.paid+cent || !c.inParts && (books.answered != c.then.answered || books.paid < c.then.paid-cent):
		t.Errorf("the ledger has %+v, undisturbed %+v", books, c.then)
	case billed < books.paid-c.books.paid-cent || billed > books.worst-c.books.worst+cent:
		t.Errorf("the service billed $%.6f; the ledger went from %+v to %+v", billed, c.books, books)
	case books.unknown > float64(c.kills*announcedAtOnce):
		t.Errorf("%v calls of unknown outcome after %d kills, %d may be announced at each", books.unknown, c.kills, announcedAtOnce)
	}
	leaks(t, c.dir, wordyKey)
}
