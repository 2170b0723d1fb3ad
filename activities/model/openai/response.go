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
	FinishReason jsontext.Value `json:"finish_reason"`
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
	Thought   jsontext.Value `json:"thinking"`          // Ollama's own interface
	Blocks    jsontext.Value `json:"thinking_blocks"`   // LiteLLM
	Tools     []struct {
		Function struct {
			Arguments jsontext.Value `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (c *client) readChat(body []byte, header http.Header) (model.Response, *model.Error) {
	var e envelope
	if err := json.Unmarshal(body, &e, wire.Lenient); err != nil {
		return model.Response{}, c.Report.Useless("unreadable_body", "the body is not a chat completion", body)
	}
	if wire.IsPresent(e.Error) {
		return model.Response{}, c.Report.InBody(body)
	}
	if len(e.Choices) == 0 {
		return model.Response{}, c.Report.Useless("no_choices", "the body holds no choices", body)
	}
	first := e.Choices[0]
	if wire.IsPresent(first.Error) {
		return model.Response{}, c.Report.InBody(slices.Concat([]byte(`{"error":`), first.Error, []byte(`}`)))
	}
	finish := model.FinishOf(c.Report.Word(wire.String(first.FinishReason), 64))
	m := cmp.Or(first.Message, first.Delta)
	if m == nil && first.Text.Kind() == '"' {
		m = &said{Content: first.Text}
	}
	if m == nil || m.isEmpty() && finish == "" {
		return model.Response{}, c.Report.Useless("no_message", "the first choice holds no message", body)
	}
	text, ok := contentText(m.Content)
	if !ok {
		return model.Response{}, c.Report.Useless("strange_content",
			"the content is neither a text nor a list of texts", body)
	}
	refusal := wire.String(m.Refusal)
	if part := refusalPart(m.Content); refusal == "" && len(bytes.TrimSpace(text)) == 0 {
		refusal = part
	}
	elsewhere := ""
	switch {
	case refusal != "":
		if finish = model.Refusal; len(text) == 0 {
			text = []byte(refusal)
		}
	case len(bytes.TrimSpace(text)) == 0:
		if text, elsewhere = m.textElsewhere(); elsewhere != "" && len(text) > 0 {
			finish = endElsewhere(finish)
		}
	}
	answer := c.newAnswer(text, finish, header, e.ID, e.Model, usageOf(e.Usage, body))
	answer.BilledUSD = wire.BilledUSD(e.Usage, header)
	answer.Elsewhere, answer.Tier, answer.Logprob = elsewhere, model.TierOf(wire.String(e.Tier)),
		wire.LogprobOf(first.Logprobs, "content", "logprob")
	if elsewhere == "" || len(text) == 0 || elsewhere == "tool_calls" { // what was taken for the answer is not thinking
		answer.Thinking = cmp.Or(wire.String(m.Thinking), wire.String(m.Reasoning), contentThinking(m.Content),
			detailedThinking(m.Details), wire.String(m.Words), wire.String(m.Thought), contentThinking(m.Blocks))
	}
	return answer, nil
}

func (m *said) isEmpty() bool {
	return len(m.Content) == 0 && len(m.Refusal) == 0 && len(m.Thinking) == 0 && len(m.Reasoning) == 0 &&
		len(m.Tools) == 0
}

// textElsewhere returns the text that is in another place than the content, and where it is.
// It is an answer if it is one JSON object, as servers with a parser for reasoning put those:
// anything else was thought, and is left out.
func (m *said) textElsewhere() (text []byte, where string) {
	for _, place := range []struct {
		name  string
		value jsontext.Value
	}{{"reasoning_content", m.Thinking}, {"reasoning", m.Reasoning}, {"tool_calls", m.calledArguments()}} {
		if place.value.Kind() != '"' {
			continue
		}
		said := bytes.TrimSpace(wire.Unquote(place.value))
		if len(said) == 0 {
			continue
		}
		if v := jsontext.Value(said); v.Kind() == '{' && v.IsValid(wire.Lenient) {
			return said, place.name
		}
		where = cmp.Or(where, place.name)
	}
	return nil, where
}

// calledArguments returns those of the one function that was called although there is none.
func (m *said) calledArguments() jsontext.Value {
	if len(m.Tools) != 1 {
		return nil
	}
	return m.Tools[0].Function.Arguments
}

// endElsewhere returns how an answer ended that was taken for a call of a function.
func endElsewhere(finish string) string {
	if finish == "tool_calls" || finish == "function_call" {
		return "stop"
	}
	return finish
}

// refusalPart returns the text of a part that is a refusal.
func refusalPart(v jsontext.Value) string {
	var parts []struct {
		Refusal jsontext.Value `json:"refusal"`
	}
	if v.Kind() != '[' || json.Unmarshal(v, &parts, wire.Lenient) != nil {
		return ""
	}
	for _, p := range parts {
		if text := wire.String(p.Refusal); text != "" {
			return text
		}
	}
	return ""
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

// contentText returns the answer's bytes: a string, nothing, or a list of text parts as some servers
// write it, without those that say that they are thinking.
func contentText(v jsontext.Value) ([]byte, bool) {
	return textsIn(v, func(p contentPart) jsontext.Value {
		if p.isThinking() {
			return nil
		}
		return p.Text
	})
}

// contentPart is one of a list.
type contentPart struct {
	Type      jsontext.Value `json:"type"`
	Text      jsontext.Value `json:"text"`
	Thinking  jsontext.Value `json:"thinking"`  // Mistral, LiteLLM
	Reasoning jsontext.Value `json:"reasoning"` // LangChain
	Summary   jsontext.Value `json:"summary"`   // Databricks
}

func (p contentPart) isThinking() bool {
	kind := wire.String(p.Type)
	return strings.Contains(kind, "thinking") || strings.Contains(kind, "reasoning") || kind == "thought"
}

// textsIn returns a string, or what a list's parts have in a place, which may be such a list again.
func textsIn(v jsontext.Value, place func(contentPart) jsontext.Value) ([]byte, bool) {
	if !wire.IsPresent(v) {
		return nil, true
	}
	switch v.Kind() {
	case '"':
		return wire.Unquote(v), true
	case '[':
		var parts []contentPart
		if json.Unmarshal(v, &parts, wire.Lenient) != nil {
			return nil, false
		}
		var text []byte
		for _, p := range parts {
			inner, _ := textsIn(place(p), anyText)
			text = append(text, inner...)
		}
		return text, true
	}
	return nil, false
}

func anyText(p contentPart) jsontext.Value { return p.Text }

// detailedThinking returns the thinking in OpenRouter's list of details, whole or in summary.
func detailedThinking(v jsontext.Value) string {
	var parts []struct {
		Text    jsontext.Value `json:"text"`
		Summary jsontext.Value `json:"summary"`
	}
	if v.Kind() != '[' || json.Unmarshal(v, &parts, wire.Lenient) != nil {
		return ""
	}
	var all []string
	for _, p := range parts {
		if text := cmp.Or(wire.String(p.Text), wire.String(p.Summary)); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// contentThinking returns the thinking in a list of parts.
func contentThinking(v jsontext.Value) string {
	if v.Kind() != '[' {
		return ""
	}
	text, _ := textsIn(v, func(p contentPart) jsontext.Value {
		for _, place := range []jsontext.Value{p.Thinking, p.Reasoning, p.Summary} {
			if wire.IsPresent(place) {
				return place
			}
		}
		if p.isThinking() {
			return p.Text
		}
		return nil
	})
	return string(text)
}
