package crossval

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"roundtable/analysis/acts"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/envs/wording"
	"roundtable/workflows/stopping"
)

// A method of early stopping is fitted on the collaborations of a campaign in the lake,
// for collaborations that are still to run (paper 1, Cho et al. 2025, appendix D.7). The
// same rows and labels give the same fit, whatever their order.

// LearnRequest says which method is fitted, and on which collaborations.
type LearnRequest struct {
	Campaign  string
	Condition string            // id of a condition of the campaign
	Method    string            // one of stopping.MethodNames
	Alpha     *float64          // of the method e_process; nil is its default
	Labeller  string            // whose labels count, by id; "" for the only one
	Embedder  language.Embedder // of distances; only the method information_distance needs it
}

// Learn returns the method that r asks for, fitted; whom to ask during a run is not set. The error
// says what the campaign lacks: an end, collaborations that ran all rounds, labels.
func Learn(ctx context.Context, store store.Store, r LearnRequest) (fit stopping.LearnedFit, err error) {
	success, err := lake.ReadSuccess(ctx, store, r.Campaign)
	if err != nil {
		return fit, err
	}
	if success.Digest == "" {
		return fit, fmt.Errorf("campaign %s has not finished; run it to its end first", r.Campaign)
	}
	d, on, err := ReadRecorded(ctx, store, r)
	if err != nil {
		return fit, err
	}
	fit.On, fit.On.Revision, fit.On.Digest = on, success.Revision, success.Digest
	m, err := MethodNamed(r.Method, r.Alpha)
	if err != nil {
		return fit, err
	}
	if fit.Fitted, fit.Validated, err = FitAll(ctx, d, m); err != nil {
		return fit, fmt.Errorf("campaign %s, condition %s: %w", r.Campaign, r.Condition, err)
	}
	return fit, nil
}

// ReadRecorded returns the collaborations that r's method is fitted on, with the labels or
// distances that it needs.
func ReadRecorded(ctx context.Context, store store.Store, r LearnRequest) (*Data, stopping.FittedOn, error) {
	on := stopping.FittedOn{Campaign: r.Campaign, Condition: r.Condition}
	all, left, err := acts.Load(ctx, store, r.Campaign)
	if err != nil {
		return nil, on, err
	}
	runs := acts.ByInstance(all, FoldCount)
	runs = slices.DeleteFunc(runs, func(t acts.Trajectory) bool { return t.Condition != r.Condition })
	left = slices.DeleteFunc(left, func(l acts.Excluded) bool { return record.ConditionOf(l.ID) != r.Condition })
	if len(runs) < 2 {
		return nil, on, fmt.Errorf("campaign %s has %s of the condition %s that ran all rounds; at least 2 are needed%s",
			r.Campaign, wording.Count(len(runs), "collaboration"), r.Condition, exclusionReasons(left))
	}
	switch r.Method {
	case stopping.MethodDialogueAct:
		labels, err := acts.AddLabels(ctx, store, r.Campaign, r.Labeller, runs)
		if err != nil {
			return nil, on, err
		}
		on.Labeller = labels.By
	case stopping.MethodDistance:
		on.Embedder = r.Embedder.Name()
		if err := addDistances(ctx, store, r, runs); err != nil {
			return nil, on, err
		}
	}
	d, err := NewData(runs)
	if err != nil {
		return nil, on, fmt.Errorf("campaign %s, condition %s: %w", r.Campaign, r.Condition, err)
	}
	on.Collaborations, on.Rounds = len(runs), len(runs[0].Rounds)
	if len(left) > 0 {
		on.Of = len(runs) + len(left)
	}
	for _, l := range left {
		if l.Early {
			on.EndedEarly++
		}
	}
	return d, on, nil
}

// exclusionReasons says why collaborations are left out.
func exclusionReasons(left []acts.Excluded) string {
	if len(left) == 0 {
		return ""
	}
	count := map[string]int{}
	for _, l := range left {
		count[l.Reason]++
	}
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%d because %s", count[reason], reason))
	}
	return "; left out are " + wording.And(parts)
}

// addDistances sets the information distances of runs as they were known at the end of
// each round.
func addDistances(ctx context.Context, store store.Store, r LearnRequest, runs []acts.Trajectory) error {
	at := map[lake.Run]int{}
	for i, t := range runs {
		at[lake.Run{Collaboration: t.ID, Generation: t.Generation}] = i
	}
	d, err := lake.ReadDataset(ctx, store, r.Campaign)
	if err != nil {
		return err
	}
	d = d.Only(func(m lake.Member) bool { _, ok := at[m.Run]; return ok })
	i := 0
	for rows, err := range lake.Collaborations(ctx, store, d, record.Turns) {
		if err != nil {
			return err
		}
		t := &runs[at[d.Members[i].Run]]
		i++
		said := make([][]string, len(t.Rounds))
		for _, turn := range rows.Turns {
			if n := int(turn.Round) - 1; turn.IsMessage() && n >= 0 && n < len(said) {
				said[n] = append(said[n], *turn.Text)
			}
		}
		for n := range t.Rounds {
			if t.Rounds[n].Distance, err = language.DistanceHeard(ctx, r.Embedder, said[:n+1]); err != nil {
				return err
			}
		}
	}
	return nil
}
