package anthropic

import (
	"cmp"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// envelope is the body of an answer. Only the content can make it useless: a
// paid answer is not thrown away over a strange id or usage.
type envelope struct {
	ID         jsontext.Value `json:"id"`
	Model      jsontext.Value `json:"model"`
	Error      jsontext.Value `json:"error"`
	Content    jsontext.Value `json:"content"`
	StopReason jsontext.Value `json:"stop_reason"`
	Usage      jsontext.Value `json:"usage"`
}

// readAnswer returns the answer in the body of a response 2xx.
func (c *client) readAnswer(_ model.Request, call *wire.Call) (model.Response, *model.Error) {
	var e envelope
	if err := json.Unmarshal(call.Body, &e, wire.Lenient); err != nil {
		return model.Response{}, c.Report.Useless("unreadable_body", "the body is not a message", call.Body)
	}
	if wire.HasError(e.Error) {
		return model.Response{}, c.Report.InBody(call.Body)
	}
	finish := c.Report.Word(wire.String(e.StopReason), 64)
	if !wire.IsPresent(e.Content) && finish == "" {
		return model.Response{}, c.Report.Useless("no_content", "the body holds no content", call.Body)
	}
	content, ok := wire.ReadContent(e.Content)
	if !ok {
		return model.Response{}, c.Report.Useless("strange_content",
			"the content is not a list of blocks with texts", call.Body)
	}
	text, finish, elsewhere := content.FindAnswer(finish)
	return model.Response{
		Text:         text,
		Thinking:     content.Thinking,
		Elsewhere:    elsewhere,
		Model:        cmp.Or(c.Report.Word(wire.String(e.Model), 200), c.config.Model),
		FinishReason: model.FinishOf(finish),
		RequestID:    c.Report.Word(cmp.Or(call.Header.Get("Request-Id"), wire.String(e.ID)), 200),
		Usage:        wire.ReadUsageApart(e.Usage),
		BilledUSD:    wire.BilledUSD(call.Body, call.Header),
		Limits:       wire.Limits(call.Header, time.Now()),
	}, nil
}
