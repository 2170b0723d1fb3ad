package planning

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"roundtable/activities/collaboration"
	"roundtable/activities/ledger"
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

// CheckExtends returns the recorded plan of the campaign that p names, or nil if there is none; the error says
// why that campaign cannot continue with p. It sets the prompts of m's labeller to those that it began with.
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

// AnnounceExtension prints on standard error which cells p adds to the stored plan; nothing if stored is nil.
func AnnounceExtension(stored *campaign.Plan, p campaign.Plan) {
	if stored == nil {
		return
	}
	if added := p.Campaign.Added(stored.Campaign); len(added) > 0 {
		fmt.Fprintf(os.Stderr, "%s is extended from %d to %s: %s\n", p.Campaign.Name, stored.Campaign.Size(),
			wording.Count(p.Campaign.Size(), "cell"), strings.Join(added, "; "))
	}
}

// Comparison says how a plan relates to the campaign of that name in the lake.
type Comparison struct {
	Prompts chosenPrompts
	Begun   *begun // how far that campaign is; nil if there is none, or a different one
	Refusal string // why run would refuse the file; "" if it would not
}

// Compare compares a plan with the lake: what a run would find. If a run would refuse the plan, that is
// Refusal, or an error if pilot is true. prompts is the folder that replaces built-in prompts; "" if none
// does.
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

// Print prints the comparison on standard output.
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

// PrintDifference writes a line diff of the prompts of two conditions, by who is asked and when. first and
// second are condition ids, or prefixes that identify one.
func PrintDifference(w io.Writer, prompts []RenderedPrompt, first, second string) error {
	a, err := promptsOf(prompts, first)
	if err != nil {
		return err
	}
	b, err := promptsOf(prompts, second)
	if err != nil {
		return err
	}
	var titles []string
	for _, r := range prompts {
		_, inA := a[r.Title()]
		_, inB := b[r.Title()]
		if (inA || inB) && !slices.Contains(titles, r.Title()) {
			titles = append(titles, r.Title())
		}
	}
	same := 0
	for _, title := range titles {
		lines := diffLines(a[title], b[title])
		if len(lines) == 0 {
			same++
			continue
		}
		fmt.Fprintf(w, "\n=== %s ===\n%s\n", wording.SafeLines(title), strings.Join(lines, "\n"))
	}
	fmt.Fprintf(w, "\n%d of %s %s the same in both. Lines with - are of %s alone, those with + of %s.\n", same,
		wording.Count(len(titles), "prompt"), map[bool]string{true: "is", false: "are"}[same == 1], first, second)
	return nil
}

// promptsOf returns the prompts of a condition by their titles.
func promptsOf(prompts []RenderedPrompt, id string) (map[string]string, error) {
	all, found := map[string]string{}, map[string]bool{}
	for _, r := range prompts {
		for _, c := range r.Conditions {
			if strings.HasPrefix(c, id) {
				found[c], all[r.Title()] = true, r.Text()
			}
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d conditions have an id that begins with %q; name one of those that plan shows",
			len(found), id)
	}
	return all, nil
}

// diffLines returns the lines that only one of two texts has, marked, by a longest
// common subsequence; none if they are equal.
func diffLines(a, b string) (out []string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	common := make([][]int, len(x)+1) // of x[i:] and y[j:]
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := range slices.Backward(x) {
		for j := range slices.Backward(y) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			out, i = append(out, "- "+x[i]), i+1
		default:
			out, j = append(out, "+ "+y[j]), j+1
		}
	}
	return out
}

// readForked returns the recorded campaign that a file forks.
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
		return cli.UsageError(fmt.Errorf("not all collaborations of %s have ended: %s to go, as %s. Finish that "+
			"campaign first, or fork its first instances only (run FILE --limit N)",
			file.Fork, wording.Count(len(missing), "collaboration"), missing[0]))
	case len(file.Campaign.Without) == len(origins):
		return cli.UsageError(fmt.Errorf("none of the %s of %s succeeded, so there is nothing to fork; `roundtable "+
			"status %s` says why",
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
			return fmt.Errorf("the data file %s is not the one that %s was run with; --data DIR names a folder "+
				"that has it", name, of.Campaign.Name)
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
