package crossval

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Result is the cross-validation of one method on one condition.
type Result struct {
	Method   string    `json:"method"`
	Absent   string    `json:"absent,omitempty"` // why the method cannot be used on these data; the rest is then empty
	Trained  []Trained `json:"trained"`          // by fold; a fold without collaborations of the condition has none
	Outcomes []Outcome `json:"outcomes"`         // of every collaboration, in the order of Data.Runs
}

// Trained is what a method learned from the collaborations outside one fold.
type Trained struct {
	Fold int `json:"fold"`
	N    int `json:"n"` // collaborations it was trained on
	Learned
	Apparent *float64 `json:"apparent"` // mean score of the rule on its own training collaborations
}

// Outcome is the result of a method on one collaboration that it was not trained on.
type Outcome struct {
	ID     string   `json:"id"`
	Fold   int      `json:"fold"`
	Stop   Stop     `json:"stop"`
	Score  *float64 `json:"score"` // at the stop; nil if it is not defined there
	Saving Saving   `json:"saving"`
}

// Validate cross-validates each method over the same folds.
func Validate(ctx context.Context, d *Data, folds Folds, methods []Method) ([]Result, error) {
	if err := folds.check(d); err != nil {
		return nil, err
	}
	all := folds.splitAll(d)
	results := make([]Result, len(methods))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range methods {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			results[i] = validateMethod(d, all, m)
			return nil
		})
	}
	return results, g.Wait()
}

func validateMethod(d *Data, folds []foldSplit, m Method) Result {
	r := Result{Method: m.Name(), Outcomes: make([]Outcome, len(d.Runs))}
	for fold, of := range folds {
		train, test := of.train, of.test
		if len(test) == 0 {
			continue
		}
		fitted, err := m.Fit(d, train)
		if err != nil {
			return Result{Method: m.Name(), Absent: err.Error()}
		}
		t := Trained{Fold: fold, N: len(train), Learned: fitted.Learned}
		if mean, n := d.averageScore(train, fitted.Stop); n > 0 {
			t.Apparent = &mean
		}
		r.Trained = append(r.Trained, t)
		for _, run := range test {
			s := fitted.Stop(run)
			r.Outcomes[run] = Outcome{ID: d.Runs[run].ID, Fold: fold, Stop: s, Score: d.scoreAt(run, s),
				Saving: d.savingOf(run, s)}
		}
	}
	return r
}
