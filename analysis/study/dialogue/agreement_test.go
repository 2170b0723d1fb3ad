package dialogue

import (
	"math"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
)

// The figures are those of scikit-learn 1.9.1 (cohen_kappa_score of the scores in
// hundredths, with weights="quadratic" over the labels 0 to 100) and SciPy 1.17.1
// (pearsonr, spearmanr, the t interval of the differences).
func TestAgree(t *testing.T) {
	for _, x := range []struct {
		name string
		a, b []float64
		want []float64 // same, kappa, weighted, r, rho, difference, low, high
	}{
		{"quarters", []float64{0, .25, .5, .75, 1, 1, .5, .25, 0, .75}, []float64{0, .25, .25, .75, .75, 1, .5, .5, 0, 1},
			[]float64{0.6, 0.5, 0.9, 0.8999999999999999, 0.9, 0, -0.11922615099511076, 0.11922615099511076}},
		{"halves", []float64{1, 0, .5, 1, 0, .5, 1, 1}, []float64{1, 0, 0, 1, .5, .5, .5, 1},
			[]float64{0.625, 0.4285714285714286, 0.7142857142857143, 0.7242068243779016, 0.7620634755325443, 0.0625, -0.20539034080680763, 0.3303903408068076}},
		{"continuous", []float64{.12, .47, .81, .93, .33, .58}, []float64{.2, .4, .9, .88, .25, .7},
			[]float64{0, math.NaN(), 0.954675724445388, 0.9567760267162168, 0.942857142857143, -0.015, -0.11043519472441918, 0.08043519472441918}},
		{"always the same", []float64{1, 1, 1}, []float64{1, 1, 1}, []float64{1, math.NaN(), math.NaN(), math.NaN(), math.NaN(), 0, math.NaN(), math.NaN()}},
		{"one never varies", []float64{1, 1, 1}, []float64{1, 0, 1}, []float64{2. / 3, 0, 0, math.NaN(), math.NaN(), 1. / 3, -1.1008843, 1.7675509}},
		{"to a hundredth", []float64{.496, .5, 0}, []float64{.504, .5, 0}, []float64{1, 1, 0.9998080, 0.9999040, 0.5, -0.008 / 3, -0.0141404, 0.0088071}},
		{"two", []float64{1, 0}, []float64{1, 0}, []float64{1, 1, 1, math.NaN(), math.NaN(), 0, math.NaN(), math.NaN()}},
		{"one", []float64{1}, []float64{0}, []float64{0, 0, 0, math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}},
		{"none", nil, nil, []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}},
	} {
		got := compareScores(x.a, x.b)
		for i, v := range []*float64{got.Same, got.Kappa, got.Weighted, got.Pearson, got.Spearman, got.Difference,
			end(got.Within, func(i statistics.Interval) float64 { return i.Low }), end(got.Within, func(i statistics.Interval) float64 { return i.High })} {
			if (v == nil) != math.IsNaN(x.want[i]) || v != nil && math.Abs(*v-x.want[i]) > 1e-7 {
				t.Errorf("%s: figure %d is %v, want %v", x.name, i, show(v), x.want[i])
			}
		}
	}
}

func show(v *float64) any {
	if v == nil {
		return "not defined"
	}
	return *v
}

func scored(id, question, answer string, score float64) campaign.Run {
	r := campaign.Run{}
	r.Collaboration = record.Collaboration{
		Key: record.Key{CollaborationID: id}, InstanceID: question, DecisionJSON: &answer, Score: &score,
		SettingsJSON: `{"env":{"name":"qa","params":{"score":{"judge":{"model":{"name":"openai/a","x":1},"rubric":"r","scale":[1,5]}}}}}`,
	}
	return r
}

func TestTable(t *testing.T) {
	c := campaign.Campaign{Name: "c", Runs: []campaign.Run{
		scored("a", "q1", `"yes"`, 1), scored("b", "q1", `"yes"`, 1), scored("c", "q1", `"no"`, 0), scored("d", "q2", `"so"`, 0.5),
	}}
	hand := []Hand{{2, "", "q1", "yes", 5}, {3, "", "q1", "no", 2}, {4, "b", "", "", 5}, {5, "", "q2", "", 3}, {6, "", "q9", "", 3}}
	got, err := Table(c, "h.csv", hand)
	if err != nil {
		t.Fatal(err)
	}
	if row := got.Rows[0]; row[0].String() != "openai/a" || row[1].String() != "3" || row[2].String() != "0.667" {
		t.Errorf("row %v", row)
	}
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "Left out: 1 score by hand of 5") || !strings.Contains(notes, ", line ") {
		t.Errorf("notes %s", notes)
	}
	hand = []Hand{{Line: 1, Question: "q1", Score: 5}, {Line: 3, Question: "q2", Score: 6}, {Line: 4, Collaboration: "a", Score: 5}, {Line: 5, Collaboration: "b", Score: 4}}
	_, err = Table(c, "h.jsonl", hand)
	for _, want := range []string{
		"h.jsonl, line 1: question q1 has several answers", "line 3: the score is 6; the scale of the judge openai/a is 1 to 5", "line 5: the score is 4, and line 4 gives 5 to the same answer",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Table(c, "h.csv", []Hand{{Line: 2, Question: "q99", Score: 2}}); err == nil || !strings.Contains(err.Error(), "h.csv: no line names a decision") {
		t.Errorf("of scores of nothing: %v", err)
	}
	if _, err := Table(campaign.Campaign{Name: "none"}, "h.csv", nil); err == nil || !strings.Contains(err.Error(), "none has none") {
		t.Errorf("without a judge: %v", err)
	}
	foreign := campaign.Run{}
	foreign.Protocol = record.Imported
	if _, err := Table(campaign.Campaign{Name: "theirs", Runs: []campaign.Run{foreign}}, "h.csv", nil); err == nil ||
		!strings.Contains(err.Error(), "roundtable label theirs --code-book FILE") {
		t.Errorf("of an import: %v", err)
	}
}
