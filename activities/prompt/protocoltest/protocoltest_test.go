package protocoltest

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/envs/publicgoods"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// broken is Delphi with one flaw.
type broken struct {
	*protocol.Delphi
	flaw  string
	calls *int
}

func (b broken) Next(t *transcript.Transcript) protocol.Plan {
	plan := b.Delphi.Next(t)
	*b.calls++
	for i := range plan.Steps {
		s := &plan.Steps[i]
		switch {
		case b.flaw == "sees the future":
			s.Sees = []transcript.Range{{From: 0, To: len(t.Entries) + 1}}
		case b.flaw == "no phase":
			s.Phase = ""
		case b.flaw == "a role that is not declared" && s.Kind == transcript.Ask:
			s.Speaker = transcript.Speaker{Role: "expert"}
		case b.flaw == "round 99":
			s.Round = 99
		case b.flaw == "a memory of its own":
			s.Payload.MaxText = *b.calls
		}
	}
	switch {
	case b.flaw == "changes the transcript" && len(t.Entries) > 0:
		t.Entries[0].Act.Key += "x"
	case b.flaw == "stands on nothing" && plan.End != nil:
		plan.End.Standing = 0
		t.Entries[0].Act.Key = ""
	case b.flaw == "no reason" && plan.End != nil:
		plan.End.Reason = ""
	}
	return plan
}

func game(t *testing.T, flaw string, prompts fs.FS) Game {
	t.Helper()
	env, err := publicgoods.New(publicgoods.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return Game{Env: env, Prompts: prompts, Build: func(set protocol.Setting) (protocol.Protocol, error) {
		d, err := protocol.NewDelphi(protocol.DelphiParams{Rounds: 3}, set)
		return broken{d, flaw, new(int)}, err
	}}
}

func prompts(t *testing.T) fs.FS {
	t.Helper()
	files, err := fs.Sub(protocol.Prompts, "prompts/delphi")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Each flaw is found, and Delphi without one passes.
func TestFlawsAreFound(t *testing.T) {
	for flaw, want := range map[string]string{
		"": "", "sees the future": "are not among the", "no phase": "no phase", "a role that is not declared": "not among those of Traits",
		"round 99": "round 99 of 3", "a memory of its own": "other steps", "changes the transcript": "Next",
		"stands on nothing": "proposes nothing", "no reason": "no reason",
	} {
		err := game(t, flaw, prompts(t)).checkTalk(1)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", flaw, err, want)
		}
	}
}

// A prompt that leaves out what its step sees is found.
func TestPromptsThatHideAreFound(t *testing.T) {
	if err := game(t, "", prompts(t)).checkPrompts(); err != nil {
		t.Error(err)
	}
	hiding := fstest.MapFS{"system.tmpl": {Data: []byte("{{.Task}}")}, "estimate.tmpl": {Data: []byte("{{range .Offers}}{{.Text}}{{end}}")}}
	if err := game(t, "", hiding).checkPrompts(); err == nil || !strings.Contains(err.Error(), "no template shows its text") {
		t.Errorf("hidden feedback: %v", err)
	}
	loud := fstest.MapFS{"system.tmpl": {Data: []byte("{{.Task}}")}, "estimate.tmpl": {Data: []byte("<text 1>{{range .Messages}}{{.Text}}{{end}}{{range .Offers}}{{.Text}}{{end}}")}}
	if err := game(t, "", loud).checkPrompts(); err == nil || !strings.Contains(err.Error(), "does not stand in Sees") {
		t.Errorf("told too much: %v", err)
	}
}
