package wire

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/activities/model"
)

// service refuses some forms of a request in some words.
type service struct {
	refuses func(model.Request, JSONMode) *model.Error
	asked   []string // how, in order
}

func (s *service) send(r model.Request, mode JSONMode) (model.Response, *model.Error) {
	how := string(mode)
	if !hasSystem(r.Messages) {
		how += " user"
	}
	s.asked = append(s.asked, how)
	if fault := s.refuses(r, mode); fault != nil {
		return model.Response{}, fault
	}
	return model.Response{Text: []byte("yes")}, nil
}

var formed = model.Request{
	Messages: []model.Message{{Role: "system", Content: "rules"}, {Role: "user", Content: "now?"}},
	Schema:   []byte(`{"type":"object"}`), Name: "ballot", IdempotencyKey: "k",
}

func refusal(status int, message string) *model.Error {
	fault := FaultOf(status, Words{Message: message})
	return &model.Error{Fault: fault, Class: fault.Class(), Status: status, Message: message}
}

// A schema that a refusal names, in whatever words, is left out from then on, after one refusal.
func TestSchemaIsNamedInARefusal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  int
		message string
	}{
		{400, "This response_format type is unavailable now"},
		{400, "The provided JSON schema contains features not supported by xgrammar."},
		{400, `Grammar error: Unimplemented keys: ["additionalProperties"]`},
		{400, "Guided decoding is not supported with this backend"},
		{400, "output_config: Extra inputs are not permitted"},
		{422, `[{"loc":["body","response_format"],"msg":"Extra inputs are not permitted"}]`},
		{500, "grammar: failed to compile"},
		{404, "No endpoints found that support the requested parameter response_format"},
	} {
		s := &service{refuses: func(_ model.Request, mode JSONMode) *model.Error {
			if mode == Schema {
				return refusal(c.status, c.message)
			}
			return nil
		}}
		f := Forms{JSON: Auto}
		for range 2 {
			got, err := f.Complete(formed, s.send)
			if err != nil || len(got.Waived) != 1 {
				t.Errorf("%d %s: %v, waived %q", c.status, c.message, err, got.Waived)
			}
		}
		if got := fmt.Sprint(s.asked); got != "[schema plain plain]" {
			t.Errorf("%d %s: asked %s", c.status, c.message, got)
		}
	}
}

// A refusal that does not name the schema is answered without it, for that request alone: it
// may be chance. Not before the third in a row is the schema left out.
func TestSchemaIsRefusedWithoutWords(t *testing.T) {
	t.Parallel()
	for _, e := range []*model.Error{
		refusal(400, "invalid params"), refusal(422, "nope"), refusal(500, "EngineCore encountered an issue"), refusal(500, ""), refusal(501, "not implemented"),
	} {
		for chance, want := range map[int]string{ // how many requests with a schema fail
			1: "[schema plain schema schema schema schema]",
			2: "[schema plain schema plain schema schema schema]",
			9: "[schema plain schema plain schema plain plain plain]",
		} {
			failed := 0
			s := &service{refuses: func(_ model.Request, mode JSONMode) *model.Error {
				if mode == Schema && failed < chance {
					failed++
					return e
				}
				return nil
			}}
			f := Forms{JSON: Auto}
			for range 5 {
				if _, err := f.Complete(formed, s.send); err != nil {
					t.Errorf("%v: %v", e, err)
				}
			}
			if got := fmt.Sprint(s.asked); got != want {
				t.Errorf("%v, %d times: asked %s, want %s", e, chance, got, want)
			}
		}
	}
}

// What is not a refusal of a schema is not asked without it.
func TestOtherFaultsKeepTheSchema(t *testing.T) {
	t.Parallel()
	for _, e := range []*model.Error{
		refusal(429, "response_format"), refusal(503, "schema"), refusal(401, "schema"), refusal(404, "no such model"), refusal(402, "schema"),
		refusal(400, "Your account balance is insufficient for json_schema"), refusal(504, "schema"),
	} {
		s := &service{refuses: func(model.Request, JSONMode) *model.Error { return e }}
		f := Forms{JSON: Auto}
		if _, err := f.Complete(formed, s.send); err == nil || len(s.asked) != 1 {
			t.Errorf("%v: asked %s", e, s.asked)
		}
	}
}

// Where a schema was taken, one refusal of it is chance: the same request is asked again with
// it. A schema of another name that breaks the service is left out alone.
func TestRefusalAfterTakingASchema(t *testing.T) {
	t.Parallel()
	refused := false
	s := &service{refuses: func(r model.Request, mode JSONMode) *model.Error {
		if mode == Schema && (refused || r.Name == "message") {
			return refusal(400, "unexpected tokens remaining in message header")
		}
		return nil
	}}
	f := Forms{JSON: Auto}
	ask := func(name string) string {
		r := formed
		r.Name, s.asked = name, nil
		_, err := f.Complete(r, s.send)
		return fmt.Sprint(s.asked, err == nil)
	}
	for i, c := range []struct{ name, want string }{
		{"ballot", "[schema] true"}, {"message", "[schema plain] true"}, {"message", "[schema plain] true"}, {"message", "[schema plain] true"}, {"message", "[plain] true"}, {"ballot", "[schema] true"},
	} {
		if got := ask(c.name); got != c.want {
			t.Errorf("request %d, %s: asked %s, want %s", i, c.name, got, c.want)
		}
	}
	refused = true
	if got := ask("ballot"); got != "[schema] false" {
		t.Errorf("asked %s", got)
	}
}

// A model without a role system is found by its refusal, also together with a schema.
func TestNoSystemRole(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"System role not supported", "Developer instruction is not enabled for models/gemma-3-27b-it", "Only user and assistant roles are supported!",
		"Conversation roles must alternate user/assistant/user/assistant/...", "the role 'system' is not allowed", "system messages are not supported by this model",
	} {
		var last model.Request
		s := &service{refuses: func(r model.Request, mode JSONMode) *model.Error {
			last = r
			if hasSystem(r.Messages) {
				return refusal(400, message)
			}
			if mode == Schema {
				return refusal(400, "schema")
			}
			return nil
		}}
		f := Forms{JSON: Auto}
		got, err := f.Complete(formed, s.send)
		if err != nil || len(got.Waived) != 2 || fmt.Sprint(s.asked) != "[schema schema user plain user]" || last.IdempotencyKey != "k/user/plain" {
			t.Errorf("%s: %v, waived %q, asked %s with %s", message, err, got.Waived, s.asked, last.IdempotencyKey)
		}
		if len(last.Messages) != 1 || last.Messages[0].Role+" "+last.Messages[0].Content != "user rules\n\nnow?" {
			t.Errorf("%s: sent %+v", message, last.Messages)
		}
		s.asked = nil
		if _, err := f.Complete(formed, s.send); err != nil || fmt.Sprint(s.asked) != "[plain user]" {
			t.Errorf("%s: asked %s again", message, s.asked)
		}
	}
	if formed.Messages[1].Content != "now?" {
		t.Error("the request was changed")
	}
}

func TestDropBlank(t *testing.T) {
	t.Parallel()
	say := func(text string) (all []model.Message) {
		for m := range strings.SplitSeq(text, "|") {
			role, content, _ := strings.Cut(m, ":")
			all = append(all, model.Message{Role: role, Content: content})
		}
		return all
	}
	for text, want := range map[string]string{
		"system:s|user:a":                 "system:s|user:a",
		"user:a|user:b":                   "user:a|user:b", // as they were written
		"user:a|assistant: \n|user:again": "user:a\n\nagain",
		"user:a|assistant:b|user:c":       "user:a|assistant:b|user:c",
		"system:|user:a":                  "user:a",
		"user:":                           "user:", // nothing else is left to say
	} {
		if got := DropBlank(say(text)); fmt.Sprint(got) != fmt.Sprint(say(want)) {
			t.Errorf("%q becomes %v", text, got)
		}
	}
}
