package stoptest

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
		rule, err := plugin.New(func(any) error { return nil }, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(plugin.Name, func(t *testing.T) { Run(t, rule, plugin.Reads...) })
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
		_, err := check(rule, draw(rand.New(rand.NewPCG(1, 1))), []stopping.Trace{stopping.Decisions})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
