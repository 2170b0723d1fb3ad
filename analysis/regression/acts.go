package regression

import (
	"fmt"

	"roundtable/analysis/acts"
	"roundtable/analysis/statistics"
)

// Effect is a pair of dialogue acts and how it is related to score.
type Effect struct {
	Term
	// pairs that occur in exactly the same rounds, so that the coefficient may be theirs
	Same []string `json:"same"`
	// allows for dependence within a unit; nil if Test is nil, or if one unit alone determines the coefficient
	Clustered *Test `json:"clustered"`
	// p-value by exchanging whole trajectories: the one for claims; nil if not estimable or not asked for
	Permutation *float64 `json:"permutation"`
	Adjusted    *float64 `json:"adjusted"` // the same after Benjamini and Hochberg, over all estimable pairs
}

// Acts is the regression of score on pairs of dialogue acts.
type Acts struct {
	Fit
	Effects []Effect `json:"effects"` // of the pairs that were fitted, in their order
	Dropped []string `json:"dropped"` // pairs in fewer than Rare rows, or missing in fewer
	Trend   Trend    `json:"trend"`
	// Warnings say what a reader of the coefficients must know.
	Warnings []string `json:"warnings"`
}

// RegressActs returns the regression over all collaborations of one condition, or of
// several. times is the number of permutations; 0 leaves them out.
func RegressActs(runs []acts.Trajectory, times int, seed uint64) (Acts, error) {
	p, err := NewPairs(runs)
	if err != nil {
		return Acts{}, err
	}
	if len(p.rows) == 0 {
		return Acts{}, fmt.Errorf("none of the %d collaborations has a score in a round from 2", len(runs))
	}
	every := p.emptySet()
	for i := range p.rows {
		every.add(i)
	}
	kept, dropped := p.fittableColumns(every)
	if len(kept) == 0 {
		return Acts{}, fmt.Errorf("no pair of dialogue acts is in at least %d of %d rounds and missing in as many",
			Rare, len(p.rows))
	}
	m, err := NewModel(p.designOf(kept))
	if err != nil {
		return Acts{}, err
	}
	a := Acts{Trend: TrendOf(runs)}
	if a.Fit, err = m.Fit(p.y); err != nil {
		return Acts{}, err
	}
	for _, pair := range dropped {
		a.Dropped = append(a.Dropped, pair.String())
	}
	a.fillEffects(kept)
	a.warnOfTrend()
	a.clusterErrors(p, m)
	if times > 0 {
		a.permuteUnits(p, m, times, seed)
	}
	return a, nil
}

func (a *Acts) fillEffects(kept []Column) {
	for i, c := range kept {
		e := Effect{Term: a.Terms[i+1]}
		for _, s := range c.Same {
			e.Same = append(e.Same, s.String())
		}
		a.Effects = append(a.Effects, e)
	}
}

func (a *Acts) clusterErrors(p *Pairs, m *Model) {
	units := make([]int, len(p.rows))
	for i, r := range p.rows {
		units[i] = p.units[r.run]
	}
	tests, err := m.Clustered(p.y, units)
	if err != nil {
		a.Warnings = append(a.Warnings, err.Error())
		return
	}
	for i := range a.Effects {
		a.Effects[i].Clustered = tests[i+1]
	}
}

func (a *Acts) permuteUnits(p *Pairs, m *Model, times int, seed uint64) {
	ps, err := p.permutationTests(m, a.Fit, times, seed)
	if err != nil {
		a.Warnings = append(a.Warnings, "No permutation p-values: "+err.Error()+".")
		return
	}
	var family []float64
	var at []int
	for i := range a.Effects {
		if a.Effects[i].Estimable {
			a.Effects[i].Permutation = &ps[i+1]
			family, at = append(family, ps[i+1]), append(at, i)
		}
	}
	adjusted, err := statistics.BenjaminiHochberg(family)
	if err != nil {
		a.Warnings = append(a.Warnings, err.Error())
		return
	}
	for k, i := range at {
		a.Effects[i].Adjusted = &adjusted[k]
	}
	if least := float64(len(family)) / float64(times+1); least > level {
		a.Warnings = append(a.Warnings, fmt.Sprintf("After %d permutations a single pair among %d cannot have an "+
			"adjusted p-value below %.2g; ask for at least %d.",
			times, len(family), min(1, least), 20*len(family)-1))
	}
}

func (a *Acts) warnOfTrend() {
	if w := a.Trend.Warning(); w != "" {
		a.Warnings = append(a.Warnings, w)
	}
	if a.DOF == 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("%d rows and rank %d: nothing is left to estimate an error from, "+
			"so there are no p-values.", a.N, a.Rank))
	}
	if n := len(a.Aliased); n > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("Pairs in %d aliased groups cannot be told apart in these data; "+
			"their coefficients mean nothing one by one.", n))
	}
}
