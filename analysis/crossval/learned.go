package crossval

import (
	"context"
	"fmt"
	"strconv"

	"roundtable/workflows/stopping"
)

// FoldCount and FoldSeed are those of the papers' tables and of what a fitted rule says
// of itself.
const (
	FoldCount = 5
	FoldSeed  = 1
)

// byName are the methods that can be fitted and then asked while a collaboration runs.
var byName = map[string]Method{
	stopping.MethodBaseline: Baseline{}, stopping.MethodFirst: FirstAgreement{},
	stopping.MethodConsecutive: ConsecutiveAgreements{},
	stopping.MethodCheckpoint:  ValidationCheckpoint{}, stopping.MethodDistance: InformationDistance{},
	stopping.MethodDialogueAct: DialogueAct{},
	stopping.MethodFixed:       FixedBestRound{}, stopping.MethodStability: Stability{},
	stopping.MethodEProcess: DefaultEProcess(),
}

// MethodNamed returns the method of this name, one that can be fitted. alpha is the bound of a
// method that has one; nil is its default.
func MethodNamed(name string, alpha *float64) (Method, error) {
	m, ok := byName[name]
	if !ok {
		return nil, fmt.Errorf("unknown method %q", name)
	}
	if e, bounded := m.(EProcess); bounded && alpha != nil {
		e.Alpha = *alpha
		m = e
	}
	return m, nil
}

// FitAll fits m on all collaborations, for use on others that are still to run. v is its
// cross-validation on these; nil if they are too few for folds. Numbers are rounded, so that every
// machine gets the same fit.
func FitAll(ctx context.Context, d *Data, m Method) (rule stopping.Fitted, v *stopping.Validated, err error) {
	fitted, err := m.Fit(d, d.everyRun())
	if err != nil {
		return rule, nil, err
	}
	rule = *fitted.Rule
	if rule.Threshold != nil {
		rule.Threshold = new(roundDigits(*rule.Threshold, 12))
	}
	for i, s := range rule.Signals {
		rule.Signals[i].Coefficient = roundDigits(s.Coefficient, 9)
	}
	folds, err := NewFolds(Units(d), FoldCount, FoldSeed)
	if err != nil {
		return rule, nil, nil // too few
	}
	results, err := Validate(ctx, d, folds, []Method{Baseline{}, m, Oracle{}})
	if err != nil {
		return rule, nil, err
	}
	all := Summarize(d, results)
	v = &stopping.Validated{
		Folds: FoldCount, Seed: FoldSeed, Score: roundedOf(all[1].Score), Baseline: roundedOf(all[0].Score),
		Oracle: roundedOf(all[2].Score),
		Round:  roundDigits(all[1].Round, 6), Effective: roundDigits(all[1].Effective, 6),
	}
	if gap := all[1].GapClosed; gap != nil {
		v.GapClosed = roundedOf(gap.Share)
	}
	return rule, v, nil
}

// StopOf returns where a rule stops the collaboration with index run.
func (d *Data) StopOf(rule stopping.Fitted, run int) Stop {
	return d.fitMethod(rule, Learned{}).Stop(run)
}

// roundDigits returns a number with that many digits: the last bits of sums differ between
// processors.
func roundDigits(x float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x // of no finite number
	}
	return r
}

func roundedOf(x *float64) *float64 {
	if x == nil {
		return nil
	}
	return new(roundDigits(*x, 6))
}
