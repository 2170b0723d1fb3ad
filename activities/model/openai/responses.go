package openai

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
	"roundtable/workflows/plan"
)

// responseRequest is the body of a question to Responses. What is not set is not sent.
type responseRequest struct {
	Model           string            `json:"model"`
	Store           bool              `json:"store"` // false must be said: the service would keep the answer
	Input           []chatMessage     `json:"input"`
	Temperature     *float64          `json:"temperature,omitempty"`
	TopP            *float64          `json:"top_p,omitempty"`
	MaxOutputTokens int               `json:"max_output_tokens,omitempty"`
	Reasoning       *reasoning        `json:"reasoning,omitempty"`
	Text            map[string]format `json:"text,omitempty"`
	ServiceTier     plan.Tier         `json:"service_tier,omitempty"`
	cacheRequest
	Stream bool `json:"stream"` // false must be said, too
}

type reasoning struct {
	Effort string `json:"effort"`
}

// format says that the answer must be JSON.
type format struct {
	Type   string         `json:"type"`
	Name   string         `json:"name,omitempty"`
	Schema jsontext.Value `json:"schema,omitempty"`
	Strict *bool          `json:"strict,omitempty"` // false must be said: the default is true
}

// responseRequest asks for an answer that the service does not keep.
func (c *client) responseRequest(r model.Request, mode JSONMode) responseRequest {
	p := r.Parameters
	q := responseRequest{
		Model: c.config.Model, Input: c.markedMessages(r.Messages, "input_text"), cacheRequest: c.cacheRequest(r),
		Temperature: p.Temperature, TopP: p.TopP, MaxOutputTokens: max(p.MaxTokens, 0), ServiceTier: c.tierOf(r),
	}
	if effort := c.sentEffort(p); effort != "" {
		q.Reasoning = &reasoning{effort}
	}
	switch mode {
	case Schema:
		schema := sentSchema(r)
		closed := isStrict(schema)
		q.Text = map[string]format{"format": {Type: "json_schema", Name: schemaName(r), Schema: jsontext.Value(schema),
			Strict: &closed}}
	case Object:
		q.Text = map[string]format{"format": {Type: "json_object"}}
	}
	return q
}

// response is the body of an answer of the Responses API.
type response struct {
	ID         jsontext.Value `json:"id"`
	Model      jsontext.Value `json:"model"`
	Status     jsontext.Value `json:"status"`
	Error      jsontext.Value `json:"error"`
	Usage      jsontext.Value `json:"usage"`
	Tier       jsontext.Value `json:"service_tier"`
	Incomplete *struct {
		Reason jsontext.Value `json:"reason"`
	} `json:"incomplete_details"`
	Output []struct {
		Type    jsontext.Value `json:"type"`
		Content jsontext.Value `json:"content"`
		Summary jsontext.Value `json:"summary"` // of reasoning
	} `json:"output"`
}

func (c *client) readResponse(body []byte, header http.Header) (model.Response, *model.Error) {
	var e response
	if err := json.Unmarshal(body, &e, wire.Lenient); err != nil {
		return model.Response{}, c.Report.Useless("unreadable_body", "the body is not a response", body)
	}
	if wire.IsPresent(e.Error) {
		return model.Response{}, c.Report.InBody(body)
	}
	finish := c.Report.Word(e.finishReason(), 64)
	if finish == "" {
		return model.Response{}, c.Report.Useless("not_completed", "the response's status is "+wire.Scalar(e.Status)+
			", not completed or incomplete", body)
	}
	text, refused, found := e.messageText()
	if !found && finish == "stop" {
		return model.Response{}, c.Report.Useless("no_message", "the output holds no message", body)
	}
	if refused {
		finish = "refusal"
	}
	answer := c.newAnswer(text, finish, header, e.ID, e.Model, usageOf(e.Usage, body))
	answer.Thinking, answer.Tier = e.thinkingText(), model.TierOf(wire.String(e.Tier))
	answer.BilledUSD = wire.BilledUSD(e.Usage, header)
	return answer, nil
}

// finishReason returns the end of an answer in the words of Chat Completions; "" if it is none.
func (r response) finishReason() string {
	switch wire.String(r.Status) {
	case "completed":
		return "stop"
	case "incomplete":
		if r.Incomplete == nil {
			return "incomplete"
		}
		return cmp.Or(model.FinishOf(wire.String(r.Incomplete.Reason)), "incomplete")
	}
	return ""
}

// thinkingText returns what the items of reasoning say, whole or summed up.
func (r response) thinkingText() string {
	var all []string
	for _, item := range r.Output {
		if wire.String(item.Type) != "reasoning" {
			continue
		}
		for _, parts := range []jsontext.Value{item.Content, item.Summary} {
			if text, _ := textsIn(parts, anyText); len(text) > 0 {
				all = append(all, string(text))
				break
			}
		}
	}
	return strings.Join(all, "\n")
}

// messageText returns what the messages say: their texts, or the refusal if there are none.
func (r response) messageText() (text []byte, refused, found bool) {
	var refusal []byte
	for _, item := range r.Output {
		if wire.String(item.Type) != "message" {
			continue // reasoning
		}
		var parts []struct {
			Type    jsontext.Value `json:"type"`
			Text    jsontext.Value `json:"text"`
			Refusal jsontext.Value `json:"refusal"`
		}
		if !wire.IsPresent(item.Content) || json.Unmarshal(item.Content, &parts, wire.Lenient) != nil {
			continue
		}
		for _, part := range parts {
			switch wire.String(part.Type) {
			case "output_text":
				text, found = append(text, wire.String(part.Text)...), true
			case "refusal":
				refusal, refused, found = append(refusal, wire.String(part.Refusal)...), true, true
			}
		}
	}
	if len(text) == 0 {
		text = refusal
	}
	return text, refused, found
}
