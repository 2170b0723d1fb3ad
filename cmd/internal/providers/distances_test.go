package providers

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/workflows/plan"
)

// A distance that is asked for is that of the embedder, and only the embedder that a rule
// was fitted with measures it.
func TestDistanceModels(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tiny, err := filepath.Abs("../../../analysis/language/sentence/testdata/tiny")
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := OpenEmbedder(s, tiny)
	if err != nil {
		t.Fatal(err)
	}
	said := [][]string{{"the cat sat", "a dog ran"}, {" "}, {"the cat ran", "a dog sat"}, {"the dog"}}
	for name, by := range map[string]language.Embedder{"": language.Hashed{}, TFIDF: language.Hashed{}, tiny: sentences} {
		choice, err := DistanceModel(name, by.Name())
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(s).Build(choice, plan.Condition{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := range said {
			question, err := json.Marshal(map[string]any{"rounds": said[:n+1]})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := p.Complete(t.Context(), model.Request{Messages: []model.Message{{Role: "user", Content: string(question)}}})
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ Distance *float64 }
			if err := json.Unmarshal(answer.Text, &got); err != nil {
				t.Fatal(err)
			}
			want, err := language.DistanceHeard(t.Context(), by, said[:n+1])
			if err != nil || (want == nil) != (got.Distance == nil) || want != nil && *want != *got.Distance {
				t.Errorf("%s, round %d: %s", by.Name(), n+1, answer.Text)
			}
			if defined := n == 3; (want != nil) != defined { // round 2 says nothing
				t.Errorf("%s, round %d: it is defined: %t", by.Name(), n+1, !defined)
			}
		}
	}
	other, err := DistanceModel(tiny, "another one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(s).Build(other, plan.Condition{}, nil); err == nil || !strings.Contains(err.Error(), "fitted on distances by another one") {
		t.Errorf("another embedder: %v", err)
	}
	if _, err := DistanceModel("openai/large", ""); err == nil || !strings.Contains(err.Error(), "is behind a service") {
		t.Errorf("a service: %v", err)
	}
}
