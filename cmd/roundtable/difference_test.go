package main

import (
	"strings"
	"testing"

	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/cmd/internal/planning"
)

func TestPrintDifference(t *testing.T) {
	asked := func(condition, phase, text string) planning.RenderedPrompt {
		return planning.RenderedPrompt{Conditions: []string{condition}, Prompt: collaboration.Prompt{Role: "agent", Speaker: "Ada", Phase: phase, Round: 1, Messages: []model.Message{{Role: "user", Content: text}}}}
	}
	prompts := []planning.RenderedPrompt{
		asked("majority-1234", "answer", "Question: 1?\nReason step by step first."), asked("majority-9876", "answer", "Question: 1?\nGive no reasons."),
		{Conditions: []string{"majority-1234", "majority-9876"}, Prompt: asked("", "vote", "Vote.").Prompt},
	}
	var b strings.Builder
	if err := planning.PrintDifference(&b, prompts, "majority-1", "majority-9"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n- Reason step by step first.\n+ Give no reasons.\n", "1 of 2 prompts is the same in both."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "Question") {
		t.Errorf("shown is what does not differ:\n%s", b.String())
	}
	if err := planning.PrintDifference(&b, prompts, "majority", "majority-9"); err == nil || !strings.Contains(err.Error(), `2 conditions have an id that begins with "majority"`) {
		t.Errorf("%v", err)
	}
}
