package model

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The page on providers has each fault, with the numbers of the table in the code.
func TestTreatmentsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guides/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) == 7 {
			rows[strings.Trim(cells[1], " `")] = cells
		}
	}
	does := map[Class]string{Fail: "the collaboration fails", Pause: "pauses", Retry: "again"}
	for _, r := range Treatments() {
		row := rows[string(r.Fault)]
		if row == nil {
			t.Errorf("%s is not documented", r.Fault)
			continue
		}
		if !strings.Contains(row[3], does[r.First]) {
			t.Errorf("%s: at once it is %s, documented is %q", r.Fault, r.First, row[3])
		}
		others, none, told := strings.Cut(row[4], "none:")
		if want := fmt.Sprintf(" %d", r.Tries); r.Tries > 0 && !strings.HasPrefix(row[4], want) {
			t.Errorf("%s: decided after%s, documented is %q", r.Fault, want, row[4])
		}
		if r.Tries > 0 && (!strings.Contains(others, does[r.Prompt]) || told && !strings.Contains(none, does[r.Model])) {
			t.Errorf("%s: then it is %s or %s, documented is %q", r.Fault, r.Prompt, r.Model, row[4])
		}
		if want := fmt.Sprintf(" %d alike", r.Unanswered); r.Unanswered > 0 && !strings.HasPrefix(row[5], want) {
			t.Errorf("%s: unanswered it pauses after%s, documented is %q", r.Fault, want, row[5])
		}
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for finish, want := range map[string]End{
		"": Whole, "stop": Whole, "STOP": Whole, "end_turn": Whole, "stop_sequence": Whole, "eos_token": Whole, "COMPLETE": Whole,
		"length": Cut, "MAX_TOKENS": Cut, "max_output_tokens": Cut, "model_context_window_exceeded": Cut,
		"refusal": Withheld, "content_filter": Withheld, "SAFETY": Withheld, "RECITATION": Withheld, "sensitive": Withheld, "guardrail_intervened": Withheld, "PROHIBITED_CONTENT": Withheld,
		"abort": Failed, "error": Failed, "cancelled": Failed, "incomplete": Failed, "tool_calls": Failed, "UNEXPECTED_TOOL_CALL": Failed, "MALFORMED_FUNCTION_CALL": Failed,
		"normal": Whole, "endoftext": Whole, "eosFound": Whole, "ALTERNATIVE_STATUS_FINAL": Whole, // Qianfan, AI21, LM Studio, YandexGPT
		"maxPredictedTokensReached": Cut, "contextLengthReached": Cut, "ALTERNATIVE_STATUS_TRUNCATED_FINAL": Cut, "maximum_tokens": Cut,
		"blacklist": Withheld, "ALTERNATIVE_STATUS_CONTENT_FILTER": Withheld, // GigaChat, YandexGPT
		"ERROR_LIMIT": Failed, "time_limit": Failed, "not_finished": Failed, "userStopped": Failed, "null": Failed, "network_error": Failed, "repetition_truncation": Failed,
		"insufficient_system_resource": Failed, "pause_turn": Failed, "OTHER": Failed, "unknown": Failed, "repetition": Failed, "anything new": Failed,
	} {
		if got := EndOf(finish); got != want {
			t.Errorf("%q is %d, want %d", finish, got, want)
		}
		if got := EndOf(FinishOf(finish)); got != want {
			t.Errorf("%q as %q is %d, want %d", finish, FinishOf(finish), got, want)
		}
	}
}
