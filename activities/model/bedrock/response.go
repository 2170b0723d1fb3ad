package bedrock

import (
	"cmp"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// envelope is the body of an answer. Only the message can make it useless: a
// paid answer is not thrown away over a strange usage.
type envelope struct {
	Output struct {
		Message *struct {
			Content jsontext.Value `json:"content"`
		} `json:"message"`
	} `json:"output"`
	StopReason jsontext.Value `json:"stopReason"`
	Usage      jsontext.Value `json:"usage"`
	Trace      jsontext.Value `json:"trace"`
}

// answer reads what one model said.
type answer struct {
	report wire.Reporter
	model  string // as asked
}

// readAnswer returns the answer in the body of a response 2xx.
func (a answer) readAnswer(body []byte, header http.Header) (model.Response, *model.Error) {
	var e envelope
	if err := json.Unmarshal(body, &e, wire.Lenient); err != nil {
		return model.Response{}, a.report.Useless("unreadable_body", "the body is not an answer of Converse", body)
	}
	message, finish := e.Output.Message, a.report.Word(wire.String(e.StopReason), 64)
	if message == nil || len(message.Content) == 0 && finish == "" {
		return model.Response{}, a.report.Useless("no_message", "the body holds no message", body)
	}
	content, ok := wire.ReadContent(message.Content)
	if !ok {
		return model.Response{}, a.report.Useless("strange_content",
			"the content is not a list of blocks with texts", body)
	}
	text, finish, elsewhere := content.FindAnswer(finish)
	return model.Response{
		Text:         text,
		Thinking:     content.Thinking,
		Elsewhere:    elsewhere,
		Model:        cmp.Or(a.report.Word(routedModel(e.Trace), 300), a.model),
		FinishReason: model.FinishOf(finish),
		RequestID:    a.report.Word(header.Get("X-Amzn-Requestid"), 200),
		Usage:        wire.ReadUsageApart(e.Usage),
	}, nil
}

// routedModel returns the model that a prompt router chose; "" if none was asked.
func routedModel(trace jsontext.Value) string {
	var t struct {
		PromptRouter struct {
			Model jsontext.Value `json:"invokedModelId"`
		} `json:"promptRouter"`
	}
	wire.ReadObject(trace, &t)
	return wire.String(t.PromptRouter.Model)
}
