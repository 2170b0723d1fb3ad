package setup

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// A copy of a manifest is used until it is too old, expired or not fresh enough; what cannot be read pauses.
func TestManifests(t *testing.T) {
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	l := NewManifests(s, time.Hour)
	for _, fresh := range []bool{false, true} {
		_, isNew, err := l.Read(ctx, "c", fresh)
		var paused *failure.Failure
		if isNew || !errors.As(err, &paused) || paused.Type != task.ErrPause || !strings.Contains(err.Error(), "the limits of campaign c is missing") {
			t.Errorf("without one: %t, %v", isNew, err)
		}
	}
	if _, ok := l.LookUp("c"); ok || len(l.All()) != 0 {
		t.Error("one that is missing is known")
	}
	write := func(calls int) {
		m := campaign.Manifest{Campaign: "c", Limits: plan.Limits{Calls: calls, Models: map[string]plan.ModelLimits{"slow": {RequestsPerMinute: 1}}}}
		if err := campaign.WriteManifest(ctx, s, m); err != nil {
			t.Fatal(err)
		}
	}
	read := func(fresh bool, calls int, wantNew bool) {
		t.Helper()
		m, isNew, err := l.Read(ctx, "c", fresh)
		if known, ok := l.LookUp("c"); err != nil || m.Limits.Calls != calls || isNew != wantNew || !ok || known.Limits.Calls != calls {
			t.Errorf("%d calls, new %t, known %t, %v", m.Limits.Calls, isNew, ok, err)
		}
	}
	write(1)
	read(false, 1, true)
	write(2)
	read(false, 1, false)
	read(true, 2, true)
	write(3)
	read(false, 2, false)
	l.Expire()
	read(false, 3, true)
	l.age = 0
	write(4)
	read(false, 4, true)
	for want, h := range map[string]campaign.Halt{"why": {Reason: "why", Holds: true}, "": {Reason: "it was left behind"}} {
		if err := campaign.WriteHalt(ctx, s, "c", h); err != nil {
			t.Fatal(err)
		}
		if read(true, 4, true); l.HoldReason("c") != want {
			t.Errorf("held by %q, want %q", l.HoldReason("c"), want)
		}
	}
	s.Objects[campaign.HaltKey("c")] = "{"
	if _, isNew, err := l.Read(ctx, "c", true); err == nil || isNew {
		t.Error("a halt that cannot be read is none")
	}
	if all := l.All(); len(all) != 1 || all[0].Campaign != "c" {
		t.Errorf("%+v", all)
	}
	m, _ := l.LookUp("c")
	if got := [2]string{ModelQueue(ctx, m, "slow"), ModelQueue(ctx, m, "other")}; got != [2]string{task.ModelQueue(task.Queue, "slow"), ""} {
		t.Errorf("%q", got)
	}
}

// Where data are missing, the error says who lacks them, and what helps.
func TestMissingData(t *testing.T) {
	here := func(string) (fs.FS, error) { return fstest.MapFS{"a": {}}, nil }
	nowhere := func(string) (fs.FS, error) { return nil, errors.New("no folder") }
	lake := storetest.NewMemory(map[string]string{})
	for name, c := range map[string]struct {
		lake   store.Store
		data   func(string) (fs.FS, error)
		folder string
		files  map[string]string
		wrong  string
	}{
		"there":            {lake, here, "d", map[string]string{"a": "1"}, ""},
		"no name is known": {lake, here, "d", nil, ""},
		"one is not there": {lake, here, "d", map[string]string{"b": "1"}, "the lake does not have the data files b ("},
		"without a lake":   {nil, here, "d", map[string]string{"b": "1"}, "file does not exist"},
		"no folder":        {nil, nowhere, "d", nil, "no folder"},
		"not given":        {lake, nowhere, "", map[string]string{"a": "1", "b": "2"}, "neither the lake nor this machine has the data files a and b ("},
	} {
		p := campaign.Plan{Files: c.files}
		p.Data = c.folder
		files, err := Sources{Lake: c.lake, Data: c.data}.OpenData(p)
		if c.wrong == "" && (err != nil || files == nil) || c.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), c.wrong) && c.wrong != "file does not exist") {
			t.Errorf("%s: %v", name, err)
		}
		if c.lake == nil && err != nil && strings.Contains(err.Error(), "the lake") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A judge reads its scale and rubric; its id says its model and changes with all that its answers depend on.
func TestJudgeWords(t *testing.T) {
	templates, err := prompt.Pack{prompt.JudgeTemplate: "{{.Rubric}} From {{.Low}} to {{.High}}."}.Parse()
	if err != nil {
		t.Fatal(err)
	}
	j := plan.Judge{Rubric: "Is it kind?", Scale: [2]float64{3, 8}, Model: plan.Choice{Name: "openai/GPT 5!"}}
	words, id, err := JudgeWords(j, templates)
	if err != nil || words != "Is it kind? From 3 to 8." {
		t.Errorf("%q, %v", words, err)
	}
	if hash, ok := strings.CutPrefix(id, "openai-gpt-5-"); !ok || len(hash) != 8 {
		t.Errorf("id %q", id)
	}
	j.Scale[1] = 9
	if _, other, _ := JudgeWords(j, templates); other == id {
		t.Error("the id does not say the scale")
	}
	j.Model.Name = strings.Repeat("m", 100)
	if _, long, _ := JudgeWords(j, templates); len(long) != 60+1+8 {
		t.Errorf("%d bytes: %s", len(long), long)
	}
}

// Each model of a condition is its own, by who speaks, and what all of them are is what any of them is.
func TestProviders(t *testing.T) {
	of := func(name string, simulated, instant bool) model.Provider {
		return model.Provider{Name: name, Simulated: simulated, Instant: instant}
	}
	own := plan.Choice{Name: "own", Params: []byte(`{"a":1}`)}
	c := Condition{provider: of("all", true, true), others: map[string]model.Provider{"Ada": of("ada", false, false)},
		seated: map[string]model.Provider{keyOf(own): of("own", true, true)}, Judge: &Judge{Provider: of("judge", false, true)},
		Annotator: &Annotator{Role: "annotator", Provider: of("annotator", true, true)}}
	if got := c.ProviderOf("Ada").Name + c.ProviderOf("Blake").Name + c.ProviderOf("annotator").Name + c.ProviderFor(own).Name; got != "adaallannotatorown" {
		t.Error(got)
	}
	if len(c.Providers()) != 5 || !c.HasSimulated() || c.IsInstant() || !c.IsSimulated("own") || c.IsSimulated("judge") || c.IsSimulated("nobody") {
		t.Errorf("%+v", c.Providers())
	}
	delete(c.others, "Ada")
	if len(c.Providers()) != 4 || !c.IsInstant() {
		t.Errorf("%+v", c.Providers())
	}
	if (&Condition{provider: of("live", false, false)}).HasSimulated() {
		t.Error("a live model is simulated")
	}
}
