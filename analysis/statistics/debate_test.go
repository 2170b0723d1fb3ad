package statistics

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"roundtable/analysis/referencetest"
)

// answers is a round in letters; "-" could not be read, and truth is right.
func answers(text, truth string) Replies {
	var r Replies
	for a := range strings.FieldsSeq(text) {
		r = append(r, Reply{Key: strings.Trim(a, "-"), Right: a == truth})
	}
	return r
}

// Paper 4's own examples (A.1, A.2).
func TestDebateExamples(t *testing.T) {
	r := answers("A A A A A A A A A B", "A")
	if ll, ok := r.LogLikelihood(); !ok || math.Abs(ll+0.152) > 5e-4 {
		t.Errorf("9 of 10: %v, printed is -0.152", ll)
	}
	r = answers("A A A A A A A A A A", "A")
	ll, _ := r.LogLikelihood()
	if h, _ := r.Entropy(); ll != 0 || h != 0 {
		t.Errorf("10 of 10: %v, entropy %v", ll, h)
	}
	if h, ok := answers("A A A A A A A A B C", "A").Entropy(); !ok || math.Abs(h-0.9219) > 5e-5 {
		t.Errorf("8, 1, 1: %v, printed is 0.9219", h)
	}
	if h, _ := answers("A A - -", "A").Entropy(); h != 1.5 {
		t.Errorf("two unread answers count as two: %v", h)
	}
	if _, ok := answers("B B", "A").LogLikelihood(); ok {
		t.Error("nobody right has a log-likelihood")
	}
	if _, ok := (Replies{}).Entropy(); ok {
		t.Error("no agents have an entropy")
	}
}

// The reference vectors.
func TestDebateVectors(t *testing.T) {
	var vectors struct {
		MADC []struct {
			Answers  []string
			Truth    string
			Raw      *float64 `json:"log_likelihood_raw"`
			Smoothed float64  `json:"log_likelihood_smoothed"`
			Entropy  float64
		}
	}
	referencetest.Read(t, "other_papers.json", &vectors)
	if len(vectors.MADC) < 5 {
		t.Fatalf("%d vectors", len(vectors.MADC))
	}
	for _, v := range vectors.MADC {
		r := answers(strings.Join(v.Answers, " "), v.Truth)
		raw, ok := r.LogLikelihood()
		smoothed, _ := r.Smoothed()
		entropy, _ := r.Entropy()
		if ok != (v.Raw != nil) || ok && math.Abs(raw-*v.Raw) > 1e-9 || math.Abs(smoothed-v.Smoothed) > 1e-9 || math.Abs(entropy-v.Entropy) > 1e-9 {
			t.Errorf("%v: %v %v %v, want %+v", v.Answers, raw, smoothed, entropy, v)
		}
	}
}

// The count that turns the outcome, on the curves that the paper prints for
// CASE-54 with the 7B model (Table 6, agents 40 to 60).
func TestReversal(t *testing.T) {
	correct := []float64{1.00, .98, .98, .94, .96, .94, .80, .78, .82, .48, .50, .38, .54, .52, .50, .46, .36, .44, .24, .18, .22}
	incorrect := []float64{.00, .02, .10, .24, .16, .26, .48, .30, .56, .58, .62, .62, .72, .72, .76, .72, .84, .92, .70, .82, .78}
	curve := func(from40 []float64) Curve {
		c := make(Curve, 39, 60)
		for _, v := range from40 {
			c = append(c, &v)
		}
		return c
	}
	for name, x := range map[string]struct {
		values []float64
		want   int
	}{"correct first": {correct, 49}, "incorrect first": {incorrect, 48}} {
		if n, ok := curve(x.values).Reversal(40); !ok || n != x.want {
			t.Errorf("%s turns at %d, %v; printed first beyond ½ at %d", name, n, ok, x.want)
		}
	}
	if _, ok := curve([]float64{1, 1, 1}).Reversal(40); ok {
		t.Error("a curve that never turns has a reversal")
	}
	if _, ok := curve(nil).Reversal(40); ok {
		t.Error("nothing was run at the base")
	}
}

// The counts that turn the outcome on all curves that the paper prints (Tables 6
// to 11), read off its rows by another program.
func TestPrintedReversals(t *testing.T) {
	data, err := os.ReadFile("../../../shared/papers/4-key-decision-makers.txt")
	if err != nil {
		t.Skip("no paper next to this checkout")
	}
	for table, want := range map[string][2]int{
		"Table 6: CASE-54": {49, 48}, "Table 7: CASE-66": {52, 46}, "Table 8: CASE-94": {47, 46},
		"Table 9: CASE-54": {50, 43}, "Table 10: CASE-66": {41, 53}, "Table 11: CASE-94": {43, 54},
	} {
		_, rows, _ := strings.Cut(string(data), "\n"+table)
		curves := [2]Curve{make(Curve, 80), make(Curve, 80)} // correct first, incorrect first
		n := 0
		for line := range strings.Lines(rows) {
			var at [2]int
			var v [6]float64
			if _, err := fmt.Sscan(line, &at[0], &v[0], &v[1], &v[2], &at[1], &v[3], &v[4], &v[5]); err != nil {
				if n == 80 {
					break
				}
				continue // what stands above the rows
			}
			for i, agents := range at {
				curves[0][agents-1], curves[1][agents-1] = &v[3*i], &v[3*i+1]
				n++
			}
		}
		for i, curve := range curves {
			if got, ok := curve.Reversal(40); !ok || got != want[i] || n != 80 {
				t.Errorf("%s, curve %d turns at %d, %v; want %d (%d rows)", table, i, got, ok, want[i], n)
			}
		}
	}
}
