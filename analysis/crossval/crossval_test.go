package crossval_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/crossval"
)

func data(t testing.TB, runs []acts.Trajectory) *crossval.Data {
	t.Helper()
	d, err := crossval.NewData(runs)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func folds(t testing.TB, d *crossval.Data, k int, seed uint64) crossval.Folds {
	t.Helper()
	f, err := crossval.NewFolds(crossval.Units(d), k, seed)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Folds are balanced, do not depend on the order of units, and are those of the seed.
func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfNDistinct(rapid.StringMatching("[a-z]{1,4}"), 2, 40, rapid.ID[string]).Draw(t, "units")
		k, seed := rapid.IntRange(2, len(units)).Draw(t, "k"), rapid.Uint64().Draw(t, "seed")
		f, err := crossval.NewFolds(units, k, seed)
		if err != nil {
			t.Fatal(err)
		}
		size := make([]int, k)
		for _, fold := range f.Of {
			size[fold]++
		}
		if slices.Max(size)-slices.Min(size) > 1 || len(f.Of) != len(units) {
			t.Errorf("sizes %v of %d units", size, len(units))
		}
		slices.Reverse(units)
		again, err := crossval.NewFolds(append(units, units[0]), k, seed)
		if err != nil || !reflect.DeepEqual(f, again) {
			t.Errorf("another order has other folds: %v", err)
		}
	})
	for _, k := range []int{-1, 0, 1, 4} {
		if _, err := crossval.NewFolds([]string{"a", "b", "c", "c"}, k, 1); err == nil || !strings.Contains(err.Error(), "of 3 collaborations") {
			t.Errorf("%d folds of 3: %v", k, err)
		}
	}
}

// run is a collaboration by hand: score by round, and in which a proposal was selected and made.
func run(id string, score []float64, agreed, proposed string) acts.Trajectory {
	r := acts.Trajectory{ID: id, Unit: id}
	for i := range score {
		cost := 0.5
		r.Rounds = append(r.Rounds, acts.Round{Score: &score[i], Agreed: agreed[i] == 'x', Tokens: 100, CostUSD: &cost})
		if proposed[i] == 'x' {
			r.Rounds[i].Proposals = 1
		}
	}
	return r
}

// Two collaborations, each alone in its fold, worked out with pencil and paper.
func TestByHand(t *testing.T) {
	d := data(t, []acts.Trajectory{
		run("a", []float64{0, .5, .9, .7}, "-xxx", "xx--"),  // agrees at 2, silent at 3, best at 3
		run("b", []float64{.4, .4, .4, .4}, "x---", "xxxx"), // agrees at 1, never silent, never changes
	})
	results, err := crossval.Validate(t.Context(), d, crossval.Folds{K: 2, Of: map[string]int{"a": 0, "b": 1}}, crossval.Methods())
	if err != nil {
		t.Fatal(err)
	}
	stop := func(round int) crossval.Stop { return crossval.Stop{Round: round, Fired: true} }
	never := crossval.Stop{Round: 4}
	want := map[string][2]crossval.Stop{
		"Baseline":               {never, never},
		"First Agreement":        {stop(2), stop(1)},
		"Consecutive Agreements": {stop(3), never},
		"Validation Checkpoint":  {never, stop(3)}, // b has no best round to learn from
		"Fixed Best Round":       {stop(1), stop(3)},
		"Oracle":                 {stop(3), {Round: 1, Fired: true, Idle: true}},
	}
	summaries := crossval.Summarize(d, results)
	for i, r := range results {
		w, ok := want[r.Method]
		if !ok {
			if !strings.Contains(r.Absent, " of the 2 collaborations ") && !strings.Contains(r.Absent, "2 of 2 collaborations have rounds without") && !strings.Contains(r.Absent, "held the same answer") || summaries[i].Score != nil || summaries[i].N != 0 {
				t.Errorf("%s without labels and distances: %+v", r.Method, r)
			}
			continue
		}
		for k, o := range r.Outcomes {
			if o.Stop != w[k] {
				t.Errorf("%s of %s: %+v, want %+v", r.Method, o.ID, o.Stop, w[k])
			}
		}
	}
	s := summaries[1] // First Agreement: score .5 and .4 against .7 and .4, and .9 and .4 of the Oracle: two gaps of .2 and 0 are within their error of none
	if !near(*s.Score, .45) || !near(s.Round, 1.5) || !near(s.Effective, 1) || !s.GapClosed.Unclear || s.GapClosed.Share != nil || s.GapClosed.N != 2 {
		t.Errorf("First Agreement: %+v, score %v, gap %+v", s, *s.Score, *s.GapClosed)
	}
	if s.Saved.Rounds != 5 || s.Saved.Tokens != 500 || *s.Saved.CostUSD != 2.5 || s.Of.Rounds != 8 || *s.Of.CostUSD != 4 {
		t.Errorf("saved %+v of %+v", s.Saved, s.Of)
	}
	if c := summaries[2]; !near(c.Round, 3.5) || !near(*c.FiredAt, 3) || c.FiredN != 1 || !near(c.Effective, .5) {
		t.Errorf("Consecutive Agreements: %+v", c)
	}
	if n := summaries[3].Notes; len(n) != 1 || n[0] != "in 1 of 2 folds: none of the 1 training collaborations changes in score" {
		t.Errorf("notes of Validation Checkpoint: %q", n)
	}
	if o := summaries[7]; o.Method != "Oracle" || o.FiredN != 1 || !near(*o.FiredAt, 3) || !near(o.Round, 2) {
		t.Errorf("Oracle: %+v", o)
	}
}

// The fixed round that is best on average can be any, the first and the last among them.
func TestFixedBestRoundTriesEveryRound(t *testing.T) {
	for best := range 4 {
		score := []float64{.2, .2, .2, .2}
		score[best] = .8
		d := data(t, []acts.Trajectory{run("a", score, "xxxx", "xxxx"), run("b", score, "xxxx", "xxxx")})
		fit, err := crossval.FixedBestRound{}.Fit(d, []int{0, 1})
		if err != nil || *fit.Learned.Round != best+1 || fit.Stop(0).Round != best+1 || !near(*fit.Learned.Train, .8) {
			t.Errorf("best in round %d: %+v, %v", best+1, fit.Learned, err)
		}
		if fit, err := (crossval.FixedBestRound{}).Fit(d, nil); err != nil || fit.Rule.Never == "" || fit.Stop(0).Fired {
			t.Errorf("trained on none: %+v, %v", fit.Learned, err)
		}
	}
}

func TestUnknownPriceIsNotSaved(t *testing.T) {
	a := run("a", []float64{1, 2, 3}, "xxx", "xxx")
	a.Rounds[2].CostUSD = nil
	d := data(t, []acts.Trajectory{a, run("b", []float64{1, 2, 3}, "-x-", "xxx")})
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 2, 1), []crossval.Method{crossval.FirstAgreement{}})
	if err != nil {
		t.Fatal(err)
	}
	if s := crossval.Summarize(d, results)[0]; s.Saved.CostUSD != nil || s.Saved.Tokens != 300 || s.GapClosed != nil {
		t.Errorf("saved %+v", s.Saved)
	}
}

func TestDataThatCannotBeJudged(t *testing.T) {
	for says, runs := range map[string][]acts.Trajectory{
		"1 collaboration can be analysed; at least 2": {run("a", []float64{1, 2}, "--", "--")},
		"0 collaborations":                            nil,
		"b has 1 rounds and a has 2":                  {run("a", []float64{1, 2}, "--", "--"), run("b", []float64{1}, "-", "-")},
		"none of the 2 collaborations has a score": {
			{ID: "a", Rounds: make([]acts.Round, 2)}, {ID: "b", Rounds: make([]acts.Round, 2)},
		},
	} {
		if _, err := crossval.NewData(runs); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	d := data(t, []acts.Trajectory{run("a", []float64{1, 2}, "--", "--"), run("b", []float64{1, 1}, "--", "--")})
	for says, f := range map[string]crossval.Folds{
		"b (b) is in none of the 2 folds": {K: 2, Of: map[string]int{"a": 0}},
		"are in one fold":                 {K: 2, Of: map[string]int{"a": 1, "b": 1}},
	} {
		if _, err := crossval.Validate(t.Context(), d, f, crossval.Methods()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// Score that never changes: nothing can be gained, nothing is NaN, and rules say why they never stop.
func TestConstantScore(t *testing.T) {
	d := data(t, analysistest.Script{Runs: 10, Rounds: 5, Agents: 3}.Make())
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 5, 1), crossval.NestedMethods(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range crossval.Summarize(d, results) {
		if strings.Contains(s.Absent, "held the same answer") { // planted collaborations count nothing
			continue
		}
		if s.Score == nil || *s.Score != 0.5 || s.GapClosed.Share != nil || !s.GapClosed.Unclear || math.IsNaN(s.Round) {
			t.Errorf("%s: %+v", s.Method, s)
		}
		if learns := strings.HasPrefix(s.Method, "Dialogue") || s.Method == "Information Distance" || s.Method == "Validation Checkpoint"; learns != (len(s.Notes) == 1 && strings.HasPrefix(s.Notes[0], "in 5 of 5 folds: ")) {
			t.Errorf("%s has the notes %q", s.Method, s.Notes)
		}
	}
}

// No method sees score of the collaborations that it is judged on: changing
// it changes none of their stops.
func TestNothingLeaks(t *testing.T) {
	plan := analysistest.Script{Runs: 30, Rounds: 6, Agents: 3, Seed: 3, Peak: 3, Own: 0.1, Noise: 0.1, Still: 4}
	runs := plan.Make()
	f := folds(t, data(t, runs), 5, 2)
	methods := slices.DeleteFunc(crossval.NestedMethods(2), func(m crossval.Method) bool { return m == crossval.Method(crossval.Oracle{}) })
	before, err := crossval.Validate(t.Context(), data(t, runs), f, methods)
	if err != nil {
		t.Fatal(err)
	}
	changed := plan.Make()
	for _, r := range changed {
		for i := range r.Rounds {
			if f.Of[r.Unit] == 0 {
				*r.Rounds[i].Score = -7 * float64(i)
			}
		}
	}
	after, err := crossval.Validate(t.Context(), data(t, changed), f, methods)
	if err != nil {
		t.Fatal(err)
	}
	for m := range before {
		for i, o := range before[m].Outcomes {
			if o.Fold == 0 && o.Stop != after[m].Outcomes[i].Stop {
				t.Errorf("%s of %s: %+v, and %+v if its own score is another", methods[m].Name(), o.ID, o.Stop, after[m].Outcomes[i].Stop)
			}
		}
	}
}

// What parameters are chosen by is not what their signals were found on: where no pair matters,
// the choice on the same collaborations promises more than that on those of inner folds.
func TestInnerFoldsAreLeftOut(t *testing.T) {
	d := data(t, analysistest.Script{Runs: 30, Rounds: 6, Agents: 3, Seed: 3, Own: 0.1, Noise: 0.1}.Make())
	every := make([]int, len(d.Runs))
	for i := range every {
		every[i] = i
	}
	plain, err := crossval.DialogueAct{}.Fit(d, every)
	nested, e := crossval.DialogueAct{Inner: 5, Seed: 1}.Fit(d, every)
	if err := errors.Join(err, e); err != nil || *nested.Learned.Train >= *plain.Learned.Train {
		t.Errorf("chosen by a mean of %v on inner folds, of %v on the same collaborations; %v", *nested.Learned.Train, *plain.Learned.Train, err)
	}
	if rule, err := crossval.LearnDialogueAct(d); err != nil || !reflect.DeepEqual(rule, *plain.Rule) {
		t.Errorf("the rule of all collaborations is %+v, want %+v; %v", rule, *plain.Rule, err)
	}
}
