package openai

import (
	"cmp"
	"net/http"
	"slices"
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
	Output []outputItem   `json:"output"`
	Text   jsontext.Value `json:"output_text"` // what SDKs add, and servers that have nothing else
}

// outputItem is a message, a thought or the call of a function.
type outputItem struct {
	Type      jsontext.Value `json:"type"`
	Phase     jsontext.Value `json:"phase"` // of a message: commentary, or final_answer
	Content   jsontext.Value `json:"content"`
	Summary   jsontext.Value `json:"summary"`   // of reasoning
	Arguments jsontext.Value `json:"arguments"` // of a function
}

func (c *client) readResponse(body []byte, header http.Header) (model.Response, *model.Error) {
	var e response
	if err := json.Unmarshal(body, &e, wire.Lenient); err != nil {
		return model.Response{}, c.Report.Useless("unreadable_body", "the body is not a response", body)
	}
	if wire.HasError(e.Error) {
		return model.Response{}, c.Report.InBody(body)
	}
	finish := c.Report.Word(e.finishReason(), 64)
	if finish == "" {
		return model.Response{}, c.Report.Useless("not_completed", "the response's status is "+wire.Scalar(e.Status)+
			", not completed or incomplete", body)
	}
	content, found := e.readOutput()
	if !found && finish == "stop" {
		return model.Response{}, c.Report.Useless("no_message", "the output holds no message", body)
	}
	text, finish, elsewhere := content.FindAnswer(finish)
	if content.Refusal != "" {
		finish = model.Refusal
	}
	answer := c.newAnswer(text, finish, header, e.ID, e.Model, wire.UsageOf(e.Usage, body))
	answer.Thinking, answer.Elsewhere, answer.Tier = content.Thinking, elsewhere, model.TierOf(wire.String(e.Tier))
	answer.BilledUSD = wire.BilledUSD(body, header)
	return answer, nil
}

// finishReason returns the end of an answer in the words of Chat Completions; "" if it is none.
func (r response) finishReason() string {
	switch wire.String(r.Status) {
	case "completed":
		return "stop"
	case "":
		if len(r.Output) > 0 || wire.IsPresent(r.Text) {
			return "stop"
		}
	case "incomplete":
		if r.Incomplete == nil {
			return "incomplete"
		}
		return cmp.Or(model.FinishOf(wire.String(r.Incomplete.Reason)), "incomplete")
	}
	return ""
}

// readOutput returns the content of all items, and whether one is a message or a call.
func (r response) readOutput() (all wire.Content, found bool) {
	var thoughts []string
	for _, item := range r.Output {
		switch kind := wire.String(item.Type); {
		case kind == "function_call":
			all.Called, found = append(all.Called, item.Arguments), true
		case kind == "message" && !wire.IsPrivate(item.Phase):
			content, ok := wire.ReadContent(item.Content)
			found = found || ok && wire.IsPresent(item.Content)
			all.Text = append(all.Text, content.Text...)
			all.Refusal = cmp.Or(all.Refusal, content.Refusal)
			thoughts = append(thoughts, content.Thinking)
		case kind == "message", wire.IsPrivate(item.Type):
			thoughts = append(thoughts, cmp.Or(wire.ReadThinking(item.Content), wire.ReadThinking(item.Summary)))
		}
	}
	if text := wire.String(r.Text); !found && text != "" {
		all.Text, found = []byte(text), true
	}
	thoughts = slices.DeleteFunc(thoughts, func(thought string) bool { return thought == "" })
	all.Thinking = strings.Join(thoughts, "\n")
	return all, found
}
