package until

import (
	"fmt"
)

// Values of Comparison.Verdict.
const (
	Open    = "open"    // not decided yet
	Differs = "differs" // the interval excludes 0
	Small   = "small"   // the interval lies within ± the smallest difference of interest
	Precise = "precise" // the interval is at most Question.Width wide
)

// Comparison is the mean difference A - B of one pair of levels over units. Each unit has
// the same weight.
type Comparison struct {
	A        string    `json:"a"`
	B        string    `json:"b"`
	Verdict  string    `json:"verdict"`
	Pairs    int       `json:"pairs"`              // units with a difference
	Units    int       `json:"units"`              // units looked at until it was decided
	LeftOut  int       `json:"left_out,omitempty"` // pairs of cells of these units of which one or both have no value
	Mean     *float64  `json:"mean,omitempty"`     // nil without pairs
	Interval *Interval `json:"interval,omitempty"` // at the level of the whole family; nil if there is none yet
	Lacks    string    `json:"lacks,omitempty"`    // why there is no interval
}

// Observation is one unit's difference in a comparison: the mean difference of the pairs for each
// combination of values on the other axes, averaged over combinations. A pair is two cells of the
// same replicate that differ only in the level, so failures in one level cannot pass for its
// effect.
type Observation struct {
	Difference *float64 // nil if there is no pair
	LeftOut    int      // pairs of which one or both cells have no value
}

// Course is the progress of a question. Units (instances, or the replicates if there is only one)
// are added in order.
type Course struct {
	question  Question
	contrasts [][2]int
	sequences []sequence
	found     []Comparison
	sums      []float64
	needed    [][]bool // levels that some open comparison has, after 0, 1, … units
}

// NewCourse returns the course of q without any units.
func NewCourse(q Question) (*Course, error) {
	if err := q.Check(); err != nil {
		return nil, fmt.Errorf("until: %w", err)
	}
	c := &Course{question: q, contrasts: q.Contrasts()}
	c.sums = make([]float64, len(c.contrasts))
	for _, pair := range c.contrasts {
		s, err := q.newSequence()
		if err != nil {
			return nil, err
		}
		c.sequences = append(c.sequences, s)
		c.found = append(c.found, Comparison{A: q.Levels[pair[0]].Name, B: q.Levels[pair[1]].Name, Verdict: Open})
	}
	c.noteNeeded()
	return c, nil
}

// noteNeeded notes which levels the open comparisons need.
func (c *Course) noteNeeded() {
	needed := make([]bool, len(c.question.Levels))
	for i, pair := range c.contrasts {
		if c.found[i].Verdict == Open {
			needed[pair[0]], needed[pair[1]] = true, true
		}
	}
	c.needed = append(c.needed, needed)
}

// Units returns how many units were added.
func (c *Course) Units() int { return len(c.needed) - 1 }

// Needs returns, by level, whether a unit needs it: whether it had an open comparison once the
// unit Ahead places before was added. The bool is false if that unit is not added yet.
func (c *Course) Needs(unit int) ([]bool, bool) {
	after := max(0, unit-c.question.Ahead+1)
	if after >= len(c.needed) {
		return nil, false
	}
	return c.needed[after], true
}

// IsAnswered reports whether every comparison is decided.
func (c *Course) IsAnswered() bool {
	for _, f := range c.found {
		if f.Verdict == Open {
			return false
		}
	}
	return true
}

// Add takes the next unit: an observation for each of the question's contrasts. A
// comparison that is decided stays as it is.
func (c *Course) Add(unit []Observation) error {
	for i, o := range unit {
		f := &c.found[i]
		if f.Verdict != Open {
			continue
		}
		f.Units++
		f.LeftOut += o.LeftOut
		if o.Difference == nil {
			continue
		}
		if err := c.sequences[i].Add(*o.Difference); err != nil {
			return fmt.Errorf("until: the difference of %s between %s and %s in unit %d: %w", c.question.Measure, f.A,
				f.B, c.Units(), err)
		}
		f.Pairs++
		c.sums[i] += *o.Difference
		f.Verdict = c.verdictOf(c.sequences[i])
	}
	c.noteNeeded()
	return nil
}

// exact is by how much a width may exceed the one that was asked for: by rounding.
const exact = 1 + 1e-9

func (c *Course) verdictOf(s sequence) string {
	q := c.question
	if q.Width == 0 && s.Sign() != 0 {
		return Differs
	}
	if q.Width == 0 && q.Smallest == 0 {
		return Open
	}
	within, ok := s.Interval()
	switch {
	case !ok:
	case q.Width > 0 && within.Width() <= q.Width*exact:
		return Precise
	case q.Smallest > 0 && within.Low > -q.Smallest && within.High < q.Smallest:
		return Small
	}
	return Open
}

// Comparisons returns the state of each comparison.
func (c *Course) Comparisons() []Comparison {
	all := make([]Comparison, len(c.found))
	for i, f := range c.found {
		if f.Pairs > 0 {
			f.Mean = new(c.sums[i] / float64(f.Pairs))
		}
		if within, ok := c.sequences[i].Interval(); ok {
			f.Interval = &within
		}
		f.Lacks = c.sequences[i].Lacks()
		all[i] = f
	}
	return all
}
