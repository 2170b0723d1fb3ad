package stopping

import (
	"fmt"
	"strings"
)

// Values of Fitted.Method: the early stopping methods of paper 1 (Cho et al. 2025, appendix D.7),
// the fixed round that each of them should beat, and two of other papers.
const (
	MethodBaseline    = "baseline"               // all rounds: the paper's @10
	MethodFirst       = "first_agreement"        // when a proposal is selected
	MethodConsecutive = "consecutive_agreements" // when nothing new is proposed after a selection
	MethodCheckpoint  = "validation_checkpoint"  // at the mean of the best rounds
	MethodDistance    = "information_distance"   // when messages are near to those of the round before
	MethodDialogueAct = "dialogue_act"           // when pairs of acts occur that predict a greater score
	MethodFixed       = "fixed_best_round"       // at the round of the greatest mean score
	// at the round after which the agreement of a batch no longer changed (Hu et al. 2025)
	MethodStability    = "stability"
	MethodEProcess     = "e_process" // on evidence that talk will not improve the score (Sadhuka et al. 2025)
	mostSignals        = 5
	mostCount          = 3
	firstMeasuredRound = 2
)

// MethodNames returns all methods, those of paper 1 first, in its order.
func MethodNames() []string {
	return []string{MethodBaseline, MethodFirst, MethodConsecutive, MethodCheckpoint, MethodDistance, MethodDialogueAct,
		MethodFixed, MethodStability, MethodEProcess}
}

// Fitted is a fitted method: all that it needs to decide at the end of a round. Analyses of
// finished collaborations and running ones use the same.
type Fitted struct {
	Method string `json:"method"`
	// validation_checkpoint, fixed_best_round, stability: round at which to stop
	Round     int      `json:"round,omitempty"`
	Threshold *float64 `json:"threshold,omitempty"` // information_distance: distance below which to stop
	Signals   []Signal `json:"signals,omitempty"`   // dialogue_act: strongest first
	// dialogue_act: occurrences of a signal in a round that make a point
	Count    int       `json:"count_per_round,omitempty"`
	Score    int       `json:"score,omitempty"`    // dialogue_act: points at which to stop
	Evidence *Evidence `json:"evidence,omitempty"` // e_process
	Never    string    `json:"never,omitempty"`    // why it never stops, if that is known
}

// Signal is a pair of dialogue acts that predicts a greater score, with its regression
// coefficient.
type Signal struct {
	Pair        Pair    `json:"pair"`
	Coefficient float64 `json:"coefficient"`
}

// Round holds what the methods look at in a round.
type Round struct {
	Agreed    bool     // a proposal was selected
	Proposals int      // number of new proposals
	Acts      []Acts   // by agent; nil if the round is not labelled
	Agreement *float64 // greatest share of the agents behind one candidate; nil if nothing was counted
	Distance  *float64 // information distance to the round before; nil if undefined or unknown
}

// StopsAt reports whether the method would stop at this round, counted from 1, whatever it said of earlier ones:
// the first round for which it is true is the last of the collaboration. Later rounds are ignored.
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

// Points returns how many signals occur at least count times in a round; times returns how often
// a pair does.
func Points(signals []Signal, count int, times func(Pair) int) int {
	points := 0
	for _, s := range signals {
		if times(s.Pair) >= count {
			points++
		}
	}
	return points
}

// Validate returns an error if the fit cannot be used.
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
			return fmt.Errorf("count_per_round is %d, score %d and there are %d signals; expected 1 to %d, 1 to %d "+
				"and at most %d", f.Count, f.Score, len(f.Signals), mostCount, mostSignals, mostSignals)
		}
		return nil
	}
	return fmt.Errorf("method is %q; expected one of %s", f.Method, strings.Join(MethodNames(), ", "))
}
