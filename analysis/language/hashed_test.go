package language

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// TestByHand: three texts; "apples" is in all, "bread" in one.
func TestHashedByHand(t *testing.T) {
	apples, signA := bucket("apples")
	bread, signB := bucket("bread")
	if apples == bread {
		t.Fatal("the two words share a bucket; choose others")
	}
	got, err := Hashed{}.Embed(t.Context(), []string{"Apples!", "Bread, apples & APPLES", "apples"})
	if err != nil {
		t.Fatal(err)
	}
	// Rarity: apples ln(4/4)+1, bread ln(4/2)+1. Frequency in the second text: 1+ln 2 and 1.
	a, b := 1+math.Ln2, 1+math.Ln2
	length := math.Hypot(a, b)
	if math.Abs(got[1][apples]-signA*a/length) > 1e-12 || math.Abs(got[1][bread]-signB*b/length) > 1e-12 {
		t.Errorf("apples %v, bread %v", got[1][apples], got[1][bread])
	}
	if math.Abs(got[0][apples]-signA) > 1e-12 || !reflect.DeepEqual(got[0], got[2]) {
		t.Error("a text of one word is not a unit vector, or not the same each time")
	}
}

// TestAnyText: vectors are finite, of length one or zero, and the same each time.
func TestHashedAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		got, err := Hashed{}.Embed(t.Context(), texts)
		if err != nil || len(got) != len(texts) {
			t.Fatalf("%d vectors of %d texts: %v", len(got), len(texts), err)
		}
		for i, v := range got {
			if n := floats.Norm(v, 2); math.IsNaN(n) || len(words(texts[i])) == 0 && n != 0 || n != 0 && math.Abs(n-1) > 1e-9 {
				t.Fatalf("%q has length %v", texts[i], n)
			}
		}
		if again, _ := (Hashed{}).Embed(t.Context(), texts); !reflect.DeepEqual(got, again) {
			t.Fatal("another time, other vectors")
		}
	})
}
