package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/analysis/acts"
	"roundtable/analysis/crossval"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/cmd/internal/screentest"
	"roundtable/workflows/stopping"
)

// pastCampaign runs all rounds; what is learned on it is asked in liveCampaign.
const pastCampaign = `
name: past
seed: 1
replicates: 16
env: exchange
protocol: {name: roundtable, rounds: 8}
model: scripted/trader
`

const liveCampaign = `
name: live
seed: 1
replicates: 16
env: exchange
protocol: {name: roundtable, rounds: 8}
model: scripted/trader
stop: {name: learned, from: past}
`

// stopsOf returns the rounds after which the collaborations of a campaign ended, by id.
func stopsOf(t *testing.T, dir, campaign string) map[string]string {
	t.Helper()
	out := output(t, dir, "query", fmt.Sprintf("SELECT collaboration_id, rounds_run FROM collaborations WHERE campaign_id = '%s'", campaign), "--format", "csv")
	stops := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		id, round, _ := strings.Cut(strings.TrimSpace(line), ",")
		stops[id] = round
	}
	return stops
}

// TestLearnedStops: every method of paper 1, fitted on a campaign that ran all rounds,
// ends the same collaborations, played again, at the round at which the analysis says
// that it ends them. The plan holds the fit, which a changed past does not touch.
func TestLearnedStops(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	few := strings.NewReplacer("replicates: 16", "replicates: 8")
	save(t, dir, "past.yaml", few.Replace(pastCampaign)+"grid: {rule: [rated]}\nlabels: {model: scripted/labeller}\n")
	save(t, dir, "live.yaml", few.Replace(liveCampaign)+"grid: {rule: [rated], stop.method: ["+strings.Join(stopping.MethodNames(), ", ")+"]}\n")
	if refused := ends(t, 2, dir, nil, "plan", "live.yaml"); !strings.Contains(refused.err, "1 error in the campaign file, nothing was started\nlive.yaml: line 8: stop.from: the lake has no campaign \"past\"; it has none yet") {
		t.Errorf("without a past: %s", refused.err)
	}
	output(t, dir, "run", "past.yaml")
	first := ends(t, 0, dir, nil, "run", "live.yaml")
	contains(t, first.err, "stop: dialogue_act fitted on 8 collaborations of past (rated-", "stop: information_distance fitted on")
	contains(t, output(t, dir, "verify", "live"), "Asked again: the learned stopping rules of 72 collaborations", "Nothing is wrong")

	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	plan, m, err := campaign.ReadRecorded(t.Context(), s, "live")
	if err != nil || len(plan.Campaign.Conditions) != len(stopping.MethodNames()) {
		t.Fatalf("%d conditions, %v", len(plan.Campaign.Conditions), err)
	}
	early, got, digest := map[string]int{}, stopsOf(t, dir, "live"), digestBy(t, dir, "past")
	for _, c := range plan.Campaign.Conditions {
		params, fit, ok := c.Learned()
		if !ok || fit.On.Collaborations != 8 || fit.On.Rounds != 8 || fit.On.Digest != digest {
			t.Fatalf("%s: %+v", params.Method, fit)
		}
		d, _, err := crossval.ReadRecorded(t.Context(), s, crossval.LearnRequest{Campaign: "past", Condition: fit.On.Condition, Method: params.Method, Labeller: fit.On.Labeller, Embedder: language.Hashed{}})
		noError(t, err)
		for i, run := range d.Runs {
			want := d.StopOf(fit.Fitted, i)
			if round := got[c.ID()+strings.TrimPrefix(run.ID, fit.On.Condition)]; round != fmt.Sprint(want.Round) {
				t.Errorf("%s, %s: it stops %s at round %s, and the analysis at %d", c.Rule.Name, params.Method, run.ID, round, want.Round)
			}
			if want.Fired && want.Round < 8 {
				early[params.Method]++
			}
		}
	}
	for _, method := range []string{stopping.MethodFirst, stopping.MethodCheckpoint, stopping.MethodDistance} {
		if early[method] == 0 {
			t.Errorf("%s ends none early: %v", method, early)
		}
	}
	save(t, dir, "past.yaml", strings.Replace(pastCampaign, "replicates: 16", "replicates: 9", 1)+"grid: {rule: [rated]}\nlabels: {model: scripted/labeller}\n")
	output(t, dir, "run", "past.yaml")
	again := ends(t, 0, dir, nil, "run", "live.yaml")
	contains(t, again.err, "stop: campaign past, on which dialogue_act was fitted, has changed since", "the recorded fit is kept")
	if _, now, err := campaign.ReadRecorded(t.Context(), s, "live"); err != nil || now.Revision != m.Revision || !strings.Contains(again.out+again.err, "done already") {
		t.Errorf("%v: the revision is %s and was %s\n%s", err, now.Revision, m.Revision, again.err)
	}
}

// labelsByRules sells the labels that scripted/labeller gives.
func labelsByRules(t *testing.T) func(*asked) *trick {
	rules := labels.NewRules()
	return func(*asked) *trick {
		return &trick{name: "label", play: func(v *vendor, a *asked, w http.ResponseWriter, r *http.Request) {
			var q model.Request
			for i, text := range a.texts {
				q.Messages = append(q.Messages, model.Message{Role: map[bool]string{true: "system", false: "user"}[i == 0], Content: text})
			}
			answer, err := rules.Complete(r.Context(), q)
			if err != nil { // the check of the model
				answer.Text = []byte("yes")
			}
			body, b := v.answer(a, string(answer.Text), "stop")
			v.book(&v.sold, b)
			w.Write(body)
		}}
	}
}

// TestLearnedLabelsOnTheWay: labels that a stopping rule needs are bought while
// collaborations run, once each whatever is killed, at the price of the past campaign's
// labeller, and the ledger has them.
func TestLearnedLabelsOnTheWay(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	v.set(labelsByRules(t))
	dir := t.TempDir()
	save(t, dir, "past.yaml", pastCampaign+"rule: unanimous\nlabels: {model: openai/fake}\n"+vendorPrices)
	ends(t, 0, dir, v.at(), "run", "past.yaml", "--set", "replicates=8")
	bought := len(v.arrivals())
	if bought == 0 {
		t.Fatal("no label was bought")
	}
	// Another seed, or the cache would have all labels; the price comes with the labeller.
	text := strings.Replace(liveCampaign, "stop: {name: learned, from: past}\n", "", 1)
	save(t, dir, "live.yaml", strings.NewReplacer("seed: 1", "seed: 2", "replicates: 16", "replicates: 6").Replace(text)+"rule: unanimous\nstop: {name: learned, from: past, method: dialogue_act}\n")
	quiet := t.TempDir()
	noError(t, os.CopyFS(quiet, os.DirFS(dir)))
	var predicted struct {
		Prediction struct {
			CostUSD struct{ Mean float64 } `json:"cost_usd"`
		}
	}
	if out := ends(t, 0, quiet, v.at(), "plan", "live.yaml", "--json").out; json.Unmarshal([]byte(out), &predicted) != nil || predicted.Prediction.CostUSD.Mean <= 0 {
		t.Errorf("the labels are predicted to cost $%v: %.300s", predicted.Prediction.CostUSD.Mean, out)
	}
	ends(t, 0, quiet, v.at(), "run", "live.yaml", "--no-cache")
	calm := len(v.arrivals()) - bought
	if calm < 25 {
		t.Fatalf("%d labels were bought", calm)
	}

	killLabels(t, v, dir, calm)
	if a, b := digestBy(t, quiet, "live"), digestBy(t, dir, "live"); a != b {
		t.Errorf("the digest is %s of the quiet run and %s of the killed one", a, b)
	}
	contains(t, output(t, dir, "verify", "live"), "Nothing is wrong")
	compareLedger(t, quiet, calm)
}

// killLabels runs the live campaign, killed -9 while labels come in, of which a
// quiet run buys calm.
func killLabels(t *testing.T, v *vendor, dir string, calm int) {
	t.Helper()
	// A rate gives each label its own task, from the queue of its model.
	file, err := os.ReadFile(filepath.Join(dir, "live.yaml"))
	noError(t, err)
	save(t, dir, "live.yaml", string(file)+"limits: {models: {openai/fake: {requests_per_minute: 60000}}}\n")
	kills := 0
	for _, after := range []int{calm / 3} {
		stored, from := storedKeys(t, dir), len(v.arrivals())
		b := starts(t, dir, v.at(), "run", "live.yaml", "--no-cache")
		screentest.Until(t, "some labels or the end", func() bool { return b.over() || len(v.arrivals()) >= from+after })
		if b.cut(t) {
			kills++
		}
		for _, a := range v.arrivals()[from:] {
			if stored[a.key] {
				t.Errorf("%s was stored and is bought again", a.key)
			}
		}
	}
	if kills == 0 {
		t.Error("it was never killed")
	}
	stored, from := storedKeys(t, dir), len(v.arrivals())
	ends(t, 0, dir, v.at(), "run", "live.yaml", "--no-cache")
	for _, a := range v.arrivals()[from:] {
		if stored[a.key] {
			t.Errorf("%s was stored and is bought again", a.key)
		}
	}
}

// compareLedger compares what the quiet run bought with its rows: a call for each label
// that was not a cached one, each priced.
func compareLedger(t *testing.T, dir string, calls int) {
	t.Helper()
	out := output(t, dir, "query", `SELECT count(*) FILTER (WHERE NOT cached) AS bought, count(*) FILTER (WHERE cost_usd > 0) AS priced, round(sum(cost_usd), 9) AS usd,
		(SELECT count(*) FROM turns WHERE campaign_id = 'live' AND kind = 'annotate' AND status = 'said') AS labels
		FROM calls WHERE campaign_id = 'live' AND model_asked = 'openai/fake'`, "--format", "csv")
	var bought, priced, labels int
	var usd float64
	if _, err := fmt.Sscanf(strings.ReplaceAll(strings.Split(strings.TrimSpace(out), "\n")[1], ",", " "), "%d %d %g %d", &bought, &priced, &usd, &labels); err != nil {
		t.Fatalf("%v of\n%s", err, out)
	}
	if slack := calls - bought; slack < 0 || slack > 1 || priced != bought || labels < bought || usd <= 0 { // the check of the model is a call of no collaboration
		t.Errorf("%d calls, %d of them in the rows and %d priced, $%g; %d labels", calls, bought, priced, usd, labels)
	}
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	runs, left, err := acts.Load(t.Context(), s, "live")
	if err != nil || len(left) == 0 || slices.ContainsFunc(runs, func(r acts.Trajectory) bool { return len(r.Rounds) < 8 }) {
		t.Errorf("%d ran all rounds, %d ended early, %v", len(runs), len(left), err)
	}
}

// TestStoppingExample: the two campaigns of examples/stopping, smaller, give the table of
// docs/guides/stopping.md: each method next to all rounds, and labels for one of them alone.
func TestStoppingExample(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"past.yaml", "live.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "stopping", name))
		noError(t, err)
		save(t, dir, name, string(text))
		output(t, dir, "run", name, "--set", "replicates=10")
	}
	saved := analyse(t, dir, "stopping-live", "savings", "--with", "stopping-past")
	if len(saved.Tables[0].Rows) != 15 {
		t.Fatalf("%d rows", len(saved.Tables[0].Rows))
	}
	for _, rule := range []string{"unanimous", "majority", "rated"} {
		for _, method := range stopping.MethodNames()[1:6] {
			where := map[string]string{"rule": rule, "stop.method": method}
			n, rounds, labels := saved.number(t, "n", where), saved.number(t, "rounds saved, %", where), saved.number(t, "label calls", where)
			if n != 10 || rounds < 0 || labels > 0 && method != stopping.MethodDialogueAct {
				t.Errorf("%v: n %v, %v %% of the rounds saved, %v labels", where, n, rounds, labels)
			}
			if rule == "rated" && method == stopping.MethodFirst && rounds < 50 {
				t.Errorf("first agreement under ratings saves %v %% of the rounds", rounds)
			}
		}
	}
}

// TestEProcessStops: a rule that looks at agreement ends those groups that agree, and
// verify, which has it from the rows alone, says the same. The fit is the file's.
func TestEProcessStops(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	exampleData(t, dir)
	save(t, dir, "agreeing.yaml", `
name: agreeing
replicates: 2
data: examples/data
env: {name: qa, format: bbh, file: orders.json, agents: 3, n: 6}
rule: plurality
protocol: {name: debate, rounds: 5}
model: {name: scripted/answerer, policy: {accuracy: 0.6, conformity: 0.3}}
stop:
  name: learned
  from: past
  method: e_process
  fit:
    method: e_process
    evidence: {rounds: [[-5, 6], [-5, 0, 6], [-5, 0, 0, 6], [-5, 0, 0, 0, 6], [-5, 0, 0, 0, 0, 6]], odds: 0, threshold: 0, alpha: 0.1, delta: 0.1}
    on: {campaign: past, revision: "", digest: "", condition: "", collaborations: 2, rounds: 6}
`)
	output(t, dir, "run", "agreeing.yaml")
	contains(t, output(t, dir, "verify", "agreeing"), "Asked again: the learned stopping rules of 12 collaborations", "Nothing is wrong")
	csv := output(t, dir, "query", `SELECT count(*) FILTER (rounds_run < 6) > 0 AS some, count(*) FILTER (rounds_run < 6 AND agreement < 5.0 / 6) AS wrong
		FROM collaborations JOIN rounds USING (collaboration_id) WHERE round = rounds_run`, "--campaign", "agreeing", "--format", "csv")
	contains(t, csv, "true,0")
}

// TestForkIntoLearnedStop: what a fork has from before it was asked about no learned rule,
// also where that would have ended it, and where the original's own rule did end it.
func TestForkIntoLearnedStop(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "past.yaml", pastCampaign+"grid: {rule: [majority], stop: [never, first_agreement]}\n")
	output(t, dir, "run", "past.yaml", "--set", "replicates=6")
	fits := map[string]string{
		"first":  `{method: first_agreement, on: {}}`,
		"fixed3": `{method: fixed_best_round, round: 3, on: {}}`,
		"fixed6": `{method: fixed_best_round, round: 6, on: {}}`,
	}
	for name, fit := range fits {
		method, _, _ := strings.Cut(strings.TrimPrefix(fit, "{method: "), ",")
		output(t, dir, "fork", "past", "--at", "round=5", "--set", fmt.Sprintf("stop={name: learned, from: past, method: %s, fit: %s}", method, fit), "--name", name)
		contains(t, output(t, dir, "verify", name), "Asked again: the learned stopping rules of 12 collaborations", "Nothing is wrong")
	}
	// Some would have ended before round 4, and some did, by a rule that is not learned.
	contains(t, output(t, dir, "query", "SELECT min(rounds_run) AS first, max(rounds_run) AS last FROM collaborations", "--campaign", "fixed6", "--format", "csv"), "1,6")
	contains(t, output(t, dir, "query", "SELECT max(rounds_run) AS last FROM collaborations", "--campaign", "fixed3", "--format", "csv"), "4")
}

// TestLearnedSaysOnWhat: plan says which collaborations of the past are left out of a fit,
// warns if those that remain are a selection, names what is unlike the condition, and the
// plan holds the counts.
func TestLearnedSaysOnWhat(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	exampleData(t, dir)
	save(t, dir, "past.yaml", pastCampaign+"rule: unanimous\nstop: first_agreement\n")
	output(t, dir, "run", "past.yaml")
	save(t, dir, "other.yaml", `
name: other
replicates: 2
data: examples/data
env: {name: qa, format: bbh, file: orders.json, agents: 3, n: 2}
rule: plurality
protocol: {name: debate, rounds: 2}
model: {name: scripted/answerer, policy: {accuracy: 0.6}}
`)
	output(t, dir, "run", "other.yaml")
	save(t, dir, "live.yaml", strings.Replace(liveCampaign, "from: past", "from: past, method: fixed_best_round", 1)+"rule: unanimous\n")
	out := ends(t, 0, dir, nil, "plan", "live.yaml", "--json")
	var shown struct {
		Conditions []struct {
			Settings struct {
				Stop struct {
					Params struct {
						Fit stopping.LearnedFit `json:"fit"`
					} `json:"params"`
				} `json:"stop"`
			} `json:"settings"`
		} `json:"conditions"`
	}
	if err := json.Unmarshal([]byte(out.out), &shown); err != nil || len(shown.Conditions) != 1 {
		t.Fatalf("%v: %.600s", err, out.out)
	}
	on := shown.Conditions[0].Settings.Stop.Params.Fit.On
	if on.Of != 16 || on.EndedEarly == 0 || on.Collaborations+on.EndedEarly != 16 {
		t.Errorf("%+v", on)
	}
	contains(t, out.err, fmt.Sprintf("stop: fixed_best_round fitted on %d of 16 collaborations of past (%s; %d ended earlier): ", on.Collaborations, on.Condition, on.EndedEarly),
		fmt.Sprintf("stop: warning: %d of 16 collaborations of past (%s) ended before their last planned round (stop: first_agreement)", on.EndedEarly, on.Condition))
	save(t, dir, "live.yaml", strings.Replace(liveCampaign, "from: past", "from: other, method: fixed_best_round", 1)+"rule: unanimous\n")
	contains(t, ends(t, 0, dir, nil, "plan", "live.yaml").err, "fitted on 4 collaborations of other (plurality-", "; environment qa, not exchange; protocol debate, not roundtable; rule plurality, not unanimous): ")
}
