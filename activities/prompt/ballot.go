package prompt

import (
	"cmp"
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
	"roundtable/envs/reading"
	"roundtable/workflows/transcript"
)

// parseBallot reads a ballot in a JSON object or, where the step allows it, one that stands alone.
func parseBallot(text string, cut bool, step transcript.Step, inst envs.Instance) (Answer, error) {
	if step.Payload.Bare {
		if a, ok := parseBare(text, cut, step.Payload.Ballot); ok {
			return a, nil
		}
	}
	return inObject(withExplanation(parseDecision), newBallotShaper(step))(text, cut, step, inst)
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
	a := Answer{Reason: textOf(m.Reason)}
	if isNone(m.Decision) {
		a.Act = transcript.Act{Status: transcript.Abstained, Ballot: &transcript.Ballot{Abstain: true}}
		return a, nil
	}
	b, err := ballotOf(m.Decision, spec)
	if err == nil {
		err = spec.Validate(b)
	}
	if err != nil {
		return Answer{}, err
	}
	a.Act = transcript.Act{Status: transcript.Said, Ballot: &b}
	return a, nil
}

// candidate is how texts name one: 2, #2, "Solution 2".
const candidate = `(?:(?:solutions?|candidates?|options?|proposals?|answers?)[ \t]*)?#?[ \t]*(\d{1,9})`

var (
	oneCandidate = regexp.MustCompile(`(?i)^` + candidate + `\.?$`)
	number       = regexp.MustCompile(`\d+`)
	// listed are candidates one after another, alone or after what the line is.
	listed = regexp.MustCompile(`(?i)^(?:((?:(?:my|the|final|overall|approved?|approval|ranking|ranked|rank|order|vote|ballot|answer|choice|decision|list|solutions?|candidates?|is|of)\s*)+[:=]|(?:i|we) (?:would )?(?:approve|rank|choose|accept)(?: of)?)\s*)?[\[(]?(` +
		candidate + `(?:(?:\s*(?:,|;|&|>|→|≻|\band\b)+\s*|\s+)(?:and\s+)?` + candidate + `)*)[\])]?\.?$`)
	// place is a line of a ranking, pair one of points.
	place = regexp.MustCompile(`(?i)^(\d{1,9})(?:[.)]|st|nd|rd|th|:)[ \t]*(?:place:?[ \t]*)?(?:solution|candidate|option|proposal|answer)[ \t]*#?[ \t]*(\d{1,9})[.,;]?$`)
	pair  = regexp.MustCompile(`(?i)^["']?` + candidate +
		`["']?[ \t]*(?:[:=]+>?[ \t]*|[–—-]+(?:>[ \t]*|[ \t]+))(\d{1,9})(?:[ \t]*(?:points?|pts?)|/\d+)?\.?$`)
	// opensPair begins a line that says something of a candidate.
	opensPair = regexp.MustCompile(`(?i)^["']?` + candidate + `["']?[ \t]*[:=–—-]`)
	markdown  = regexp.MustCompile("(?m)\\\\boxed\\{([^{}]*)\\}|^```\\w*$|[*_`$]+|^[ \\t]*[-•][ \\t]+")
)

// ballotInWords returns the ballot that a text writes without JSON, as JSON: candidates in a row,
// places or points by line; the text itself if it does not.
func ballotInWords(text string, kind transcript.BallotKind) jsontext.Value {
	plain := strings.TrimSpace(markdown.ReplaceAllString(text, "$1"))
	lines := strings.FieldsFunc(plain, func(r rune) bool { return r == '\n' })
	if kind == transcript.Rank || kind == transcript.Approve {
		m := listed.FindStringSubmatch(plain)
		if m == nil && len(lines) > 1 {
			if m = listed.FindStringSubmatch(strings.TrimSpace(lines[len(lines)-1])); m != nil && m[1] == "" {
				m = nil // a number by itself below others is not all that is said
			}
			if slices.ContainsFunc(lines[:len(lines)-1],
				func(line string) bool { return listed.MatchString(strings.TrimSpace(line)) }) {
				m = nil // nor is one of two such lines
			}
		}
		var order []string
		if m != nil && (kind == transcript.Rank || !strings.ContainsAny(m[2], ">→≻")) {
			order = number.FindAllString(m[2], -1)
		}
		for n := range lines {
			if m := place.FindStringSubmatch(strings.TrimSpace(lines[n])); m != nil && kind == transcript.Rank &&
				m[1] == strconv.Itoa(len(order)+1) {
				order = append(order, m[2])
			}
		}
		if len(order) == 0 {
			return jsontext.Value(text)
		}
		for i, n := range order {
			order[i] = cmp.Or(strings.TrimLeft(n, "0"), "0")
		}
		return jsontext.Value("[" + strings.Join(order, ",") + "]")
	}
	isRow := strings.HasPrefix(plain, "{") && strings.HasSuffix(plain, "}") || len(lines) == 1
	if isRow {
		lines = strings.Split(strings.Trim(plain, "{}"), ",")
	}
	var pairs []string
	for n, line := range lines {
		m := pair.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil && (isRow || len(pairs) > 0 || n == len(lines)-1 ||
			opensPair.MatchString(strings.TrimSpace(line))) {
			return jsontext.Value(text)
		}
		if m != nil {
			pairs = append(pairs, strconv.Quote(m[1])+":"+cmp.Or(strings.TrimLeft(m[2], "0"), "0"))
		}
	}
	return jsontext.Value("{" + strings.Join(pairs, ",") + "}")
}

const longestBallot = 8 << 10 // bytes of one that stands alone

// parseBare reads a ballot that stands alone, as paper 2's agents write it: numbers apart by
// commas or spaces, an object of candidates and points, or one candidate that a text states.
func parseBare(text string, cut bool, spec transcript.BallotSpec) (Answer, bool) {
	words, readAs := strings.TrimSpace(text), string(reading.Alone)
	if len(words) > longestBallot {
		return Answer{}, false
	}
	if spec.Kind == transcript.Choose && !strings.Contains(words, "{") {
		found, err := reading.Candidates(spec.N).Read(words, cut)
		if err != nil {
			return Answer{}, false
		}
		words, readAs = found.Text, string(found.Way)
	} else if cut {
		return Answer{}, false
	}
	value := jsontext.Value(words)
	if spec.Kind != transcript.Choose && !(value.IsValid() && strings.ContainsAny(words, "[{")) {
		value = ballotInWords(words, spec.Kind)
	}
	if !value.IsValid() {
		return Answer{}, false
	}
	b, err := ballotOf(value, spec)
	if err != nil || spec.Validate(b) != nil {
		return Answer{}, false
	}
	return Answer{Act: transcript.Act{Status: transcript.Said, Ballot: &b}, ReadAs: readAs}, true
}

// ballotOf reads a ballot whose candidates are numbered from 1.
func ballotOf(v jsontext.Value, spec transcript.BallotSpec) (transcript.Ballot, error) {
	switch spec.Kind {
	case transcript.Choose:
		c, err := wholeNumber(v)
		if err != nil {
			return transcript.Ballot{}, errors.New(`"decision" must be the number of one candidate, or null`)
		}
		return transcript.Ballot{Choice: c - 1}, nil
	case transcript.Rank, transcript.Approve:
		var items []jsontext.Value
		var row string
		if json.Unmarshal(v, &row) == nil { // "2, 1, 3"
			v = ballotInWords(row, spec.Kind)
		}
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
	return parsePoints(v, spec)
}

// parsePoints reads {"1": 5, "2": 3}. What is left out has no points; a rating that is left out is marked.
func parsePoints(v jsontext.Value, spec transcript.BallotSpec) (transcript.Ballot, error) {
	wrong := errors.New(`"decision" must map candidates' numbers to whole numbers, as {"1": 3, "2": 1}, or be null`)
	var given map[string]jsontext.Value
	if json.Unmarshal(v, &given) != nil {
		return transcript.Ballot{}, wrong
	}
	for name, value := range given {
		m := oneCandidate.FindStringSubmatch(strings.TrimSpace(name))
		if m == nil || m[1] == name {
			continue
		}
		if _, twice := given[m[1]]; twice {
			return transcript.Ballot{}, fmt.Errorf("it names candidate %s twice", m[1])
		}
		delete(given, name)
		given[m[1]] = value
	}
	b := transcript.Ballot{Points: make([]int, spec.N)}
	found := 0
	for c := range b.Points {
		value, ok := given[strconv.Itoa(c+1)]
		switch {
		case ok && spec.Partial && isNone(value): // left out, as schemas that require every name have it
			b.Points[c] = countLeftOut(spec)
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
			b.Points[c] = countLeftOut(spec)
		}
	}
	if found != len(given) {
		return b, fmt.Errorf("it names a candidate that is not there; candidates are 1 to %d", spec.N)
	}
	return b, nil
}

// countLeftOut returns what a candidate gets that a ballot says nothing of: no points, or
// the mark of one that is not rated.
func countLeftOut(spec transcript.BallotSpec) int {
	if spec.Kind == transcript.Rate {
		return -1
	}
	return 0
}

// wholeNumber reads a whole number: 2, "2", 2.0, 2e0 or "Solution 2".
func wholeNumber(v jsontext.Value) (int, error) {
	var s string
	if json.Unmarshal(v, &s) == nil {
		if m := oneCandidate.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
			s = m[1]
		}
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
