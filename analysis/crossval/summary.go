package crossval

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/statistics"
)

// Summary is a method's row of Tables 10 and 11.
type Summary struct {
	Method    string   `json:"method"`
	Absent    string   `json:"absent,omitempty"`
	N         int      `json:"n"`         // collaborations
	Defined   int      `json:"n_defined"` // with a score at the stop
	Score     *float64 `json:"score"`     // mean over these
	SE        *float64 `json:"se"`        // of it, over collaborations
	Fired     float64  `json:"fired"`     // share that the rule stopped
	Effective float64  `json:"effective"` // share that it stopped before the last round
	// mean last round of all; one that was not stopped counts with its last
	Round  float64 `json:"round"`
	FiredN int     `json:"n_fired"` // behind FiredRound; the Oracle's leave out those without a best round
	// mean stop of those that the rule stopped: the paper's Early Stopped Round
	FiredAt   *float64 `json:"fired_at"`
	Threshold *float64 `json:"threshold"` // mean of the folds'
	// of the way from baseline to Oracle; nil if these are not among the methods
	GapClosed *Closure `json:"gap_closed"`
	Saved     Saving   `json:"saved"`            // sums over all
	Of        Saving   `json:"of"`               // what the collaborations took in all
	Notes     []string `json:"notes,omitempty"`  // why the rule of some folds never stops
	Partly    string   `json:"partly,omitempty"` // what the rule could not see, and in how many collaborations

	Errors   Errors   `json:"errors"`
	Compared Compared `json:"-"` // behind GapClosed
}

// Errors are the standard errors of a Summary over collaborations; nil for one.
type Errors struct {
	Effective *float64 `json:"effective"`
	Round     *float64 `json:"round"`
	FiredAt   *float64 `json:"fired_at"`
	CostUSD   *float64 `json:"cost_usd"` // of the saved sum; nil if a price is not known
	// Rounds and Tokens are the saved shares; nil of nothing.
	Rounds *statistics.Ratio `json:"rounds"`
	Tokens *statistics.Ratio `json:"tokens"`
	// Threshold is a standard deviation over that many folds, which are not independent.
	Threshold *float64 `json:"threshold"`
	Folds     int      `json:"folds"`
}

// Saving is what stopping saves.
type Saving struct {
	Rounds  int      `json:"rounds"`
	Tokens  int64    `json:"tokens"`
	CostUSD *float64 `json:"cost_usd"` // nil if a price is not known
}

func (s Saving) add(o Saving) Saving {
	s.Rounds, s.Tokens = s.Rounds+o.Rounds, s.Tokens+o.Tokens
	if s.CostUSD == nil || o.CostUSD == nil {
		s.CostUSD = nil
		return s
	}
	sum := *s.CostUSD + *o.CostUSD
	s.CostUSD = &sum
	return s
}

// savingOf of a run that ends at a stop: the rounds after it.
func (d *Data) savingOf(run int, s Stop) Saving {
	var total Saving
	usd, known := 0.0, true
	for _, r := range d.Runs[run].Rounds[s.Round:] {
		total.Rounds, total.Tokens = total.Rounds+1, total.Tokens+r.Tokens
		if known = known && r.CostUSD != nil; known {
			usd += *r.CostUSD
		}
	}
	if known {
		total.CostUSD = &usd
	}
	return total
}

// Summarize returns the summary of each method's result on one condition. Gaps are closed between
// the methods named Baseline and Oracle, if they are among them.
func Summarize(d *Data, results []Result) []Summary {
	list := make([]Summary, len(results))
	var base, oracle []*float64
	for i, r := range results {
		list[i] = d.summarizeResult(r)
		switch r.Method {
		case Baseline{}.Name():
			base = r.scoreByRun()
		case Oracle{}.Name():
			oracle = r.scoreByRun()
		}
	}
	if base == nil || oracle == nil {
		return list
	}
	units := make([]string, len(d.Runs))
	for run, t := range d.Runs {
		units[run] = t.Unit
	}
	for i, r := range results {
		if r.Absent != "" {
			continue
		}
		list[i].Compared = Compared{units, base, r.scoreByRun(), oracle}
		list[i].GapClosed = new(Closed([]Compared{list[i].Compared}))
	}
	return list
}

func (r Result) scoreByRun() []*float64 {
	all := make([]*float64, len(r.Outcomes))
	for i, o := range r.Outcomes {
		all[i] = o.Score
	}
	return all
}

func (d *Data) summarizeResult(r Result) Summary {
	s := Summary{Method: r.Method, Absent: r.Absent, N: len(r.Outcomes), Saved: Saving{CostUSD: new(float64)},
		Of: Saving{CostUSD: new(float64)}}
	if s.N == 0 {
		return s
	}
	score, rounds, fired, effective := d.newMeasured(), d.newMeasured(), d.newMeasured(), d.newMeasured()
	stopped := 0
	for run, o := range r.Outcomes {
		unit := d.unit[run]
		s.Saved, s.Of = s.Saved.add(o.Saving), s.Of.add(d.whole[run])
		rounds.add(unit, float64(o.Stop.Round))
		if o.Score != nil {
			score.add(unit, *o.Score)
		}
		if o.Stop.Fired {
			stopped++
		}
		if o.Stop.Fired && !o.Stop.Idle {
			fired.add(unit, float64(o.Stop.Round))
		}
		early := 0.0
		if o.Stop.Fired && o.Stop.Round < d.rounds {
			early = 1
		}
		effective.add(unit, early)
	}
	s.Defined, s.FiredN, s.Fired = score.n, fired.n, float64(stopped)/float64(s.N)
	s.Score, s.SE = score.meanAndError()
	s.FiredAt, s.Errors.FiredAt = fired.meanAndError()
	var value *float64
	value, s.Errors.Effective = effective.meanAndError()
	s.Effective = *value
	value, s.Errors.Round = rounds.meanAndError()
	s.Round = *value
	d.addSavings(&s, r)
	s.addLearned(r)
	if (r.Method == InformationDistance{}.Name()) && r.Absent == "" && d.partly > 0 {
		s.Partly = fmt.Sprintf("%d of %d collaborations have rounds without information distance, because nobody "+
			"sent a message then or in the round before; "+
			"the rule neither learns from these rounds nor stops there (%d of %d rounds have one)", d.partly, s.N,
			d.distances, s.N*(d.rounds-1))
	}
	return s
}

// addSavings takes the shares of rounds and tokens that are saved, and the standard errors.
func (d *Data) addSavings(s *Summary, r Result) {
	rounds, tokens, usd := d.newMeasured(), d.newMeasured(), d.newMeasured()
	for run, o := range r.Outcomes {
		unit, of := d.unit[run], d.whole[run]
		rounds.addOf(unit, float64(o.Saving.Rounds), float64(of.Rounds))
		tokens.addOf(unit, float64(o.Saving.Tokens), float64(of.Tokens))
		if o.Saving.CostUSD != nil {
			usd.add(unit, *o.Saving.CostUSD)
		}
	}
	s.Errors.Rounds, s.Errors.Tokens = rounds.ratioOfSums(), tokens.ratioOfSums()
	if _, se := usd.meanAndError(); s.Saved.CostUSD != nil && se != nil {
		s.Errors.CostUSD = new(*se * float64(s.N))
	}
}

// addLearned takes the mean threshold, and says once why the rule of some folds never stops.
func (s *Summary) addLearned(r Result) {
	var thresholds []float64
	var reasons []string
	folds := map[string]int{}
	for _, t := range r.Trained {
		if t.Threshold != nil {
			thresholds = append(thresholds, *t.Threshold)
		}
		if t.Note != "" {
			if folds[t.Note] == 0 {
				reasons = append(reasons, t.Note)
			}
			folds[t.Note]++
		}
	}
	s.Threshold, s.Errors.Folds = meanOf(thresholds), len(thresholds)
	if len(thresholds) > 1 {
		s.Errors.Threshold = new(stat.StdDev(thresholds, nil))
	}
	for _, reason := range reasons {
		s.Notes = append(s.Notes, fmt.Sprintf("in %d of %d folds: %s", folds[reason], len(r.Trained), reason))
	}
}

func meanOf(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	m := stat.Mean(x, nil)
	return &m
}
