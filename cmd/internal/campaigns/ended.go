package campaigns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"

	"roundtable/activities/commits"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// SummarizeEnded counts the committed cells of a plan, of which some may be wanted again, and
// sums up what they have spent, earlier generations included.
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

// ShareDone returns the share of a campaign's collaborations that is done, those
// under way counted by their turns.
func ShareDone(s workflows.Status, underWay float64) float64 {
	if s.Cells == 0 {
		return 0
	}
	return min((float64(s.Done())+underWay)/float64(s.Cells), 1)
}

// RecordFile records what the file now calls the values of its grid, what it now asks and what its
// owner now says of its data set, of a campaign that has nothing else to do.
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

// RepairCard writes the description of a campaign again if it is not whole, as after a
// kill that came while it was written, and says so.
func RepairCard(ctx context.Context, s store.Store, name string) error {
	repaired, err := commits.RepairCard(ctx, s, name)
	if repaired && err == nil {
		fmt.Fprintf(os.Stderr, "The description of campaign %s was not whole and is written again: %s\n", name,
			lake.AboutKey(name, "README.md"))
	}
	return err
}

// IsSealed reports whether every cell of the plan has ended, is still there and not to be run again.
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

// IsLabelled reports whether everything that has ended is labelled as the
// manifest says, and the recorded one says the same.
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

// LabellingOfFile returns how a campaign's file wants messages to be labelled; nil if it does not.
func LabellingOfFile(ctx context.Context, s store.Store, name string) (*campaign.Labelling, error) {
	m, err := campaign.ReadManifest(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return m.Labels, err
}

// CountUnlabelled returns how many collaborations that have ended are still to be labelled.
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
