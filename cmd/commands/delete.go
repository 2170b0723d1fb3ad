package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"roundtable/activities/answers"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows"
)

func newDelete(o *cli.Options) *cobra.Command {
	return newRemoval(o, &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a campaign with its answers, tables and state; without --yes only say what would go",
		Long: `Delete a campaign: its answers, tables, plans and budget, the data files that no
other campaign of the lake has, and the state of its engine. Without --yes it only
says what would go. Answers cannot be had again without paying for them.`,
		Example: `  roundtable delete my-campaign
  roundtable delete my-campaign --yes`,
	}, (*removal).deleteCampaign)
}

func newTidy(o *cli.Options) *cobra.Command {
	return newRemoval(o, &cobra.Command{
		Use:   "tidy NAME",
		Short: "Delete files of a campaign that nothing needs any more; without --yes only say what would go",
		Long: `Delete the raw files of a campaign whose rows are in its compacted tables, and what
interrupted commits left. Everything is verified first. Without --yes it only says
what would go. Results, answers and digest stay as they are.`,
		Example: `  roundtable tidy my-campaign
  roundtable tidy my-campaign --yes`,
	}, (*removal).tidyCampaign)
}

// removal is what delete and tidy find and do; its JSON.
type removal struct {
	o       *cli.Options
	s       store.Store
	w       io.Writer
	Name    string        `json:"campaign"`
	Parts   []removalPart `json:"parts"`
	Objects int           `json:"objects"`
	Bytes   int64         `json:"bytes"`
	Kept    []string      `json:"kept,omitempty"` // what stays, and why
	Deleted bool          `json:"deleted"`
}

// removalPart is one kind of what goes.
type removalPart struct {
	What    string `json:"what"`
	Objects int    `json:"objects"`
	Bytes   int64  `json:"bytes"`
}

func newRemoval(o *cli.Options, cmd *cobra.Command, act func(*removal, context.Context, bool) error) *cobra.Command {
	yes := false
	cmd.GroupID, cmd.Args = toSetUp, cli.OneArg("campaign")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, name := cmd.Context(), args[0]
		s, err := o.CheckLake(ctx, name)
		if err != nil {
			return err
		}
		r := &removal{o: o, s: s, w: cmd.OutOrStdout(), Name: name}
		if yes {
			held, lock, err := o.LockCampaign(ctx, s, name, "")
			if err != nil {
				return cli.UsageError(fmt.Errorf("nothing is deleted: %w", err))
			}
			defer lock.Close()
			ctx = held
		}
		if err := r.refuseRunning(ctx, yes); err != nil {
			return cli.UsageError(fmt.Errorf("nothing is deleted: %w", err))
		}
		if err := act(r, ctx, yes); err != nil {
			return err
		}
		r.Deleted = yes
		return r.write(cmd.Name())
	}
	return cmd
}

// refuseRunning returns an error if some process runs the campaign; held says that this one
// has its lock.
func (r *removal) refuseRunning(ctx context.Context, held bool) error {
	if who := r.o.CampaignHolder(r.Name); who != "" && !held {
		return fmt.Errorf("%s runs %s; cancel it first", who, r.Name)
	}
	c, err := campaigns.Connect(ctx, r.o, r.Name)
	switch {
	case err == nil:
		defer c.Close()
		if campaigns.IsRunning(ctx, c, workflows.CampaignID(r.Name)) {
			return fmt.Errorf("%s is running; cancel it first", r.Name)
		}
	case !errors.Is(err, campaigns.ErrNotRunning) && !errors.As(err, new(campaigns.Foreign)):
		return err
	}
	if _, local := r.o.LocalLake(); local {
		return nil
	}
	l, err := money.ReadLog(ctx, r.s, r.Name)
	if errors.Is(err, store.ErrCorrupt) {
		return nil // of a damaged campaign
	}
	if err == nil && l.Until.After(time.Now()) {
		return fmt.Errorf("a process has reserved some of the budget of %s: it runs there, or was killed; by the "+
			"slowest clock its time ends at %s: try again then", r.Name, l.Until.UTC().Format("15:04:05 UTC"))
	}
	return err
}

// add adds objects to what goes, by a name of their kind.
func (r *removal) add(what string, objects []store.Object) {
	p := removalPart{What: what, Objects: len(objects)}
	for _, o := range objects {
		p.Bytes += o.Size
	}
	if p.Objects > 0 {
		r.Parts, r.Objects, r.Bytes = append(r.Parts, p), r.Objects+p.Objects, r.Bytes+p.Bytes
	}
}

// deleteCampaign finds what belongs to the campaign alone, and deletes it if yes.
func (r *removal) deleteCampaign(ctx context.Context, yes bool) error {
	ties, err := campaign.ReadTies(ctx, r.s, r.Name)
	if err != nil {
		return err
	}
	if len(ties.Forks) > 0 {
		return cli.UsageError(fmt.Errorf("nothing is deleted: %s is a fork of %s and needs its answers; delete that first", wording.And(ties.Forks), r.Name))
	}
	own, foreign, err := lake.Objects(ctx, r.s, r.Name)
	if err != nil {
		return err
	}
	kinds := map[string][]store.Object{}
	for _, o := range own {
		root, _, _ := strings.Cut(o.Key, "/")
		if strings.HasPrefix(o.Key, lake.About) {
			root = "plans"
		}
		kinds[root] = append(kinds[root], o)
	}
	for _, kind := range []struct{ root, what string }{
		{"answers", "answers, which were paid for"}, {"raw", "raw files of tables"}, {"lake", "compacted tables"},
		{"budget", "budget log"}, {"plans", "plans and descriptions"},
	} {
		r.add(kind.what, kinds[kind.root])
	}
	r.add("files of other programs in its folders", foreign)
	r.add("data files that no other campaign has", ties.Data)
	cached := r.findCached(ctx)
	r.add("entries of the cache that no other campaign can use", cached)
	state := r.findState()
	for _, folder := range state {
		r.Parts = append(r.Parts, removalPart{What: "state of the engine: " + folder})
	}
	if !yes {
		return nil
	}
	if err := lake.DeleteAll(ctx, r.s, cached); err != nil {
		return err
	}
	for _, folder := range state { // first: it would go on from what the lake has no more
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	if err := lake.DeleteAll(ctx, r.s, ties.Data); err != nil {
		return err
	}
	return lake.Remove(ctx, r.s, r.Name)
}

// findCached returns the entries of the cache that the campaign bought for itself alone.
func (r *removal) findCached(ctx context.Context) []store.Object {
	plans, err := campaign.ReadPlans(ctx, r.s, r.Name)
	for _, p := range plans {
		if p.Campaign.CacheScope == "lake" {
			r.Kept = append(r.Kept, "answers in the cache, which all campaigns of the lake share (roundtable cache prune)")
			return nil
		}
	}
	var cache answers.Cache
	if err == nil {
		cache, err = answers.ReadCache(ctx, r.s)
	}
	if err != nil {
		r.Kept = append(r.Kept, fmt.Sprintf("its answers in the cache (roundtable cache prune), since these are not known: %v", err))
		return nil
	}
	var own []store.Object
	for _, e := range cache.Prunable(time.Now(), r.Name) {
		own = append(own, store.Object{Key: e.Key, Size: e.Size})
	}
	return own
}

// findState returns the folders of the campaign's embedded servers.
func (r *removal) findState() (folders []string) {
	for _, folder := range []string{r.o.CampaignFolder(r.Name), r.o.LabelsFolder(r.Name, "")} {
		at := filepath.Join(r.o.State, folder)
		if _, err := os.Stat(at); err == nil {
			folders = append(folders, at)
		}
	}
	return folders
}

// tidyCampaign finds what nothing needs any more, and deletes it if yes.
func (r *removal) tidyCampaign(ctx context.Context, yes bool) error {
	compacted, interrupted, err := lake.Superfluous(ctx, r.s, r.Name)
	if err != nil {
		return err
	}
	r.add("raw files whose rows are in the compacted tables", compacted)
	r.add("files of interrupted commits", interrupted)
	if !yes {
		return nil
	}
	return lake.DeleteAll(ctx, r.s, append(compacted, interrupted...))
}

func (r *removal) write(command string) error {
	if r.o.JSON {
		return cli.WriteJSON(r.w, r)
	}
	if len(r.Parts) == 0 {
		_, err := fmt.Fprintf(r.w, "%s: nothing to %s\n", r.Name, command)
		return err
	}
	would := "would be deleted from"
	if r.Deleted {
		would = "deleted from"
	}
	fmt.Fprintf(r.w, "%s: %s, %s %s %s\n", r.Name, wording.Count(r.Objects, "object"), wording.Bytes(r.Bytes), would,
		r.o.LakeName())
	for _, p := range r.Parts {
		size := ""
		if p.Objects > 0 {
			size = fmt.Sprintf("%s, %s", wording.Count(p.Objects, "object"), wording.Bytes(p.Bytes))
		}
		fmt.Fprintln(r.w, strings.TrimRight(fmt.Sprintf("  %-52s %s", p.What, size), " "))
	}
	for _, kept := range r.Kept {
		fmt.Fprintf(r.w, "Kept: %s\n", kept)
	}
	if !r.Deleted {
		fmt.Fprintf(r.w, "Nothing was deleted. To do it: roundtable %s %s --yes\n", command, r.Name)
	}
	return nil
}
