package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/transcript"
)

// Limits of an answer's size.
const (
	MaxAnswer = 256 << 10 // bytes
	maxDepth  = 64        // of nesting
)

// Answer is what was read from a model's answer.
type Answer struct {
	Act      transcript.Act
	Text     string        // what others may see
	Reason   string        // private
	Thinking string        // private, and not read: nobody is shown it
	ReadAs   string        // how a proposal or ballot was found: "stated", "json", …; see the column read_as
	Proposal envs.Proposal // canonical; "" if none
}

// Reply is what a service returned for one question.
type Reply struct {
	Raw      []byte
	Thinking string // what the service gave apart from the text
	Cut      bool   // it was cut off: at the limit of its tokens, for one
}

// IsCut reports whether a finish reason says that an answer was cut off, at max_tokens or at the
// end of the model's context.
func IsCut(finish string) bool { return finish == "length" || finish == "context_length" }

// ParseReply reads a reply in the step's format. The error tells the model what to fix; with it
// come the thinking and, for a free text, the text.
func ParseReply(r Reply, step transcript.Step, inst envs.Instance) (Answer, error) {
	f, ok := formats[step.Payload.Format]
	if !ok {
		return Answer{}, fmt.Errorf("no answer can have the format %q", step.Payload.Format)
	}
	apart := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(r.Thinking, "\uFFFD"), "\x00", ""))
	names := objectNames[step.Payload.Format]
	elsewhere := ""
	if len(bytes.TrimSpace(r.Raw)) == 0 && apart != "" {
		if names == nil || !isObject(apart) {
			return Answer{Thinking: apart},
				fmt.Errorf("it is empty; all that was sent is thinking (%d characters), which is not read as an answer",
					len([]rune(apart)))
		}
		r.Raw, apart, elsewhere = []byte(apart), "", ", sent as thinking"
	}
	if err := checkText(r.Raw); err != nil {
		return Answer{Thinking: apart}, err
	}
	inside := isNowhere
	if names != nil {
		inside = withinObject
	}
	said, thought, err := splitThinking(string(r.Raw), r.Cut, inside)
	var a Answer
	if err == nil {
		a, err = f.parse(said, r.Cut, step, inst)
	}
	if err == nil {
		err = check(a, step, inst)
	}
	if a.ReadAs != "" {
		a.ReadAs += elsewhere
	}
	a.Thinking = strings.TrimSpace(apart + "\n" + thought)
	return a, err
}

// isObject reports whether a text is one JSON object and nothing else.
func isObject(text string) bool {
	start, end, err := strictObject([]byte(text))
	return err == nil && start == 0 && end == len(text)
}

func parseText(text string, _ bool, _ transcript.Step, _ envs.Instance) (Answer, error) {
	if strings.TrimSpace(text) == "" {
		return Answer{}, errors.New("it is empty")
	}
	return Answer{Act: transcript.Act{Status: transcript.Said}, Text: text}, nil
}

// parseAnswer reads a free text that ends with an answer. Beside the error
// that there is none comes the text: others may see it all the same.
func parseAnswer(text string, cut bool, step transcript.Step, inst envs.Instance) (Answer, error) {
	a, err := parseText(text, cut, step, inst)
	if err != nil {
		return a, err
	}
	p, readAs, err := finalAnswer(a.Text, cut, inst)
	if err != nil {
		return a, err
	}
	a.Proposal, a.ReadAs, a.Act.Key = p, readAs, Key(p)
	if stated, ok := statedConfidence(a.Text); ok && step.Payload.Confidence {
		a.Act.Values = []float64{stated}
	}
	return a, nil
}

var confidenceLine = regexp.MustCompile(`(?im)^[ \t*_]*confidence[ \t*_]*:[ \t*_]*([0-9]{1,3})[ \t]*%?[ \t*_.]*\r?$`)

// statedConfidence returns the last one that a text states, as a share of 1. An answer
// without one is as good as any: it is only not known to be sure.
func statedConfidence(text string) (float64, bool) {
	stated := confidenceLine.FindAllStringSubmatch(text, -1)
	if len(stated) == 0 {
		return 0, false
	}
	percent, err := strconv.Atoi(stated[len(stated)-1][1])
	return float64(percent) / 100, err == nil && percent <= 100
}

// finalAnswer returns the answer that a text ends with, and how it was found: what the environment
// finds, or else the one JSON object that is in it.
func finalAnswer(text string, cut bool, inst envs.Instance) (p envs.Proposal, readAs string, err error) {
	if answering, ok := inst.(envs.Answering); ok {
		return answering.Answer(text, cut)
	}
	object, repairs, err := objectIn(text, cut)
	if err != nil {
		return "", "", err
	}
	p, err = inst.Parse(object)
	return p, readAsJSON(repairs), err
}

// readAsJSON says that an answer was JSON, and what of it was repaired.
func readAsJSON(repairs []string) string {
	if len(repairs) == 0 {
		return "json"
	}
	return "json, repaired: " + strings.Join(repairs, ", ")
}

// checkText returns what keeps an answer from being read as text at all.
func checkText(raw []byte) error {
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return errors.New("it is empty")
	case len(raw) > MaxAnswer:
		return fmt.Errorf("it has %d bytes; expected at most %d", len(raw), MaxAnswer)
	case !utf8.Valid(raw):
		return errors.New("it is not valid UTF-8")
	case bytes.IndexByte(raw, 0) >= 0:
		return errNUL
	}
	return nil
}

var errNUL = errors.New("it holds a NUL character")

func parseMessage(object jsontext.Value, step transcript.Step, inst envs.Instance) (Answer, error) {
	var m struct {
		Reason  jsontext.Value `json:"reason_for_decision"`
		Target  jsontext.Value `json:"target"`
		Message *string        `json:"message"`
	}
	if err := json.Unmarshal(object, &m); err != nil || m.Message == nil {
		return Answer{}, errors.New(`it needs "target" (a list of names) and "message" (a text)`)
	}
	if strings.ContainsRune(*m.Message, 0) {
		return Answer{}, errNUL
	}
	to, err := parseTargets(m.Target, inst.Agents())
	if err != nil {
		return Answer{}, err
	}
	return Answer{Act: transcript.Act{Status: transcript.Said, To: to}, Text: cut(*m.Message, step.Payload.MaxText),
		Reason: textOf(m.Reason)}, nil
}

// withExplanation takes the explanation in an answer, if its step asks for one,
// as the text that comes with it.
func withExplanation(parse objectParser) objectParser {
	return func(object jsontext.Value, step transcript.Step, inst envs.Instance) (Answer, error) {
		a, err := parse(object, step, inst)
		var m struct {
			Explanation jsontext.Value `json:"explanation"`
		}
		if step.Payload.Reasoned && json.Unmarshal(object, &m) == nil && !isNone(m.Explanation) {
			a.Text = textOf(m.Explanation)
		}
		return a, err
	}
}

// parseTargets returns the addressed agents in ascending order; none means everybody.
func parseTargets(v jsontext.Value, agents []envs.Agent) ([]int, error) {
	var names []string
	var one string
	switch {
	case isNone(v):
		return nil, nil
	case json.Unmarshal(v, &one) == nil:
		names = []string{one}
	case json.Unmarshal(v, &names) != nil:
		return nil, errors.New(`"target" must be a list of names`)
	}
	var to []int
	all := false
	for _, name := range names {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(agents, func(a envs.Agent) bool { return strings.EqualFold(a.Name, name) })
		switch {
		case i >= 0 && !slices.Contains(to, i):
			to = append(to, i)
		case i < 0 && slices.Contains([]string{"all", "everyone", "everybody", "*"}, strings.ToLower(name)):
			all = true
		case i < 0:
			return nil, fmt.Errorf("there is no agent named %q to address; there are %s", Clean([]byte(name), 60),
				wording.And(Names(agents)))
		}
	}
	if all {
		return nil, nil
	}
	slices.Sort(to)
	return to, nil
}

// parseProposalText reads a proposal in the form that is asked for, or in one that has no other meaning.
func parseProposalText(text string, cut bool, step transcript.Step, inst envs.Instance) (Answer, error) {
	return inObject(withExplanation(parseProposal), newProposalShaper(inst))(text, cut, step, inst)
}

func parseProposal(object jsontext.Value, _ transcript.Step, inst envs.Instance) (Answer, error) {
	var m struct {
		Reason   jsontext.Value `json:"reason_for_decision"`
		Proposal jsontext.Value `json:"proposal"`
	}
	if err := json.Unmarshal(object, &m); err != nil || m.Proposal == nil {
		return Answer{}, errors.New(`it needs "proposal": a proposal, or null to propose nothing`)
	}
	a := Answer{Reason: textOf(m.Reason)}
	if isNone(m.Proposal) {
		a.Act.Status = transcript.Skipped
		return a, nil
	}
	p, err := inst.Parse(m.Proposal)
	if err != nil {
		return Answer{}, err
	}
	a.Proposal, a.Text = p, string(p)
	a.Act = transcript.Act{Status: transcript.Said, Key: Key(p)}
	return a, nil
}

// isNone accepts null and the words None, which prompts of this field use, and Abstain.
func isNone(v jsontext.Value) bool {
	var s string
	return len(v) == 0 || string(v) == "null" || json.Unmarshal(v, &s) == nil &&
		(strings.EqualFold(strings.TrimSpace(s), "none") || strings.EqualFold(strings.TrimSpace(s), "abstain"))
}

// textOf returns a value as text: models sometimes reason in lists or objects.
func textOf(v jsontext.Value) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return strings.ReplaceAll(s, "\x00", "")
	}
	return string(v)
}

// Clean makes model text safe to show: valid UTF-8, no control characters, at most max bytes.
func Clean(raw []byte, max int) string {
	s := strings.ToValidUTF8(string(raw[:min(len(raw), max)]), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}
