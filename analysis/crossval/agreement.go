package crossval

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"roundtable/analysis/betabinomial"
	"roundtable/analysis/regression"
	"roundtable/analysis/statistics"
	"roundtable/workflows/stopping"
)

var errNoAgreement = errors.New("in no collaboration it is known how many agents held the same answer: nothing was counted, or an early version recorded it")

// counted returns the runs among some whose agreement is known.
func (d *Data) counted(runs []int) (known []int) {
	for _, run := range runs {
		if slices.ContainsFunc(d.seen[run], func(r stopping.Round) bool { return r.Agreement != nil }) {
			known = append(known, run)
		}
	}
	return known
}

// Stability stops at the round from which a batch of groups agreed no more and no
// less (Hu et al. 2025, arXiv 2510.12697): the number of agents that hold the most
// frequent answer follows a mixture of two Beta-Binomials, and the distributions of
// two rounds in a row were within 0.05 of those before. The paper counts judges that
// are right; agreement is known without the truth. Its batch is what is being judged;
// this one is the training collaborations, so that no group waits for another.
type Stability struct{}

func (Stability) Name() string { return "Stability" }
func (Stability) Fit(d *Data, train []int) (Fitted, error) {
	if len(d.counted(d.every())) == 0 {
		return Fitted{}, errNoAgreement
	}
	known := d.counted(train)
	if len(known) == 0 {
		return d.neverStop(stopping.MethodStability, noTraining(len(train), "has a count")), nil
	}
	agents := d.Runs[known[0]].Agents
	counts := make([][]int, d.rounds)
	for _, run := range known {
		for r, share := range stopping.Agreements(d.seen[run]) {
			counts[r] = append(counts[r], int(math.Round(share*float64(agents))))
		}
	}
	round, _, err := betabinomial.StableRound(counts, agents)
	switch {
	case err != nil:
		return Fitted{}, err
	case round == 0:
		return d.neverStop(stopping.MethodStability, fmt.Errorf("agreement among the %d training collaborations moves to the last round", len(known))), nil
	}
	return d.fitted(stopping.Fitted{Method: stopping.MethodStability, Round: round}, Learned{Round: &round}), nil
}

// EProcess stops when there is evidence that talk will not pay: that goodness at the
// last round is not above that at the first (stopping.Evidence; Sadhuka et al. 2025,
// arXiv 2512.03109). Half of the training units make the evidence. The groups of
// the other half that talk did improve set the threshold (a tolerance limit, as in the
// paper's thresholds that are probably approximately correct), with one figure for a
// unit: its greatest evidence, since its collaborations depend on each other.
type EProcess struct {
	Alpha float64 // greatest share of the groups that talk improves that are stopped
	Delta float64 // of samples in which that may fail
}

// DefaultEProcess bounds false alarms by 0.1 in nine of ten samples.
func DefaultEProcess() EProcess { return EProcess{Alpha: 0.1, Delta: 0.1} }

// shrinkage of the logistic regressions: half of it times the squared coefficients is the penalty.
const shrinkage = 1

func (EProcess) Name() string { return "E-process" }
func (e EProcess) Fit(d *Data, train []int) (Fitted, error) {
	if len(d.counted(d.every())) == 0 {
		return Fitted{}, errNoAgreement
	}
	known := slices.DeleteFunc(d.counted(train), func(run int) bool { return d.worst[run] == nil })
	fitting, bounding := d.halves(known)
	evidence, err := d.evidence(fitting)
	if err != nil {
		return d.neverStop(stopping.MethodEProcess, err), nil
	}
	greatest := map[string]float64{} // by unit
	for _, run := range bounding {
		if d.improves(run) {
			unit := d.Runs[run].Unit
			before, ok := greatest[unit]
			if now := peak(evidence, d.seen[run]); !ok || now > before {
				greatest[unit] = now
			}
		}
	}
	if evidence.Threshold, err = statistics.UpperTolerance(slices.Collect(maps.Values(greatest)), e.Alpha, e.Delta); err != nil {
		return d.neverStop(stopping.MethodEProcess, fmt.Errorf("of what talk improved among half of the training collaborations, %w", err)), nil
	}
	evidence.Alpha, evidence.Delta = e.Alpha, e.Delta
	return d.fitted(stopping.Fitted{Method: stopping.MethodEProcess, Evidence: &evidence}, Learned{}), nil
}

// peak is the greatest evidence in rounds before the last.
func peak(e stopping.Evidence, rounds []stopping.Round) float64 {
	greatest := math.Inf(-1)
	for r := range len(rounds) - 1 {
		greatest = max(greatest, e.Against(rounds[:r+1]))
	}
	return greatest
}

// improves reports whether the last round is better than the first; what is not
// decided counts as trainingWorth says.
func (d *Data) improves(run int) bool {
	first, _ := d.trainingWorth(run, 1)
	last, _ := d.trainingWorth(run, d.rounds)
	return first != nil && last != nil && *last > *first
}

// evidence fits a regression for each round but the last.
func (d *Data) evidence(runs []int) (stopping.Evidence, error) {
	var e stopping.Evidence
	vain := make([]bool, len(runs)) // talk did not pay
	n := 0
	for i, run := range runs {
		if vain[i] = !d.improves(run); vain[i] {
			n++
		}
	}
	if n == 0 || n == len(runs) {
		return e, fmt.Errorf("talk improved %d of %d training collaborations; both kinds are needed", len(runs)-n, len(runs))
	}
	e.Odds = nano(math.Log(float64(n) / float64(len(runs)-n)))
	for round := 1; round < d.rounds; round++ {
		rows := make([][]float64, len(runs))
		for i, run := range runs {
			rows[i] = stopping.Agreements(d.seen[run][:round])
		}
		fit, err := regression.Logistic(rows, vain, shrinkage)
		if err != nil {
			return e, err
		}
		for j, beta := range fit {
			fit[j] = nano(beta)
		}
		e.Rounds = append(e.Rounds, fit)
	}
	return e, nil
}

// nano rounds to 1e-9: the last bits of sums differ between processors.
func nano(x float64) float64 { return math.Round(x*1e9) / 1e9 }

// halves divides runs by unit, every other one in the order of their names. Runs are in
// the order of theirs, so that sums over them are the same whatever their order was.
func (d *Data) halves(runs []int) (fitting, bounding []int) {
	runs = slices.SortedFunc(slices.Values(runs), func(a, b int) int { return cmp.Compare(d.Runs[a].ID, d.Runs[b].ID) })
	var units []string
	for _, run := range runs {
		units = append(units, d.Runs[run].Unit)
	}
	slices.Sort(units)
	units = slices.Compact(units)
	for _, run := range runs {
		if at, _ := slices.BinarySearch(units, d.Runs[run].Unit); at%2 == 0 {
			fitting = append(fitting, run)
		} else {
			bounding = append(bounding, run)
		}
	}
	return fitting, bounding
}
