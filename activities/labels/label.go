package labels

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/record"
	"roundtable/envs/jsonschema"
	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

// Words is what labellers are told, in our own words.
//
//go:embed words.txt
var Words string

// Said is one message.
type Said struct {
	From string `json:"from"` // name of the agent
	Text string `json:"text"`
}

// Question is one message to label, after what was said in the round before.
type Question struct {
	Before  []Said `json:"previous_round"`
	Message Said   `json:"message"`
}

// Messages returns the question as a model gets it. The texts are inside a JSON
// document, so message text cannot inject instructions.
func (q Question) Messages(words string) []model.Message {
	if q.Before == nil {
		q.Before = []Said{}
	}
	return jsonDocument(words, q)
}

// Whole is a question about a whole collaboration.
type Whole struct {
	Transcript []Said `json:"transcript"`
}

// Messages returns the question as a model gets it, as that about a message.
func (q Whole) Messages(words string) []model.Message { return jsonDocument(words, q) }

func jsonDocument(words string, q any) []model.Message {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(q); err != nil {
		panic("label: " + err.Error()) // strings always marshal
	}
	return []model.Message{{Role: "system", Content: words}, {Role: "user", Content: b.String()}}
}

// Acts returns the form of answers about the paper's acts.
func Acts() Form { return Form{"acts", record.Acts[:], Parse} }

// Form is how a labeller's answer is described to the model and read.
type Form struct {
	Name   string   // of the list
	Labels []string // that can be in it
	Parse  func(raw []byte) (labels []string, err error)
}

// Schema returns the JSON Schema of an answer: a list of at least one label, none of them twice.
func (f Form) Schema() json.RawMessage {
	list := jsonschema.Set(jsonschema.OneOf(f.Labels...), 1, len(f.Labels))
	return jsonschema.Object(jsonschema.Property{Name: f.Name, Schema: list}).JSON()
}

// answer returns the form with an example, which has the last of the labels.
func (f Form) answer() prompt.Form {
	return prompt.Form{Schema: f.Schema(), Example: fmt.Sprintf("{%q: [%q]}", f.Name, f.Labels[len(f.Labels)-1])}
}

// Turn returns the turn that asks for the acts of a message: where it is stored and who is
// asked says the order. Labels of finished collaborations and those that a stopping rule
// needs on the way are the same question, which a lake answers once.
func (q Question) Turn(order calls.Order, words string, generate plan.Generate, reasks int) calls.Question {
	order.Messages = q.Messages(words)
	return Turn(order, generate, reasks, Acts())
}

// Turn returns the turn that asks a labeller what the messages of an order say.
func Turn(order calls.Order, generate plan.Generate, reasks int, f Form) calls.Question {
	order.Longest = generate.MaxTokens
	t := calls.Question{Order: order, Reasks: reasks, Form: f.answer(), Read: f.read, Hash: prompt.Hash(order.Messages)}
	t.Request = func(before []answers.Answer) model.Request {
		return t.After(before, model.Parameters(generate), f.Name)
	}
	// Whose message it is makes no difference to its label: the same question is answered once.
	t.CacheKey = func(r model.Request, mode string, ask int) (string, error) {
		return answers.CacheKey(answers.Question{
			Model: order.Provider.Name, Sent: r, Mode: mode,
			Speaker: transcript.Speaker{Role: "labeller"}, Ask: ask,
		})
	}
	return t
}

// read fills a turn from an answer: its text is the list of labels, which are the act's tags.
func (f Form) read(raw []byte, t *answers.Turn) error {
	labels, err := f.Parse(raw)
	if err != nil {
		return err
	}
	text, err := json.Marshal(labels)
	t.Act, t.Text = transcript.Act{Status: transcript.Said, Tags: labels}, string(text)
	return err
}
