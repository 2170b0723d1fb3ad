package sql

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
)

// files are what readers see of some campaigns.
type files struct {
	campaigns []string
	labels    []conditionLabel
	folder    string // below which they are on this machine
	copied    bool   // from the lake
	tables    map[string][]file
	hidden    []superseded
}

// file is a file of the lake and where it is on this machine, below the folder.
type file struct {
	lake.File
	campaign string
	place    string
}

// readFiles lists the files of the campaigns, and fetches those that are not here.
func (s Source) readFiles(ctx context.Context) (files, error) {
	f := files{tables: map[string][]file{}}
	campaigns, err := s.listCampaigns(ctx)
	if err != nil {
		return f, err
	}
	f.campaigns = campaigns
	for _, c := range campaigns {
		if err := f.addLabels(ctx, s, c); err != nil {
			return f, err
		}
		d, err := lake.ReadDataset(ctx, s.Store, c)
		var added map[string][]lake.File
		if err == nil {
			added, err = d.Added(ctx, s.Store)
		}
		if err != nil && len(s.Campaigns) == 0 && len(campaigns) > 1 {
			return f, fmt.Errorf("%w; --campaign names those to read without it", damageError(c, err))
		} else if err != nil {
			return f, damageError(c, err)
		}
		for _, files := range []map[string][]lake.File{d.Files, added} {
			for table, list := range files {
				for _, one := range list {
					f.tables[table] = append(f.tables[table], file{one, c, filepath.FromSlash(one.Key)})
				}
			}
		}
		for _, run := range d.Superseded {
			f.hidden = append(f.hidden, superseded{c, run})
		}
	}
	if folder, ok := localDirectory(s.Location); ok {
		if f.folder, err = filepath.Abs(folder); err != nil {
			return f, err
		}
	} else if err := s.fetchMissing(ctx, &f); err != nil {
		return f, err
	}
	return f, f.checkAll(false)
}

// addLabels adds what the file of a campaign calls its conditions now. A manifest that
// cannot be read leaves the labels that were stored with the rows.
func (f *files) addLabels(ctx context.Context, s Source, name string) error {
	m, err := campaign.ReadManifest(ctx, s.Store, name)
	switch {
	case errors.Is(err, store.ErrCorrupt) && s.Tell != nil:
		s.Tell(fmt.Sprintf("The labels of %s are those of when it was run: %v", name, err))
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrCorrupt):
		return err
	}
	for _, condition := range slices.Sorted(maps.Keys(m.AxisLabels)) {
		f.labels = append(f.labels, conditionLabel{name, condition, m.Label(condition)})
	}
	return nil
}

func (s Source) listCampaigns(ctx context.Context) ([]string, error) {
	all, err := lake.Campaigns(ctx, s.Store)
	if err != nil || len(s.Campaigns) == 0 {
		return all, err
	}
	chosen := slices.Compact(slices.Sorted(slices.Values(s.Campaigns)))
	for _, c := range chosen {
		if !slices.Contains(all, c) {
			return nil, fmt.Errorf("the lake has nothing of a campaign %q; it has %s", c, strings.Join(all, ", "))
		}
	}
	return chosen, nil
}

// localDirectory returns the folder of a local lake.
func localDirectory(location string) (string, bool) {
	if !strings.Contains(location, "://") {
		return location, true
	}
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return u.Path, true
}

// sortedFiles the files, in the order of their keys.
func (f files) sortedFiles() []file {
	var all []file
	for _, list := range f.tables {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// checkAll holds the files to what names them: their sizes or, if deep, their bytes.
func (f files) checkAll(deep bool) error {
	all := f.sortedFiles()
	if len(all) == 0 {
		return nil
	}
	root, err := os.OpenRoot(f.folder) // a stranger's lake may have links that lead out of it
	if err != nil {
		return err
	}
	defer root.Close()
	var g errgroup.Group
	g.SetLimit(downloads)
	var mu sync.Mutex
	byKey := map[string]error{}
	for _, one := range all {
		g.Go(func() error {
			err := one.checkContent(root, deep)
			switch {
			case err == nil:
				return nil
			case f.copied:
				_ = os.Remove(filepath.Join(f.folder, one.place))
				err = fmt.Errorf("a copy in the cache was damaged and is removed; ask again: %w", err)
			default:
				err = damageError(one.campaign, err)
			}
			mu.Lock()
			defer mu.Unlock()
			byKey[one.Key] = err
			return nil
		})
	}
	_ = g.Wait()
	var errs []error
	for _, one := range all {
		if err := byKey[one.Key]; err != nil && len(errs) < maxErrors {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// maxErrors are named; verify names all.
const maxErrors = 3

func (f file) checkContent(root *os.Root, deep bool) error {
	at, err := store.OpenFileIn(root, f.place)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is missing", f.Key)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Key, err)
	}
	defer at.Close()
	info, err := at.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Key, err)
	}
	if info.Size() != f.Size {
		return fmt.Errorf("%s has %d bytes and should have %d", f.Key, info.Size(), f.Size)
	}
	if !deep {
		return nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, at); err != nil {
		return fmt.Errorf("%s: %w", f.Key, err)
	}
	if hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%s does not hold what was written (its SHA-256 is another)", f.Key)
	}
	return nil
}

func damageError(campaign string, err error) error {
	return fmt.Errorf("the lake is damaged; roundtable verify %s lists everything that is: %w", campaign, err)
}
