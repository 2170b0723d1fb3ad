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
	SnakeReason  jsontext.Value `json:"finish_reason"`
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
	if wire.HasError(e.Error) {
		return model.Response{}, c.Report.InBody(call.Body)
	}
	answer, logprobs := model.Response{FinishReason: filtered}, jsontext.Value(nil)
	switch {
	case len(e.Candidates) > 0:
		var useless *model.Error
		if answer, useless = c.readCandidate(e.Candidates[0], call.Body); useless != nil {
			return model.Response{}, useless
		}
		logprobs = e.Candidates[0].Logprobs
	case !isBlocked(e.Feedback):
		return model.Response{}, c.Report.Useless("no_candidates", "the body holds no candidates", call.Body)
	}
	answer.Model = cmp.Or(c.Report.Word(wire.String(e.Model), 200), c.config.Model)
	answer.RequestID = c.Report.Word(wire.String(e.ID), 200)
	answer.Usage = wire.UsageOf(e.Usage, call.Body)
	answer.Tier = servedTier(call.Header, e.Usage)
	answer.Logprob = wire.LogprobOf(logprobs, "chosenCandidates", "logProbability")
	return answer, nil
}

// readCandidate returns what a candidate says and thought, and how it ended.
func (c *client) readCandidate(one candidate, body []byte) (model.Response, *model.Error) {
	reason := c.Report.Word(cmp.Or(wire.String(one.FinishReason), wire.String(one.SnakeReason)), 64)
	if !wire.IsPresent(one.Content) && reason == "" {
		return model.Response{}, c.Report.Useless("no_content", "the first candidate holds no content", body)
	}
	var parts struct {
		Parts jsontext.Value `json:"parts"`
	}
	content, ok := wire.Content{}, !wire.IsPresent(one.Content) || json.Unmarshal(one.Content, &parts, wire.Lenient) == nil
	if ok {
		content, ok = wire.ReadContent(parts.Parts)
	}
	if !ok {
		return model.Response{}, c.Report.Useless("strange_content",
			"the content is not a list of parts with texts", body)
	}
	text, finish, elsewhere := content.FindAnswer(reason)
	return model.Response{Text: text, Thinking: content.Thinking, FinishReason: model.FinishOf(finish),
		Elsewhere: elsewhere}, nil
}

// isBlocked reports whether the prompt was refused, to which there is no candidate.
func isBlocked(feedback jsontext.Value) bool {
	var f struct {
		Reason jsontext.Value `json:"blockReason"`
	}
	wire.ReadObject(feedback, &f)
	return wire.String(f.Reason) != ""
}

// servedTier returns the tier in which a request was served, from its header or else its usage.
func servedTier(h http.Header, usage jsontext.Value) plan.Tier {
	var u struct {
		Tier jsontext.Value `json:"serviceTier"`
	}
	wire.ReadObject(usage, &u)
	return model.TierOf(cmp.Or(h.Get("X-Gemini-Service-Tier"), wire.String(u.Tier)))
}
