package planning

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"roundtable/activities/ledger"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// CheckExtends returns the recorded plan of the lake's campaign of that name, nil if
// there is none, and gives the manifest's labeller the words that it began with. The
// error says why that campaign cannot continue with the plan.
func CheckExtends(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest) (*campaign.Plan, error) {
	name := p.Campaign.Name
	stored, before, err := campaign.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, campaign.ErrImported) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if diff := p.Campaign.Extends(stored.Campaign); len(diff) > 0 {
		return nil, cli.UsageError(fmt.Errorf(
			"the lake has another campaign %q; choose another name or another --lake. What differs:\n  %s",
			name, strings.Join(diff, "\n  ")))
	}
	if err := samePrompts(stored, p); err != nil {
		return nil, err
	}
	if err := campaign.SameData(stored.Files, p.Files); err != nil {
		return nil, cli.UsageError(err)
	}
	m.Labels.Keep(before.Labels)
	return &stored, nil
}

// AnnounceExtension says on standard error which cells a plan adds to the recorded one.
func AnnounceExtension(stored *campaign.Plan, p campaign.Plan) {
	if stored == nil {
		return
	}
	if added := p.Campaign.Added(stored.Campaign); len(added) > 0 {
		fmt.Fprintf(os.Stderr, "%s is extended from %d to %s: %s\n", p.Campaign.Name, stored.Campaign.Size(),
			wording.Count(p.Campaign.Size(), "cell"), strings.Join(added, "; "))
	}
}

// Comparison is what plan says of the lake's campaign of the file's name.
type Comparison struct {
	Prompts chosenPrompts
	Begun   *begun // nil if there is none, or another one
	Refusal string // why run would refuse the file; "" if it would not
}

// Compare returns what a run of the plan would find. What run would refuse is not an error unless a pilot is to run.
func Compare(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest, prompts string,
	pilot bool) (c Comparison, err error) {
	stored, err := CheckExtends(ctx, s, p, m)
	c.Prompts = chosenPrompts{p.Edition, stored != nil, prompts}
	if cli.ExitCode(err) == cli.ExitUsage && !pilot {
		c.Refusal = err.Error()
		return c, nil
	}
	if err != nil || stored == nil {
		return c, err
	}
	if pilot {
		AnnounceExtension(stored, p)
	}
	c.Begun, err = readBegun(ctx, s, *stored, p, m)
	return c, err
}

// Print prints what a run would find on standard output.
func (c Comparison) Print() {
	if c.Refusal != "" {
		fmt.Printf("A run would be refused: %s\n", wording.SafeLines(c.Refusal))
	}
	if c.Begun != nil {
		fmt.Println(wording.SafeLines(c.Begun.String()))
	}
}

// begun says how far the lake's campaign is and what a run of a file would add to it.
type begun struct {
	Cells      int      `json:"cells"`                // recorded
	Finished   int      `json:"finished"`             // of these
	Again      int      `json:"again,omitempty"`      // of the finished ones, those that would be run once more
	Adds       int      `json:"adds"`                 // cells that the file has and the recorded plan has not
	Added      []string `json:"added,omitempty"`      // what they are, in words
	Unlabelled int      `json:"unlabelled,omitempty"` // of the finished ones, if the file has a labeller
}

// readBegun compares the recorded plan of a campaign with the plan of a file.
func readBegun(ctx context.Context, s store.Store, stored, p campaign.Plan, m campaign.Manifest) (*begun, error) {
	status, again, err := campaigns.SummarizeEnded(ctx, s, stored, ledger.Open(ctx, s, stored.Campaign.Name))
	if err != nil {
		return nil, err
	}
	b := &begun{
		Cells: status.Cells, Finished: status.Done(), Again: again,
		Adds: p.Campaign.Size() - stored.Campaign.Size(), Added: p.Campaign.Added(stored.Campaign),
	}
	if m.Labels != nil && b.Finished > 0 {
		b.Unlabelled, err = campaigns.CountUnlabelled(ctx, s, m.Campaign, m.Labels.ID())
	}
	return b, err
}

// String returns how far the campaign is, and what a run would do, in two sentences.
func (b begun) String() string {
	var would []string
	if n := b.Cells - b.Finished; n > 0 {
		would = append(would, fmt.Sprintf("finish the remaining %d", n))
	}
	if b.Again > 0 {
		would = append(would, "run "+wording.Count(b.Again, "finished cell")+" again")
	}
	if b.Adds > 0 {
		would = append(would, fmt.Sprintf("add %s (%s)", wording.Count(b.Adds, "cell"), strings.Join(b.Added, "; ")))
	} else {
		would = append(would, "add nothing")
	}
	if b.Unlabelled > 0 {
		would = append(would, "label "+wording.Count(b.Unlabelled, "collaboration"))
	}
	return fmt.Sprintf("The lake has this campaign: %d of %s finished. A run would %s.", b.Finished,
		wording.Count(b.Cells, "cell"), wording.And(would))
}
