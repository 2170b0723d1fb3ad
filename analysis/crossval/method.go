package crossval

import (
	"fmt"

	"roundtable/workflows/stopping"
)

// Method is a way to decide when to stop. It learns from training collaborations,
// given by index, and never sees the scores of the others (but for the Oracle).
type Method interface {
	Name() string
	// Fit says why the method cannot be used on these data at all. A method that
	// can be used and finds nothing to stop by never stops, and its Learned.Note says why.
	Fit(d *Data, train []int) (Fitted, error)
}

// Fitted is a method after training.
type Fitted struct {
	Stop func(run int) Stop
	// Rule is what a collaboration that runs asks to stop at the same rounds; nil for
	// the Oracle, which knows the end.
	Rule    *stopping.Fitted
	Learned Learned
}

// Stop is where a rule stops a collaboration.
type Stop struct {
	Round int  // the last round that is run
	Fired bool // the rule ended it; else it ran to its last round
	Idle  bool // of the Oracle: score never changes, so no round is best and the stop says nothing
}

// Learned is what a method took from training.
type Learned struct {
	Round     *int     `json:"round,omitempty"`     // at which to stop
	MeanBest  *float64 `json:"mean_best,omitempty"` // mean of the best rounds, of which Round is the nearest
	Threshold *float64 `json:"threshold,omitempty"` // of information distance
	Params    *Params  `json:"params,omitempty"`    // of Dialogue Act
	Pairs     []string `json:"pairs,omitempty"`     // that count as signals, strongest first
	Train     *float64 `json:"train,omitempty"`     // mean score that the choice of Params rests on
	Note      string   `json:"note,omitempty"`      // why it never stops
}

// neverStop returns a method that could be used and found nothing to stop by, so that
// everything runs to the end.
func (d *Data) neverStop(method string, why error) Fitted {
	return d.fitMethod(stopping.Fitted{Method: method, Never: why.Error()}, Learned{Note: why.Error()})
}

// fitMethod returns a method that stops each collaboration at the first round in which
// its rule does.
func (d *Data) fitMethod(rule stopping.Fitted, l Learned) Fitted {
	stop := func(run int) Stop {
		for r := 1; r <= d.rounds; r++ {
			if rule.StopsAt(d.seen[run], r) {
				return Stop{Round: r, Fired: true}
			}
		}
		return Stop{Round: d.rounds}
	}
	if rule.Never == "" && rule.Threshold == nil && rule.Evidence == nil && len(rule.Signals) == 0 {
		all := d.stopsOf(plainRule{rule.Method, rule.Round}, stop)
		stop = func(run int) Stop { return all[run] }
	}
	return Fitted{Stop: stop, Rule: &rule, Learned: l}
}

// plainRule is a rule that has learned no more than a round: many folds have the same.
type plainRule struct {
	method string
	round  int
}

// stopsOf returns the stops of every run, which are found once for equal rules.
func (d *Data) stopsOf(rule plainRule, stop func(run int) Stop) []Stop {
	d.finding.Lock()
	defer d.finding.Unlock()
	if all, found := d.stops[rule]; found {
		return all
	}
	all := make([]Stop, len(d.Runs))
	for run := range all {
		all[run] = stop(run)
	}
	d.stops[rule] = all
	return all
}

// Baseline never stops: the paper's @10.
type Baseline struct{}

func (Baseline) Name() string { return "Baseline" }
func (Baseline) Fit(d *Data, _ []int) (Fitted, error) {
	return d.fitMethod(stopping.Fitted{Method: stopping.MethodBaseline}, Learned{}), nil
}

// FirstAgreement stops when a proposal is selected.
type FirstAgreement struct{}

func (FirstAgreement) Name() string { return "First Agreement" }
func (FirstAgreement) Fit(d *Data, _ []int) (Fitted, error) {
	return d.fitMethod(stopping.Fitted{Method: stopping.MethodFirst}, Learned{}), nil
}

// ConsecutiveAgreements stops at the first round without a new proposal that
// follows one in which a proposal was selected.
type ConsecutiveAgreements struct{}

func (ConsecutiveAgreements) Name() string { return "Consecutive Agreements" }
func (ConsecutiveAgreements) Fit(d *Data, _ []int) (Fitted, error) {
	return d.fitMethod(stopping.Fitted{Method: stopping.MethodConsecutive}, Learned{}), nil
}

// Oracle stops each collaboration at its own best round, which no rule can beat. A collaboration
// that never has a score runs to its end.
type Oracle struct{}

func (Oracle) Name() string { return "Oracle" }
func (Oracle) Fit(d *Data, _ []int) (Fitted, error) {
	return Fitted{Stop: func(run int) Stop {
		if d.worst[run] == nil {
			return Stop{Round: d.rounds, Idle: true}
		}
		return Stop{Round: d.best[run], Fired: true, Idle: !d.varies[run]}
	}}, nil
}

// Methods returns the methods of paper 1 in the order of its Table 10, the Fixed Best Round that
// any of them should beat, and two of other papers.
func Methods() []Method {
	return []Method{
		Baseline{}, FirstAgreement{}, ConsecutiveAgreements{}, ValidationCheckpoint{}, InformationDistance{},
		DialogueAct{},
		FixedBestRound{}, Oracle{}, Stability{}, DefaultEProcess(),
	}
}

func noTraining(n int, what string) error {
	return fmt.Errorf("none of the %d training collaborations %s", n, what)
}
