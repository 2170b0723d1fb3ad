package model

import (
	"regexp"
	"strings"
)

// Fault is what kept a call from being answered. What is done about it follows from the
// fault alone, in one table (see Treatment and docs/guides/providers.md).
type Fault string

// The faults; each comment first says what is at fault.
const (
	Unsent   Fault = "unsent"   // this request: it was not sent, for what is wrong with it
	Rejected Fault = "rejected" // this prompt: too long, filtered, or its answer is too long to be read
	Refused  Fault = "refused"  // this prompt, this model or this account: the service does not say which
	Broken   Fault = "broken"   // the same, but it may pass: status 500, an answer that a parser of the service refused
	Useless  Fault = "useless"  // a status 2xx without an answer; it may have been billed
	Silent   Fault = "silent"   // nothing until the deadline; it may have been billed
	Busy     Fault = "busy"     // the account or the service: too many calls
	Down     Fault = "down"     // the service: no connection, or a gateway in front of it says so
	Missing  Fault = "missing"  // this model or address
	Denied   Fault = "denied"   // this account: key, permission, suspension
	Unpaid   Fault = "unpaid"   // this account: credit, spend limit, quota of a day
)

// Treatment is a row of the table: what is done about a fault.
type Treatment struct {
	First Class // what is done at the first failure of a model that has answered before
	// Tries is after how many equal failures of one prompt in a row it is found out whether other
	// prompts are answered; 0 if the first failure decides.
	Tries int
	// Prompt and Model are what is done after that: if other prompts are answered, so that it is
	// this one's fault, and if none is.
	Prompt, Model Class
	// Unanswered is how many equal failures pause the campaign of a model that has never
	// answered in it; 0 if they do not.
	Unanswered int
}

// Treatments returns what is done about each fault, in the order of the documentation.
func Treatments() []struct {
	Fault
	Treatment
} {
	return []struct {
		Fault
		Treatment
	}{
		{Unsent, Treatment{First: Fail}},
		{Rejected, Treatment{First: Fail, Prompt: Fail, Model: Pause}},
		{Refused, Treatment{First: Retry, Tries: 3, Prompt: Fail, Model: Pause, Unanswered: 3}},
		{Broken, Treatment{First: Retry, Tries: 6, Prompt: Fail, Model: Retry, Unanswered: 8}},
		{Useless, Treatment{First: Retry, Tries: 4, Prompt: Fail, Model: Pause, Unanswered: 3}},
		{Silent, Treatment{First: Retry, Tries: 8, Prompt: Fail, Model: Pause}},
		{Busy, Treatment{First: Retry, Tries: 12, Prompt: Retry, Model: Retry}},
		{Down, Treatment{First: Retry, Tries: 12, Prompt: Retry, Model: Retry}},
		{Missing, Treatment{First: Pause}},
		{Denied, Treatment{First: Pause}},
		{Unpaid, Treatment{First: Pause}},
	}
}

// Treatment returns the fault's row of Treatments, or that of Broken if it has none.
func (f Fault) Treatment() Treatment {
	var other Treatment
	for _, row := range Treatments() {
		if row.Fault == f {
			return row.Treatment
		}
		if row.Fault == Broken {
			other = row.Treatment
		}
	}
	return other
}

// Class returns what to do about a fault before anything is known of other calls: Refused then
// counts as final, like Rejected.
func (f Fault) Class() Class {
	if f == Refused {
		return Fail
	}
	return f.Treatment().First
}

// Refusal is the FinishReason of an answer in which the model refuses.
const Refusal = "refusal"

// End says whether an answer's text is complete.
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

// endWords tell what a finish reason means that is not among ends, by its words; the first match counts.
var endWords = []struct {
	words *regexp.Regexp
	end   End
}{
	{regexp.MustCompile(`refus|filter|safety|unsafe|moderat|sensitive|guard_?rail|prohibited|polic(y|ies)|toxic` +
		`|harmful|blocked`), Withheld},
	{regexp.MustCompile(`rate_?limit|time|error|fail|abort|cancel|repet`), Failed},
	{regexp.MustCompile(`length|max_?\w*(token|output)|token\w*limit|output\w*limit|context|truncat`), Cut},
}

// enumeration is what stands before the name of a reason where an SDK prints it.
var enumeration = regexp.MustCompile(`^(?:finish|stop)_?reason[_.]`)

// EndOf returns what a finish reason, in the words of any service, says about the text.
func EndOf(finish string) End {
	word, _, _ := strings.Cut(finish, ":") // Google's interface of OpenAI: "content_filter: SAFETY"
	word = enumeration.ReplaceAllString(strings.ToLower(strings.TrimSpace(word)), "")
	if end, known := ends[word]; known {
		return end
	}
	word = strings.NewReplacer("-", "_", " ", "_").Replace(word)
	for _, known := range endWords {
		if known.words.MatchString(word) {
			return known.end
		}
	}
	return Failed
}

// FinishOf returns a service's finish reason in the words of OpenAI's Chat Completions, with
// FinishContext for a full context. Reasons of broken answers stay as they are.
func FinishOf(reason string) string {
	end := EndOf(reason)
	switch {
	case end == Whole && reason != "":
		return "stop"
	case end == Withheld && !strings.Contains(strings.ToLower(reason), "refus"):
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
