// Package scoring reads from a campaign file how answers to a question are scored, and scores
// them by numeric tolerance or an expression. Scores are from 0 to 1, depend only on their
// inputs, and take bounded time.
package scoring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"roundtable/envs/wording"
)

// Scoring is a way to score answers; the zero value means that of the question's kind.
type Scoring struct {
	Name       string     // exact, number, f1, expression, command or judge
	Tolerance  Tolerance  // of number
	Expression Expression // of expression
	Command    []string   // of command: a program and its arguments
	Timeout    time.Duration
	Judge      json.RawMessage // of judge: its model and rubric, see plan.JudgeForm
}

// Values of Scoring.Name.
const (
	Exact        = "exact"  // 1 for a right answer, else 0
	Number       = "number" // 1 within the tolerance, else 0
	F1           = "f1"     // overlap of words with the right answer; see qa.F1
	ByExpression = "expression"
	ByCommand    = "command" // a program scores; see envs.Outside
	ByJudge      = "judge"   // a model scores; see envs.Judged
)

const expected = `expected exact, number, f1, {number: {absolute: …, relative: …}}, {expression: "…"}, {command: [program, argument, …], timeout: 1m} or {judge: {model: …, rubric: "…"}}`

// Bounds of how long a program may take for one answer.
const (
	defaultTimeout = time.Minute
	mostTimeout    = 24 * time.Hour
)

// Tolerance is how far a number may be from the right one: the larger of Absolute and Relative.
type Tolerance struct {
	Absolute float64 `json:"absolute,omitempty"`
	Relative float64 `json:"relative,omitempty"` // share of the right number
}

// form is a scoring as a mapping.
type form struct {
	Number     *Tolerance `json:"number,omitempty"`
	Expression *string    `json:"expression,omitempty"`
	Command    []string   `json:"command,omitempty"`
	Timeout    string     `json:"timeout,omitempty"`

	Judge json.RawMessage `json:"judge,omitempty"`
}

// UnmarshalJSON reads a name or a mapping.
func (s *Scoring) UnmarshalJSON(data []byte) error {
	var name string
	if json.Unmarshal(data, &name) == nil {
		if name != Exact && name != Number && name != F1 {
			return fmt.Errorf("is %q; %s%s", name, expected, wording.DidYouMean(name, []string{Exact, Number, F1}))
		}
		*s = Scoring{Name: name}
		return nil
	}
	var f form
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return fmt.Errorf("is not a score; %s", expected)
	}
	return s.fill(f)
}

// fill sets the scoring that a mapping names.
func (s *Scoring) fill(f form) (err error) {
	ways := 0
	for _, given := range []bool{f.Number != nil, f.Expression != nil, f.Command != nil, f.Judge != nil} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return fmt.Errorf("has %d ways to score, and there is one; %s", ways, expected)
	case f.Timeout != "" && f.Command == nil:
		return fmt.Errorf("has a timeout, which goes with command")
	case f.Number != nil:
		*s = Scoring{Name: Number, Tolerance: *f.Number}
		return s.Tolerance.check()
	case f.Expression != nil:
		*s = Scoring{Name: ByExpression}
		s.Expression, err = Compile(*f.Expression)
		return err
	case f.Judge != nil:
		*s = Scoring{Name: ByJudge, Judge: f.Judge}
		return nil
	}
	*s = Scoring{Name: ByCommand, Command: f.Command, Timeout: defaultTimeout}
	if len(f.Command) == 0 || f.Command[0] == "" {
		return fmt.Errorf("command names no program; expected a list of a program and its arguments, as [./score.sh, --strict]")
	}
	if f.Timeout != "" {
		if s.Timeout, err = time.ParseDuration(f.Timeout); err != nil || s.Timeout < time.Second ||
			s.Timeout > mostTimeout {
			return fmt.Errorf("timeout is %q; expected 1s to 24h, as 90s or 10m", f.Timeout)
		}
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (s Scoring) MarshalJSON() ([]byte, error) {
	switch {
	case s.Name == Number && s.Tolerance != Tolerance{}:
		return json.Marshal(form{Number: &s.Tolerance})
	case s.Name == ByExpression:
		return json.Marshal(form{Expression: &s.Expression.source})
	case s.Name == ByCommand:
		return json.Marshal(form{Command: s.Command, Timeout: s.Timeout.String()})
	case s.Name == ByJudge:
		return json.Marshal(form{Judge: s.Judge})
	}
	return json.Marshal(s.Name)
}

// IsZero reports whether s is the zero value.
func (s Scoring) IsZero() bool { return s.Name == "" }

func (t Tolerance) check() error {
	if !(t.Absolute >= 0) || !(t.Relative >= 0) {
		return errors.New("has a tolerance below 0; absolute and relative are 0 or more")
	}
	return nil
}

// IsWithin reports whether answer is within the tolerance of key. Both are decimal numbers; equal
// ones always are.
func (t Tolerance) IsWithin(answer, key string) bool {
	if answer == key {
		return true
	}
	a, errA := strconv.ParseFloat(answer, 64)
	k, errK := strconv.ParseFloat(key, 64)
	if errA != nil || errK != nil {
		return false
	}
	distance := math.Abs(a - k)
	margin := max(t.Absolute, float64(t.Relative*math.Abs(k)))
	// What a decimal fraction lacks in binary must not decide: 0.3 is within 0.1 of 0.2.
	slack := float64(4 * 0x1p-52 * max(math.Abs(a), math.Abs(k)))
	return margin > 0 && distance <= margin+slack
}
