package crossval

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"roundtable/analysis/regression"
	"roundtable/analysis/statistics"
	"roundtable/workflows/stopping"
)

var errNoAgreement = errors.New("in no collaboration it is known how many agents held the same answer: nothing was counted")

// agreementOf returns the agreement after each round; nil if it is known after none.
func agreementOf(rounds []stopping.Round) []float64 {
	if !slices.ContainsFunc(rounds, func(r stopping.Round) bool { return r.Agreement != nil }) {
		return nil
	}
	return stopping.Agreements(rounds)
}

// isAgreementKnown reports whether the agreement of some run is known.
func (d *Data) isAgreementKnown() bool {
	return slices.ContainsFunc(d.agreed, func(shares []float64) bool { return shares != nil })
}

// knownRuns returns the runs among some whose agreement is known.
func (d *Data) knownRuns(runs []int) (known []int) {
	for _, run := range runs {
		if d.agreed[run] != nil {
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
	if !d.isAgreementKnown() {
		return Fitted{}, errNoAgreement
	}
	known := d.knownRuns(train)
	if len(known) == 0 {
		return d.neverStop(stopping.MethodStability, noTraining(len(train), "has a count")), nil
	}
	agents := d.Runs[known[0]].Agents
	counts := make([][]int, d.rounds)
	for _, run := range known {
		for r, share := range d.agreed[run] {
			counts[r] = append(counts[r], int(math.Round(share*float64(agents))))
		}
	}
	round, _, err := stableRound(counts, agents)
	switch {
	case err != nil:
		return Fitted{}, err
	case round == 0:
		return d.neverStop(stopping.MethodStability,
			fmt.Errorf("agreement among the %d training collaborations moves to the last round", len(known))), nil
	}
	return d.fitMethod(stopping.Fitted{Method: stopping.MethodStability, Round: round}, Learned{Round: &round}), nil
}

// EProcess stops when there is evidence that talk will not pay, i.e. that the score at the last
// round is not above the one at the first (stopping.Evidence; Sadhuka et al. 2025, arXiv
// 2512.03109). Half of the training units make the evidence. The groups of the other half that talk
// did improve set the threshold (a tolerance limit, as in the paper's thresholds that are probably
// approximately correct). Groups of one unit depend on each other, so one is drawn from each before
// it is known which of them improved: improved ones among these are independent, and all improved
// groups are equally likely. (One of each unit's improved groups would bound a share of units, and
// units in which many groups improve weigh more among groups.)
type EProcess struct {
	Alpha float64 // greatest share of falsely stopped groups, among those that talk improves
	Delta float64 // share of samples in which that bound may fail
}

// DefaultEProcess returns the method whose false alarms are at most 0.1 in nine of ten samples.
func DefaultEProcess() EProcess { return EProcess{Alpha: 0.1, Delta: 0.1} }

// shrinkage of the logistic regressions: half of it times the squared coefficients is the penalty.
const shrinkage = 1

func (EProcess) Name() string { return "E-process" }
func (e EProcess) Fit(d *Data, train []int) (Fitted, error) {
	if !d.isAgreementKnown() {
		return Fitted{}, errNoAgreement
	}
	known := slices.DeleteFunc(d.knownRuns(train), func(run int) bool { return d.worst[run] == nil })
	fitting, bounding := d.splitHalves(known)
	evidence, err := d.fitEvidence(fitting)
	if err != nil {
		return d.neverStop(stopping.MethodEProcess, err), nil
	}
	drawn, replicates := d.oneOfEach(train)
	var peaks []float64
	for _, run := range bounding {
		if drawn[run] && d.isImproved(run) {
			peaks = append(peaks, peakEvidence(evidence, d.seen[run]))
		}
	}
	if evidence.Threshold, err = statistics.UpperTolerance(peaks, e.Alpha, e.Delta); err != nil {
		of := "half of the training collaborations"
		if replicates > 1 {
			of += " (one drawn from each unit)"
		}
		return d.neverStop(stopping.MethodEProcess, fmt.Errorf("of what talk improved among %s, %w", of, err)), nil
	}
	evidence.Alpha, evidence.Delta = e.Alpha, e.Delta
	return d.fitMethod(stopping.Fitted{Method: stopping.MethodEProcess, Evidence: &evidence}, Learned{}), nil
}

// peakEvidence is the greatest evidence in rounds before the last.
func peakEvidence(e stopping.Evidence, rounds []stopping.Round) float64 {
	greatest := math.Inf(-1)
	for r := range len(rounds) - 1 {
		greatest = max(greatest, e.Against(rounds[:r+1]))
	}
	return greatest
}

// isImproved reports whether the last round is better than the first; what is not
// decided counts as trainingWorth says.
func (d *Data) isImproved(run int) bool {
	first, _ := d.trainingWorth(run, 1)
	last, _ := d.trainingWorth(run, d.rounds)
	return first != nil && last != nil && *last > *first
}

// fitEvidence fits a regression for each round but the last.
func (d *Data) fitEvidence(runs []int) (stopping.Evidence, error) {
	var e stopping.Evidence
	vain := make([]bool, len(runs)) // talk did not pay
	n := 0
	for i, run := range runs {
		if vain[i] = !d.isImproved(run); vain[i] {
			n++
		}
	}
	if n == 0 || n == len(runs) {
		return e, fmt.Errorf("talk improved %d of %d training collaborations; both kinds are needed",
			len(runs)-n, len(runs))
	}
	e.Odds = roundNano(math.Log(float64(n) / float64(len(runs)-n)))
	rows := make([][]float64, len(runs))
	for round := 1; round < d.rounds; round++ {
		for i, run := range runs {
			rows[i] = d.agreed[run][:round]
		}
		fit, err := regression.Logistic(rows, vain, shrinkage)
		if err != nil {
			return e, err
		}
		for j, beta := range fit {
			fit[j] = roundNano(beta)
		}
		e.Rounds = append(e.Rounds, fit)
	}
	return e, nil
}

// roundNano rounds to 1e-9: the last bits of sums differ between processors.
func roundNano(x float64) float64 { return math.Round(x*1e9) / 1e9 }

// oneOfEach draws at most one run of each unit, every run with the same probability, and
// returns the greatest number of runs of a unit. So a unit with fewer runs may have
// none drawn. The draw depends on the unit's name alone: not on what its runs became.
func (d *Data) oneOfEach(runs []int) (drawn []bool, most int) {
	units := make([][]int, d.units)
	for _, run := range d.byID(runs) {
		unit := d.unit[run]
		units[unit] = append(units[unit], run)
		most = max(most, len(units[unit]))
	}
	drawn = make([]bool, len(d.Runs))
	for _, of := range units {
		if len(of) == 0 {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(d.Runs[of[0]].Unit))
		if i := rand.New(rand.NewPCG(drawSeed, h.Sum64())).IntN(most); i < len(of) {
			drawn[of[i]] = true
		}
	}
	return drawn, most
}

// drawSeed is any number.
const drawSeed = 0x756e6974

// byID returns runs in the order of their names, so that what is made of them is the
// same whatever their order was.
func (d *Data) byID(runs []int) []int {
	among := make([]bool, len(d.Runs))
	for _, run := range runs {
		among[run] = true
	}
	sorted := make([]int, 0, len(runs))
	for _, run := range d.named {
		if among[run] {
			sorted = append(sorted, run)
		}
	}
	return sorted
}

// splitHalves divides runs by unit, every other one in the order of their names.
func (d *Data) splitHalves(runs []int) (fitting, bounding []int) {
	runs = d.byID(runs)
	among := make([]bool, d.units)
	for _, run := range runs {
		among[d.unit[run]] = true
	}
	second, next := make([]bool, d.units), false
	for unit := range among {
		if among[unit] {
			second[unit], next = next, !next
		}
	}
	for _, run := range runs {
		if !second[d.unit[run]] {
			fitting = append(fitting, run)
		} else {
			bounding = append(bounding, run)
		}
	}
	return fitting, bounding
}
