package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

// A fresh re-ask is the question again with what was wrong and the form filled in; no
// refused answer is in it, and the second is not the first.
func TestReaskFresh(t *testing.T) {
	g := newGame(t, threeTraders(), rules()["majority"], rounds(1), nil)
	asked := g.render(t, g.Pending()[0].Step)
	before := prompt.Hash(asked)
	form := prompt.FormOf(g.Pending()[0].Step, g.source().Instance, prompt.SystemPrompt{})
	once := prompt.Reask(asked, "", form, []prompt.Unusable{{Raw: []byte("REFUSED"), Fault: "it holds no JSON object"}})
	twice := prompt.Reask(asked, plan.ReaskFresh, form, []prompt.Unusable{{Raw: []byte("REFUSED"), Fault: "one"}, {Raw: []byte("REFUSED"), Fault: "it holds no JSON object"}})
	const want = "An earlier answer to this could not be used: it holds no JSON object. Answer again with one JSON object and nothing else. " +
		"This is an example of the form, with made-up content; write your own in its place:\n" + `{"target": ["Casey"], "message": "<your message>"}`
	if len(once) != 2 || once[1].Content != asked[1].Content+"\n\n"+want {
		t.Errorf("asked again:\n%s", once[len(once)-1].Content)
	}
	for _, again := range [][]model.Message{once, twice} {
		if text := fmt.Sprint(again); strings.Contains(text, "REFUSED") || !strings.Contains(text, "it holds no JSON object") {
			t.Errorf("%s", text)
		}
	}
	if prompt.Hash(asked) != before || prompt.Hash(once) == prompt.Hash(twice) || prompt.Hash(once) == before {
		t.Error("the question was changed, or the second re-ask is the first")
	}
	if none := prompt.Reask(asked, "", form, nil); prompt.Hash(none) != before {
		t.Error("a question that was not answered is asked otherwise")
	}
	words := prompt.Reask(asked, "", prompt.Form{Text: true, Words: "End so."}, []prompt.Unusable{{Fault: "it is empty"}})
	if text := words[1].Content; !strings.HasSuffix(text, "could not be used: it is empty. Answer again, from the beginning. End so.") {
		t.Errorf("%q", text)
	}
}

// With reask: shown, each answer and what was wrong with it follow.
func TestReaskShown(t *testing.T) {
	g := newGame(t, threeTraders(), rules()["majority"], rounds(1), nil)
	asked := g.render(t, g.Pending()[0].Step)
	before := prompt.Hash(asked)
	again := prompt.Reask(asked, plan.ReaskShown, prompt.Form{}, []prompt.Unusable{{Raw: []byte("no\x00\x1b[1m\xff" + strings.Repeat("x", 10_000)), Fault: "it holds no JSON object"}})
	if len(again) != 4 || again[2].Role != "assistant" || again[3].Role != "user" || !strings.Contains(again[3].Content, "it holds no JSON object") {
		t.Fatalf("%+v", again)
	}
	if text := again[2].Content; len(text) > 4200 || strings.ContainsAny(text, "\x00\x1b") || !strings.HasPrefix(text, "no[1m\uFFFDxxx") {
		t.Errorf("the answer is quoted as %q", text[:40])
	}
	if prompt.Hash(asked) != before || prompt.Hash(again) == before || len(asked) != 2 {
		t.Error("asking again changes the question")
	}
	words := prompt.Reask(asked, plan.ReaskShown, prompt.Form{Text: true}, []prompt.Unusable{{Raw: []byte("hm"), Fault: "it says nothing"}})
	if text := words[3].Content; strings.Contains(text, "JSON") || !strings.Contains(text, "Answer again in the form asked for.") {
		t.Errorf("%q", text)
	}
}

// The words that mark a place in the form are no answer; nor are dots.
func TestFormsOwnWordsAreRefused(t *testing.T) {
	question := []model.Message{{Role: "system", Content: "Answer."}, {Role: "user", Content: "[round 1] Ada to all: I say \"no\"\n" +
		`{"reason_for_decision": "your reasoning, step by step", "target": [], "message": "your message", "explanation": "why you propose it", "role": "a short title", "description": "one sentence on what this person knows and does", "why": "What decided."}`}}
	form := prompt.Form{Example: `{"message": "<your message>"}`}
	for _, x := range []struct {
		raw, refused string
		reasonless   bool
	}{
		{`{"target": [], "message": "your message"}`, `"message" is "your message"`, false},
		{`{"target": [], "message": " Your message. "}`, `"message"`, false},
		{`{"target": [], "message": "<your message>"}`, `"message"`, false},
		{`{"target": [], "message": "<anything>"}`, `"message"`, false},
		{`{"target": [], "message": "..."}`, `"message"`, false},
		{`{"target": [], "message": "…"}`, `"message"`, false},
		{`{"role": "a short title", "description": "knows soups"}`, `"role"`, false},
		{`{"role": "cook", "description": "One sentence on what this person knows and does."}`, `"description"`, false},
		{`{"proposal": 1, "explanation": "why you propose it"}`, `"explanation"`, false},
		{`{"why": "What decided.", "score": 0}`, `"why"`, false},
		{`{"reason_for_decision": "your reasoning, step by step", "decision": 1}`, "", true},
		{`{"reason_for_decision": "...", "decision": 1}`, "", true},
		{`{"target": [], "message": "no"}`, "", false},
		{`{"target": [], "message": "your message was long"}`, "", false},
		{`{"target": [], "message": "<b>Bold</b> is my message"}`, "", false},
		{`{"role": "your message", "description": "a short title"}`, "", false},
		{`{"reason_for_decision": "bread first", "decision": 1}`, "", false},
		{`2, 1`, "", false},
	} {
		reasonless, err := prompt.CheckCopied([]byte(x.raw), question, form)
		if reasonless != x.reasonless || (err == nil) != (x.refused == "") || err != nil && !strings.Contains(err.Error(), x.refused) {
			t.Errorf("%s: %t, %v", x.raw, reasonless, err)
		}
	}
}

// An agent does not write to itself alone, and says something.
func TestAnswersThatSayNothing(t *testing.T) {
	for _, x := range []struct {
		step transcript.Step
		raw  string
		want string
	}{
		{step(transcript.FormatMessage, none), `{"target": ["Alex"], "message": "hello"}`, "nobody but Alex"},
		{step(transcript.FormatMessage, none), `{"target": ["Alex", "Blake"], "message": "hello"}`, ""},
		{step(transcript.FormatMessage, none), `{"target": [], "message": "hello"}`, ""},
		{step(transcript.FormatMessage, none), `{"target": [], "message": "—"}`, "says nothing"},
		{step(transcript.FormatMessage, none), `{"target": [], "message": "👍"}`, ""},
		{step(transcript.FormatText, none), `...`, "says nothing"},
		{step(transcript.FormatReply, none), `[AGREE]`, ""},
		{step(transcript.FormatProposal, none), `{"proposal": null}`, ""},
	} {
		_, err := prompt.Parse([]byte(x.raw), x.step, economy(t))
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.raw, err, x.want)
		}
	}
}
