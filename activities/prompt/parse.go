package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// Bounds of an answer.
const (
	MaxAnswer   = 256 << 10 // bytes
	maxDepth    = 64        // of nesting
	maxThoughts = 8         // blocks of thinking before an answer
)

// Answer is what an answer says.
type Answer struct {
	Act      transcript.Act
	Text     string        // what others may see
	Reason   string        // private
	Proposal envs.Proposal // canonical; "" if none
}

// Marks that reasoning models put around their thinking; servers whose prompt
// ends with the first one answer with the second one only.
var thinking, spoken = []byte("<think>"), []byte("</think>")

var errThinking = errors.New("its thinking never ends with </think>, so it holds no answer")

// Object finds the one JSON object of an answer. Thinking, prose or a code
// fence around it is passed over; a second object, names given twice (also in
// another case), deep nesting and broken text are errors.
func Object(raw []byte) (jsontext.Value, error) {
	if err := plain(raw); err != nil {
		return nil, err
	}
	start, end, err := object(raw)
	for range maxThoughts {
		mark := bytes.Index(raw, spoken)
		if mark < 0 || err == nil && start < mark && mark < end { // none, or within the object
			break
		}
		raw = raw[mark+len(spoken):]
		start, end, err = object(raw)
	}
	switch mark := bytes.Index(raw, thinking); {
	case mark >= 0 && (err != nil || mark < start):
		return nil, errThinking
	case err != nil:
		return nil, err
	case bytes.IndexByte(raw[end:], '{') >= 0:
		return nil, errors.New("it holds more than one JSON object")
	}
	return jsontext.Value(raw[start:end]), nil
}

// object returns the extent of the first JSON object.
func object(raw []byte) (start, end int, err error) {
	if start = bytes.IndexByte(raw, '{'); start < 0 {
		return 0, 0, errors.New("it holds no JSON object")
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw[start:]))
	names := map[string]bool{} // of the object itself, in lower case
	for {
		token, err := dec.ReadToken()
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return 0, 0, errors.New("its JSON gives a name twice")
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return 0, 0, errors.New("its JSON ends too early")
		case err != nil:
			return 0, 0, fmt.Errorf("its JSON is broken at byte %d, counted from the first {", dec.InputOffset())
		case dec.StackDepth() > maxDepth:
			return 0, 0, fmt.Errorf("its JSON is nested more than %d deep", maxDepth)
		case dec.StackDepth() == 0:
			return start, start + int(dec.InputOffset()), nil
		}
		if _, n := dec.StackIndex(1); dec.StackDepth() == 1 && n%2 == 1 {
			name := strings.ToLower(token.String())
			if names[name] {
				return 0, 0, fmt.Errorf("its JSON gives the name %q twice, in different case", Clean([]byte(name), 60))
			}
			names[name] = true
		}
	}
}

// aloud is free text without the thinking before it, which is private.
func aloud(raw []byte) (string, error) {
	if _, after, ended := bytes.Cut(raw, spoken); ended {
		raw = bytes.TrimSpace(after)
		if len(raw) == 0 {
			return "", errors.New("nothing follows its thinking")
		}
	} else if bytes.HasPrefix(bytes.TrimSpace(raw), thinking) {
		return "", errThinking
	}
	return string(raw), nil
}

func parseText(raw []byte, _ transcript.Step, _ envs.Instance) (Answer, error) {
	if err := plain(raw); err != nil {
		return Answer{}, err
	}
	words, err := aloud(raw)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Act: transcript.Act{Status: transcript.Said}, Text: words}, nil
}

// parseAnswer reads a free text that ends with an answer. Beside the error
// that there is none comes the text: others may see it all the same.
func parseAnswer(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error) {
	a, err := parseText(raw, step, inst)
	if err != nil {
		return Answer{}, err
	}
	p, err := final(a.Text, inst)
	if err != nil {
		return a, err
	}
	a.Proposal, a.Act.Key = p, Key(p)
	if stated, ok := confidence(a.Text); ok && step.Payload.Confidence {
		a.Act.Values = []float64{stated}
	}
	return a, nil
}

var confidenceLine = regexp.MustCompile(`(?im)^[ \t*_]*confidence[ \t*_]*:[ \t*_]*([0-9]{1,3})[ \t]*%?[ \t*_.]*\r?$`)

// confidence returns the last one that a text states, as a share of 1. An answer
// without one is as good as any: it is only not known to be sure.
func confidence(text string) (float64, bool) {
	stated := confidenceLine.FindAllStringSubmatch(text, -1)
	if len(stated) == 0 {
		return 0, false
	}
	percent, err := strconv.Atoi(stated[len(stated)-1][1])
	return float64(percent) / 100, err == nil && percent <= 100
}

// final returns the answer that a text ends with: what the environment finds, or
// else the one JSON object that is in it.
func final(text string, inst envs.Instance) (envs.Proposal, error) {
	if answering, ok := inst.(envs.Answering); ok {
		return answering.Answer(text)
	}
	object, err := Object([]byte(text))
	if err != nil {
		return "", err
	}
	return inst.Parse(object)
}

func plain(raw []byte) error {
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return errors.New("it is empty")
	case len(raw) > MaxAnswer:
		return fmt.Errorf("it has %d bytes; at most %d are accepted", len(raw), MaxAnswer)
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
	to, err := targets(m.Target, inst.Agents())
	if err != nil {
		return Answer{}, err
	}
	return Answer{Act: transcript.Act{Status: transcript.Said, To: to}, Text: cut(*m.Message, step.Payload.MaxText), Reason: text(m.Reason)}, nil
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
			a.Text = text(m.Explanation)
		}
		return a, err
	}
}

// targets returns the addressed agents in ascending order; none means everybody.
func targets(v jsontext.Value, agents []envs.Agent) ([]int, error) {
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
			return nil, fmt.Errorf("there is no agent named %q to address; there are %s", Clean([]byte(name), 60), wording.And(Names(agents)))
		}
	}
	if all {
		return nil, nil
	}
	slices.Sort(to)
	return to, nil
}

func parseProposal(object jsontext.Value, _ transcript.Step, inst envs.Instance) (Answer, error) {
	var m struct {
		Reason   jsontext.Value `json:"reason_for_decision"`
		Proposal jsontext.Value `json:"proposal"`
	}
	if err := json.Unmarshal(object, &m); err != nil || m.Proposal == nil {
		return Answer{}, errors.New(`it needs "proposal": a proposal, or null to propose nothing`)
	}
	a := Answer{Reason: text(m.Reason)}
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

// isNone accepts null and the word None, which prompts of this field use.
func isNone(v jsontext.Value) bool {
	var s string
	return len(v) == 0 || string(v) == "null" || json.Unmarshal(v, &s) == nil && strings.EqualFold(strings.TrimSpace(s), "none")
}

// text returns a value as text: models sometimes reason in lists or objects.
func text(v jsontext.Value) string {
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
