package crossval_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/crossval"
	"roundtable/analysis/referencetest"
)

// expected is what an independent pipeline in Python made of the same 50 collaborations.
type expected struct {
	Folds []int
	Grid  struct {
		Points [][2]float64 `json:"objective_and_mean_round"`
		Best   struct {
			Top       int      `json:"top_da"`
			P         *float64 `json:"p_value"`
			Count     int      `json:"count_per_round"`
			Score     int
			Objective float64
			Round     float64 `json:"mean_round"`
		}
	} `json:"grid_all"`
	FoldInfo []struct {
		Fold       int
		Checkpoint int
		MeanBest   float64 `json:"mean_best_round"`
		Threshold  float64
		Params     [4]*float64 `json:"da_params"`
		Candidates []string    `json:"da_candidates"`
		Objective  float64     `json:"da_train_objective"`
	} `json:"fold_info"`
	Stops map[string]map[string]struct {
		Stop        *int
		Value       *float64
		Fold        int
		Informative *bool
	} `json:"per_collaboration"`
	Summary map[string]struct {
		Score     float64  `json:"mean_goodness"`
		Defined   int      `json:"n_defined"`
		FiredAt   *float64 `json:"mean_stop_round_fired"`
		Round     float64  `json:"mean_round_unconditional"`
		Effective float64  `json:"effective_ratio"`
		Fired     float64  `json:"fired_ratio"`
		GapClosed float64  `json:"gap_closed"`
	}
}

// named are the reference's names of the methods.
var named = map[string]string{
	"baseline": "Baseline", "first": "First Agreement", "consecutive": "Consecutive Agreements", "validation": "Validation Checkpoint",
	"information": "Information Distance", "dialogue": "Dialogue Act", "oracle": "Oracle",
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

func equal(a, b *float64) bool { return a == nil && b == nil || a != nil && b != nil && near(*a, *b) }

func show(v *float64) string {
	if v == nil {
		return "nothing"
	}
	return fmt.Sprint(*v)
}

func reference(t *testing.T, kind string) (*crossval.Data, crossval.Folds, expected) {
	t.Helper()
	runs, dealt := analysistest.Reference(t, kind)
	var want expected
	referencetest.Read(t, "dialogue_acts_"+kind+"_expected.json", &want)
	d, err := crossval.NewData(runs)
	if err != nil {
		t.Fatal(err)
	}
	folds := crossval.Folds{K: 5, Of: map[string]int{}}
	for i, r := range runs {
		folds.Of[r.Unit] = dealt[i]
	}
	return d, folds, want
}

func TestReference(t *testing.T) {
	stops := 0
	for _, kind := range []string{"exchange", "recsys"} {
		t.Run(kind, func(t *testing.T) {
			d, folds, want := reference(t, kind)
			results, err := crossval.Validate(t.Context(), d, folds, crossval.Methods())
			if err != nil {
				t.Fatal(err)
			}
			summaries := crossval.Summarize(d, results)
			for key, name := range named {
				i := slices.IndexFunc(results, func(r crossval.Result) bool { return r.Method == name })
				stops += compareStops(t, results[i], want, key)
				s, w := summaries[i], want.Summary[key]
				if other := kind == "recsys" && key == "dialogue"; !other && (!equal(s.Score, &w.Score) || s.Defined != w.Defined || !equal(s.FiredAt, w.FiredAt) || !near(s.Round, w.Round) ||
					!near(s.Effective, w.Effective) || !near(s.Fired, w.Fired)) {
					t.Errorf("%s: %+v (score %s, fired at %s), want %+v", name, s, show(s.Score), show(s.FiredAt), w)
				}
				if gap, n := want.closed(key); s.GapClosed.N != n || s.GapClosed.Share == nil || !near(*s.GapClosed.Share, gap) || n == 50 && !near(gap, w.GapClosed) {
					t.Errorf("%s closes %+v, want %v of %d", name, *s.GapClosed, gap, n)
				}
				compareTraining(t, results[i], want)
			}
		})
	}
	if stops != 0 && stops != 690 {
		t.Errorf("%d stops were compared; the 600 of six methods and 100 of the Oracle, without the 10 of one fold, are 690", stops)
	}
}

// closed is the gap closed on the collaborations in which the baseline, a method
// and the Oracle have a value; where all have, it is what the reference says.
func (e expected) closed(key string) (share float64, n int) {
	won, open := 0.0, 0.0
	for id, method := range e.Stops[key] {
		base, oracle := e.Stops["baseline"][id].Value, e.Stops["oracle"][id].Value
		if base != nil && method.Value != nil && oracle != nil {
			won, open, n = won+*method.Value-*base, open+*oracle-*base, n+1
		}
	}
	return won / open, n
}

// otherChoice says whether a fold is the one in which the reference, whose search
// leaves out who is undecided at a stop, takes a combination that leaves one so.
func otherChoice(method string, fold int, want expected) bool {
	return method == "Dialogue Act" && fold == 4 && want.Summary["validation"].Defined < 50
}

// compareStops wants every stop exactly.
func compareStops(t *testing.T, r crossval.Result, want expected, key string) (compared int) {
	t.Helper()
	for _, o := range r.Outcomes {
		if otherChoice(r.Method, o.Fold, want) {
			continue
		}
		w, ok := want.Stops[key][o.ID]
		if !ok {
			t.Fatalf("the reference has no stop of %s by %s", o.ID, r.Method)
		}
		round, fired := 10, w.Stop != nil
		if fired {
			round = *w.Stop
		}
		idle := w.Informative != nil && !*w.Informative
		if o.Stop != (crossval.Stop{Round: round, Fired: fired, Idle: idle}) || o.Fold != w.Fold || !equal(o.Score, w.Value) {
			t.Errorf("%s of %s: %+v fold %d score %s, want round %d fired %t fold %d %s", r.Method, o.ID, o.Stop, o.Fold, show(o.Score), round, fired, w.Fold, show(w.Value))
		}
		compared++
	}
	return compared
}

func compareTraining(t *testing.T, r crossval.Result, want expected) {
	t.Helper()
	for i, got := range r.Trained {
		w := want.FoldInfo[i]
		if otherChoice(r.Method, i, want) {
			continue
		}
		switch {
		case got.Fold != w.Fold:
			t.Errorf("fold %d, want %d", got.Fold, w.Fold)
		case r.Method == "Validation Checkpoint" && (*got.Round != w.Checkpoint || !near(*got.MeanBest, w.MeanBest)):
			t.Errorf("checkpoint %d of %v, want %d of %v", *got.Round, *got.MeanBest, w.Checkpoint, w.MeanBest)
		case r.Method == "Information Distance" && !near(*got.Threshold, w.Threshold):
			t.Errorf("threshold %v, want %v", *got.Threshold, w.Threshold)
		case r.Method == "Dialogue Act":
			p := got.Params
			if float64(p.Top) != *w.Params[0] || !equal(p.P, w.Params[1]) || float64(p.Count) != *w.Params[2] || float64(p.Score) != *w.Params[3] {
				t.Errorf("fold %d: %+v", i, *p)
			}
			if !slices.Equal(got.Pairs, w.Candidates) || !near(*got.Apparent, w.Objective) || *got.Train > *got.Apparent+1e-12 {
				t.Errorf("fold %d: %v, train %v, apparent %v; want %v, %v", i, got.Pairs, *got.Train, *got.Apparent, w.Candidates, w.Objective)
			}
		}
	}
}

// All 180 combinations on all collaborations.
func TestReferenceGrid(t *testing.T) {
	for _, kind := range []string{"exchange", "recsys"} {
		t.Run(kind, func(t *testing.T) {
			d, _, want := reference(t, kind)
			all, best, err := crossval.Search(d)
			if err != nil {
				t.Fatal(err)
			}
			if len(all) != 180 || len(want.Grid.Points) != 180 {
				t.Fatalf("%d combinations, %d in the reference", len(all), len(want.Grid.Points))
			}
			for i, c := range all {
				if w := want.Grid.Points[i]; !near(c.Score, w[0]) || !near(c.MeanRound, w[1]) {
					t.Errorf("combination %d %+v: %v at round %v, want %v", i, c.Params, c.Score, c.MeanRound, w)
				}
			}
			p, w := all[best].Params, want.Grid.Best
			if p.Top != w.Top || !equal(p.P, w.P) || p.Count != w.Count || p.Score != w.Score || !near(all[best].Score, w.Objective) || !near(all[best].MeanRound, w.Round) {
				t.Errorf("best is %+v, want %+v", all[best], w)
			}
		})
	}
}
