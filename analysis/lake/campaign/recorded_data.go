package campaign

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// maxData is the greatest size, in bytes, of data files that are stored with a plan.
const maxData = 64 << 20

// dataKey returns where a data file with these contents is: campaigns of a lake share it.
func dataKey(sum string) string { return "data/" + sum }

// RecordData stores the data files of a plan that the lake does not have yet, so that a copy of the
// lake can be read anywhere. open opens the plan's folder. note says which files are not stored,
// and why.
func RecordData(ctx context.Context, s store.Store, p Plan,
	open func(path string) (fs.FS, error)) (note string, err error) {
	if p.PrivateData {
		return "", nil
	}
	has, err := recordedSums(ctx, s)
	if err != nil {
		return "", err
	}
	missing := slices.DeleteFunc(slices.Sorted(maps.Keys(p.Files)),
		func(name string) bool { return has[p.Files[name]] })
	if len(missing) == 0 {
		return "", nil
	}
	folder, err := open(p.Data)
	if err != nil {
		return "", err
	}
	size := int64(0)
	for _, name := range missing {
		info, err := fs.Stat(folder, name)
		if err != nil {
			return "", err
		}
		size += info.Size()
	}
	if size > maxData {
		return fmt.Sprintf("the data files have %d MB and are not stored in the lake (at most %d MB are): keep %s to "+
			"read prompts and questions again", size>>20, maxData>>20, p.Data), nil
	}
	for _, name := range missing {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return "", err
		}
		if sumOf(data) != p.Files[name] {
			return "", fmt.Errorf("the data file %s has changed while the campaign was planned; run it again", name)
		}
		if err := s.PutIfAbsent(ctx, dataKey(p.Files[name]), data); err != nil && !errors.Is(err, store.ErrExists) {
			return "", err
		}
	}
	return "", nil
}

// OpenRecordedData opens a plan's data files as the lake has them; whole is false if some are
// missing.
func OpenRecordedData(ctx context.Context, s store.Store, p Plan) (files fs.FS, whole bool, err error) {
	has, err := recordedSums(ctx, s)
	if err != nil || len(p.Files) == 0 {
		return nil, false, err
	}
	for _, sum := range p.Files {
		if !has[sum] {
			return nil, false, nil
		}
	}
	var archive bytes.Buffer // which is a file system with folders
	w := zip.NewWriter(&archive)
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		data, err := s.Get(ctx, dataKey(p.Files[name]))
		if err != nil {
			return nil, false, err
		}
		if sumOf(data) != p.Files[name] {
			return nil, false, fmt.Errorf("%s: %w: it is not the file %s that was recorded", dataKey(p.Files[name]),
				store.ErrCorrupt, name)
		}
		file, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = file.Write(data)
		}
		if err != nil {
			return nil, false, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, false, err
	}
	r, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	return r, err == nil, err
}

// CheckData checks a plan's data files in the lake against their hashes. It returns how many are
// stored, and what is wrong, by key. None is stored if they were too large, or are private.
func CheckData(ctx context.Context, s store.Store, p Plan) (stored int, problems map[string]string, err error) {
	has, err := recordedSums(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	problems = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		key := dataKey(p.Files[name])
		if !has[p.Files[name]] {
			problems[key] = fmt.Sprintf("the data file %s is missing, and others of the plan are there", name)
			continue
		}
		stored++
		data, err := s.Get(ctx, key)
		if err != nil {
			return stored, problems, err
		}
		if sumOf(data) != p.Files[name] {
			problems[key] = fmt.Sprintf("it is not the data file %s that was recorded", name)
		}
	}
	if stored == 0 {
		clear(problems)
	}
	return stored, problems, nil
}

// Ties say what links a campaign to the others of its lake.
type Ties struct {
	Forks []string       // campaigns whose forks continue it
	Data  []store.Object // data files that no other campaign has
}

// ReadTies returns the ties of a campaign, from the plans of all campaigns of the lake. If its own
// plans are damaged, Data is empty.
func ReadTies(ctx context.Context, s store.Store, name string) (t Ties, err error) {
	names, err := lake.Campaigns(ctx, s)
	if err != nil {
		return t, err
	}
	others := map[string]bool{}
	for _, other := range names {
		plans, err := ReadPlans(ctx, s, other)
		if err != nil && other != name {
			return t, fmt.Errorf("whether %s needs something of %s is not known: %w", other, name, err)
		}
		for _, p := range plans {
			if other == name {
				continue
			}
			for _, sum := range p.Files {
				others[sum] = true
			}
			goesOn := func(c plan.Condition) bool { return c.Fork != nil && c.Fork.Campaign == name }
			if !slices.Contains(t.Forks, other) && slices.ContainsFunc(p.Campaign.Conditions, goesOn) {
				t.Forks = append(t.Forks, other)
			}
		}
	}
	own := map[string]bool{}
	plans, err := ReadPlans(ctx, s, name)
	if err != nil {
		return t, nil //nolint:nilerr // it is to be deleted, or its commands say so
	}
	for _, p := range plans {
		for _, sum := range p.Files {
			own[dataKey(sum)] = !others[sum]
		}
	}
	objects, err := s.List(ctx, "data/")
	t.Data = slices.DeleteFunc(objects, func(o store.Object) bool { return !own[o.Key] })
	return t, err
}

func recordedSums(ctx context.Context, s store.Store) (map[string]bool, error) {
	objects, err := s.List(ctx, "data/")
	has := map[string]bool{}
	for _, o := range objects {
		has[o.Key[len("data/"):]] = true
	}
	return has, err
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
