package language

import (
	"context"
	"errors"
	"math"
	"reflect"
	"roundtable/analysis/lake/store"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// counting gives each text a vector of its length, and counts what it was asked.
type counting struct {
	mu    sync.Mutex
	asked []string
	err   error
}

func (*counting) Name() string { return "Counting! v2" }

func (c *counting) Embed(_ context.Context, texts []string) ([][]float64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, texts...)
	if c.err != nil {
		return nil, c.err
	}
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		vectors[i] = []float64{float64(len(text)), 0.1}
	}
	return vectors, nil
}

func open(t *testing.T) *store.Local {
	t.Helper()
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestCachedAsksOnce(t *testing.T) {
	s, by := open(t), &counting{}
	first, err := Cached{by, s}.Embed(t.Context(), []string{"a", "bb", "a"})
	if err != nil || !slices.Equal(by.asked, []string{"a", "bb"}) {
		t.Fatalf("asked for %q: %v", by.asked, err)
	}
	if want := float64(float32(0.1)); first[2][0] != 1 || first[1][0] != 2 || first[0][1] != want {
		t.Errorf("vectors %v", first)
	}
	again, err := Cached{by, s}.Embed(t.Context(), []string{"a", "bb", "a"})
	if err != nil || len(by.asked) != 2 || !reflect.DeepEqual(first, again) {
		t.Errorf("asked again for %q, which gave %v: %v", by.asked[2:], again, err)
	}
	objects, err := s.List(t.Context(), "embeddings/")
	if err != nil || len(objects) != 2 || !strings.HasPrefix(objects[0].Key, "embeddings/counting-v2-") {
		t.Errorf("stored %v: %v", objects, err)
	}
}

// TestCachedDamage: a damaged object costs one question and is repaired.
func TestCachedDamage(t *testing.T) {
	s, by := open(t), &counting{}
	c := Cached{by, s}
	for _, torn := range []string{"", "abc", "abcdefgh", "abcdefghijk"} {
		if err := s.Replace(t.Context(), c.keyOf("a"), []byte(torn), ""); err != nil {
			t.Fatal(err)
		}
		by.asked = nil
		for range 2 {
			if got, err := c.Embed(t.Context(), []string{"a"}); err != nil || got[0][0] != 1 {
				t.Errorf("after %q: %v, error %v", torn, got, err)
			}
		}
		if len(by.asked) != 1 {
			t.Errorf("after %q it was asked %d times", torn, len(by.asked))
		}
	}
}

// TestCachedTogether: the second caller takes the first one's vector, so
// that all agree.
func TestCachedTogether(t *testing.T) {
	s, by := open(t), &counting{}
	var group sync.WaitGroup
	results := make([][][]float64, 8)
	for i := range results {
		group.Go(func() {
			var err error
			if results[i], err = (Cached{by, s}).Embed(context.Background(), []string{"a", "bb", "ccc"}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, r := range results {
		if !reflect.DeepEqual(r, results[0]) {
			t.Errorf("%v and %v", r, results[0])
		}
	}
}

func TestCachedErrors(t *testing.T) {
	s := open(t)
	refused := errors.New("no")
	if _, err := (Cached{&counting{err: refused}, s}).Embed(t.Context(), []string{"a"}); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
	if objects, err := s.List(t.Context(), ""); err != nil || len(objects) != 0 {
		t.Errorf("a failure left %v: %v", objects, err)
	}
}

func TestVectorsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32(), 1, 20).Draw(t, "vector")
		wide := make([]float64, len(v))
		finite := true
		for i, x := range v {
			wide[i] = float64(x)
			finite = finite && !math.IsInf(wide[i], 0) && !math.IsNaN(wide[i])
		}
		got, err := decode(encode(wide))
		if (err == nil) != finite || finite && !slices.Equal(got, wide) {
			t.Fatalf("%v came back as %v: %v", wide, got, err)
		}
		data := encode(wide)
		data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if _, err := decode(data); err == nil {
			t.Fatal("a changed bit is not seen")
		}
	})
}

// broken answers the first text and fails then.
type broken struct{ counting }

func (b *broken) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	got, _ := b.counting.Embed(ctx, texts[:1])
	return got, errors.New("the line is dead")
}

// What was answered before a fault is paid for: it is not asked for again.
func TestCachedKeepsWhatCameBeforeAFault(t *testing.T) {
	s := open(t)
	if _, err := (Cached{&broken{}, s}).Embed(t.Context(), []string{"a", "bb"}); err == nil {
		t.Error("no error")
	}
	by := &counting{}
	if _, err := (Cached{by, s}).Embed(t.Context(), []string{"a", "bb"}); err != nil || !slices.Equal(by.asked, []string{"bb"}) {
		t.Errorf("asked for %q: %v", by.asked, err)
	}
}
