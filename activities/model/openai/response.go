package openai

import (
	"cmp"
	"net/http"
	"slices"
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
	Choices []choice       `json:"choices"`
}

type choice struct {
	Error   jsontext.Value `json:"error"` // OpenRouter: what ended the answer
	Message *struct {
		Content   jsontext.Value `json:"content"`
		Refusal   jsontext.Value `json:"refusal"`
		Reasoning jsontext.Value `json:"reasoning"`         // OpenRouter, Ollama, vLLM
		Thinking  jsontext.Value `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
		Calls     jsontext.Value `json:"tool_calls"`
	} `json:"message"`
	FinishReason jsontext.Value `json:"finish_reason"`
}

func (c *client) readChat(body []byte, header http.Header) (model.Response, *wire.CallError) {
	var e envelope
	if err := json.Unmarshal(body, &e, wire.Lenient); err != nil {
		return model.Response{}, c.uselessAnswer("unreadable_body", "the body is no chat completion: "+err.Error())
	}
	if wire.Present(e.Error) {
		return model.Response{}, c.bodyError(body)
	}
	if len(e.Choices) == 0 {
		return model.Response{}, c.uselessAnswer("no_choices", "the body holds no choices")
	}
	first := e.Choices[0]
	if wire.Present(first.Error) {
		return model.Response{}, c.bodyError(slices.Concat([]byte(`{"error":`), first.Error, []byte(`}`)))
	}
	finish := c.Report.Word(wire.String(first.FinishReason), 64)
	if first.Message == nil || len(first.Message.Content) == 0 && len(first.Message.Refusal) == 0 && finish == "" {
		return model.Response{}, c.uselessAnswer("no_message", "the first choice holds no message")
	}
	text, ok := contentText(first.Message.Content)
	if !ok {
		return model.Response{}, c.uselessAnswer("strange_content", "the content is neither a text nor a list of texts")
	}
	if refusal := wire.String(first.Message.Refusal); refusal != "" {
		finish = "refusal"
		if len(text) == 0 {
			text = []byte(refusal)
		}
	}
	if arguments := toolArguments(first.Message.Calls); len(text) == 0 && arguments != nil {
		text, finish = arguments, "stop"
	}
	answer := c.newAnswer(text, finish, header, e.ID, e.Model, readUsage(e.Usage))
	answer.Thinking = cmp.Or(wire.String(first.Message.Thinking), wire.String(first.Message.Reasoning), contentThinking(first.Message.Content))
	return answer, nil
}

// newAnswer returns a response with the names that the server gave it, fit to be shown.
func (c *client) newAnswer(text []byte, finish string, header http.Header, id, name jsontext.Value, u model.Usage) model.Response {
	return model.Response{
		Text:         text,
		Model:        c.answeredBy(name),
		FinishReason: finish,
		RequestID:    c.requestID(header, id),
		Usage:        u,
		Limits:       wire.Limits(header, time.Now()),
	}
}

// uselessAnswer returns the error of a 2xx that brought nothing; it may have been
// billed. Often a second try succeeds; callers bound the tries. Its class is
// Retry and its status 200, and its code is unreadable_body, no_choices,
// no_message, strange_content or not_completed.
func (c *client) uselessAnswer(code, message string) *wire.CallError {
	return &wire.CallError{Err: c.Report.Useless(code, message)}
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

// contentText returns the answer's bytes: a string, nothing, or a list of text parts as some servers write it.
func contentText(v jsontext.Value) ([]byte, bool) {
	if !wire.Present(v) {
		return nil, true
	}
	switch v.Kind() {
	case '"':
		return wire.Unquote(v), true
	case '[':
		var parts []struct {
			Text jsontext.Value `json:"text"`
		}
		if json.Unmarshal(v, &parts, wire.Lenient) != nil {
			return nil, false
		}
		var text []byte
		for _, p := range parts {
			text = append(text, wire.String(p.Text)...)
		}
		return text, true
	}
	return nil, false
}

// toolArguments returns the arguments of the only call of a tool: where some services write
// the object that is asked for. Nil if there is none.
func toolArguments(v jsontext.Value) []byte {
	var calls []struct {
		Function struct {
			Arguments jsontext.Value `json:"arguments"`
		} `json:"function"`
	}
	if v.Kind() != '[' || json.Unmarshal(v, &calls, wire.Lenient) != nil || len(calls) != 1 {
		return nil
	}
	if arguments := calls[0].Function.Arguments; arguments.Kind() == '"' {
		return wire.Unquote(arguments)
	}
	return nil
}

// contentThinking returns the thinking in a list of parts, as Mistral's interface has it.
func contentThinking(v jsontext.Value) string {
	var parts []struct {
		Thinking jsontext.Value `json:"thinking"`
	}
	if v.Kind() != '[' || json.Unmarshal(v, &parts, wire.Lenient) != nil {
		return ""
	}
	var all []byte
	for _, p := range parts {
		text, _ := contentText(p.Thinking)
		all = append(all, text...)
	}
	return string(all)
}
