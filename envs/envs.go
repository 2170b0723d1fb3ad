// Package envs defines what agents decide about. An Environment deals
// Instances: private observations, an outcome space and utilities. After
// construction everything here is pure: no clock, no I/O, no global
// randomness, and the same arguments give the same answer on every machine.
package envs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// Environment is one kind of decision problem, built with its parameters.
type Environment interface {
	// Version changes whenever the same arguments would deal, parse or score differently.
	Version() int
	// Measure is what Score.Value measures.
	Measure() Measure
	// Instances returns the number of different instances; 0 means unlimited.
	Instances() int
	// Instance deals instance index (from 0) of the campaign's seed.
	Instance(seed uint64, index int) (Instance, error)
	// Prompts holds task.tmpl (what everybody is told), background.tmpl (what one
	// agent alone is told) and proposal.tmpl (the form of a proposal), each
	// executed with the agent's Observation as its data. There may be an
	// answer.tmpl: how a free text ends with a proposal.
	Prompts() fs.FS
	// Policies lists the scripted behaviours of this environment, the default first.
	Policies() []string
	// Policy builds the scripted agent of this name; decode fills its parameters.
	Policy(name string, decode Decode) (Policy, error)
}

// Decode fills the parameter struct that v points to. Unknown keys and wrong types are errors; a
// field without a key keeps its present value (the default).
type Decode func(v any) error

// DecodeStrict returns a Decode of the JSON object data. Without data all fields keep their
// values. The error of an unknown key lists the known ones.
func DecodeStrict(data []byte) Decode {
	return func(v any) error {
		if len(data) == 0 {
			return nil
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		err := dec.Decode(v)
		if err == nil {
			return nil
		}
		unknown := refuseUnknown(data, reflect.TypeOf(v), "")
		wrong := json.Unmarshal(data, v)
		if _, isType := errors.AsType[*json.UnmarshalTypeError](wrong); unknown != nil && !isType {
			return unknown
		}
		if wrong != nil {
			return errors.Join(unknown, explainType(wrong))
		}
		return err
	}
}

// explainType says in words what a value of another type should have been.
func explainType(err error) error {
	wrong, is := errors.AsType[*json.UnmarshalTypeError](err)
	if !is || wrong.Field == "" {
		return err
	}
	expected := map[reflect.Kind]string{
		reflect.Float64: "a number", reflect.Bool: "true or false", reflect.String: "a text", reflect.Slice: "a list",
		reflect.Struct: "an object",
		reflect.Int:    "a whole number", reflect.Int32: "a whole number", reflect.Int64: "a whole number",
	}[wrong.Type.Kind()]
	return fmt.Errorf("%s: expected %s, got %s", wrong.Field, cmp.Or(expected, wrong.Type.String()), wrong.Value)
}

// refuseUnknown names every key that its object does not know, of objects within, too. A type that
// reads itself refuses what it does not know.
func refuseUnknown(data []byte, t reflect.Type, within string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	var errs []error
	switch t.Kind() {
	case reflect.Slice:
		var list []json.RawMessage
		_ = json.Unmarshal(data, &list) // what is no list has no unknown key
		for i, item := range list {
			errs = append(errs, refuseUnknown(item, t.Elem(), fmt.Sprintf("%s[%d]", within, i)))
		}
	case reflect.Map, reflect.Struct:
		var object map[string]json.RawMessage
		_ = json.Unmarshal(data, &object)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			path := strings.TrimPrefix(within+"."+name, ".")
			if t.Kind() == reflect.Map {
				errs = append(errs, refuseUnknown(object[name], t.Elem(), path))
			} else if field, ok := fieldOf(t, name); ok {
				errs = append(errs, refuseUnknown(object[name], field, path))
			} else {
				known := wording.Keys(t)
				errs = append(errs, fmt.Errorf("unknown key %q; %s%s", path, wording.Known(known),
					wording.DidYouMean(name, known)))
			}
		}
	}
	return errors.Join(errs...)
}

// fieldOf returns the type of a key of an object, as encoding/json matches them.
func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && strings.EqualFold(wording.Key(f), name) {
			return f.Type, true
		}
	}
	return nil, false
}

// Measure is what Score.Value measures, and so which value a group without a decision gets.
type Measure string

const (
	// Share of the best possible, from 0 to 1: 0 without a decision.
	Share Measure = "share"
	// Error with a minus before it, at most 0: not defined without a decision.
	Error Measure = "error"
	// Scored is a share that a program or a judge gives to final decisions (Outside, Judged): 0
	// without a decision; decisions within rounds have no score.
	Scored Measure = "scored"
)

// Instance is one problem as dealt.
type Instance interface {
	// ID names the instance in the tables; it is stable and needs no quoting.
	ID() string
	// Agents are the members of the group, in index order.
	Agents() []Agent
	// Observe is all that one agent knows at the start: the data of the prompt
	// templates and of scripted policies.
	Observe(agent int) any
	// Parse validates one proposal in JSON as a model wrote it and returns it in
	// canonical form: equal proposals have equal texts. The error says what is
	// wrong and what is accepted, in words that can be shown to the model.
	Parse(proposal []byte) (Proposal, error)
	// Utility is what the proposal is worth to one agent, in the environment's own unit.
	Utility(agent int, p Proposal) float64
	// Score is the worth of a decision to the group.
	Score(p Proposal) Score
}

// Agent is one member of the group.
type Agent struct {
	Name string
}

// Proposal is a point of the outcome space in canonical JSON, made only by Instance.Parse.
type Proposal string

// Score is the worth of a decision to the group.
type Score struct {
	// Value is comparable over rounds, higher is better: see Environment.Measure.
	Value float64
	// Utilities are by agent, in the environment's own unit.
	Utilities []float64
}

// Compared is an Instance that knows what simple methods without agents would
// decide, for comparison in the tables.
type Compared interface {
	Baselines() []Baseline
}

// Baseline is the Score.Value that a simple method's decision would get; see Compared.
type Baseline struct {
	Name  string
	Score float64
}

// Explained is an Instance that says what it is about to readers of a finished
// transcript, who may know more than any agent: the right answer, for one.
type Explained interface {
	Facts() []Fact
}

// Fact is one thing that readers are told.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Questioned is an Instance that is a question.
type Questioned interface {
	Question() Question
}

// Question is what an instance asks, for readers who may know the right answer.
type Question struct {
	Text    string
	Context string     // what it is about
	Options []string   // in the order of their letters, as dealt
	Keys    []Proposal // the right answers, as Parse returns them
	Source  string     // the data file with the line or row
}

// KeyJSON returns the right answers as a JSON list; nil if none is known.
func (q Question) KeyJSON() *string {
	if len(q.Keys) == 0 {
		return nil
	}
	list := make([]json.RawMessage, len(q.Keys))
	for i, key := range q.Keys {
		list[i] = json.RawMessage(key)
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic("envs: " + err.Error()) // proposals are JSON
	}
	return new(string(data))
}

// Identified is an Instance of the user's data with an identity that does not depend on its ID:
// two instances have equal identities if and only if they are the same problem with the same
// right answer.
type Identified interface {
	Identity() string
}

// Surveyed is an Environment that reads the user's data, and says how.
type Surveyed interface {
	Survey(seed uint64) (Survey, error)
}

// Survey says how a data set was read, for the user to check.
type Survey struct {
	Files     []string `json:"files"`
	Instances int      `json:"instances"`
	Read      []Fact   `json:"read"`               // parts of an instance, with the columns that they are read from
	Unused    []string `json:"unused"`             // columns that nothing is read from
	Keys      []Fact   `json:"keys,omitempty"`     // letters of options, with how many right answers each has
	Example   []Fact   `json:"example"`            // the first instance as it is dealt, with its right answer
	Notes     []string `json:"notes,omitempty"`    // what else was done
	Warnings  []string `json:"warnings,omitempty"` // what is probably not intended
}

// Answering is an Instance that finds the answer in a free text.
type Answering interface {
	// Answer returns the answer in text and how it was found, such as "stated". cut says that text
	// was cut off: then only a stated answer counts. The error says what is missing, in words that
	// can be shown to the model.
	Answer(text string, cut bool) (p Proposal, readAs string, err error)
}

// Cue asks the environment itself for an entry of a transcript. The environment defines the names
// and what N counts.
type Cue struct {
	Name  string
	N     int
	Shown []Shown `json:"-"` // what the step sees, in its order
}

// Contribution is the answer to a Cue: a text, proposals that all mean the same, or both.
type Contribution struct {
	Text      string
	Proposals []Proposal
	Simulated bool // a scripted agent wrote it
}

// Cued is an Instance that answers cues of a protocol, such as "gold".
type Cued interface {
	Cue(Cue) (Contribution, error)
}

// Policy is a scripted agent. It reads only the Situation, which holds no more
// than a model's prompt would.
type Policy interface {
	// Message is what the agent says in a message phase.
	Message(Situation) Message
	// Propose is the proposal in JSON as Instance.Parse takes it; ok is false if the agent makes
	// none.
	Propose(Situation) (proposal string, ok bool)
	// Value is how much the agent likes a candidate, from 0 to 1.
	Value(s Situation, p Proposal) float64
	// Reserve is the value below which the agent would rather not choose a candidate, from 0 to 1.
	Reserve(Situation) float64
}

// Message is a free text with its addressees (indices of agents; none means everybody).
type Message struct {
	From int // -1 is a speaker with a role
	To   []int
	Text string
}

// Offer is a proposal that Agent made and that the agent of the Situation has seen.
type Offer struct {
	Agent    int
	Round    int
	Proposal Proposal
}

// Situation is what an agent knows when it is asked.
type Situation struct {
	Agent       int
	Role        string // of a speaker that is not an agent, such as a summarizer
	Agents      []Agent
	Round       int // from 1
	Rounds      int
	Observation any
	Messages    []Message // seen so far, oldest first
	Offers      []Offer   // seen so far, oldest first
	Standing    Proposal  // the group's present decision; "" before the first
	Notes       []Shown   // its own estimates and what tools told it, oldest first
	// Weights say, by agent, how much the protocol lets each one's state count
	// now: 0 for one that is not heard. Nil means that all count the same.
	Weights []float64
	// Rand is the source of all that a Policy leaves to chance: a stream of its own at each step.
	Rand *rand.Rand
}
