package recsys

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"roundtable/envs"
)

const shared = "../../../shared/"

// reference reads a test vector; false if this checkout has no shared folder.
func reference(t *testing.T, name string, v any) bool {
	t.Helper()
	text, err := os.ReadFile(shared + "vectors/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

func sparse(x [][]float64) (byRow, byColumn [][]cell) {
	byRow, byColumn = make([][]cell, len(x)), make([][]cell, len(x[0]))
	for i := range x {
		for j, v := range x[i] {
			if v != 0 {
				byRow[i] = append(byRow[i], cell{j, v})
				byColumn[j] = append(byColumn[j], cell{i, v})
			}
		}
	}
	return byRow, byColumn
}

func dense(rows [][]float64) factor { return factor{len(rows[0]), slices.Concat(rows...)} }

func transposed(m [][]float64) [][]float64 {
	t := make([][]float64, len(m[0]))
	for j := range t {
		for i := range m {
			t[j] = append(t[j], m[i][j])
		}
	}
	return t
}

func wantNear(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func frobenius(x [][]float64, w, h factor) float64 {
	sum := 0.0
	for i := range x {
		for j, v := range x[i] {
			off := v - dotProduct(w.rowOf(i), h.rowOf(j))
			sum += off * off
		}
	}
	return math.Sqrt(sum)
}

func TestNMFReference(t *testing.T) {
	var ref struct {
		X, W0, H0 [][]float64
		MU        map[string]struct {
			W, H   [][]float64
			Error  float64   `json:"frobenius_error"`
			Cosine []float64 `json:"cosine_user0"`
		} `json:"mu_frobenius"`
	}
	if !reference(t, "nmf_reference.json", &ref) {
		t.Skip("no reference vectors next to this checkout")
	}
	byRow, byColumn := sparse(ref.X)
	for name, want := range ref.MU {
		iterations, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		w, h := dense(ref.W0), dense(transposed(ref.H0))
		factorizeMatrix(byRow, byColumn, w, h, iterations)
		wantNear(t, "W after "+name, w.values, dense(want.W).values, 1e-9)
		wantNear(t, "H after "+name, h.values, dense(transposed(want.H)).values, 1e-9)
		wantNear(t, "error after "+name, []float64{frobenius(ref.X, w, h)}, []float64{want.Error}, 1e-9)
		cosines, m := make([]float64, len(ref.X)), measureTastes(w)
		for u := range cosines {
			cosines[u] = m.cosineOf(0, u)
		}
		wantNear(t, "cosines after "+name, cosines, want.Cosine, 1e-9)
	}
	if len(ref.MU) != 3 {
		t.Errorf("%d results in the reference, want 3", len(ref.MU))
	}
}

// By hand: X = (2 0), W = (1), Hᵀ = (1 1). W ← 1·2/(1·2) = 1, H ← (1·2/1, 1·0/1) = (2, 0), then W ← 1·4/4 = 1.
func TestNMFByHand(t *testing.T) {
	byRow, byColumn := sparse([][]float64{{2, 0}})
	w, h := dense([][]float64{{1}}), dense([][]float64{{1}, {1}})
	factorizeMatrix(byRow, byColumn, w, h, 2)
	wantNear(t, "W", w.values, []float64{1}, 0)
	wantNear(t, "H", h.values, []float64{2, 0}, 0)
}

// Each update lowers the error, an empty row becomes zero and stays finite, a full-rank product is found again.
func TestNMFProperties(t *testing.T) {
	rng := envs.Stream(5, "test")
	a, b := newFactor(12, 2), newFactor(9, 2)
	a.fillRandomly(rng, 4)
	b.fillRandomly(rng, 4)
	x := make([][]float64, 13) // the last row is empty
	for i := range x {
		x[i] = make([]float64, 9)
		for j := range x[i] {
			if i < 12 {
				x[i][j] = dotProduct(a.rowOf(i), b.rowOf(j))
			}
		}
	}
	byRow, byColumn := sparse(x)
	w, h := newFactor(13, 2), newFactor(9, 2)
	w.fillRandomly(rng, 4)
	h.fillRandomly(rng, 4)
	before := frobenius(x, w, h)
	for range 300 {
		factorizeMatrix(byRow, byColumn, w, h, 1)
		after := frobenius(x, w, h)
		if !(after <= before+1e-12) {
			t.Fatalf("the error rises from %v to %v", before, after)
		}
		before = after
	}
	if before > 0.05 {
		t.Errorf("the error of a matrix of rank 2 is still %v", before)
	}
	m := measureTastes(w)
	if m.cosineOf(12, 0) != 0 || m.cosineOf(12, 12) != 0 {
		t.Error("a user without ratings is similar to another")
	}
	if s := m.cosineOf(3, 3); math.Abs(s-1) > 1e-12 {
		t.Errorf("a user's similarity to itself is %v", s)
	}
}

func TestTastesAreRepeatable(t *testing.T) {
	d := tiny(t).data
	a, b := newTastes(d, NMF{K: 4, Iterations: 30, Seed: 1}), newTastes(d, NMF{K: 4, Iterations: 30, Seed: 1})
	if !slices.Equal(a.values, b.values) {
		t.Error("the same seed gives other factors")
	}
	if c := newTastes(d, NMF{K: 4, Iterations: 30, Seed: 2}); slices.Equal(a.values, c.values) {
		t.Error("another seed gives the same factors")
	}
}
