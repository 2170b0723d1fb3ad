package prompt

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// parseBallot reads a ballot in a JSON object or, where the step allows it, one that stands alone.
func parseBallot(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error) {
	if step.Payload.Bare {
		if a, ok := parseBare(raw, step.Payload.Ballot); ok {
			return a, nil
		}
	}
	return inObject(withExplanation(parseDecision))(raw, step, inst)
}

func parseDecision(object jsontext.Value, step transcript.Step, _ envs.Instance) (Answer, error) {
	spec := step.Payload.Ballot
	var m struct {
		Reason   jsontext.Value `json:"reason_for_decision"`
		Decision jsontext.Value `json:"decision"`
	}
	if err := json.Unmarshal(object, &m); err != nil || m.Decision == nil {
		return Answer{}, errors.New(`it needs "decision": a ballot, or null to cast none`)
	}
	a := Answer{Reason: text(m.Reason)}
	if isNone(m.Decision) {
		a.Act = transcript.Act{Status: transcript.Abstained, Ballot: &transcript.Ballot{Abstain: true}}
		return a, nil
	}
	b, err := ballot(m.Decision, spec)
	if err == nil {
		err = spec.Validate(b)
	}
	if err != nil {
		return Answer{}, err
	}
	a.Act = transcript.Act{Status: transcript.Said, Ballot: &b}
	return a, nil
}

var bareNumbers = regexp.MustCompile(`^(?i:solutions? )?(\d{1,9}(?:[\s,]+\d{1,9})*)\.?$`)

// parseBare reads a ballot that stands alone, as paper 2's agents write it: a
// number, numbers apart by commas or spaces, or an object of candidates and points.
func parseBare(raw []byte, spec transcript.BallotSpec) (Answer, bool) {
	if plain(raw) != nil {
		return Answer{}, false
	}
	words, err := aloud(raw)
	if err != nil {
		return Answer{}, false
	}
	words = strings.TrimSpace(words)
	value := jsontext.Value(words)
	if m := bareNumbers.FindStringSubmatch(words); m != nil {
		numbers := strings.FieldsFunc(m[1], func(r rune) bool { return r < '0' || r > '9' })
		for i, n := range numbers {
			if numbers[i] = strings.TrimLeft(n, "0"); numbers[i] == "" {
				numbers[i] = "0"
			}
		}
		if value = jsontext.Value(strings.Join(numbers, ",")); spec.Kind != transcript.Choose {
			value = jsontext.Value("[" + string(value) + "]")
		}
	}
	if !value.IsValid() {
		return Answer{}, false
	}
	b, err := ballot(value, spec)
	if err != nil || spec.Validate(b) != nil {
		return Answer{}, false
	}
	return Answer{Act: transcript.Act{Status: transcript.Said, Ballot: &b}}, true
}

// ballot reads a ballot whose candidates are numbered from 1.
func ballot(v jsontext.Value, spec transcript.BallotSpec) (transcript.Ballot, error) {
	switch spec.Kind {
	case transcript.Choose:
		c, err := wholeNumber(v)
		if err != nil {
			return transcript.Ballot{}, errors.New(`"decision" must be the number of one candidate, or null`)
		}
		return transcript.Ballot{Choice: c - 1}, nil
	case transcript.Rank, transcript.Approve:
		var items []jsontext.Value
		if json.Unmarshal(v, &items) != nil {
			return transcript.Ballot{}, errors.New(`"decision" must be a list of candidates' numbers, or null`)
		}
		var b transcript.Ballot
		for _, item := range items {
			c, err := wholeNumber(item)
			if err != nil {
				return b, errors.New(`"decision" must be a list of candidates' numbers, or null`)
			}
			b.Order = append(b.Order, c-1)
		}
		if spec.Kind == transcript.Approve {
			slices.Sort(b.Order)
		}
		return b, nil
	}
	return points(v, spec)
}

// points reads {"1": 5, "2": 3}. What is left out has no points; a rating that is left out is marked.
func points(v jsontext.Value, spec transcript.BallotSpec) (transcript.Ballot, error) {
	wrong := errors.New(`"decision" must map candidates' numbers to whole numbers, as {"1": 3, "2": 1}, or be null`)
	var given map[string]jsontext.Value
	if json.Unmarshal(v, &given) != nil {
		return transcript.Ballot{}, wrong
	}
	b := transcript.Ballot{Points: make([]int, spec.N)}
	found := 0
	for c := range b.Points {
		value, ok := given[strconv.Itoa(c+1)]
		switch {
		case ok && spec.Partial && isNone(value): // left out, as schemas that require every name have it
			b.Points[c] = leftOut(spec)
			found++
		case ok:
			p, err := wholeNumber(value)
			if err != nil || p < 0 {
				return b, wrong
			}
			b.Points[c] = p
			found++
		case spec.Kind == transcript.Rate && !spec.Partial:
			return b, fmt.Errorf("candidate %d is not rated; all must be", c+1)
		default:
			b.Points[c] = leftOut(spec)
		}
	}
	if found != len(given) {
		return b, fmt.Errorf("it names a candidate that is not there; candidates are 1 to %d", spec.N)
	}
	return b, nil
}

// leftOut returns what a candidate gets that a ballot says nothing of: no points, or
// the mark of one that is not rated.
func leftOut(spec transcript.BallotSpec) int {
	if spec.Kind == transcript.Rate {
		return -1
	}
	return 0
}

// wholeNumber reads a whole number: 2, "2", 2.0 or 2e0.
func wholeNumber(v jsontext.Value) (int, error) {
	var s string
	if json.Unmarshal(v, &s) == nil {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
		return int(n), err
	}
	var f float64
	if err := json.Unmarshal(v, &f); err != nil {
		return 0, err
	}
	if f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, errors.New("no whole number")
	}
	return int(f), nil
}
