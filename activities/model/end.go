package model

import "strings"

// Refusal is the FinishReason of an answer that is a refusal.
const Refusal = "refusal"

// End is what the end of an answer means for its text.
type End int

// Ends of answers.
const (
	Whole    End = iota // the model ended it
	Cut                 // it is as long as it was allowed to be
	Withheld            // the model refused, or a filter held it back: a result of the experiment
	Failed              // anything else: the service broke it off
)

// ends are the finish reasons of all services, in lower case, that do not mean Failed.
var ends = map[string]End{
	"": Whole, "stop": Whole, "end_turn": Whole, "stop_sequence": Whole, "eos": Whole, "eos_token": Whole, "end": Whole,
	"complete": Whole, "completed": Whole, "finished": Whole, "finish": Whole, "done": Whole, "success": Whole,
	"stop_token": Whole,
	"normal":     Whole, "endoftext": Whole, "end_of_text": Whole, "stop_sequence_reached": Whole, "eosfound": Whole,
	"stopstringfound": Whole, "alternative_status_final": Whole,

	"length": Cut, "max_tokens": Cut, "max_output_tokens": Cut, "max_length": Cut, "max_new_tokens": Cut,
	"token_limit":                   Cut,
	"model_context_window_exceeded": Cut, "model_length": Cut, "context_length": Cut,
	"maximum_tokens": Cut, "maxpredictedtokensreached": Cut, "contextlengthreached": Cut,
	"alternative_status_truncated_final": Cut,

	Refusal: Withheld, "refused": Withheld,
	"content_filter": Withheld, "content_filtered": Withheld, "content-filter": Withheld,
	"guardrail_intervened": Withheld, "sensitive": Withheld,
	"safety": Withheld, "recitation": Withheld, "prohibited_content": Withheld, "blocklist": Withheld,
	"blocked": Withheld, "spii": Withheld,
	"image_safety": Withheld, "model_armor": Withheld, "risk_control": Withheld, "moderation": Withheld,
	"error_toxic": Withheld,
	"blacklist":   Withheld, "content_policy_violation": Withheld, "alternative_status_content_filter": Withheld,
}

// EndOf returns what a finish reason means, in the words of any service.
func EndOf(finish string) End {
	word, _, _ := strings.Cut(finish, ":") // Google's interface of OpenAI: "content_filter: SAFETY"
	if end, known := ends[strings.ToLower(strings.TrimSpace(word))]; known {
		return end
	}
	return Failed
}

// FinishOf returns a finish reason in the words of OpenAI's Chat Completions, and of a context
// that is full; what broke an answer off keeps its own.
func FinishOf(reason string) string {
	end := EndOf(reason)
	switch {
	case end == Whole && reason != "":
		return "stop"
	case end == Withheld && !strings.HasPrefix(strings.ToLower(reason), "refus"):
		return "content_filter"
	case end == Withheld:
		return Refusal
	}
	switch word := strings.ToLower(reason); {
	case end != Cut:
		return reason
	case strings.Contains(word, "context") || word == "model_length":
		return FinishContext
	}
	return FinishLength
}
