package prompt_test

import (
	"strings"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/workflows/transcript"
)

func reply(draft bool) transcript.Step {
	s := transcript.Step{Payload: transcript.Payload{Format: transcript.FormatReply}}
	if draft {
		s.Payload.Candidates = []transcript.Candidate{{Key: "x"}}
	}
	return s
}

// The tag says whether a message agrees; without one, "agree" without
// "disagree" does. The first three are sentences of paper 2 (appendix G).
func TestParseReply(t *testing.T) {
	for text, agrees := range map[string]bool{
		"[AGREE] I completely agree with the current solution.":             true,
		"[DISAGREE] While I understand the thought process behind it, (B).": false,
		"I agree with the revised solution proposed by the Teacher.":        true,
		"I, as a Research Biologist, AGREE with the current solution.":      true,
		"I do not disagree.":                                                     false,
		"[ agree ] but I would not say that I disagree":                          true,
		"[DISAGREE] I agree in principle.":                                       false,
		"<think>[DISAGREE]?</think>[AGREE] (A)":                                  true,
		"The answer is (B).":                                                     false,
		"I first wanted to say [AGREE], then [DISAGREE]: the first word counts.": true,
	} {
		got, err := prompt.Parse([]byte(text), reply(true), puzzle(t))
		tag := prompt.TagDisagree
		if agrees {
			tag = prompt.TagAgree
		}
		if err != nil || got.Act.Status != transcript.Said || len(got.Act.Tags) != 1 || got.Act.Tags[0] != tag || (got.Act.Ballot != nil) != agrees {
			t.Errorf("%q: %+v, %v", text, got.Act, err)
		}
	}
	// Without a draft there is nothing to agree with; an answer is kept, none is not an error.
	for text, proposal := range map[string]string{"[AGREE] (A)": `"(A)"`, "Let us see.": ""} {
		got, err := prompt.Parse([]byte(text), reply(false), puzzle(t))
		if err != nil || got.Act.Tags != nil || got.Act.Ballot != nil || string(got.Proposal) != proposal || (got.Act.Key == "") != (proposal == "") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if _, err := prompt.Parse([]byte(" "), reply(true), puzzle(t)); err == nil {
		t.Error("nothing said is accepted")
	}
}

func TestParsePersona(t *testing.T) {
	step := transcript.Step{Payload: transcript.Payload{Format: transcript.FormatPersona}}
	got, err := prompt.Parse([]byte(`Here: {"role": "Music\nJournalist", "description": " writes about concerts "}`), step, puzzle(t))
	if err != nil || got.Text != "Music Journalist (writes about concerts)" || got.Act.Status != transcript.Said {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		`{"role": "x"}`: `it needs "role" and "description"`, `{"role": " ", "description": "y"}`: `it needs "role"`, `{"role": ["x"], "description": "y"}`: `it needs "role"`,
		"A journalist.": "no JSON object", `{"role": "x", "description": "` + strings.Repeat("y", 3000) + `"}`: "too long", `{"role": "x", "description": "\u0000"}`: "NUL",
	} {
		if _, err := prompt.Parse([]byte(text), step, puzzle(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}

// Whatever a model writes, a reply or a persona is read or refused in words,
// and what is read is fit to be shown.
func FuzzReply(f *testing.F) {
	for _, text := range []string{"[AGREE]", "[DISAGREE] (B)", `{"role": "a", "description": "b"}`, "<think>", "\x00", "{", "(A) agree"} {
		f.Add([]byte(text))
	}
	in := puzzle(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, step := range []transcript.Step{reply(true), reply(false), {Payload: transcript.Payload{Format: transcript.FormatPersona}}} {
			got, err := prompt.Parse(raw, step, in)
			switch {
			case err != nil && err.Error() == "":
				t.Error("a fault without words")
			case err == nil && (strings.TrimSpace(got.Text) == "" || strings.ContainsRune(got.Text, 0)):
				t.Errorf("%q is shown", got.Text)
			case err == nil && got.Act.Ballot != nil && got.Act.Tags[0] != prompt.TagAgree:
				t.Errorf("votes with the tags %v", got.Act.Tags)
			}
		}
	})
}
