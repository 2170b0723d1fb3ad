package wire

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readEvents returns the events of a stream, and whether it says that it is whole: server-sent
// events, a list, or objects on lines of their own; none if the body is not a stream.
func readEvents(body []byte) (events []jsontext.Value, whole bool) {
	isStream := false
	for _, start := range []string{"data:", "event:", "id:", "retry:", ":"} {
		isStream = isStream || bytes.HasPrefix(body, []byte(start))
	}
	if !isStream {
		return readObjects(body), false
	}
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		if data = bytes.TrimSpace(data); !ok || len(data) == 0 {
			continue
		}
		if string(data) == "[DONE]" {
			whole = true
			continue
		}
		if !isValid(data) {
			data = repairJSON(data)
		}
		if isValid(data) {
			events = append(events, data)
		}
	}
	return events, whole
}

var namesParts = regexp.MustCompile(`"(choices|candidates|error)"`)

// readObjects returns the objects of a list, or those that stand on lines of their own; none if
// there is anything else.
func readObjects(body jsontext.Value) (objects []jsontext.Value) {
	if len(body) == 0 || body[0] != '[' && (body[0] != '{' || isValid(body)) || !namesParts.Match(body) {
		return nil
	}
	if body[0] == '[' {
		if isValid(body) {
			objects = listOf(body)
		}
	} else {
		for line := range bytes.SplitSeq(body, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				objects = append(objects, line)
			}
		}
	}
	for _, object := range objects {
		if object.Kind() != '{' || !isValid(object) {
			return nil
		}
	}
	return objects
}

// event is one part of a streamed answer, in the form of any of the services.
type event struct {
	Type    jsontext.Value `json:"type"`
	Error   jsontext.Value `json:"error"`
	Usage   jsontext.Value `json:"usage"`
	Choices []struct {
		Message jsontext.Value `json:"message"`
	} `json:"choices"`
	Candidates jsontext.Value `json:"candidates"`    // Google
	Metadata   jsontext.Value `json:"usageMetadata"` // Google
	Response   jsontext.Value `json:"response"`      // Responses, and what wraps Google's
	Item       jsontext.Value `json:"item"`          // Responses
	Message    jsontext.Value `json:"message"`       // Anthropic, at the start
	Index      jsontext.Value `json:"index"`         // Anthropic
	Block      jsontext.Value `json:"content_block"` // Anthropic
	Delta      jsontext.Value `json:"delta"`         // Anthropic: an object; Responses: a text
	Content    jsontext.Value `json:"content"`       // Anthropic, whole
	Output     jsontext.Value `json:"output"`        // Responses, whole
}

// unfinished is the end of a stream that breaks off.
const unfinished = `"incomplete"`

// joinEvents makes one answer of a stream's parts, in the form in which its service answers
// without one; nil if they are of no service that is known. The bytes of texts are kept.
func joinEvents(events []jsontext.Value, whole bool) jsontext.Value {
	answer, items, said := &merged{}, &merged{}, &merged{}
	end := "" // the member that says how the answer ended
	for _, data := range events {
		var e event
		if data.Kind() != '{' || json.Unmarshal(data, &e, Lenient) != nil {
			continue
		}
		switch kind := String(e.Type); {
		case HasError(e.Error):
			return data
		case kind == "error": // of Responses
			return slices.Concat([]byte(`{"error":`), data, []byte("}"))
		case strings.HasPrefix(kind, "response."):
			switch {
			case kind == "response.output_item.done":
				items.items = append(items.items, newMerged(e.Item))
			case kind == "response.output_text.delta":
				said.add("text", 0, e.Delta)
			case IsPresent(e.Response) && kind != "response.created" && kind != "response.in_progress" &&
				kind != "response.queued":
				return joinResponse(e.Response, items, said)
			}
		case len(e.Choices) > 0:
			if end = "finish_reason"; IsPresent(e.Choices[0].Message) { // it is whole, or so far
				delete(answer.members, "choices")
			}
			answer.add("", 0, data)
		case IsPresent(e.Content), IsPresent(e.Output):
			return data // it is whole
		case kind == "message_start":
			end = "stop_reason"
			answer.add("", 0, e.Message)
		case kind == "content_block_start":
			answer.child("content").slot(e.Index).add("", 0, e.Block)
		case kind == "content_block_delta":
			block := answer.child("content").slot(e.Index)
			block.add("", 0, withoutType(e.Delta))
		case kind == "message_delta":
			end = "stop_reason"
			answer.add("", 0, e.Delta)
			answer.child("usage").add("", 0, e.Usage)
		case kind == "message_stop":
			whole = true
		case IsPresent(e.Candidates):
			end = "finishReason"
			answer.add("", 0, data)
		case IsPresent(e.Response): // as Google's Code Assist wraps each
			end = "finishReason"
			answer.add("", 0, e.Response)
		case IsPresent(e.Usage), IsPresent(e.Metadata):
			answer.add("", 0, data)
		}
	}
	if answer.members["content"] != nil && end == "" {
		end = "stop_reason"
	}
	if end == "" {
		if said.kind != 0 { // Responses, which broke off
			return jsontext.Value(`{"status":"incomplete","output_text":` + string(said.bytes()) + `}`)
		}
		return nil
	}
	place := answer
	for _, list := range []string{"choices", "candidates"} {
		if all := answer.members[list]; all != nil && len(all.items) > 0 {
			place = all.items[0]
		}
	}
	if place.members[end] == nil && place.members["message"] == nil && !whole {
		place.add("", 0, jsontext.Value(`{"`+end+`":`+unfinished+`}`))
	}
	return answer.bytes()
}

// joinResponse returns the final response, completed with what was streamed if the server left that out.
func joinResponse(final jsontext.Value, items, said *merged) jsontext.Value {
	answer := newMerged(final)
	if output := answer.members["output"]; answer.kind != '{' || output != nil && len(output.items) > 0 {
		return final
	}
	switch {
	case len(items.items) > 0:
		items.kind = '['
		*answer.child("output") = *items
	case said.kind != 0:
		*answer.child("output_text") = *said
	default:
		return final
	}
	return answer.bytes()
}

// withoutType returns a delta without its type, which is that of the event, and with a part of
// arguments as input.
func withoutType(delta jsontext.Value) jsontext.Value {
	var members map[string]jsontext.Value
	if delta.Kind() != '{' || json.Unmarshal(delta, &members, Lenient) != nil {
		return nil
	}
	delete(members, "type")
	if part, ok := members["partial_json"]; ok {
		members["input"] = part
		delete(members, "partial_json")
	}
	out, err := json.Marshal(members, Lenient)
	if err != nil {
		return nil
	}
	return out
}

// grows are the members whose texts continue from event to event.
var grows = map[string]bool{"content": true, "text": true, "refusal": true, "reasoning": true,
	"reasoning_content": true, "reasoning_text": true, "thinking": true, "thought": true, "thoughts": true,
	"arguments": true, "input": true, "summary": true}

// merged is a JSON value that is assembled from stream events: the texts of grows are concatenated, the
// larger of two numbers is kept, lists are appended (items with an index are merged), and of anything else
// the latest value wins.
type merged struct {
	kind    jsontext.Kind
	members map[string]*merged
	items   []*merged
	slots   map[string]*merged // items by their index
	scalar  []byte
}

func newMerged(v jsontext.Value) *merged {
	m := &merged{}
	m.add("", 0, v)
	return m
}

// child returns the named member, which is made if there is none.
func (m *merged) child(name string) *merged {
	m.kind = '{'
	if m.members == nil {
		m.members = map[string]*merged{}
	}
	if m.members[name] == nil {
		m.members[name] = &merged{}
	}
	return m.members[name]
}

// slot returns the item with an index, which is made if there is none.
func (m *merged) slot(index jsontext.Value) *merged {
	m.kind = '['
	if m.slots == nil {
		m.slots = map[string]*merged{}
	}
	at := Scalar(index)
	if m.slots[at] == nil {
		m.slots[at] = &merged{}
		m.items = append(m.items, m.slots[at])
	}
	return m.slots[at]
}

// mostNested is how deep values are merged; what is deeper is of the latest event.
const mostNested = 12

// add merges the value v of the member called name.
func (m *merged) add(name string, depth int, v jsontext.Value) {
	if depth > mostNested {
		*m = merged{scalar: bytes.Clone(v), kind: 't'}
		return
	}
	switch kind := v.Kind(); kind {
	case '{':
		var members map[string]jsontext.Value
		if json.Unmarshal(v, &members, Lenient) != nil {
			return
		}
		m.kind = '{'
		for name, member := range members {
			if IsPresent(member) {
				m.child(name).add(name, depth+1, member)
			}
		}
	case '[':
		if m.kind == '"' && grows[name] { // a text that goes on as a list of parts
			m.items = append(m.items, textPart(m.scalar))
		}
		m.kind = '['
		for _, one := range listOf(v) {
			var item struct {
				Index jsontext.Value `json:"index"`
			}
			ReadObject(one, &item)
			if item.Index == nil && (name == "choices" || name == "candidates") {
				item.Index = jsontext.Value("0")
			}
			if item.Index != nil && one.Kind() == '{' {
				m.slot(item.Index).add("", depth+1, one)
			} else {
				m.items = append(m.items, &merged{})
				m.items[len(m.items)-1].add("", depth+1, one)
			}
		}
	case '"':
		switch {
		case m.kind == '[' && grows[name]:
			m.items = append(m.items, textPart(v))
		case m.kind == '"' && grows[name]:
			m.scalar = append(append(m.scalar[:len(m.scalar)-1], v[1:len(v)-1]...), '"')
		case m.kind != '"' || len(v) > len(`""`):
			m.kind, m.scalar = kind, bytes.Clone(v)
		}
	case '0':
		if m.kind != '0' || parseDollars(string(v)) > parseDollars(string(m.scalar)) {
			m.kind, m.scalar = kind, bytes.Clone(v)
		}
	case 't', 'f':
		m.kind, m.scalar = kind, bytes.Clone(v)
	}
}

func textPart(text jsontext.Value) *merged {
	return newMerged(jsontext.Value(`{"type":"text","text":` + string(text) + `}`))
}

// bytes returns the JSON of the value; null if there is none.
func (m *merged) bytes() (out jsontext.Value) {
	switch m.kind {
	case '{':
		out = append(out, '{')
		for _, name := range slices.Sorted(maps.Keys(m.members)) {
			quoted, err := jsontext.AppendQuote(nil, name)
			if err != nil {
				continue
			}
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, quoted...), ':'), m.members[name].bytes()...)
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		for i, item := range m.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, item.bytes()...)
		}
		return append(out, ']')
	case 0:
		return jsontext.Value("null")
	}
	return m.scalar
}
