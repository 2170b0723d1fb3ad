package campaigns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"

	"roundtable/activities/asking"
	"roundtable/activities/commits"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// SummarizeEnded returns the counts of a plan's cells that have ended, with what they have spent (earlier
// generations included), and again, how many of them are to be run again.
func SummarizeEnded(ctx context.Context, s store.Store, p campaign.Plan, books *ledger.Books) (st workflows.Status,
	again int, err error) {
	latest, err := books.Outcomes()
	st = workflows.Status{Revision: p.Campaign.Revision(), Cells: p.Campaign.Size()}
	for _, o := range latest {
		switch o.Status {
		case task.Succeeded:
			st.Succeeded++
		case task.Failed:
			st.Failed++
		case task.Stopped:
			if st.Stopped++; o.Reason == task.Answered {
				st.Answered++
			}
		}
	}
	if err != nil {
		return st, 0, err
	}
	if st.Spent, err = books.SpentOnEnded(); err != nil {
		return st, 0, err
	}
	wanted, err := campaign.ReadRerun(ctx, s, p.Campaign.Name)
	return st, wanted.Left(latest), err
}

// ShareDone returns the share of a campaign's collaborations that is done, from 0 to 1. underWay is the number
// of unfinished collaborations, each counted as the share of its turns that are taken.
func ShareDone(s workflows.Status, underWay float64) float64 {
	if s.Cells == 0 {
		return 0
	}
	return min((float64(s.Done())+underWay)/float64(s.Cells), 1)
}

// RecordFile updates the recorded manifest of a campaign that has nothing left to run with m's labels of axis
// values, question and data set card.
func RecordFile(ctx context.Context, s store.Store, m campaign.Manifest) error {
	stored, err := campaign.ReadManifest(ctx, s, m.Campaign)
	card := err == nil && !reflect.DeepEqual(stored.Card, m.Card)
	if err != nil || !card && reflect.DeepEqual(stored.AxisLabels, m.AxisLabels) &&
		reflect.DeepEqual(stored.Until, m.Until) {
		return err
	}
	stored.AxisLabels, stored.Until, stored.Card = m.AxisLabels, m.Until, m.Card
	var damaged error // what is not as it was written keeps nothing from being recorded
	if card {
		damaged = commits.RefreshCardOf(ctx, s, m.Campaign, cmp.Or(m.Card, &plan.Card{}))
		if damaged != nil && !errors.Is(damaged, commits.ErrDamagedCard) {
			return damaged
		}
	}
	return errors.Join(damaged, campaign.WriteManifest(ctx, s, stored))
}

// RepairCard writes the README of a campaign again if it is damaged, as after a kill while it was written, and
// reports that on standard error.
func RepairCard(ctx context.Context, s store.Store, name string) error {
	repaired, err := commits.RepairCard(ctx, s, name)
	if repaired && err == nil {
		fmt.Fprintf(os.Stderr, "The description of campaign %s was not whole and is written again: %s\n", name,
			lake.AboutKey(name, "README.md"))
	}
	return err
}

// IsSealed reports whether every cell of the plan has ended, none has lost its rows, and none is to be run
// again.
func IsSealed(ctx context.Context, s store.Store, p campaign.Plan) bool {
	success, err := lake.ReadSuccess(ctx, s, p.Campaign.Name)
	if err != nil || success.Revision != p.Campaign.Revision() {
		return false
	}
	markers, err := lake.Committed(ctx, s, p.Campaign.Name)
	if err != nil || lake.Digest(markers) != success.Digest {
		return false
	}
	again, err := campaign.ReadRerun(ctx, s, p.Campaign.Name)
	return err == nil && again.Left(lake.OutcomesOf(markers)) == 0
}

// IsLabelled reports whether m names the same labeller as the recorded manifest, or both name none, and that
// labeller has labelled every collaboration that has ended.
func IsLabelled(ctx context.Context, s store.Store, m campaign.Manifest) bool {
	stored, err := LabellingOfFile(ctx, s, m.Campaign)
	if err != nil || m.Labels == nil || stored == nil {
		return err == nil && m.Labels == stored
	}
	if stored.ID() != m.Labels.ID() {
		return false
	}
	left, err := CountUnlabelled(ctx, s, m.Campaign, m.Labels.ID())
	return err == nil && left == 0
}

// LabellingOfFile returns the recorded settings by which a campaign's messages are labelled; nil if its file
// names no labeller or the campaign is not recorded.
func LabellingOfFile(ctx context.Context, s store.Store, name string) (*campaign.Labelling, error) {
	m, err := campaign.ReadManifest(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return m.Labels, err
}

// CountUnlabelled returns how many collaborations that have ended the labeller by has not labelled.
func CountUnlabelled(ctx context.Context, s store.Store, campaign, by string) (int, error) {
	d, err := lake.ReadDataset(ctx, s, campaign)
	if err != nil {
		return 0, err
	}
	done, err := lake.LabelledRuns(ctx, s, campaign, by)
	n := 0
	for _, m := range d.Members {
		if !done[m.Run] {
			n++
		}
	}
	return n, err
}

// NeedsNothing reports whether no cell that was skipped, because the campaign's question was answered, has to
// run now after all: for a harder question, or because m has no question any more. It is also true if the
// campaign was cancelled, which continues only on request.
func NeedsNothing(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest) bool {
	if some, err := hasUnneeded(ctx, s, p.Campaign.Name); err != nil || !some {
		return err == nil
	}
	if m.Until == nil {
		return false
	}
	state, err := asking.NewReader(s).Read(ctx, p.Campaign, *m.Until, nil)
	return err == nil && (state.IsDone() || state.Cancelled > 0)
}

// hasUnneeded reports whether some cell was stopped because the question was answered.
func hasUnneeded(ctx context.Context, s store.Store, campaign string) (bool, error) {
	latest, err := lake.LatestProgress(ctx, s, campaign)
	return slices.ContainsFunc(latest, func(o lake.Outcome) bool { return o.Reason == task.Answered }), err
}

// KeepAhead sets m.Until.Ahead, the number of units under way at once, back to its recorded value if nothing
// else of the question has changed and the question is answered: a larger number would only start cells that
// the answer does not need. It returns the file's number, or 0 if nothing was set back.
func KeepAhead(ctx context.Context, s store.Store, p campaign.Plan, m *campaign.Manifest) (asked int, err error) {
	stored, err := campaign.ReadManifest(ctx, s, m.Campaign)
	if errors.Is(err, fs.ErrNotExist) || err == nil &&
		(stored.Until == nil || m.Until == nil || stored.Until.Ahead == m.Until.Ahead) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	same := *m.Until
	same.Ahead = stored.Until.Ahead
	if !reflect.DeepEqual(*stored.Until, same) {
		return 0, nil
	}
	if some, err := hasUnneeded(ctx, s, m.Campaign); err != nil || !some {
		return 0, err
	}
	state, err := asking.NewReader(s).Read(ctx, p.Campaign, same, nil)
	if err != nil || !state.IsDone() {
		return 0, err
	}
	asked, m.Until = m.Until.Ahead, &same
	return asked, nil
}
