package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roundtable/workflows/plan"
)

// The blocks of a message add up to it; the first of all ends is marked, and the last three.
func TestSplitAtEnds(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name     string
		messages []Message
		want     string // blocks with | between, ! after a marked one, and a line for each message
	}{
		{"no ends", []Message{{Content: "whole"}, {}}, "whole\n"},
		{"one", []Message{{Content: "abcd", Ends: []int{2}}}, "ab!|cd"},
		{"at its end", []Message{{Content: "abcd", Ends: []int{2, 4}}}, "ab!|cd!"},
		{"of six", []Message{{Content: "abcdefg", Ends: []int{1, 2, 3, 4, 5, 6}}}, "a!|b|c|d!|e!|f!|g"},
		{"over messages", []Message{{Content: "abc", Ends: []int{1, 2}}, {Content: "def", Ends: []int{1, 2, 3}}}, "a!|b|c\nd!|e!|f!"},
		{"of blanks", []Message{{Content: " \nab", Ends: []int{1, 2, 3}}}, " \na!|b"},
		{"blank rest", []Message{{Content: "ab \n", Ends: []int{1, 2}}}, "a!|b \n!"},
		{"all blank", []Message{{Content: "  ", Ends: []int{1}}}, "  "},
	} {
		var messages []string
		for _, blocks := range SplitAtEnds(x.messages) {
			var parts []string
			for _, b := range blocks {
				parts = append(parts, b.Text+map[bool]string{true: "!"}[b.Marked])
			}
			messages = append(messages, strings.Join(parts, "|"))
		}
		if got := strings.Join(messages, "\n"); got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}

// Parameters that a provider does not pass on are refused, the least of each kind too.
func TestParametersAreChecked(t *testing.T) {
	t.Parallel()
	one := Parameters{Thinking: 1, Logprobs: true, ExtraBody: map[string]any{"a": 1}, ReasoningEffort: "low"}
	for says, errs := range map[string][2]error{
		"extra_body is set":                    {one.CheckNoExtra(), Parameters{ExtraBody: map[string]any{}}.CheckNoExtra()},
		"thinking is 1; \"m\" takes no number": {one.CheckNoThinking("m", "an effort"), Parameters{}.CheckNoThinking("m", "an effort")},
		"s gives no log-probabilities":         {one.CheckNoLogprobs("s"), Parameters{}.CheckNoLogprobs("s")},
	} {
		if errs[0] == nil || !strings.Contains(errs[0].Error(), says) || errs[1] != nil {
			t.Errorf("%s: %v", says, errs)
		}
	}
	got := []string{one.ReasoningAsked(), Parameters{ReasoningEffort: "low"}.ReasoningAsked(), Parameters{}.ReasoningAsked(),
		string(TierOf("FLEX")), string(TierOf("default")), NewProbe(one).Messages[0].Content, fmt.Sprint(NewProbe(one).Parameters.Thinking)}
	if want := []string{"1", "low", "", string(plan.Flex), "", "?", "1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Errors name the status, if there was one; durations have a unit and are not negative.
func TestWordsOfModels(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*Error{
		"p: timeout: late":        {Provider: "p", Code: "timeout", Message: "late"},
		"p: status 429 busy: why": {Provider: "p", Code: "busy", Message: "why", Status: 429},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e, want)
		}
	}
	for text, want := range map[string]time.Duration{"0s": 0, "1m30s": 90 * time.Second, "-1s": -1, "5": -1, "": -1} {
		d := Duration(-1)
		if err := d.UnmarshalText([]byte(text)); (err != nil) != (want < 0) || time.Duration(d) != want {
			t.Errorf("%q: %v, %v", text, time.Duration(d), err)
		}
	}
	for reason, want := range map[string]string{
		"": "", "end_turn": "stop", "refused": Refusal, "Refusal": Refusal, "SAFETY": "content_filter", "model_length": FinishContext, "model_context_window_exceeded": FinishContext,
		"max_tokens": FinishLength, "length": FinishLength, "abort": "abort",
	} {
		if got := FinishOf(reason); got != want {
			t.Errorf("%q is %q, want %q", reason, got, want)
		}
	}
	if Fault("new").Treatment() != Broken.Treatment() || Refused.Class() != Fail || Missing.Class() != Pause || Busy.Class() != Retry {
		t.Error("a fault is treated as another")
	}
}

type moded struct{ Model }

func (moded) ModeOf(r Request) string { return r.Name }

// A model with one way to be asked has no mode.
func TestModeOf(t *testing.T) {
	t.Parallel()
	r := Request{Name: SchemaMode}
	if one, several := (Provider{Model: struct{ Model }{}}).ModeOf(r), (Provider{Model: moded{}}).ModeOf(r); one != "" || several != SchemaMode {
		t.Errorf("%q, %q", one, several)
	}
}
