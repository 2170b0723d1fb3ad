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
	if wire.IsPresent(e.Error) {
		return model.Response{}, c.Report.InBody(call.Body)
	}
	finish := c.Report.Word(wire.String(e.StopReason), 64)
	if !wire.IsPresent(e.Content) && finish == "" {
		return model.Response{}, c.Report.Useless("no_content", "the body holds no content", call.Body)
	}
	text, thinking, ok := wire.ReadParts(e.Content, answerBlock.answerPart)
	if !ok {
		return model.Response{}, c.Report.Useless("strange_content",
			"the content is not a list of blocks with texts", call.Body)
	}
	return model.Response{
		Text:         text,
		Thinking:     thinking,
		Model:        cmp.Or(c.Report.Word(wire.String(e.Model), 200), c.config.Model),
		FinishReason: model.FinishOf(finish),
		RequestID:    c.Report.Word(cmp.Or(call.Header.Get("Request-Id"), wire.String(e.ID)), 200),
		Usage:        readUsage(e.Usage),
		BilledUSD:    wire.BilledUSD(e.Usage, call.Header),
		Limits:       wire.Limits(call.Header, time.Now()),
	}, nil
}

// answerBlock is a part of the content.
type answerBlock struct {
	Type     jsontext.Value `json:"type"`
	Text     jsontext.Value `json:"text"`
	Thinking jsontext.Value `json:"thinking"`
}

func (b answerBlock) answerPart() wire.Part {
	return wire.Part{IsText: wire.String(b.Type) == "text", Text: b.Text, Thinking: b.Thinking}
}

// readUsage reads what was billed; what is missing or makes no sense counts as 0.
// The service counts the cache's tokens beside the input's, we within them.
func readUsage(v jsontext.Value) model.Usage {
	var u struct {
		Input   wire.Tokens `json:"input_tokens"`
		Read    wire.Tokens `json:"cache_read_input_tokens"`
		Write   wire.Tokens `json:"cache_creation_input_tokens"`
		WriteOf struct {
			Minutes wire.Tokens `json:"ephemeral_5m_input_tokens"`
			Hour    wire.Tokens `json:"ephemeral_1h_input_tokens"`
		} `json:"cache_creation"`
		Output   wire.Tokens `json:"output_tokens"`
		Total    wire.Tokens `json:"total_tokens"` // of compatible servers
		OutputOf struct {
			Thinking wire.Tokens `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	}
	wire.ReadObject(v, &u)
	u.Write = max(u.Write, u.WriteOf.Minutes+u.WriteOf.Hour)
	return wire.WithTotal(model.Usage{
		Input:       int64(u.Input + u.Read + u.Write),
		CachedInput: int64(u.Read),
		CacheWrite:  int64(u.Write),
		Output:      int64(u.Output),
		Reasoning:   int64(u.OutputOf.Thinking),
	}, 0, int64(u.Total))
}
