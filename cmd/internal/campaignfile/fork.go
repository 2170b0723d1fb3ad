package campaignfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"roundtable/activities/prompt"
	"roundtable/activities/recorded"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// readForked returns the recorded campaign that a file goes on from.
func readForked(ctx context.Context, s storage.Store, name string) (recorded.Plan, error) {
	p, _, err := recorded.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return p, cli.NoCampaign(ctx, s, name)
	}
	return p, err
}

// checkForked refuses a fork of collaborations that have not ended.
func checkForked(ctx context.Context, s storage.Store, file plan.File) error {
	ended, err := lake.Ended(ctx, s, file.Fork)
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, run := range ended {
		has[run.Collaboration] = true
	}
	var missing []string
	order := file.Campaign.Order()
	for n := range file.Campaign.Size() {
		cell := order.Cell(n)
		id := file.Campaign.Conditions[cell.Condition].Fork.OriginID(cell)
		if !has[id] && !slices.Contains(missing, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return cli.UsageError(fmt.Errorf("not all collaborations of %s have ended: %s to go, as %s. Finish that campaign first, or fork its first instances only (run FILE --limit N)",
		file.Fork, wording.Count(len(missing), "collaboration"), missing[0]))
}

// forkPrompts gives a fork the prompts of the campaign that it goes on from: its whole
// packs where no setting is changed, else its templates of the environment and the protocol.
func forkPrompts(of recorded.Plan, p *recorded.Plan) error {
	fresh := p.Packs
	p.Edition, p.Folder, p.Packs = of.Edition, of.Folder, map[string]prompt.Pack{}
	for i, c := range p.Campaign.Conditions {
		j := slices.IndexFunc(of.Campaign.Conditions, func(o plan.Condition) bool { return o.ID() == c.Fork.Condition })
		if j < 0 {
			return fmt.Errorf("the condition %s is not in %s", c.Fork.Condition, of.Campaign.Name)
		}
		pack := of.Packs[of.Pack[j]]
		if len(c.Fork.Was) > 0 {
			pack = recordedPack(of, c, fresh[p.Pack[i]])
		}
		p.Pack[i] = pack.Hash()
		p.Packs[p.Pack[i]] = pack
	}
	return nil
}
