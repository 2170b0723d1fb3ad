package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"roundtable/envs"
)

// description is what a program says of itself.
type description struct {
	Version   int          `json:"version"`
	Measure   envs.Measure `json:"measure"`
	Instances int          `json:"instances"`
	Policies  []string     `json:"policies"`
}

// dealing is an instance as a program deals it.
type dealing struct {
	ID        string          `json:"id"`
	Agents    []member        `json:"agents"`
	Task      string          `json:"task"`     // what all agents read
	Proposal  string          `json:"proposal"` // the form of a proposal
	Problem   json.RawMessage `json:"problem"`  // the program's own, given back to it to read and score proposals
	Facts     []envs.Fact     `json:"facts"`
	Baselines []baseline      `json:"baselines"`
	Error     string          `json:"error"`
}

type member struct {
	Name       string          `json:"name"`
	Background string          `json:"background"` // what it alone reads
	View       json.RawMessage `json:"view"`       // the same for its scripted agent
}

type baseline struct {
	Name  string   `json:"name"`
	Score *float64 `json:"score"`
}

// reading is a proposal as a program reads it, or what is wrong with it.
type reading struct {
	Proposal json.RawMessage `json:"proposal"`
	Error    string          `json:"error"`
}

// scoring is what a program says a proposal is worth.
type scoring struct {
	Score     *float64  `json:"score"`
	Utilities []float64 `json:"utilities"`
}

// Bounds of what a program deals.
const (
	mostAgents   = 100
	mostPolicies = 100
	mostName     = 60      // characters
	mostText     = 1 << 20 // bytes of one text
)

// identifier is what needs no quoting in tables, paths and shells.
var identifier = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// decodeAnswer reads an answer, of which all keys must be known, and checks it.
func decodeAnswer[T any](data json.RawMessage, check func(T) error) (answer T, err error) {
	if err := envs.DecodeStrict(data)(&answer); err != nil {
		return answer, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return answer, check(answer)
}

func checkDescription(d description) error {
	var errs []error
	if d.Version < 1 {
		errs = append(errs, fmt.Errorf("version is %d; versions start at 1", d.Version))
	}
	if d.Measure != envs.Share && d.Measure != envs.Error {
		errs = append(errs, fmt.Errorf("measure is %.40q; expected %s or %s", d.Measure, envs.Share, envs.Error))
	}
	if d.Instances < 0 {
		errs = append(errs, fmt.Errorf("instances is %d; expected a number, 0 for as many as are asked for", d.Instances))
	}
	if len(d.Policies) == 0 || len(d.Policies) > mostPolicies {
		errs = append(errs, fmt.Errorf("policies has %d names; expected 1 to %d, since plan rehearses a campaign "+
			"with scripted agents", len(d.Policies), mostPolicies))
	}
	for i, name := range d.Policies {
		if !identifier.MatchString(name) || slices.Contains(d.Policies[:i], name) {
			errs = append(errs, fmt.Errorf("the policy %.40q is there twice or is not of letters, digits, '.', '_' and '-'", name))
		}
	}
	return errors.Join(errs...)
}

// check returns everything that is wrong with an instance.
func (d dealing) check(measure envs.Measure) error {
	if d.Error != "" {
		return nil
	}
	var errs []error
	if !identifier.MatchString(d.ID) {
		errs = append(errs, fmt.Errorf("id is %.40q; expected 1 to 100 letters, digits, '.', '_' or '-'", d.ID))
	}
	if n := len(d.Agents); n < 2 || n > mostAgents {
		errs = append(errs, fmt.Errorf("agents has %d members; expected 2 to %d", n, mostAgents))
	}
	errs = append(errs, checkText("task", d.Task, true), checkText("proposal", d.Proposal, true))
	seen := map[string]bool{}
	for i, a := range d.Agents {
		if !isName(a.Name) || seen[a.Name] {
			errs = append(errs, fmt.Errorf("the name of agent %d is %.40q; names are on one line of 1 to %d "+
				"characters, each another", i, a.Name, mostName))
		}
		seen[a.Name] = true
		errs = append(errs, checkText(fmt.Sprintf("background of agent %d", i), a.Background, false))
	}
	for _, f := range d.Facts {
		errs = append(errs, checkText("name of a fact", f.Name, true), checkText("fact "+f.Name, f.Text, false))
	}
	for _, b := range d.Baselines {
		switch {
		case !identifier.MatchString(b.Name) || b.Score == nil:
			errs = append(errs, fmt.Errorf(`a baseline has a name of letters, digits, '.', '_' and '-' and a score; this is called %.40q`, b.Name))
		default:
			if err := checkScore(measure, *b.Score); err != nil {
				errs = append(errs, fmt.Errorf("baseline %s: %w", b.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

func checkText(name, text string, needed bool) error {
	switch {
	case needed && strings.TrimSpace(text) == "":
		return fmt.Errorf("%s is empty", name)
	case len(text) > mostText:
		return fmt.Errorf("%s has %d bytes; expected at most %d", name, len(text), mostText)
	case strings.ContainsRune(text, 0):
		return fmt.Errorf("%s has a byte 0", name)
	}
	return nil
}

func isName(name string) bool {
	return name != "" && strings.TrimSpace(name) == name && utf8.RuneCountInString(name) <= mostName &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func checkReading(r reading) error {
	given := len(r.Proposal) > 0 && string(r.Proposal) != "null"
	switch {
	case given == (r.Error != ""):
		return errors.New(`expected either {"proposal": …}, the proposal in its one canonical form, or {"error": "…"}, what is wrong with it in words for the agent`)
	case !given && clean(r.Error) == "":
		return errors.New("error has no readable character")
	case given:
		_, err := canonicalJSON(r.Proposal, mostProposal)
		return err
	}
	return nil
}

// checkScoring returns a check of scores for that many agents.
func checkScoring(measure envs.Measure, agents int) func(scoring) error {
	return func(s scoring) error {
		switch {
		case s.Score == nil:
			return errors.New("score is missing")
		case len(s.Utilities) != agents:
			return fmt.Errorf("utilities has %d numbers for %d agents", len(s.Utilities), agents)
		}
		return checkScore(measure, *s.Score)
	}
}

func checkScore(measure envs.Measure, score float64) error {
	switch {
	case measure == envs.Share && !(score >= 0 && score <= 1):
		return fmt.Errorf("score is %v; as a share it is from 0 to 1", score)
	case measure == envs.Error && !(score <= 0):
		return fmt.Errorf("score is %v; as an error with a minus before it, it is at most 0", score)
	}
	return nil
}

// mostError is how many characters of an error are shown to a model.
const mostError = 500

// clean returns a program's words on one line without what must not be shown.
func clean(text string) string {
	words := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "�"),
		func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if cut := []rune(words); len(cut) > mostError {
		words = strings.TrimSpace(string(cut[:mostError])) + "…"
	}
	return words
}
