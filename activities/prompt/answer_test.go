package prompt_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/qa"
	"roundtable/workflows/transcript"
)

func puzzle(t testing.TB) envs.Instance {
	t.Helper()
	p := qa.Defaults()
	p.Format, p.File = "jsonl", "q.jsonl"
	env := must(qa.New(p, fstest.MapFS{"q.jsonl": {Data: []byte(`{"id":"q","question":"Which?","options":["this","that"],"answer":"B"}`)}}))
	return must(env.Instance(1, 0))
}

// A free text ends with an answer in the environment's form, or with its JSON
// where the environment has no other. Thinking is private. Without an answer
// the text is kept next to the error.
func TestParseAnswer(t *testing.T) {
	for _, x := range []struct {
		inst                       envs.Instance
		raw, proposal, text, fault string
	}{
		{puzzle(t), "It cannot be (A). The answer is (B).", `"(B)"`, "It cannot be (A). The answer is (B).", ""},
		{puzzle(t), "<think>(A)?</think>So (B)", `"(B)"`, "So (B)", ""},
		{puzzle(t), "I do not know.", "", "I do not know.", "an answer is the letter of an option"},
		{puzzle(t), "<think>(A)", "", "", "thinking never ends"},
		{puzzle(t), " ", "", "", "it is empty"},
		{economy(t), "Half each. " + even, even, "Half each. " + even, ""},
		{economy(t), "Half each.", "", "Half each.", "no JSON object"},
	} {
		got, err := prompt.Parse([]byte(x.raw), step(transcript.FormatAnswer, none), x.inst)
		if (err == nil) != (x.fault == "") || err != nil && !strings.Contains(err.Error(), x.fault) || string(got.Proposal) != x.proposal || got.Text != x.text {
			t.Errorf("%q: %+v, %v", x.raw, got, err)
		}
		if err == nil && got.Act.Key != prompt.Key(got.Proposal) {
			t.Errorf("%q: key %q", x.raw, got.Act.Key)
		}
	}
}
