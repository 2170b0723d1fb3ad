package transcript

import "fmt"

// BallotKind is how an agent expresses its preference over candidates.
type BallotKind string

const (
	Choose     BallotKind = "choose"     // one candidate
	Rate       BallotKind = "rate"       // a whole number from Min to Max for each candidate
	Rank       BallotKind = "rank"       // candidates from best to worst
	Distribute BallotKind = "distribute" // whole points that add up to Points
	Approve    BallotKind = "approve"    // a set of candidates
)

// BallotSpec is the form of a ballot over candidates 0 … N-1.
type BallotSpec struct {
	Kind     BallotKind
	N        int
	Min, Max int  // Rate
	Points   int  // Distribute: the sum
	Partial  bool // Rate, Rank: candidates may be left out; Distribute: points may be left over
}

// Ballot is one agent's preference; which field counts depends on the BallotSpec.
type Ballot struct {
	Abstain bool  `json:"a,omitempty"`
	Choice  int   `json:"c,omitempty"` // Choose
	Points  []int `json:"p,omitempty"` // Rate, Distribute: by candidate; -1 marks one left out of a partial rating
	Order   []int `json:"o,omitempty"` // Rank: best first; Approve: ascending
	// Weight is the probability that the model gave the answer with the ballot (geometric mean over its
	// tokens), in millionths; 0 if not known.
	Weight int `json:"w,omitempty"`
}

// Validate returns an error if b does not fit s; it numbers candidates from 1, as agents see
// them.
func (s BallotSpec) Validate(b Ballot) error {
	if b.Abstain {
		return nil
	}
	switch s.Kind {
	case Choose:
		return s.checkCandidate(b.Choice)
	case Rate, Distribute:
		return s.checkPoints(b.Points)
	case Rank, Approve:
		return s.order(b.Order)
	}
	return fmt.Errorf("unknown kind of ballot %q", s.Kind)
}

func (s BallotSpec) checkCandidate(c int) error {
	if c < 0 || c >= s.N {
		return fmt.Errorf("there is no candidate %d; candidates are 1 to %d", c+1, s.N)
	}
	return nil
}

func (s BallotSpec) checkPoints(p []int) error {
	if len(p) != s.N {
		return fmt.Errorf("%d candidates are given a number; there are %d", len(p), s.N)
	}
	sum := 0
	for c, v := range p {
		switch {
		case s.Kind == Rate && v == -1 && s.Partial:
		case s.Kind == Rate && (v < s.Min || v > s.Max):
			return fmt.Errorf("candidate %d is rated %d; ratings are whole numbers from %d to %d", c+1, v, s.Min, s.Max)
		case s.Kind == Distribute && (v < 0 || v > s.Points):
			return fmt.Errorf("candidate %d is given %d points; points are whole numbers from 0 to %d",
				c+1, v, s.Points)
		}
		sum += v
	}
	if s.Kind == Distribute && s.Partial && sum > s.Points {
		return fmt.Errorf("the points add up to %d; there are %d to give", sum, s.Points)
	}
	if s.Kind == Distribute && !s.Partial && sum != s.Points {
		return fmt.Errorf("the points add up to %d; they must add up to %d", sum, s.Points)
	}
	return nil
}

func (s BallotSpec) order(order []int) error {
	seen := make([]bool, s.N)
	for _, c := range order {
		if err := s.checkCandidate(c); err != nil {
			return err
		}
		if seen[c] {
			return fmt.Errorf("candidate %d is named twice", c+1)
		}
		seen[c] = true
	}
	if s.Kind == Rank && !s.Partial && len(order) != s.N {
		return fmt.Errorf("%d of %d candidates are ranked; all must be", len(order), s.N)
	}
	return nil
}
