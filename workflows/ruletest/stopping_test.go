package ruletest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"roundtable/workflows/catalogue"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Every stopping rule of the catalogue looks at what its entry says.
func TestStoppingRules(t *testing.T) {
	for _, plugin := range catalogue.Builtin().Stopping {
		if plugin.Name == "learned" { // it has no default: TestLearnedRules
			continue
		}
		rule, err := plugin.New(func(any) error { return nil }, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(plugin.Name, func(t *testing.T) { RunStopping(t, rule, plugin.Reads...) })
	}
}

// Every method of the rule learned looks at what it says.
func TestLearnedRules(t *testing.T) {
	for method, fit := range map[string]string{
		stopping.MethodBaseline:    ``,
		stopping.MethodFirst:       ``,
		stopping.MethodConsecutive: ``,
		stopping.MethodCheckpoint:  `, "round": 2`,
		stopping.MethodFixed:       `, "round": 3`,
		stopping.MethodDistance:    `, "threshold": 0.3`,
		stopping.MethodDialogueAct: `, "signals": [{"pair": "Inform->Request", "coefficient": 1}, {"pair": "Request->Confirm", "coefficient": 0.5}], "count_per_round": 1, "score": 2`,
	} {
		rule, err := stopping.NewLearned(stopping.LearnedParams{From: "past", Method: method, Fit: []byte(`{"method": "` + method + `"` + fit + `, "on": {}}`)})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(method, func(t *testing.T) {
			reads := rule.(stopping.Reader).Reads()
			if method == stopping.MethodCheckpoint || method == stopping.MethodFixed { // the number of the round alone
				reads = nil
			}
			RunStopping(t, rule, reads...)
		})
	}
}

// flawed is a rule made of one function.
type flawed func(t *transcript.Transcript, round int) bool

func (f flawed) Stop(t *transcript.Transcript, round int) bool { return f(t, round) }

func TestFlawsAreFound(t *testing.T) {
	calls := 0
	for want, rule := range map[string]flawed{
		"nothing was said": func(*transcript.Transcript, int) bool { return true },
		"the second time":  func(t *transcript.Transcript, _ int) bool { calls++; return len(t.Entries) > 0 && calls%2 == 0 },
		"changes the transcript": func(t *transcript.Transcript, _ int) bool {
			if len(t.Entries) > 0 {
				t.Entries[0].Phase = "x"
			}
			return false
		},
		"later rounds": func(t *transcript.Transcript, round int) bool {
			return len(t.Entries) > 0 && t.Entries[len(t.Entries)-1].Round > round
		},
		"depends on more": func(t *transcript.Transcript, _ int) bool {
			return len(t.Entries) > 0 && t.Entries[0].Payload.Format == transcript.FormatMessage
		},
	} {
		_, err := checkStop(rule, drawTalk(rand.New(rand.NewPCG(1, 1))), []stopping.Trace{stopping.Decisions})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
