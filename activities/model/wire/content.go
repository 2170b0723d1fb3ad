package wire

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
)

// Content is what an answer consists of, in whichever parts its service sends it.
type Content struct {
	Text     []byte
	Thinking string // the thoughts, on lines of their own
	Refusal  string // the words in which the model refuses
	Called   []jsontext.Value
}

// part is one of an answer's, with the members that any service gives it.
type part struct {
	Type      jsontext.Value `json:"type"`
	Text      jsontext.Value `json:"text"`
	Refusal   jsontext.Value `json:"refusal"`
	Thought   jsontext.Value `json:"thought"` // Google: true, beside the text
	Channel   jsontext.Value `json:"channel"` // harmony
	Phase     jsontext.Value `json:"phase"`   // Responses
	Thinking  jsontext.Value `json:"thinking"`
	Think     jsontext.Value `json:"think"`
	Reasoning jsontext.Value `json:"reasoning"`
	Summary   jsontext.Value `json:"summary"`
	Bedrock   jsontext.Value `json:"reasoningContent"`
	Within    jsontext.Value `json:"reasoningText"`
	Content   jsontext.Value `json:"content"`
	Input     jsontext.Value `json:"input"`     // Anthropic
	Arguments jsontext.Value `json:"arguments"` // Responses
	Google    jsontext.Value `json:"functionCall"`
	Converse  jsontext.Value `json:"toolUse"`
}

// privately matches the names of types, channels and phases that hold thinking.
var privately = regexp.MustCompile(`(?i)think|thought|reason|analysis|commentary|summary|scratchpad|reflection|chain.?of|\bcot\b`)

// IsPrivate reports whether a type, channel or phase holds thinking.
func IsPrivate(name jsontext.Value) bool { return privately.MatchString(String(name)) }

func (p part) isThinking() bool {
	thought := p.Thought.Kind()
	return IsPrivate(p.Type) || IsPrivate(p.Channel) || IsPrivate(p.Phase) || thought == 't' ||
		thought == '"' && String(p.Thought) != "" && String(p.Thought) != "false"
}

// calledArguments returns those of the function that a part calls; nil if it calls none.
func (p part) calledArguments() jsontext.Value {
	if kind := String(p.Type); kind == "tool_use" || kind == "function_call" {
		return firstPresent(p.Input, p.Arguments)
	}
	var google, converse struct {
		Arguments jsontext.Value `json:"args"`
		Input     jsontext.Value `json:"input"`
	}
	ReadObject(p.Google, &google)
	ReadObject(p.Converse, &converse)
	return firstPresent(google.Arguments, converse.Input)
}

// readThoughts returns the thinking in a part.
func (p part) readThoughts(depth int) string {
	where := firstPresent(p.Thinking, p.Think, p.Reasoning, p.Bedrock, p.Within, p.Summary)
	if p.isThinking() {
		where = firstPresent(where, p.Text, p.Content)
	}
	return readThinking(where, depth)
}

func firstPresent(values ...jsontext.Value) jsontext.Value {
	for _, v := range values {
		if IsPresent(v) {
			return v
		}
	}
	return nil
}

// ReadThinking returns the texts in a place that holds nothing but thinking: a text, a part or a
// list of them, on lines of their own.
func ReadThinking(v jsontext.Value) string { return readThinking(v, deepest) }

func readThinking(v jsontext.Value, depth int) string {
	if v.Kind() == '"' || depth == 0 {
		return String(v)
	}
	var all []string
	for _, one := range listOf(v) {
		var text string
		if one.Kind() == '{' {
			var p part
			ReadObject(one, &p)
			if text = p.readThoughts(depth - 1); text == "" {
				text = readThinking(firstPresent(p.Text, p.Content), depth-1)
			}
		} else {
			text = String(one)
		}
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// listOf returns the values of a list, or the value itself.
func listOf(v jsontext.Value) (list []jsontext.Value) {
	switch {
	case v.Kind() == '[' && json.Unmarshal(v, &list, Lenient) == nil:
		return list
	case v.Kind() == '{':
		return []jsontext.Value{v}
	}
	return nil
}

// ReadContent reads an answer that is a string, a part or a list of both. ok is false for anything else, and
// if parts claim to have texts and no text is a string.
func ReadContent(v jsontext.Value) (c Content, ok bool) { return readContent(v, deepest) }

func readContent(v jsontext.Value, depth int) (c Content, ok bool) {
	switch v.Kind() {
	case '"':
		return Content{Text: Unquote(v)}, true
	case '[', '{':
		if depth == 0 {
			return c, false
		}
	default:
		return c, !IsPresent(v)
	}
	var thoughts []string
	strange := false
	for _, one := range listOf(v) {
		if one.Kind() == '"' {
			c.Text = append(c.Text, Unquote(one)...)
			continue
		}
		var p part
		if one.Kind() != '{' || json.Unmarshal(one, &p, Lenient) != nil {
			return Content{}, false
		}
		if text := p.readThoughts(depth); text != "" {
			thoughts = append(thoughts, text)
		}
		if arguments := p.calledArguments(); arguments != nil {
			c.Called = append(c.Called, arguments)
		}
		if c.Refusal == "" {
			c.Refusal = String(p.Refusal)
		}
		if p.isThinking() {
			continue
		}
		inner, ok := readContent(p.Text, depth-1)
		if !ok || p.Text == nil && String(p.Type) == "text" {
			strange = true
			continue
		}
		c.Text = append(c.Text, inner.Text...)
	}
	if strange && len(c.Text) == 0 { // else what there is counts: it is paid
		return Content{}, false
	}
	c.Thinking = strings.Join(thoughts, "\n")
	return c, true
}

// calledEnds are the reasons of answers that ended with the call of a function.
var calledEnds = map[string]bool{"tool_calls": true, "function_call": true, "tool_use": true, "tool_call": true}

// EndCalled returns "stop" if an answer ended with the call of a function, else finish.
func EndCalled(finish string) string {
	if calledEnds[strings.ToLower(finish)] {
		return "stop"
	}
	return finish
}

// FindAnswer returns the answer's text and how it ended: its text, else its refusal, else the one object
// with which the model called a function, though none was offered; elsewhere is then "tool_calls", else "".
func (c Content) FindAnswer(finish string) (text []byte, end, elsewhere string) {
	if len(bytes.TrimSpace(c.Text)) > 0 {
		return c.Text, finish, ""
	}
	if c.Refusal != "" {
		return []byte(c.Refusal), model.Refusal, ""
	}
	if len(c.Called) == 1 {
		if object := ObjectIn(c.Called[0]); object != nil {
			return object, EndCalled(finish), "tool_calls"
		}
	}
	return c.Text, finish, ""
}

// ObjectIn returns v if it is a JSON object, or the object in it if it is a string; else nil.
func ObjectIn(v jsontext.Value) []byte {
	if v.Kind() == '"' {
		v = bytes.TrimSpace(Unquote(v))
	}
	if v.Kind() != '{' || !v.IsValid(Lenient) {
		return nil
	}
	return v
}

// HasError reports whether the member for an error holds one: some servers send an empty one with every
// answer.
func HasError(v jsontext.Value) bool { return hasContent(v, deepest) }

// hasContent reports whether there is anything in a value but empty texts, zeros and false.
func hasContent(v jsontext.Value, depth int) bool {
	switch v.Kind() {
	case '"':
		return String(v) != ""
	case '{':
		var members map[string]jsontext.Value
		if depth == 0 || json.Unmarshal(v, &members, Lenient) != nil {
			return true
		}
		for _, member := range members {
			if hasContent(member, depth-1) {
				return true
			}
		}
		return false
	case '[':
		return len(listOf(v)) > 0
	case '0':
		return string(v) != "0"
	}
	return v.Kind() == 't'
}
