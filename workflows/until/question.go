// Package until decides when a campaign has answered its question: which comparisons of the
// levels of an axis are decided after each instance, by confidence sequences, and which levels
// the next instances still need. It is pure: its decisions depend only on the values of the
// instances in their order, not on when or in which order cells end.
package until

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"roundtable/envs/wording"
)

// Values of Question.Measure.
const (
	Score   = "score"   // score of the final decision, as averages count it (outcome)
	Decided = "decided" // 1 if there is a decision at the end, else 0
	Rounds  = "rounds"  // rounds that were started
)

// Measures returns all values of Question.Measure.
func Measures() []string { return []string{Score, Decided, Rounds} }

// Values of Question.Method: how intervals are made.
const (
	Betting    = "betting"    // for measures with bounds; its level holds for any distribution
	Asymptotic = "asymptotic" // for any measure; its level holds for large samples
)

// Methods returns all values of Question.Method.
func Methods() []string { return []string{Betting, Asymptotic} }

// Defaults of a question.
const (
	DefaultLevel = 0.05
	DefaultAhead = 4
)

// Question is the question of a campaign, with all that the answer depends on except the cells.
type Question struct {
	Compare string  `json:"compare"` // axis of the grid
	Measure string  `json:"measure"`
	Method  string  `json:"method"`
	Low     float64 `json:"low,omitempty"`  // bounds of the measure, for betting
	High    float64 `json:"high,omitempty"` // likewise
	Levels  []Level `json:"levels"`
	// name of the level that the others are compared with; "" compares all pairs
	Reference string `json:"reference,omitempty"`
	// greatest width of each interval, from end to end, that decides; 0 if the sign of the difference
	// decides
	Width float64 `json:"width,omitempty"`
	// differences below it, of either sign, are of no interest; 0 if all are
	Smallest float64 `json:"smallest,omitempty"`
	Level    float64 `json:"level"`          // family-wise error rate, over all comparisons and all looks
	Ahead    int     `json:"ahead"`          // instances that are under way at once
	Seed     uint64  `json:"seed"`           // of the order of the instances
	Same     []Same  `json:"same,omitempty"` // instances that form one unit with another
}

// Same is an instance that asks the same as one of an earlier environment, As: both form one
// unit.
type Same struct {
	Asked
	As Asked `json:"as"`
}

// Asked is an instance of an environment.
type Asked struct {
	Env      string `json:"env"` // as Member's
	Instance int    `json:"instance"`
}

// Level is a value on the axis.
type Level struct {
	Name    string   `json:"name"`
	Members []Member `json:"members"` // the conditions that have it
}

// Member is a condition of a level.
type Member struct {
	Condition string `json:"condition"` // id
	Env       string `json:"env"`       // equal where instances are the same
	// Others are the values on the other axes: only cells with equal ones are compared.
	Others string `json:"others,omitempty"`
}

// Contrasts returns the pairs of levels that are compared, by index; each difference is the first
// minus the second.
func (q Question) Contrasts() [][2]int {
	var all [][2]int
	for a := range q.Levels {
		for b := a + 1; b < len(q.Levels); b++ {
			switch q.Reference {
			case "", q.Levels[b].Name:
				all = append(all, [2]int{a, b})
			case q.Levels[a].Name:
				all = append(all, [2]int{b, a})
			}
		}
	}
	return all
}

// Goal returns, in words, when a comparison is decided.
func (q Question) Goal() string {
	switch {
	case q.Width > 0:
		return fmt.Sprintf("the interval is at most %v wide", q.Width)
	case q.Smallest > 0:
		return fmt.Sprintf("the interval excludes 0, or lies within ±%v", q.Smallest)
	}
	return "the interval excludes 0"
}

// finest is the part of the range of the differences that intervals of bounded measures
// can be as narrow as: two steps.
const finest = 1e-3

// GoalRange returns the valid widths: at least least and below most, the range of the
// differences. For Smallest, half of both holds. most is 0 if the measure has no bounds.
func (q Question) GoalRange() (least, most float64) {
	most = 2 * (q.High - q.Low)
	if q.Method == Betting {
		least = finest * most
	}
	return least, most
}

// Check returns what is invalid in a question.
func (q Question) Check() error {
	switch {
	case !slices.Contains(Measures(), q.Measure):
		return fmt.Errorf("unknown measure %q; expected %s", q.Measure, wording.Or(Measures()))
	case !slices.Contains(Methods(), q.Method):
		return fmt.Errorf("unknown method %q; expected %s", q.Method, wording.Or(Methods()))
	case q.Method == Betting && !(q.Low < q.High):
		return fmt.Errorf("betting needs a measure with bounds; %s is from %v to %v", q.Measure, q.Low, q.High)
	case len(q.Contrasts()) == 0:
		return fmt.Errorf("nothing is compared: %s has %s, and the reference is %q", q.Compare,
			wording.Count(len(q.Levels), "level"), q.Reference)
	case q.explainAmbiguity() != "":
		return errors.New(q.explainAmbiguity())
	case !(q.Level > 0 && q.Level < 1):
		return fmt.Errorf("level %v is not between 0 and 1", q.Level)
	case !(q.Width >= 0 && q.Smallest >= 0) || math.IsInf(q.Width+q.Smallest, 0) || q.Width > 0 && q.Smallest > 0:
		return fmt.Errorf("width %v and smallest %v; one of them may be given, above 0", q.Width, q.Smallest)
	case q.Ahead < 1:
		return fmt.Errorf("ahead is %d; at least 1 instance is under way", q.Ahead)
	}
	return nil
}

// explainAmbiguity says which conditions of a level differ in nothing that is known, so that it
// is open what they are compared with; "" if there are none.
func (q Question) explainAmbiguity() string {
	for _, l := range q.Levels {
		known := map[Member]string{}
		for _, m := range l.Members {
			key := Member{Env: m.Env, Others: m.Others}
			if other, is := known[key]; is {
				return fmt.Sprintf("conditions %s and %s of %s %s have the same values on the other axes, so their "+
					"cells cannot be paired with those of other levels; `roundtable run FILE` records the question again", other, m.Condition, q.Compare, l.Name)
			}
			known[key] = m.Condition
		}
	}
	return ""
}

// newSequence returns the confidence sequence of one comparison of the family.
func (q Question) newSequence() (sequence, error) {
	alpha := q.Level / float64(len(q.Contrasts()))
	if q.Method == Betting {
		return newBetting(q.Low-q.High, q.High-q.Low, alpha)
	}
	return newStudent(alpha)
}
