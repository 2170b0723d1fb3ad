package google

import (
	"cmp"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
	"roundtable/workflows/plan"
)

// envelope is the body of an answer. Only the candidates can make it useless: a
// paid answer is not thrown away over a strange id or usage.
type envelope struct {
	Candidates []candidate    `json:"candidates"`
	Feedback   jsontext.Value `json:"promptFeedback"`
	Usage      jsontext.Value `json:"usageMetadata"`
	Model      jsontext.Value `json:"modelVersion"`
	ID         jsontext.Value `json:"responseId"`
	Error      jsontext.Value `json:"error"`
}

type candidate struct {
	Content      jsontext.Value `json:"content"`
	FinishReason jsontext.Value `json:"finishReason"`
	Logprobs     jsontext.Value `json:"logprobsResult"`
}

const filtered = "content_filter"

// readAnswer returns the answer in the body of a response 2xx.
func (c *client) readAnswer(_ model.Request, call *wire.Call) (model.Response, *model.Error) {
	var e envelope
	if err := json.Unmarshal(call.Body, &e, wire.Lenient); err != nil {
		return model.Response{}, c.Report.Useless("unreadable_body",
			"the body is not an answer of generateContent", call.Body)
	}
	if wire.IsPresent(e.Error) {
		return model.Response{}, c.Report.InBody(call.Body)
	}
	text, thinking, finish, logprobs := []byte(nil), "", filtered, jsontext.Value(nil)
	switch {
	case len(e.Candidates) > 0:
		var useless *model.Error
		if text, thinking, finish, useless = c.readCandidate(e.Candidates[0], call.Body); useless != nil {
			return model.Response{}, useless
		}
		logprobs = e.Candidates[0].Logprobs
	case !isBlocked(e.Feedback):
		return model.Response{}, c.Report.Useless("no_candidates", "the body holds no candidates", call.Body)
	}
	return model.Response{
		Text:         text,
		Thinking:     thinking,
		Model:        cmp.Or(c.Report.Word(wire.String(e.Model), 200), c.config.Model),
		FinishReason: finish,
		RequestID:    c.Report.Word(wire.String(e.ID), 200),
		Usage:        readUsage(e.Usage),
		Tier:         servedTier(call.Header, e.Usage),
		Logprob:      wire.LogprobOf(logprobs, "chosenCandidates", "logProbability"),
	}, nil
}

// readCandidate returns what a candidate says and thought, and how it ended.
func (c *client) readCandidate(one candidate, body []byte) (text []byte, thinking, finish string, _ *model.Error) {
	reason := c.Report.Word(wire.String(one.FinishReason), 64)
	if !wire.IsPresent(one.Content) && reason == "" {
		return nil, "", "", c.Report.Useless("no_content", "the first candidate holds no content", body)
	}
	var content struct {
		Parts jsontext.Value `json:"parts"`
	}
	ok := !wire.IsPresent(one.Content) || json.Unmarshal(one.Content, &content, wire.Lenient) == nil
	if ok {
		text, thinking, ok = wire.ReadParts(content.Parts, answerPart.read)
	}
	if !ok {
		return nil, "", "", c.Report.Useless("strange_content", "the content is not a list of parts with texts", body)
	}
	return text, thinking, model.FinishOf(reason), nil
}

// isBlocked reports whether the prompt was refused, to which there is no candidate.
func isBlocked(feedback jsontext.Value) bool {
	var f struct {
		Reason jsontext.Value `json:"blockReason"`
	}
	wire.ReadObject(feedback, &f)
	return wire.String(f.Reason) != ""
}

// answerPart is one of the content's.
type answerPart struct {
	Text    jsontext.Value `json:"text"`
	Thought jsontext.Value `json:"thought"`
}

func (p answerPart) read() wire.Part {
	if p.Thought.Kind() == 't' {
		return wire.Part{Thinking: p.Text}
	}
	return wire.Part{IsText: wire.IsPresent(p.Text), Text: p.Text}
}

// servedTier returns the tier in which a request was served, from its header or else its usage.
func servedTier(h http.Header, usage jsontext.Value) plan.Tier {
	var u struct {
		Tier jsontext.Value `json:"serviceTier"`
	}
	wire.ReadObject(usage, &u)
	return model.TierOf(cmp.Or(h.Get("X-Gemini-Service-Tier"), wire.String(u.Tier)))
}

// readUsage reads what was billed; what is missing or makes no sense counts as 0.
// The service counts thoughts beside the candidates, we within the output.
func readUsage(v jsontext.Value) model.Usage {
	var u struct {
		Prompt     wire.Tokens `json:"promptTokenCount"`
		Cached     wire.Tokens `json:"cachedContentTokenCount"`
		Candidates wire.Tokens `json:"candidatesTokenCount"`
		Thoughts   wire.Tokens `json:"thoughtsTokenCount"`
		Tools      wire.Tokens `json:"toolUsePromptTokenCount"`
		Total      wire.Tokens `json:"totalTokenCount"`
	}
	wire.ReadObject(v, &u)
	return wire.WithTotal(model.Usage{
		Input:       int64(u.Prompt),
		CachedInput: int64(u.Cached),
		Output:      int64(u.Candidates + u.Thoughts),
		Reasoning:   int64(u.Thoughts),
	}, int64(u.Tools), int64(u.Total))
}
