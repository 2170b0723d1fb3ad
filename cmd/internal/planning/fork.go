package planning

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// readForked returns the recorded campaign that a file goes on from.
func readForked(ctx context.Context, s store.Store, name string) (campaign.Plan, error) {
	p, _, err := campaign.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, campaign.ErrImported) {
		return p, cli.NoCampaign(ctx, s, name)
	}
	return p, err
}

// leaveOut refuses a fork of collaborations that have not ended, and leaves those out of it
// that did not succeed, unless the recorded fork has cells that go on from them.
func leaveOut(ctx context.Context, s store.Store, file *campaignfile.File) error {
	latest, err := lake.LatestProgress(ctx, s, file.Fork)
	if err != nil {
		return err
	}
	known, err := campaigns.ReadPlannedCampaign(ctx, s, file.Campaign.Name)
	if err != nil {
		return err
	}
	planned, without := map[string]bool{}, known.Without.Set()
	for _, id := range known.Origins() {
		planned[id] = !without[id]
	}
	ended := map[string]string{}
	for _, o := range latest {
		ended[o.Collaboration] = o.Status
	}
	var missing []string
	origins := file.Campaign.Origins()
	for _, id := range origins {
		switch status, has := ended[id]; {
		case !has:
			missing = append(missing, id)
		case status != task.Succeeded && !planned[id]:
			file.Campaign.Without = append(file.Campaign.Without, id)
		}
	}
	switch {
	case len(missing) > 0:
		return cli.UsageError(fmt.Errorf("not all collaborations of %s have ended: %s to go, as %s. Finish that campaign first, or fork its first instances only (run FILE --limit N)",
			file.Fork, wording.Count(len(missing), "collaboration"), missing[0]))
	case len(file.Campaign.Without) == len(origins):
		return cli.UsageError(fmt.Errorf("none of the %s of %s succeeded, so there is nothing to fork; `roundtable status %s` says why",
			wording.Count(len(origins), "collaboration"), file.Fork, file.Fork))
	}
	return nil
}

// describeLeftOut says how many collaborations are not forked, and why; "" if there are none.
func describeLeftOut(ctx context.Context, s store.Store, c plan.Campaign) (string, error) {
	if len(c.Without) == 0 {
		return "", nil
	}
	of := c.Conditions[0].Fork.Campaign
	latest, err := lake.LatestProgress(ctx, s, of)
	if err != nil {
		return "", err
	}
	ends, without := map[string]int{}, c.Without.Set()
	for _, o := range latest {
		if without[o.Collaboration] {
			ends[strings.TrimSuffix(o.Status+": "+o.Reason, ": ")]++
		}
	}
	var how []string
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		how = append(how, fmt.Sprintf("%d %s", ends[end], end))
	}
	return fmt.Sprintf("%d of %s of %s did not succeed and are not forked (%s), as %s", len(c.Without),
		wording.Count(len(c.Origins()), "collaboration"), of, wording.And(how), c.Without[0]), nil
}

// checkReplacements refuses texts that cannot stand in place of a message, in any instance.
func checkReplacements(plugins catalogue.Catalogue, s store.Store, p campaign.Plan) error {
	var lines []string
	for i, c := range p.Campaign.Conditions {
		if len(c.Fork.Replace) == 0 {
			continue
		}
		unusable, err := collaboration.CheckReplacements(p, i, plugins, providers.Sources(s, p), providers.New(s).Build)
		if err != nil {
			return err
		}
		for _, problem := range unusable {
			if line := "fork: " + problem; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) > 0 {
		return errors.New(strings.Join(lines, "\n"))
	}
	return nil
}

// checkForkedData refuses data files that have changed since the campaign that a fork goes
// on from was run: other questions would have its answers.
func checkForkedData(of, p campaign.Plan) error {
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if p.Files[name] != of.Files[name] {
			return fmt.Errorf("the data file %s is not the one that %s was run with; --data DIR names a folder that has it", name, of.Campaign.Name)
		}
	}
	return nil
}

// forkPrompts gives a fork the prompts of the campaign that it goes on from: its whole
// packs where no setting is changed, else its templates of the environment and the protocol.
func forkPrompts(of campaign.Plan, p *campaign.Plan) error {
	fresh := p.Packs
	p.Edition, p.Folder, p.Packs = of.Edition, of.Folder, map[string]map[string]string{}
	for i, c := range p.Campaign.Conditions {
		j := slices.IndexFunc(of.Campaign.Conditions, func(o plan.Condition) bool { return o.ID() == c.Fork.Condition })
		if j < 0 {
			return fmt.Errorf("the condition %s is not in %s", c.Fork.Condition, of.Campaign.Name)
		}
		pack := of.Packs[of.Pack[j]]
		if len(c.Fork.Was) > 0 {
			pack = recordedPack(of, c, fresh[p.Pack[i]])
		}
		p.Pack[i] = campaign.HashPack(pack)
		p.Packs[p.Pack[i]] = pack
	}
	return nil
}
