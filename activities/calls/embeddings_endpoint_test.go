package calls

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roundtable/activities/model"
)

// scripted answers each request with the next of its faults, and then with
// the lengths of the texts, which it keeps.
type scripted struct {
	mu     sync.Mutex
	faults []error
	asked  []int // texts in each request
	kept   map[string]float64
}

func (s *scripted) Vectors(_ context.Context, texts []string) ([][]float64, model.Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, len(texts))
	if len(s.faults) > 0 {
		fault := s.faults[0]
		s.faults = s.faults[1:]
		if fault != nil {
			return nil, model.Usage{}, fault
		}
	}
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		if _, twice := s.kept[text]; twice {
			return nil, model.Usage{}, errors.New("asked for twice")
		}
		vectors[i] = []float64{float64(len(text))}
		s.kept[text] = vectors[i][0]
	}
	return vectors, model.Usage{Input: int64(len(texts))}, nil
}

func (s *scripted) missing(_ context.Context, texts []string) (left []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if _, there := s.kept[text]; !there && !slices.Contains(left, text) {
			left = append(left, text)
		}
	}
	return left, nil
}

func endpoint(s *scripted) (*Embeddings, *[]time.Duration) {
	var waited []time.Duration
	s.kept = map[string]float64{}
	e := NewEmbeddings("openai/m at http://localhost/v1", s)
	e.wait = func(_ context.Context, d time.Duration) error {
		waited = append(waited, d)
		return nil
	}
	return e, &waited
}

// groups of texts, and perhaps an error after them.
func groups(err error, all ...[]string) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for _, texts := range all {
			if !yield(texts, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// all of the texts are asked for, as one group.
func all(ctx context.Context, e *Embeddings, texts ...string) error {
	return e.Fetch(ctx, groups(nil, texts), func(_ context.Context, texts []string) ([]string, error) { return texts, nil })
}

// Batches go over the bounds of groups, and end where they are full.
func TestBatches(t *testing.T) {
	var texts []string
	for i := range 300 {
		texts = append(texts, strings.Repeat("x", i))
	}
	large := []string{strings.Repeat("y", 2*batchBytes), "z"}
	s := &scripted{}
	e, _ := endpoint(s)
	err := e.Fetch(t.Context(), groups(nil, texts[:100], texts[50:110], texts[100:], texts, large), s.missing)
	slices.Sort(s.asked)
	if err != nil || fmt.Sprint(s.asked) != "[1 1 44 128 128]" || len(s.kept) != 302 {
		t.Fatalf("batches of %v, %d texts kept: %v", s.asked, len(s.kept), err)
	}
	if m := e.Meter(); m != (EmbeddingMeter{5, 302, 302}) {
		t.Errorf("%+v", m)
	}
	if err := e.Fetch(t.Context(), groups(nil, texts, large), s.missing); err != nil || len(s.asked) != 5 {
		t.Errorf("what is kept is asked for again: %v, %v", s.asked, err)
	}
}

// What cannot be read, or not be looked up, ends it; what was sent is kept.
func TestFetchFaults(t *testing.T) {
	torn := errors.New("torn")
	s := &scripted{}
	e, _ := endpoint(s)
	texts := make([]string, batchTexts+1)
	for i := range texts {
		texts[i] = fmt.Sprint(i)
	}
	if err := e.Fetch(t.Context(), groups(torn, texts), s.missing); !errors.Is(err, torn) || len(s.kept) != batchTexts {
		t.Errorf("%d texts kept: %v", len(s.kept), err)
	}
	lost := func(context.Context, []string) ([]string, error) { return nil, torn }
	if err := e.Fetch(t.Context(), groups(nil, texts), lost); !errors.Is(err, torn) {
		t.Error(err)
	}
	s = &scripted{faults: []error{&model.Error{Class: model.Pause, Status: 401, Message: "bad key"}}}
	e, _ = endpoint(s)
	if err := e.Fetch(t.Context(), groups(nil, texts, texts), s.missing); err == nil || !strings.Contains(err.Error(), "bad key") {
		t.Errorf("the fault of the batch is not what is told: %v", err)
	}
}

func TestPassingFaults(t *testing.T) {
	busy := &model.Error{Class: model.Retry, Status: 429, RetryAfter: 7 * time.Second}
	down := &model.Error{Class: model.Retry, Status: 503}
	s := &scripted{faults: []error{busy, down, down, nil}}
	e, waited := endpoint(s)
	if err := all(t.Context(), e, "a"); err != nil || len(s.asked) != 4 {
		t.Fatalf("asked %d times: %v", len(s.asked), err)
	}
	w := *waited
	if w[0] < 7*time.Second || w[0] > 8*time.Second || w[1] < firstWait || w[1] > 2*firstWait || w[2] < 2*firstWait || w[2] > 4*firstWait {
		t.Errorf("waited %v", w)
	}
	if e.Meter().Texts != 1 {
		t.Errorf("counted %+v", e.Meter())
	}
}

func TestLastingFaults(t *testing.T) {
	wrong := errors.New("not of this service")
	for _, c := range []struct {
		fault error
		asked int
		says  string
	}{
		{&model.Error{Class: model.Pause, Status: 401, Message: "bad key"}, 1, "bad key"},
		{&model.Error{Class: model.Fail, Status: 400, Message: "too long"}, 1, "too long"},
		{&model.Error{Class: model.Retry, Status: 429, Message: "tomorrow", RetryAfter: time.Hour}, 1, "again in 1h0m0s"},
		{&model.Error{Class: model.Retry, Status: 503, Message: "down"}, tries, "asked 8 times"},
		{wrong, 1, "not of this service"},
	} {
		s := &scripted{}
		for range tries {
			s.faults = append(s.faults, c.fault)
		}
		e, _ := endpoint(s)
		err := all(t.Context(), e, "a")
		if err == nil || !errors.Is(err, c.fault) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "openai/m at ") || len(s.asked) != c.asked {
			t.Errorf("asked %d times, want %d: %v, want %q", len(s.asked), c.asked, err, c.says)
		}
	}
}

func TestInterrupted(t *testing.T) {
	s := &scripted{faults: []error{&model.Error{Class: model.Retry, RetryAfter: time.Minute}}}
	e := NewEmbeddings("m", s)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := all(ctx, e, "a"); !errors.Is(err, context.DeadlineExceeded) || len(s.asked) != 1 {
		t.Errorf("asked %d times: %v", len(s.asked), err)
	}
}

// strange answers with tokens that were billed and vectors that are none.
type strange struct{}

func (strange) Vectors(context.Context, []string) ([][]float64, model.Usage, error) {
	return nil, model.Usage{Input: 5}, &model.Error{Class: model.Retry, Status: 200, Code: "strange_content"}
}

// What a service bills for answers that are of no use is counted as well.
func TestUselessIsCounted(t *testing.T) {
	e := NewEmbeddings("m", strange{})
	e.wait = func(context.Context, time.Duration) error { return nil }
	if err := all(t.Context(), e, "a"); err == nil {
		t.Error("no error")
	}
	if m := e.Meter(); m != (EmbeddingMeter{Requests: tries, InputTokens: 5 * tries}) {
		t.Errorf("%+v", m)
	}
}
