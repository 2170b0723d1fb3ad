package openai

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// envelope is the body of a chat completion. Only choices can make it useless: a paid
// answer is not thrown away over a strange id or usage.
type envelope struct {
	ID      jsontext.Value `json:"id"`
	Model   jsontext.Value `json:"model"`
	Error   jsontext.Value `json:"error"`
	Usage   jsontext.Value `json:"usage"`
	Tier    jsontext.Value `json:"service_tier"`
	Choices []choice       `json:"choices"`
}

type choice struct {
	Error        jsontext.Value `json:"error"` // OpenRouter: what ended the answer
	Message      *said          `json:"message"`
	Delta        *said          `json:"delta"` // servers that stream although they were not asked to
	Text         jsontext.Value `json:"text"`  // servers that complete texts
	Thinking     jsontext.Value `json:"reasoning_content"`
	FinishReason jsontext.Value `json:"finish_reason"`
	Camel        jsontext.Value `json:"finishReason"`
	Stop         jsontext.Value `json:"stop_reason"`          // converters of Anthropic; vLLM: the text that it stopped at
	Native       jsontext.Value `json:"native_finish_reason"` // OpenRouter
	Logprobs     jsontext.Value `json:"logprobs"`
}

// said is what the model said, in the places in which servers put it.
type said struct {
	Content   jsontext.Value `json:"content"`
	Refusal   jsontext.Value `json:"refusal"`
	Thinking  jsontext.Value `json:"reasoning_content"` // vLLM, DeepSeek, SGLang
	Reasoning jsontext.Value `json:"reasoning"`         // OpenRouter, Ollama
	Details   jsontext.Value `json:"reasoning_details"` // OpenRouter
	Words     jsontext.Value `json:"reasoning_text"`    // GitHub Copilot
	Own       jsontext.Value `json:"thinking"`          // Ollama's own interface
	Blocks    jsontext.Value `json:"thinking_blocks"`   // LiteLLM
	Thought   jsontext.Value `json:"thought"`
	Thoughts  jsontext.Value `json:"thoughts"`
	Behind    jsontext.Value `json:"provider_specific_fields"` // LiteLLM
	Tools     []struct {
		Function function `json:"function"`
	} `json:"tool_calls"`
	Function jsontext.Value `json:"function_call"` // before there were tools
	Parsed   jsontext.Value `json:"parsed"`        // servers that pass on what an SDK has read
}

type function struct {
	Arguments jsontext.Value `json:"arguments"`
}

func (c *client) readChat(body []byte, header http.Header) (model.Response, *model.Error) {
	var e envelope
	if err := json.Unmarshal(body, &e, wire.Lenient); err != nil {
		return model.Response{}, c.Report.Useless("unreadable_body", "the body is not a chat completion", body)
	}
	if wire.HasError(e.Error) {
		return model.Response{}, c.Report.InBody(body)
	}
	if len(e.Choices) == 0 {
		return model.Response{}, c.Report.Useless("no_choices", "the body holds no choices", body)
	}
	first := e.Choices[0]
	if wire.HasError(first.Error) {
		return model.Response{}, c.Report.InBody(slices.Concat([]byte(`{"error":`), first.Error, []byte(`}`)))
	}
	finish := c.Report.Word(first.finishReason(), 64)
	m := cmp.Or(first.Message, first.Delta)
	if m == nil && (first.Text.Kind() == '"' || finish != "") { // Azure: no message, but a filter
		m = &said{Content: first.Text}
	}
	if m == nil || m.isEmpty() && finish == "" {
		return model.Response{}, c.Report.Useless("no_message", "the first choice holds no message", body)
	}
	content, ok := wire.ReadContent(m.Content)
	if !ok {
		return model.Response{}, c.Report.Useless("strange_content",
			"the content is neither a text nor a list of texts", body)
	}
	text, finish, elsewhere := content.FindAnswer(finish)
	switch refusal := wire.String(m.Refusal); {
	case refusal != "":
		if finish = model.Refusal; len(text) == 0 {
			text = []byte(refusal)
		}
	case len(bytes.TrimSpace(text)) == 0:
		if text, elsewhere = m.textElsewhere(); len(text) > 0 {
			finish = wire.EndCalled(finish)
		}
	}
	answer := c.newAnswer(text, finish, header, e.ID, e.Model, wire.UsageOf(e.Usage, body))
	answer.BilledUSD = wire.BilledUSD(body, header)
	answer.Elsewhere, answer.Tier, answer.Logprob = elsewhere, model.TierOf(wire.String(e.Tier)),
		wire.LogprobOf(first.Logprobs, "content", "logprob")
	if elsewhere == "" || len(text) == 0 || !strings.HasPrefix(elsewhere, "reasoning") { // else it is the answer
		answer.Thinking = cmp.Or(content.Thinking, m.readThinking(), wire.ReadThinking(first.Thinking))
	}
	return answer, nil
}

// finishReason returns how an answer ended. If the service behind a router says that the answer was cut or
// withheld, that counts, though the router says that it is whole.
func (f choice) finishReason() string {
	said := ""
	for _, v := range []jsontext.Value{f.FinishReason, f.Camel, f.Stop} {
		if said = wire.String(v); said != "" {
			break
		}
		var inner struct { // SGLang's own interface
			Type jsontext.Value `json:"type"`
		}
		wire.ReadObject(v, &inner)
		if said = wire.String(inner.Type); said != "" {
			break
		}
	}
	said = model.FinishOf(said)
	if native := wire.String(f.Native); model.EndOf(said) == model.Whole {
		if end := model.EndOf(native); end == model.Cut || end == model.Withheld {
			return model.FinishOf(native)
		}
	}
	return said
}

// readThinking returns the thinking of a message outside its content.
func (m *said) readThinking() string {
	var behind struct {
		Thinking jsontext.Value `json:"reasoning_content"`
	}
	wire.ReadObject(m.Behind, &behind)
	for _, place := range []jsontext.Value{m.Thinking, m.Reasoning, m.Details, m.Words, m.Own, m.Blocks, m.Thought,
		m.Thoughts, behind.Thinking} {
		if thought := wire.ReadThinking(place); thought != "" {
			return thought
		}
	}
	return ""
}

func (m *said) isEmpty() bool {
	return len(m.Content) == 0 && len(m.Refusal) == 0 && len(m.Thinking) == 0 && len(m.Reasoning) == 0 &&
		len(m.Tools) == 0 && len(m.Function) == 0 && len(m.Parsed) == 0
}

// textElsewhere returns the text that is in another place than the content, and where it is.
// It is an answer if it is one JSON object, as servers with a parser for reasoning put those:
// anything else was thought, and is left out.
func (m *said) textElsewhere() (text []byte, where string) {
	var function function
	wire.ReadObject(m.Function, &function)
	called := function.Arguments
	if len(m.Tools) == 1 {
		called = m.Tools[0].Function.Arguments
	}
	for _, place := range []struct {
		name  string
		value jsontext.Value
	}{{"parsed", m.Parsed}, {"reasoning_content", m.Thinking}, {"reasoning", m.Reasoning}, {"tool_calls", called}} {
		if said := wire.ObjectIn(place.value); said != nil {
			return said, place.name
		}
		if strings.TrimSpace(wire.String(place.value)) != "" {
			where = cmp.Or(where, place.name)
		}
	}
	return nil, where
}

// newAnswer returns a response with the names that the server gave it, fit to be shown.
func (c *client) newAnswer(text []byte, finish string, header http.Header, id, name jsontext.Value,
	u model.Usage) model.Response {
	return model.Response{
		Text:         text,
		Model:        c.answeredBy(name),
		FinishReason: finish,
		RequestID:    c.requestID(header, id),
		Usage:        u,
		Limits:       wire.Limits(header, time.Now()),
	}
}

func (c *client) answeredBy(v jsontext.Value) string {
	if name := c.Report.Word(wire.String(v), 200); name != "" {
		return name
	}
	return c.config.Model
}

func (c *client) requestID(h http.Header, body jsontext.Value) string {
	for _, name := range []string{"X-Request-Id", "Apim-Request-Id"} {
		if v := h.Get(name); v != "" {
			return c.Report.Word(v, 200)
		}
	}
	return c.Report.Word(wire.String(body), 200)
}
