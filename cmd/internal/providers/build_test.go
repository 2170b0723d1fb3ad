package providers

import (
	"path/filepath"
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// A model is built from parameters that it knows, with a key unless only the file is looked at.
func TestBuild(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	s := storetest.NewMemory(map[string]string{})
	p, err := laketest.Record(t.Context(), s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader}")
	if err != nil {
		t.Fatal(err)
	}
	cond := p.Campaign.Conditions[0]
	env, err := cond.BuildEnv(catalogue.Builtin(), catalogue.Needs{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, params string
		keyless      bool
		wrong        string // a part of the error
	}{
		{"openai/m", "", false, "OPENAI_API_KEY"}, {"openai/m", "", true, ""}, {"openai/m", `{"base_url": "nowhere"}`, true, "base_url"},
		{"openai/m", `{"x": 1}`, true, `"x"`}, {"scripted/trader", "", false, ""}, {"scripted/trader", `{"policy": {"x": 1}}`, false, `"x"`},
		{"scripted/trader", `{"x": 1}`, false, `"x"`}, {"scripted/nobody", "", false, "nobody"}, {"model", "", false, "write provider/model"},
	} {
		choice := plan.Choice{Name: c.name}
		if c.params != "" {
			choice.Params = []byte(c.params)
		}
		made, err := NewFile(s, FileFolder{t.TempDir()}, c.keyless).Build(choice, cond, env)
		if c.wrong == "" && (err != nil || made.Name != c.name || made.Simulated != strings.HasPrefix(c.name, "scripted/")) {
			t.Errorf("%+v: %+v, %v", c, made, err)
		}
		if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// What measures distances in a collaboration is computed here, and named in full.
func TestDistancesAreComputedHere(t *testing.T) {
	for name, params := range map[string]string{"embedder/folder": "", "embedder/other": `{"folder": "f"}`, "embedder/tfidf": `{"folder": "f"}`, "embedder/folder ": ""} {
		choice := plan.Choice{Name: name}
		if params != "" {
			choice.Params = []byte(params)
		}
		if _, err := New(nil).Build(choice, plan.Condition{}, nil); err == nil || !strings.Contains(err.Error(), "there are embedder/tfidf and embedder/folder") {
			t.Errorf("%s %s: %v", name, params, err)
		}
	}
}

// Names of embedders stay as they are, and folders are those beside the file.
func TestEmbedderOfFile(t *testing.T) {
	tiny, err := filepath.Abs("../../../analysis/language/sentence/testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "", TFIDF: TFIDF, "openai/m": "openai/m", "tiny": filepath.Join(tiny, "tiny"), "none": ""} {
		got, err := FileFolder{tiny}.Embedder(name)
		if (err != nil) != (name == "none") || err == nil && got != want {
			t.Errorf("%q is %q, want %q: %v", name, got, want, err)
		}
	}
}

// Of a cell that was run again the answers of the latest generation that has some are replayed.
func TestLatestGenerationIsReplayed(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	for generation := range 2 {
		if err := laketest.Play(t.Context(), s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader}", generation); err != nil {
			t.Fatal(err)
		}
	}
	id := ""
	for key := range s.Objects {
		if at, ok := strings.CutPrefix(key, "answers/campaign=c/"); ok {
			id, _, _ = strings.Cut(at, ".")
		}
	}
	condition, cell, ok := strings.Cut(id, "-i")
	r := &recordedCampaign{answers: answers.NewAnswers(s), campaign: "c", condition: condition}
	for range 2 { // the second time from what is known
		a, err := r.Answer(t.Context(), "other-i"+cell, 0, 0)
		known, _ := r.latest.Load(id)
		if !ok || err != nil || len(a.Text) == 0 || known != 1 {
			t.Errorf("%q, %v of generation %v of %s", a.Text, err, known, id)
		}
	}
	for _, at := range [][2]int{{0, 9}, {999, 0}} {
		if a, err := r.Answer(t.Context(), "other-i"+cell, at[0], at[1]); err == nil {
			t.Errorf("entry %d, ask %d: %+v", at[0], at[1], a)
		}
	}
}
