package language

import (
	"hash/fnv"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// TestByHand: three texts; "apples" is in all, "bread" in one.
func TestHashedByHand(t *testing.T) {
	apples, signA := bucketOf("apples")
	h := fnv.New64a()
	_, _ = h.Write([]byte("apples"))
	if int(h.Sum64()%dimensions) != apples {
		t.Error("words are not hashed by FNV-1a")
	}
	bread, signB := bucketOf("bread")
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
			if n := floats.Norm(v, 2); math.IsNaN(n) || len(appendLower(nil, texts[i])) == 0 && n != 0 || n != 0 && math.Abs(n-1) > 1e-9 {
				t.Fatalf("%q has length %v", texts[i], n)
			}
		}
		if again, _ := (Hashed{}).Embed(t.Context(), texts); !reflect.DeepEqual(got, again) {
			t.Fatal("another time, other vectors")
		}
	})
}

// TestEmbedIsAsDefined: vectors are to the bit those of the definition, word by word in their order.
func TestEmbedIsAsDefined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.StringOf(rapid.RuneFrom([]rune("abE é我. ,1")))).Draw(t, "texts")
		got, err := Hashed{}.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		documents := map[int]float64{} // by bucket
		counts := make([]map[string]float64, len(texts))
		for i, text := range texts {
			counts[i] = map[string]float64{}
			seen := map[int]bool{}
			for _, word := range appendLower(nil, text) {
				counts[i][word]++
				if b, _ := bucketOf(word); !seen[b] {
					seen[b] = true
					documents[b]++
				}
			}
		}
		for i, count := range counts {
			want := make([]float64, dimensions)
			for _, word := range slices.Sorted(maps.Keys(count)) {
				b, sign := bucketOf(word)
				want[b] += sign * (1 + math.Log(count[word])) * (math.Log(float64(1+len(texts))/(1+documents[b])) + 1)
			}
			if length := floats.Norm(want, 2); length > 0 {
				floats.Scale(1/length, want)
			}
			if !reflect.DeepEqual(got[i], want) {
				t.Fatalf("%q of %q is not as defined", texts[i], texts)
			}
		}
	})
}
