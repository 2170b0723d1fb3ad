package crossval

import "fmt"

// Method is a way to decide when to stop. It learns from training collaborations,
// given by index, and never sees goodness of the others (but for the Oracle).
type Method interface {
	Name() string
	// Fit says why the method cannot be used on these data at all. A method that
	// can be used and finds nothing to stop by never stops, and its Learned.Note says why.
	Fit(d *Data, train []int) (Fitted, error)
}

// Fitted is a method after training.
type Fitted struct {
	Stop    func(run int) Stop
	Learned Learned
}

// Stop is where a rule ends a collaboration.
type Stop struct {
	Round int  // the last round that is run
	Fired bool // the rule ended it; else it ran to its last round
	Idle  bool // of the Oracle: goodness never changes, so no round is best and the stop says nothing
}

// Learned is what a method took from training.
type Learned struct {
	Round     *int     `json:"round,omitempty"`     // at which to stop
	MeanBest  *float64 `json:"mean_best,omitempty"` // mean of the best rounds, of which Round is the nearest
	Threshold *float64 `json:"threshold,omitempty"` // of information distance
	Params    *Params  `json:"params,omitempty"`    // of Dialogue Act
	Pairs     []string `json:"pairs,omitempty"`     // that count as signals, strongest first
	Train     *float64 `json:"train,omitempty"`     // mean goodness that the choice of Params rests on
	Note      string   `json:"note,omitempty"`      // why it never stops
}

// neverStop returns a rule that lets everything run to the end.
func (d *Data) neverStop(l Learned) Fitted {
	return Fitted{func(int) Stop { return Stop{Round: d.rounds} }, l}
}

// firstWhere stops at the first round, from the given one, at which the condition holds.
func (d *Data) firstWhere(from int, holds func(run, round int) bool) func(int) Stop {
	return func(run int) Stop {
		for r := from; r <= d.rounds; r++ {
			if holds(run, r) {
				return Stop{Round: r, Fired: true}
			}
		}
		return Stop{Round: d.rounds}
	}
}

// Baseline never stops: the paper's @10.
type Baseline struct{}

func (Baseline) Name() string                         { return "Baseline" }
func (Baseline) Fit(d *Data, _ []int) (Fitted, error) { return d.neverStop(Learned{}), nil }

// FirstAgreement stops when a proposal is selected.
type FirstAgreement struct{}

func (FirstAgreement) Name() string { return "First Agreement" }
func (FirstAgreement) Fit(d *Data, _ []int) (Fitted, error) {
	return Fitted{Stop: d.firstWhere(1, func(run, r int) bool { return d.Runs[run].Rounds[r-1].Agreed })}, nil
}

// ConsecutiveAgreements stops at the first round without a new proposal that
// follows one in which a proposal was selected.
type ConsecutiveAgreements struct{}

func (ConsecutiveAgreements) Name() string { return "Consecutive Agreements" }
func (ConsecutiveAgreements) Fit(d *Data, _ []int) (Fitted, error) {
	return Fitted{Stop: d.firstWhere(2, func(run, r int) bool {
		return d.Runs[run].Rounds[r-2].Agreed && d.Runs[run].Rounds[r-1].Proposals == 0
	})}, nil
}

// Oracle stops each collaboration at its own best round: what no rule can beat.
// One that never has goodness has no best round and runs to its end.
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

// Methods of paper 1 in the order of its Table 10, and the Fixed Best Round that
// any of them should beat.
func Methods() []Method {
	return []Method{Baseline{}, FirstAgreement{}, ConsecutiveAgreements{}, ValidationCheckpoint{}, InformationDistance{}, DialogueAct{}, FixedBestRound{}, Oracle{}}
}

func noTraining(n int, what string) error {
	return fmt.Errorf("none of the %d training collaborations %s", n, what)
}
