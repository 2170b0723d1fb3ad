package stopping

import (
	"fmt"
	"strings"
)

// The methods of early stopping of paper 1 (Cho et al. 2025, appendix D.7), the
// fixed round that each of them should beat, and two of other papers.
const (
	MethodBaseline    = "baseline"               // all rounds: the paper's @10
	MethodFirst       = "first_agreement"        // when a proposal is selected
	MethodConsecutive = "consecutive_agreements" // when nothing new is proposed after a selection
	MethodCheckpoint  = "validation_checkpoint"  // at the mean of the best rounds
	MethodDistance    = "information_distance"   // when messages are near to those of the round before
	MethodDialogueAct = "dialogue_act"           // when pairs of acts occur that go with greater score
	MethodFixed       = "fixed_best_round"       // at the round of the greatest mean score
	// at the round from which a batch agreed no more or less (Hu et al. 2025)
	MethodStability    = "stability"
	MethodEProcess     = "e_process" // when there is evidence that talk will not pay (Sadhuka et al. 2025)
	mostSignals        = 5
	mostCount          = 3
	firstMeasuredRound = 2
)

// MethodNames returns the methods that can be fitted and asked, in the paper's order.
func MethodNames() []string {
	return []string{MethodBaseline, MethodFirst, MethodConsecutive, MethodCheckpoint, MethodDistance, MethodDialogueAct,
		MethodFixed, MethodStability, MethodEProcess}
}

// Fitted is a method as it was fitted: all that it needs to decide at the end of a
// round. Analyses of finished collaborations and collaborations that run ask the
// same one.
type Fitted struct {
	Method string `json:"method"`
	// validation_checkpoint, fixed_best_round, stability: at which to stop
	Round     int      `json:"round,omitempty"`
	Threshold *float64 `json:"threshold,omitempty"` // information_distance: below which to stop
	Signals   []Signal `json:"signals,omitempty"`   // dialogue_act: strongest first
	// dialogue_act: occurrences of a signal in a round that score a point
	Count    int       `json:"count_per_round,omitempty"`
	Score    int       `json:"score,omitempty"`    // dialogue_act: points that stop
	Evidence *Evidence `json:"evidence,omitempty"` // e_process
	Never    string    `json:"never,omitempty"`    // why it never stops, if that is known
}

// Signal is a pair of dialogue acts that goes with greater score, with its
// coefficient of the regression.
type Signal struct {
	Pair        Pair    `json:"pair"`
	Coefficient float64 `json:"coefficient"`
}

// Round is what the methods look at in a round.
type Round struct {
	Agreed    bool     // a proposal was selected
	Proposals int      // new ones
	Acts      []Acts   // by agent; nil if the round is not labelled
	Agreement *float64 // greatest share of the agents behind one candidate; nil if nothing was counted
	Distance  *float64 // information distance to the round before; nil where it is not defined or not known
}

// StopsAt says whether the collaboration ends with a round, from 1. Rounds after it, if
// there are any, do not count.
func (f Fitted) StopsAt(rounds []Round, round int) bool {
	if round < 1 || round > len(rounds) || f.Never != "" {
		return false
	}
	now, before := rounds[round-1], Round{}
	if round > 1 {
		before = rounds[round-2]
	}
	switch f.Method {
	case MethodFirst:
		return now.Agreed
	case MethodConsecutive:
		return before.Agreed && now.Proposals == 0
	case MethodCheckpoint, MethodFixed, MethodStability:
		return f.Round > 0 && round >= f.Round
	case MethodEProcess:
		return f.Evidence != nil && f.Evidence.Against(rounds[:round]) > f.Evidence.Threshold
	case MethodDistance:
		return round >= firstMeasuredRound && now.Distance != nil && f.Threshold != nil && *now.Distance < *f.Threshold
	case MethodDialogueAct:
		return round >= firstMeasuredRound && before.Acts != nil && now.Acts != nil && f.Score > 0 &&
			Points(f.Signals, f.Count, func(p Pair) int { return Times(before.Acts, now.Acts, p) }) >= f.Score
	}
	return false
}

// Points counts the signals that occur at least count times in a round.
func Points(signals []Signal, count int, times func(Pair) int) int {
	points := 0
	for _, s := range signals {
		if times(s.Pair) >= count {
			points++
		}
	}
	return points
}

// Validate says what keeps a fit from being asked.
func (f Fitted) Validate() error {
	switch f.Method {
	case MethodBaseline, MethodFirst, MethodConsecutive:
		return nil
	case MethodEProcess:
		if f.Never == "" && f.Evidence == nil {
			return fmt.Errorf("evidence is missing; the method %s stops by it", f.Method)
		}
		return nil
	case MethodCheckpoint, MethodFixed, MethodStability:
		if f.Round < 0 || f.Round == 0 && f.Never == "" {
			return fmt.Errorf("round is %d; the method %s stops at a round from 1", f.Round, f.Method)
		}
		return nil
	case MethodDistance:
		if f.Threshold == nil && f.Never == "" {
			return fmt.Errorf("threshold is missing; the method %s stops below one", f.Method)
		}
		return nil
	case MethodDialogueAct:
		if f.Never == "" && (f.Count < 1 || f.Count > mostCount || f.Score < 1 || f.Score > mostSignals ||
			len(f.Signals) > mostSignals) {
			return fmt.Errorf("count_per_round is %d, score %d and there are %d signals; expected 1 to %d, 1 to %d and at most %d", f.Count, f.Score, len(f.Signals), mostCount, mostSignals, mostSignals)
		}
		return nil
	}
	return fmt.Errorf("method is %q; expected one of %s", f.Method, strings.Join(MethodNames(), ", "))
}
