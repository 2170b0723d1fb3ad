package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
)

// Forms remembers what one model does not take: JSON schemas, or messages of the system. It is
// found from a refusal, after which the same prompt is sent without: a refused request was not
// answered, so nothing is paid twice. What is learnt holds as long as the process.
type Forms struct {
	JSON JSONMode

	mu       sync.Mutex
	noSchema map[string]bool // by name; "" for all schemas
	took     map[string]bool // schemas that were taken, by name: their later refusals have another reason
	// suspected counts answers to requests without a schema after the same with it was refused in
	// words that do not name it, by the schema's name.
	suspected map[string]int
	noSystem  bool
}

// Complete asks with send until an answer or a fault is in that another form of the request
// cannot help against. Every error is a *model.Error.
func (f *Forms) Complete(r model.Request,
	send func(model.Request, JSONMode) (model.Response, *model.Error)) (model.Response, error) {
	mode, system := f.formOf(r)
	named := false // the schema, in the words of a refusal
	for {
		sent := r
		if !system && hasSystem(r.Messages) {
			sent.Messages = withoutSystem(r.Messages)
			sent.IdempotencyKey = otherKey(r, "/user")
		}
		if mode == Plain && f.JSON == Auto && len(r.Schema) > 0 {
			sent.IdempotencyKey = otherKey(sent, "/plain")
		}
		response, fault := send(sent, mode)
		switch {
		case fault == nil:
			response.Waived, response.Mode = f.learn(r, mode, system, named), nameForm(r, mode, system)
			return response, nil
		case system && refusesSystem(r, fault):
			system = false
		case f.JSON == Auto && mode == Schema && f.mayRefuseSchema(r, fault):
			mode, named = Plain, namesSchema.MatchString(fault.Message)
		default:
			return model.Response{}, fault
		}
	}
}

// otherKey returns the idempotency key of a request in another form, which has another body.
func otherKey(r model.Request, form string) string {
	if r.IdempotencyKey == "" {
		return ""
	}
	return r.IdempotencyKey + form
}

// ModeOf returns the form in which a request is sent now.
func (f *Forms) ModeOf(r model.Request) string {
	mode, system := f.formOf(r)
	return nameForm(r, mode, system)
}

func nameForm(r model.Request, mode JSONMode, system bool) string {
	if !system && hasSystem(r.Messages) {
		return string(mode) + ", no system message"
	}
	return string(mode)
}

// formOf returns how a request is sent: in which mode, and whether with messages of the system.
func (f *Forms) formOf(r model.Request) (mode JSONMode, system bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.JSON.Of(r, f.noSchema[""] || f.noSchema[r.Name]), !f.noSystem
}

// learn remembers how a request was answered, and returns what it did without.
func (f *Forms) learn(r model.Request, mode JSONMode, system, named bool) (waived []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.took == nil {
		f.took, f.noSchema, f.suspected = map[string]bool{}, map[string]bool{}, map[string]int{}
	}
	switch {
	case mode == Schema:
		f.took[r.Name] = true
	case f.JSON == Auto && len(r.Schema) > 0:
		waived = append(waived, "no JSON schema: the prompt alone asks for the form")
		f.suspected[r.Name]++
		switch {
		case named && len(f.took) == 0: // it has never taken one
			f.noSchema[""] = true
		case named, f.suspected[r.Name] >= noChance:
			f.noSchema[r.Name] = true
		default:
			waived[0] = "no JSON schema this time: with it the request was refused in words that do not name it, " +
				"which may be chance"
		}
	}
	if !system {
		f.noSystem = true
		if hasSystem(r.Messages) {
			waived = append(waived, "no system message: its text stands in front of the user's")
		}
	}
	return waived
}

// noChance is how many requests in a row must be refused with a schema and answered without,
// until a schema that no refusal names is left out from then on: a server may crash over it
// each time. Fewer are perhaps chance, as a status 500 is.
const noChance = 3

// namesSchema finds words of a refusal that are about the form of the answer: it decides about
// a capability of the service.
var namesSchema = regexp.MustCompile(`(?i)response_?format|schema|json[_ ](mode|object)|output_?(config|format)|output format|structured[_ ]output|text\.?format|grammar|guided|response_?mime_?type|requested parameters`)

// quoting are the codes of useless answers whose messages quote how the body begins.
var quoting = []string{"no_candidates", "no_choices", "no_content", "no_message", "not_completed", "strange_content",
	"unreadable_body"}

// mayRefuseSchema reports whether a fault can be that of the schema. Services say so in all
// words, or in none.
func (f *Forms) mayRefuseSchema(r model.Request, e *model.Error) bool {
	f.mu.Lock()
	took := f.took[r.Name]
	f.mu.Unlock()
	if took || e.Code == "json_validate_failed" {
		return false
	}
	named := namesSchema.MatchString(e.Message)
	switch e.Fault {
	case model.Refused, model.Broken:
		return named || slices.Contains([]int{http.StatusBadRequest, http.StatusUnprocessableEntity,
			http.StatusInternalServerError, http.StatusNotImplemented}, e.Status)
	case model.Useless: // answers are paid, and quote what they like
		return named && !slices.Contains(quoting, e.Code)
	case model.Missing, model.Rejected:
		return named && e.Status != http.StatusRequestEntityTooLarge
	case model.Busy, model.Down: // the status is a router's
		return named && strings.Contains(e.Message, "support")
	}
	return false
}

// namesSystem finds words of a refusal that are about the role system.
var namesSystem = regexp.MustCompile(`(?i)\bsystem\b.{0,40}\b(role|message|prompt|instruction)|\brole\b.{0,40}\bsystem\b|developer (instruction|message|role)|\broles?\b.{0,60}(alternate|supported|user|assistant)|first message must\b|\binput should be 'user' or 'assistant'|\bsystem\b.{0,60}\.role\b|systemInstruction|system_instruction|\bsystem (is )?not supported`)

func refusesSystem(r model.Request, e *model.Error) bool {
	return hasSystem(r.Messages) && (e.Fault == model.Refused || e.Fault == model.Broken) &&
		namesSystem.MatchString(e.Message)
}

func hasSystem(messages []model.Message) bool {
	return slices.ContainsFunc(messages, func(m model.Message) bool { return m.Role == "system" })
}

// withoutSystem returns messages with the system's texts in front of the user's first.
func withoutSystem(messages []model.Message) []model.Message {
	var first []string
	var rest []model.Message
	for _, m := range messages {
		if m.Role == "system" {
			first = append(first, m.Content)
		} else {
			rest = append(rest, m)
		}
	}
	if len(first) == 0 {
		return messages
	}
	if len(rest) == 0 || rest[0].Role != "user" {
		rest = slices.Insert(rest, 0, model.Message{Role: "user"})
	}
	rest[0].Content = strings.TrimSpace(strings.Join(append(first, rest[0].Content), "\n\n"))
	rest[0].Ends = nil
	return joinNeighbours(rest)
}

// DropBlank returns messages without blank ones, which say nothing and which services refuse, such
// as an empty answer that is asked for again. If the neighbours of one then have the same role,
// they become one message, since roles must alternate.
func DropBlank(messages []model.Message) []model.Message {
	kept := slices.DeleteFunc(slices.Clone(messages),
		func(m model.Message) bool { return strings.TrimSpace(m.Content) == "" })
	if len(kept) == len(messages) || len(kept) == 0 {
		return messages
	}
	return joinNeighbours(kept)
}

// joinNeighbours makes one message of neighbours of one role.
func joinNeighbours(messages []model.Message) (out []model.Message) {
	for _, m := range messages {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Content += "\n\n" + m.Content
			continue
		}
		out = append(out, m)
	}
	return out
}

// JSONMode is how a service is told that the answer must be JSON.
type JSONMode string

// Modes that all services have; one may have others besides.
const (
	Auto   JSONMode = "auto"   // Schema until the service refuses it, then Plain
	Schema JSONMode = "schema" // the service is given the schema
	Plain  JSONMode = "plain"  // the prompt alone says so
)

// Check returns an error if m is none of accepted. An empty m counts as Auto.
func (m JSONMode) Check(accepted ...JSONMode) error {
	if m == "" || slices.Contains(accepted, m) {
		return nil
	}
	names := make([]string, len(accepted))
	for i, a := range accepted {
		names[i] = string(a)
	}
	return fmt.Errorf("json is %q; it is one of %s", string(m), strings.Join(names, ", "))
}

// Of returns the mode in which r is sent; refused says that the service takes no schema.
func (m JSONMode) Of(r model.Request, refused bool) JSONMode {
	switch {
	case len(r.Schema) == 0:
		return Plain
	case m != Auto:
		return m
	case refused:
		return Plain
	}
	return Schema
}

// Without returns a schema without these keywords, in its order. Services refuse a whole schema for
// one unknown keyword.
func Without(schema json.RawMessage, keywords ...string) json.RawMessage {
	if slices.ContainsFunc(keywords, func(k string) bool { return bytes.Contains(schema, []byte(`"`+k+`"`)) }) {
		return json.RawMessage(withoutKeywords(jsontext.Value(schema), keywords, false))
	}
	return schema
}

// withoutKeywords is Without; named says that the members are properties, whose names are not keywords.
func withoutKeywords(v jsontext.Value, keywords []string, named bool) jsontext.Value {
	dec, b := jsontext.NewDecoder(bytes.NewReader(v)), []byte{}
	open, err := dec.ReadToken()
	if err != nil || open.Kind() != '{' && open.Kind() != '[' {
		return v
	}
	end := jsontext.Kind('}')
	if open.Kind() == '[' {
		end = ']'
	}
	for dec.PeekKind() != end {
		var name jsontext.Value
		if end == '}' {
			if name, err = dec.ReadValue(); err != nil {
				return v
			}
			name = name.Clone()
		}
		value, err := dec.ReadValue()
		if err != nil {
			return v
		}
		word := string(bytes.Trim(name, `"`))
		if !named && slices.Contains(keywords, word) {
			continue
		}
		if len(b) > 0 {
			b = append(b, ',')
		}
		if name != nil {
			b = append(append(b, name...), ':')
		}
		b = append(b, withoutKeywords(value.Clone(), keywords, !named && word == "properties")...)
	}
	return slices.Concat(jsontext.Value{byte(open.Kind())}, b, jsontext.Value{byte(end)})
}

// Bounds returns the JSON Schema keywords, bounds of values, that Anthropic's services refuse, on
// Bedrock too.
func Bounds() []string {
	return []string{"minimum", "maximum", "minItems", "maxItems", "uniqueItems"}
}
