package labels

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/record"
	"roundtable/envs/jsonschema"
	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

// Words are the instructions to labellers of dialogue acts, in our own words.
//
//go:embed words.txt
var Words string

// Said is one message and its author.
type Said struct {
	From string `json:"from"` // name of the agent
	Text string `json:"text"`
}

// Question is one message to label, after what was said in the round before.
type Question struct {
	Before  []Said `json:"previous_round"`
	Message Said   `json:"message"`
}

// AboutLast returns the question about the last of some messages, after the others.
func AboutLast(said []Said) Question {
	last := len(said) - 1
	return Question{Before: said[:last:last], Message: said[last]}
}

// Messages returns the prompt; words are the instructions. The texts are inside a JSON document, so
// message text cannot inject instructions.
func (q Question) Messages(words string) []model.Message {
	if q.Before == nil {
		q.Before = []Said{}
	}
	return jsonDocument(words, q)
}

// Whole is a question about a whole collaboration, for code books whose unit it is.
type Whole struct {
	Transcript []Said `json:"transcript"`
}

// Messages returns the prompt, as Question.Messages does.
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

// Acts returns the form of answers that name the paper's dialogue acts.
func Acts() Form { return Form{"acts", record.Acts[:], Parse} }

// Form describes a labeller's answer to the model, and parses it.
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

// Turn returns the turn that asks for the acts of the message. order says where it is stored and
// who is asked. Labels of finished collaborations and those that a stopping rule needs during a run
// are the same question, which a lake answers once.
func (q Question) Turn(order calls.Order, words string, generate plan.Generate, reasks int) calls.Question {
	order.Messages = q.Messages(words)
	return Turn(order, generate, reasks, Acts())
}

// Turn returns the question that asks a labeller for labels in form f; order has the messages, and
// whom to ask. reasks bounds the repeats after unusable answers.
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

// Rules is the name of the labeller that follows rules.
const Rules = "scripted/labeller"

// rules labels by words. It is not a language model: it shows how the machinery
// works, and gives figures for scripted agents. Its labels are marked simulated.
type rules struct{}

// NewRules returns the labeller that labels by rules on words. The same message after the same
// round always gets the same labels.
func NewRules() model.Model { return rules{} }

// signs are the words that give an act away.
var signs = map[string]*regexp.Regexp{
	"Request":    regexp.MustCompile(`(?i)\?|\b(please (tell|share|say|let)|tell (me|us)|what do you|let (me|us) know|i('d| would) like to (know|hear))\b`),
	"Confirm":    regexp.MustCompile(`(?i)\b(is (that|this|it) (right|correct|so)|(right|correct)\?|(can|could) (you|we|anyone) (confirm|verify)|do i understand|did you mean|to confirm)`),
	"Summarize":  regexp.MustCompile(`(?i)\b(in (summary|short|sum)|to (summari[sz]e|sum up|recap)|so far,? we|all in all)\b`),
	"Evaluate":   regexp.MustCompile(`(?i)\b(i (think|believe|feel|estimate|prefer)|in my (view|opinion)|(un)?fair|good|better|best|bad|worse|worst|matters? (most )?to me|percent of what|seems|sounds)\b`),
	"Propose":    regexp.MustCompile(`(?i)\b(i (propose|suggest)|my (proposal|suggestion|recommendation)|let'?s|let us|how about|what (about|if)|we (could|should))\b`),
	"Compromise": regexp.MustCompile(`(?i)\b(compromise|middle (way|ground)|meet (you |each other )?halfway|in return|if you (give|leave|let|take)|trade|split the difference|both of us)\b`),
	"Defend":     regexp.MustCompile(`(?i)\b(i (still|insist|maintain|stand by|stick)|as i said|keep(ing)? (to )?my|nevertheless)\b`),
	"Accept":     regexp.MustCompile(`(?i)\b(i (can |could |will |would )?(accept|agree)|agreed|works for me|fine with me|i support|deal)\b`),
	"Decline":    regexp.MustCompile(`(?i)\b(i (can ?not|can'?t|will not|won'?t|do not|don'?t) (accept|agree|support)|disagree|decline|reject|no deal|refuse)\b`),
	"Inform":     regexp.MustCompile(`(?i)\d|\b(my|mine|i (have|need|want|value|know|found|like)|the (user|movie|film|present plan|plan|average)|nothing is settled)\b`),
}

// Complete answers the document of the last message, without looking at anything else.
func (rules) Complete(_ context.Context, r model.Request) (model.Response, error) {
	var q Question
	if err := r.ReadDocument(&q); err != nil {
		return model.Response{}, err
	}
	text, err := json.Marshal(map[string][]string{"acts": q.byRules()})
	return model.Response{Text: text, Model: Rules, FinishReason: "stop"}, err
}

// byRules returns the acts whose signs the message has. What was said in the same
// words in the round before informs nobody; a refusal is not a consent.
func (q Question) byRules() []string {
	var acts []string
	for _, act := range record.Acts {
		sign, ok := signs[act]
		if !ok || !sign.MatchString(q.Message.Text) {
			continue
		}
		if act == "Inform" && q.isRepeat() || act == "Accept" && signs["Decline"].MatchString(q.Message.Text) {
			continue
		}
		acts = append(acts, act)
	}
	if acts == nil {
		acts = []string{"Others"}
	}
	return acts
}

func (q Question) isRepeat() bool { return slices.Contains(q.Before, q.Message) }
