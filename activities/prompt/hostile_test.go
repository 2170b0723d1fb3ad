package prompt_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/envtest"
	"roundtable/workflows/transcript"
)

// presentable holds that an error can be shown to a model and in a table.
func presentable(t testing.TB, raw string, err error) {
	t.Helper()
	words := err.Error()
	if words == "" || len(words) > 1000 || !utf8.ValidString(words) || strings.ContainsAny(words, "\x00\r\x1b") ||
		strings.Contains(words, "jsontext") || strings.Contains(words, "json:") || strings.Contains(words, "Go ") {
		t.Errorf("%s: the error %q cannot be shown", clip(raw), words)
	}
}

func clip(s string) string {
	if len(s) > 80 {
		return fmt.Sprintf("%q… (%d bytes)", s[:80], len(s))
	}
	return fmt.Sprintf("%q", s)
}

// forms are all steps that can be asked.
func forms() []transcript.Step {
	alone := func(s transcript.Step) transcript.Step {
		s.Payload.Bare = true
		return s
	}
	return []transcript.Step{
		alone(step(transcript.FormatBallot, choose)), alone(step(transcript.FormatBallot, rank)), alone(step(transcript.FormatBallot, approve)), alone(step(transcript.FormatBallot, spread)),
		step(transcript.FormatText, none), step(transcript.FormatMessage, none), step(transcript.FormatProposal, none),
		step(transcript.FormatBallot, choose), step(transcript.FormatBallot, rate), step(transcript.FormatBallot, partial),
		step(transcript.FormatBallot, rank), step(transcript.FormatBallot, spread), step(transcript.FormatBallot, approve),
	}
}

// check holds what is true of any answer at all.
func check(t testing.TB, raw []byte, s transcript.Step, inst envs.Instance) {
	t.Helper()
	a, err := prompt.Parse(raw, s, inst)
	if err != nil {
		presentable(t, string(raw), err)
		return
	}
	if !utf8.ValidString(a.Text) || !utf8.ValidString(a.Reason) || strings.ContainsRune(a.Text+a.Reason, 0) {
		t.Errorf("%s: text %q, reason %q", clip(string(raw)), a.Text, a.Reason)
	}
	switch s.Payload.Format {
	case transcript.FormatMessage:
		for i, to := range a.Act.To {
			if to < 0 || to >= len(inst.Agents()) || i > 0 && to <= a.Act.To[i-1] {
				t.Errorf("%s addresses %v", clip(string(raw)), a.Act.To)
			}
		}
	case transcript.FormatProposal:
		if (a.Act.Status == transcript.Said) != (a.Proposal != "") {
			t.Errorf("%s is %+v", clip(string(raw)), a)
		} else if a.Proposal != "" {
			if again, err := inst.Parse([]byte(a.Proposal)); err != nil || again != a.Proposal || a.Act.Key != prompt.Key(again) {
				t.Errorf("%s: the proposal %s is read again as %s, %v", clip(string(raw)), a.Proposal, again, err)
			}
		}
	case transcript.FormatBallot:
		if a.Act.Ballot == nil || a.Act.Ballot.Abstain != (a.Act.Status == transcript.Abstained) {
			t.Errorf("%s is %+v", clip(string(raw)), a.Act)
		} else if err := s.Payload.Ballot.Validate(*a.Act.Ballot); err != nil {
			t.Errorf("%s: a ballot that does not count: %v", clip(string(raw)), err)
		}
	}
}

// Hostile answers never panic, and are read or refused quickly.
func TestHostile(t *testing.T) {
	inst := economy(t)
	answers := envtest.Hostile()
	for _, valid := range []string{`{"target": ["Blake"], "message": "hi"}`, `{"proposal": ` + even + `}`, `{"decision": {"1": 1, "2": 1, "3": 1}}`, `{"decision": [1, 2, 3]}`, `{"decision": 2}`} {
		answers = append(answers, envtest.Mutations(valid)...)
	}
	for _, part := range []string{"</think>", "<think>", "{", `{"a":1}`, `{"a":"</think>`, "```", `{"a":`, "\ufeff", `"`, `\`, `{"message":"</think>"}`, `{"a":1,`} {
		answers = append(answers, strings.Repeat(part, prompt.MaxAnswer/len(part)), part+strings.Repeat("</think>", 30_000))
	}
	if len(answers) < 500 {
		t.Fatalf("%d hostile answers", len(answers))
	}
	for i, raw := range answers {
		for k, s := range forms() {
			if !*long && (i+k)%3 > 0 {
				continue
			}
			started := time.Now()
			check(t, []byte(raw), s, inst)
			if took := time.Since(started); took > time.Minute {
				t.Errorf("%s as %s took %v", clip(raw), s.Payload.Format, took)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for i, raw := range envtest.Hostile() {
		if len(raw) < 1000 {
			f.Add([]byte(raw), uint8(i))
		}
	}
	for i, raw := range []string{
		`x`, `{"target": ["Blake"], "message": "</think>"}`, `{"proposal": ` + even + `}`, `{"decision": 2}`, `{"decision": {"1": 1, "2": 2, "3": 3}}`,
		`{"decision": {"1": 1}}`, `{"decision": [1, 2, 3]}`, `{"decision": {"1": 3}}`, `{"decision": []}`,
	} {
		f.Add([]byte(raw), uint8(i))
	}
	inst := economy(f)
	f.Fuzz(func(t *testing.T, raw []byte, form uint8) {
		check(t, raw, forms()[int(form)%len(forms())], inst)
	})
}

func TestClean(t *testing.T) {
	for raw, want := range map[string]string{
		"\x1b[m\r\n\t\x00\x7fabc": "[m\n\t",
		"\xffa":                   "\uFFFDa",
		"ééé":                     "ééé",
		"0123456789":              "01234567",
		"1234567é":                "1234567\uFFFD",
	} {
		if got := prompt.Clean([]byte(raw), 8); got != want {
			t.Errorf("%q becomes %q, want %q", raw, got, want)
		}
	}
}
