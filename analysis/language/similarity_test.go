package language

import (
	"math"
	"testing"

	"roundtable/analysis/referencetest"
)

// Right angles give 0, the same direction 1, opposite ones -1; three pairs make one mean.
func TestSimilarityByHand(t *testing.T) {
	x, y, none := []float64{2, 0}, []float64{0, 3}, []float64{0, 0}
	for _, c := range []struct {
		vectors [][]float64
		want    float64
		ok      bool
	}{
		{[][]float64{x, y}, 0, true},
		{[][]float64{x, {1, 0}}, 1, true},
		{[][]float64{x, {-1, 0}}, -1, true},
		{[][]float64{x, x, y}, 1. / 3, true},
		{[][]float64{x, none, {1, 1}}, math.Sqrt(.5), true},
		{[][]float64{x, none}, 0, false},
		{[][]float64{x}, 0, false},
	} {
		if got, ok := Similarity(c.vectors); ok != c.ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, %v; want %v, %v", c.vectors, got, ok, c.want, c.ok)
		}
	}
}

// The reference: mean pairwise cosine within each of three discussions of four answers.
func TestSimilarityVectors(t *testing.T) {
	var v struct {
		Similarity struct {
			Embeddings [][][]float64
			Each       []float64 `json:"per_discussion"`
		} `json:"answer_similarity"`
	}
	referencetest.Read(t, "other_papers.json", &v)
	if len(v.Similarity.Each) != 3 {
		t.Fatalf("the reference has %d discussions, want 3", len(v.Similarity.Each))
	}
	for i, want := range v.Similarity.Each {
		if got, ok := Similarity(v.Similarity.Embeddings[i]); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("discussion %d: %v, want %v", i, got, want)
		}
	}
}
