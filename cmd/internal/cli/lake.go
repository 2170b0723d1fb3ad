package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs/wording"
	"roundtable/infra/lock"
)

// LocalLake returns the folder of the lake; local is false if it is not on this machine.
func (o *Options) LocalLake() (dir string, local bool) {
	dir = strings.TrimPrefix(o.Lake, "file://")
	return dir, !strings.Contains(dir, "://")
}

// OpenLake opens an existing lake, which may be read-only; it creates none.
func (o *Options) OpenLake() (store.Store, error) {
	if dir, local := o.LocalLake(); local {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, UsageError(fmt.Errorf("there is no lake at %s; --lake or ROUNDTABLE_LAKE says where it is, "+
				"and `roundtable run FILE` makes one", o.Lake))
		}
	}
	return o.open(o.ReadBucket)
}

func (o *Options) open(bucket func(location string) (store.Store, error)) (store.Store, error) {
	s, err := store.Open(o.Lake, bucket)
	if err == nil {
		s, err = campaign.WithData(o.withPaths(s), o.Data)
	}
	if err != nil {
		return nil, UsageError(err)
	}
	return s, nil
}

// ReadLake opens the lake to read the results of campaign name; it returns an error if the lake does not have
// it, or has results that are not of its plan.
func (o *Options) ReadLake(ctx context.Context, name string) (store.Store, error) {
	s, err := o.CheckLake(ctx, name)
	if err != nil {
		return nil, err
	}
	s = lake.Recent(s, name)
	return s, campaign.CheckPlanned(ctx, s, name)
}

// CheckLake opens the lake and returns an error if it has no such campaign. Unlike ReadLake it does not check
// that the rows fit the plan.
func (o *Options) CheckLake(ctx context.Context, campaign string) (store.Store, error) {
	s, err := o.OpenLake()
	if err != nil {
		return nil, err
	}
	names, err := lake.Campaigns(ctx, s)
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(names, campaign):
		return s, nil
	case len(names) == 0:
		return nil, UsageError(fmt.Errorf("the lake %s has no campaign yet", o.Lake))
	}
	return nil, o.UnknownCampaign(campaign, names)
}

// UnknownCampaign returns the usage error for a campaign that the lake does not have; names are the ones that
// it has.
func (o *Options) UnknownCampaign(campaign string, names []string) error {
	return UsageError(noCampaign("the lake "+o.LakeName(), campaign, names))
}

// NoCampaign returns the error for a campaign that the lake does not have; it lists the ones that it has and
// does not say where the lake is.
func NoCampaign(ctx context.Context, s store.Store, campaign string) error {
	names, err := lake.Campaigns(ctx, s)
	if err != nil {
		return err
	}
	return noCampaign("the lake", campaign, names)
}

func noCampaign(where, campaign string, names []string) error {
	hint := ""
	if strings.ContainsAny(campaign, "./") {
		hint = " (a campaign is named by the name: in its file)"
	}
	return fmt.Errorf("%s has no campaign %q%s; it has %s%s", where, campaign, hint,
		cmp.Or(strings.Join(names, ", "), "none yet"), wording.DidYouMean(campaign, names))
}

// newFolders are those that were made for something, the outermost first.
type newFolders []string

// missingFolders returns those on the way to a folder that are not there, it included.
func missingFolders(dir string) (missing newFolders) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		missing = append(newFolders{at}, missing...)
	}
}

// CreateLake opens the lake and creates its folder if it does not exist.
func (o *Options) CreateLake() (store.Store, newFolders, error) {
	var made newFolders
	if dir, local := o.LocalLake(); local {
		made = missingFolders(dir)
	}
	s, err := o.open(o.OpenBucket)
	return s, made, err
}

// Discard takes the folders away again in which nothing was written.
func (f newFolders) Discard() {
	for _, folder := range slices.Backward(f) {
		_ = os.Remove(folder) // which only an empty folder lets happen
	}
}

// Announce says what is new before something is written to it.
func (f newFolders) Announce(lake, state string) {
	if len(f) > 0 {
		fmt.Fprintf(os.Stderr, "New lake for answers and tables: %s; state of the engine: %s\n", lake, state)
	}
}

// LockCampaign takes a campaign for this process: by a lock in a local lake, by a lease in a bucket
// (store.TakeLease explains place). The returned context ends when the lease is lost; closing releases it.
func (o *Options) LockCampaign(ctx context.Context, s store.Store, campaign, place string) (context.Context,
	io.Closer, error) {
	key := lake.LockKey(campaign)
	if dir, local := o.LocalLake(); local {
		held, err := lock.File(filepath.Join(dir, filepath.FromSlash(key)), store.GroupRights(dir))
		return ctx, held, err
	}
	held, lease, err := store.TakeLease(ctx, s, key, store.Holder{Name: lock.ThisProcess(), Place: place},
		func(by store.Holder) {
			fmt.Fprintf(os.Stderr, "%s is in use by %s; if that shows no sign of life within 30 s, this process "+
				"continues\n", campaign, wording.SafeLines(by.Name))
		})
	if errors.Is(err, store.ErrLeased) {
		err = UsageError(fmt.Errorf("campaign %s: %w; wait for it, or stop it", campaign, err))
	}
	if err != nil {
		return ctx, nil, err
	}
	return held, lease, nil
}

// CampaignHolder describes the process that holds the lock of a campaign on a local lake; "" if none does or
// the lake is not local.
func (o *Options) CampaignHolder(campaign string) string {
	dir, local := o.LocalLake()
	if !local {
		return ""
	}
	return lock.Holder(filepath.Join(dir, filepath.FromSlash(lake.LockKey(campaign))))
}

// ExplainDamage adds to an error that wraps store.ErrCorrupt what the damage prevents (so, a clause) and the
// command that lists it; other errors are returned as they are.
func ExplainDamage(err error, campaign, so string) error {
	if !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	return fmt.Errorf("the lake is damaged, so %s (roundtable verify %s lists everything that is):\n%w", so,
		campaign, err)
}
