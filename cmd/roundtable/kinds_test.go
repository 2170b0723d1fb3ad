package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model/modeltest"
	"roundtable/analysis/lake"
	lakecampaign "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/integrity"
	"roundtable/workflows/catalogue"
)

var perKind = flag.Int("kinds", 3, "how many objects of each kind TestEveryKind tampers with")

// everything is a lake with an object of each kind, which is attacked in memory.
type everything struct {
	store     *storetest.Memory
	files     map[string]string // as they were, by key
	names     []string
	campaigns []string
}

// seatedCampaign has data files, a person's seat, a program that scores and a notice.
const seatedCampaign = `name: seated
data: .
instances: 2
env: {name: qa, format: csv, file: q.csv, agents: 2, columns: {question: text, options: [opa, opb, opc], answer: key}, score: {command: [./score.sh, half]}}
protocol: {name: debate, rounds: 1}
rule: plurality
model: scripted/answerer
models: {Agent 2: human/ann}
notify: {command: [./tell.sh]}
`

const batchedCampaign = `name: batched
replicates: 4
env: exchange
protocol: {name: roundtable, rounds: 1}
rule: majority
model: {name: openai/m, base_url: %s/v1, json: plain}
generate: {max_tokens: 200}
reasks: 0
limits: {cost_usd: 5, tier: batch, tier_wait: 30s}
prices: {openai/m: {input: 1, output: 2, batch: {input: 0.5, output: 1}}}
`

func newEverything(t *testing.T) *everything {
	dir := t.TempDir()
	exampleData(t, dir)
	runSold(t, dir)
	runSeated(t, dir)
	judged := strings.NewReplacer("\ndata: data\n", "\ndata: examples/data\n", "replicates: 3", "replicates: 1\ninstances: 3")
	save(t, dir, "judged.yaml", judged.Replace(read(t, dir, "examples/judged-questions.yaml")))
	output(t, dir, "run", "judged.yaml")
	save(t, dir, "well.yaml", strings.Replace(fmt.Sprintf(wellCampaign, os.Args[0]+", "+asWell), "instances: 2\nreplicates: 3", "instances: 2", 1))
	ends(t, 0, dir, trusted, "run", "well.yaml")
	batches := httptest.NewServer(&modeltest.Batches{Takes: time.Millisecond, Say: func([]byte) string { return `{"target":[],"message":"hi"}` }})
	defer batches.Close()
	save(t, dir, "batched.yaml", fmt.Sprintf(batchedCampaign, batches.URL))
	output(t, dir, "run", "batched.yaml", "--no-check=false")

	local, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	ctx := t.Context()
	noError(t, lakecampaign.RequestRerun(ctx, local, "killed"))
	noError(t, lakecampaign.WriteHalt(ctx, local, "killed", lakecampaign.Halt{Reason: "lunch"}))
	noError(t, local.PutIfAbsent(ctx, "_lake.json", []byte(`{"id": "x"}`)))
	ended, err := lake.Progress(ctx, local, "killed")
	noError(t, err)
	outcomes := lake.Outcomes{Campaign: "killed", Number: 1, Runs: ended}
	sealed, err := outcomes.Seal()
	noError(t, err)
	noError(t, local.PutIfAbsent(ctx, outcomes.Key(), sealed))
	campaigns, err := lake.Campaigns(ctx, local)
	noError(t, err)

	files := map[string]string{}
	folder := os.DirFS(filepath.Join(dir, "lake"))
	noError(t, fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || harmless(path) {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		files[path] = string(data)
		return err
	}))
	for _, found := range findAuthor(t, filepath.Join(dir, "lake"), dir) {
		t.Errorf("the lake names the folder that it was made in: %q", found)
	}
	e := &everything{storetest.NewMemory(maps.Clone(files)), files, slices.Sorted(maps.Keys(files)), campaigns}
	if found := e.verify(t, ""); len(found) > 0 {
		t.Fatalf("before anything is changed: %v", found)
	}
	return e
}

// runSold runs a campaign that buys answers, labels, embeddings and checks, some of unknown outcome,
// is extended and forked.
func runSold(t *testing.T, dir string) {
	s := newShop(t)
	lost := breaks("lost", func(net.Conn, []byte) {})
	s.vendor.set(func(a *asked) *trick {
		if a.n == 9 {
			return &lost
		}
		return nil
	})
	for _, replicates := range []int{1, 2} {
		campaignFile(t, dir, s.front.URL, replicates)
		save(t, dir, "campaign.yaml", read(t, dir, "campaign.yaml")+"labels: {model: scripted/labeller}\ngenerate: {max_tokens: 500}\n")
		ends(t, 0, dir, s.at(), "run", "campaign.yaml")
	}
	ends(t, 0, dir, s.at(), "features", "killed", "--embedder", "openai/tiny", "--price", `{"input": 1}`)
	output(t, dir, "label", "killed", "--gold", "60", "-o", "blank.csv")
	output(t, dir, "label", "killed", "--gold-from", handCode(t, dir, "blank.csv", "coded.csv", func(string) string { return "Others" }), "--coder", "ada")
	ends(t, 0, dir, nil, "cost", "killed", "--settle", "unbilled")
	ends(t, 0, dir, s.at(), "fork", "killed", "--at", "round=3", "--set", "rule=ranked", "--replicates", "1")
}

// runSeated runs the campaign at which a person sits.
func runSeated(t *testing.T, dir string) {
	save(t, dir, "seated.yaml", seatedCampaign)
	save(t, dir, "q.csv", "text,opa,opb,opc,key\nFirst?,x,y,z,A\nSecond?,x,y,z,B\n")
	save(t, dir, "score.sh", "#!/bin/sh\nread -r line\ncase $line in *'\"answer\":\"A\"'*) echo '{\"score\": 1}' ;; *) echo '{\"score\": 0.5}' ;; esac\n")
	save(t, dir, "tell.sh", "#!/bin/sh\ncat > heard\n")
	for _, name := range []string{"score.sh", "tell.sh"} {
		noError(t, os.Chmod(filepath.Join(dir, name), 0o700))
	}
	run := starts(t, dir, trusted, "run", "seated.yaml")
	for answered := map[string]bool{}; !run.over(); {
		for _, q := range waiting(t, dir) {
			if !answered[q] {
				answered[q] = true
				output(t, dir, "answer", "seated", "--question", q, "--text", "The answer is (A).")
			}
		}
	}
	if code := run.code(t); code != 0 {
		t.Fatalf("run seated.yaml: code %d\n%s", code, &run.said)
	}
}

// waiting returns the ids of the questions of people that wait.
func waiting(t *testing.T, dir string) (ids []string) {
	t.Helper()
	asked, err := filepath.Glob(filepath.Join(dir, "lake/people/*/*.question.json"))
	noError(t, err)
	for _, path := range asked {
		ids = append(ids, strings.TrimSuffix(filepath.Base(path), ".question.json"))
	}
	if len(ids) == 0 {
		time.Sleep(50 * time.Millisecond)
	}
	return ids
}

var ofCampaign = regexp.MustCompile(`campaign=([^/]+)/|^lake/_campaigns/([^/]+)/`)

// verify returns what is wrong with the campaign that an object is of, with all if it is a data file
// or there is none, or else with one.
func (e *everything) verify(t *testing.T, key string) (found []string) {
	of := "killed"
	if names := ofCampaign.FindStringSubmatch(key); names != nil {
		of = names[1] + names[2]
	}
	for _, name := range e.campaigns {
		if name != of && key != "" && !strings.HasPrefix(key, "data/") {
			continue
		}
		v, err := integrity.Check(context.Background(), e.store, catalogue.Builtin(), name)
		noError(t, err)
		for _, f := range v.Findings {
			found = append(found, f.Object+": "+f.Problem)
		}
		found = append(found, v.CachedDamaged...)
	}
	return found
}

// notices reports whether verify finds what became of objects; "" deletes one.
func (e *everything) notices(t *testing.T, changed map[string]string) bool {
	key := ""
	for name, data := range changed {
		key = name
		if delete(e.store.Objects, name); data != "" {
			e.store.Objects[name] = data
		}
	}
	defer func() {
		for name := range changed {
			e.store.Objects[name] = e.files[name]
		}
	}()
	return len(e.verify(t, key)) > 0
}

// Ways to tamper with an object.
const (
	byFlip   = "flip" // a bit
	byCut    = "cut"
	byLoss   = "loss"
	bySwap   = "swap"    // with another one of its kind
	byForger = "forgery" // another content with the checksums that fit
)

var allWays = []string{byFlip, byCut, byLoss, bySwap, byForger}

// kind is one kind of object.
type kind struct {
	name   string
	key    *regexp.Regexp
	passes []string       // ways that verify may pass over
	forged *regexp.Regexp // values in a sealed object whose forgery is found; nil if none is
}

func kindOf(name, key, forged string, passes ...string) kind {
	k := kind{name, regexp.MustCompile(key), passes, nil}
	if forged != "" {
		k.forged = regexp.MustCompile(forged)
	}
	return k
}

// ofCalls are the values of an answer of which a row tells.
const ofCalls = `\.(usage\.(input|output)|cost_usd|latency_ms|started_at|model_answered|text|proposal)$`

// kinds are the objects of a lake: the first whose pattern is in the key. What verify passes over is
// listed in docs/guides/operating.md#verify.
var kinds = []kind{
	kindOf("cache", `^cache/`, "", byLoss),
	kindOf("vectors", `^embeddings/`, "", allWays...),
	kindOf("data files", `^data/`, "", byLoss),
	kindOf("questions to people", `^people/.*\.question\.json`, "", allWays...),
	kindOf("answers of people", `^people/.*\.answer\.txt`, "", byLoss),
	kindOf("log of the budget", `^budget/`, ""),
	kindOf("intents", `^answers/.*\.intent`, ""),
	kindOf("checks of models", `^answers/.*/check-`, ""),
	kindOf("calls of labellers", `^answers/.*/labels-`, `\.(usage\.(input|output)|text)$`),
	kindOf("judgements", `^answers/.*/judge-`, `\.proposal$`),
	kindOf("requests for embeddings", `^answers/.*/embeddings-`, ""),
	kindOf("turns before a fork", `^answers/.*\.batch\.json`, ofCalls),
	kindOf("answers", `^answers/`, ofCalls),
	kindOf("markers of labels", `^raw/_commits/labels/`, `(collaboration|generation|digest|sha256|rows|_tokens)$`),
	kindOf("markers of features", `^raw/_commits/features/`, `(collaboration|generation|digest|sha256|rows)$`),
	kindOf("markers of gold labels", `^raw/_commits/gold/`, `(collaboration|generation|digest|sha256|rows)$`),
	kindOf("markers", `^raw/_commits/campaign=`, `(condition|collaboration|generation|status|digest|sha256|rows|size)$`),
	kindOf("labels", `^raw/labels/`, ""),
	kindOf("features", `^raw/features/`, ""),
	kindOf("gold labels", `^raw/gold/`, ""),
	kindOf("raw files", `^raw/`, "", byLoss),
	kindOf("intents of compaction", `^lake/_manifests/.*intent`, `.`, byLoss),
	kindOf("manifests of compaction", `^lake/_manifests/`, `(condition|collaboration|generation|digest|sha256|rows|key)$`, byLoss),
	kindOf("outcomes", `^lake/_outcomes/`, `.`, byLoss),
	kindOf("parts", `^lake/[a-z]+/`, ""),
	kindOf("plans", `/plans/`, ""),
	kindOf("labellers", `/labellers/`, ""),
	kindOf("code books", `/codebooks/`, ""),
	kindOf("draws", `^lake/_campaigns/[^/]+/gold/`, `\.items\.\d+\.(entry|sha256)$`),
	kindOf("recorded answers of programs", `/programs/`, ""),
	kindOf("scores of programs", `/scores/`, `\.score$`),
	kindOf("records of services' batches", `/batches/`, `\.(name|campaign)$`),
	kindOf("settlements", `/settlements/`, `\.(usd|worst_usd|worst_tokens|entry|ask|attempt|collaboration|generation)$`),
	kindOf("notices", `/notices/`, "", allWays...),
	kindOf("manifest", `/manifest\.json$`, `\.(campaign|revision)$`),
	kindOf("starts", `/starts/`, "", byLoss, byForger),
	kindOf("requests to run again", `/again\.json$`, "", byLoss),
	kindOf("halt", `/halt\.json$`, "", byLoss),
	kindOf("_SUCCESS", `/_SUCCESS$`, "", byLoss),
	kindOf("identity of the lake", `^_lake\.json$`, "", allWays...),
	kindOf("card", `/(README\.md|files\.json|schema\.json|croissant\.json|ledger\.json|SHA256SUMS)$`, ""),
}

// whichKind returns the kind of an object.
func whichKind(key string) (k kind, known bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.key.MatchString(key) })
	if i < 0 {
		return k, false
	}
	return kinds[i], true
}

// TestEveryKind: each kind of object is tampered with in each way, and verify says so, or the kind is
// listed as one that does not matter.
func TestEveryKind(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	e := newEverything(t)
	of := map[string][]string{}
	for _, key := range e.names {
		k, known := whichKind(key)
		if !known {
			t.Errorf("%s is of no kind", key)
			continue
		}
		of[k.name] = append(of[k.name], key)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range kinds {
		if len(of[k.name]) == 0 {
			t.Errorf("the lake has no %s", k.name)
			continue
		}
		passed := map[string]bool{}
		for range *perKind {
			for way, a := range e.attacks(t, rng, k, of[k.name]) {
				if e.notices(t, a.files) {
					continue
				}
				if passed[way] = true; !slices.Contains(k.passes, way) {
					t.Errorf("%s: %s, and verify finds nothing", k.name, a.what)
				}
			}
		}
		for _, way := range k.passes {
			if way != bySwap && way != byForger && !passed[way] { // which need another object
				t.Errorf("%s: %s is listed as passed over, and verify notices it", k.name, way)
			}
		}
	}
}

// attacks returns an attack of each way on an object of a kind.
func (e *everything) attacks(t *testing.T, rng *rand.Rand, k kind, keys []string) map[string]attack {
	key := keys[rng.IntN(len(keys))]
	data := []byte(e.files[key])
	bit := rng.IntN(8 * len(data))
	flipped := slices.Clone(data)
	flipped[bit/8] ^= 1 << (bit % 8)
	ways := map[string]attack{
		byFlip: {fmt.Sprintf("bit %d of %s is another", bit, key), map[string]string{key: string(flipped)}},
		byCut:  {key + " is cut", map[string]string{key: string(data[:len(data)/2])}},
		byLoss: {key + " is deleted", map[string]string{key: ""}},
	}
	of := ofCampaign.FindString(key)
	siblings := slices.DeleteFunc(slices.Clone(keys), func(other string) bool {
		return other == key || filepath.Base(other) != filepath.Base(key)
	})
	if len(siblings) == 0 {
		siblings = keys
	}
	other := siblings[rng.IntN(len(siblings))]
	if strings.Contains(other, of) && e.files[other] != e.files[key] {
		ways[bySwap] = attack{fmt.Sprintf("%s and %s are swapped", key, other), map[string]string{key: e.files[other], other: e.files[key]}}
	}
	if k.forged != nil {
		if forged, where := forgeValue(t, rng, k.forged, key, e.files[key]); forged != "" {
			ways[byForger] = attack{where + " of " + key + " is forged", map[string]string{key: forged}}
		}
	}
	return ways
}

// forgeValue changes one value in a sealed object, and seals it again.
func forgeValue(t *testing.T, rng *rand.Rand, which *regexp.Regexp, key, data string) (forged, where string) {
	var body any
	if lake.Unseal(key, []byte(data), &body) != nil {
		return "", ""
	}
	change := map[string]func(){}
	var visit func(v any, path string, set func(any))
	visit = func(v any, path string, set func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for name := range v {
				visit(v[name], path+"."+name, func(to any) { v[name] = to })
			}
			return
		case []any:
			for i := range v {
				visit(v[i], fmt.Sprint(path, ".", i), func(to any) { v[i] = to })
			}
			return
		}
		if !which.MatchString(path) {
			return
		}
		switch v := v.(type) {
		case string:
			change[path] = func() { set(v + "x") }
		case float64:
			change[path] = func() { set(v + 1) }
		case bool:
			change[path] = func() { set(!v) }
		}
	}
	visit(body, "", func(any) {})
	if len(change) == 0 {
		return "", ""
	}
	where = slices.Sorted(maps.Keys(change))[rng.IntN(len(change))]
	change[where]()
	sealed, err := lake.Seal(key, body)
	noError(t, err)
	return string(sealed), where
}
