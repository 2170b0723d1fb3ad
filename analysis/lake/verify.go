package lake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Report is what Verify found.
type Report struct {
	Campaign    string    `json:"campaign"`
	Commits     int       `json:"commits"` // whole ones, all generations
	Files       int       `json:"files"`   // of these
	Rows        int       `json:"rows"`
	Labels      int       `json:"labels"`   // rows of labels; not among Rows
	Features    int       `json:"features"` // rows of features; not among Rows
	Gold        int       `json:"gold"`     // rows of gold labels; likewise
	Answers     int       `json:"answers"`  // objects of the answer store
	Digest      string    `json:"digest"`   // see Digest; of the commits that are whole
	Batches     int       `json:"batches"`  // compacted ones whose parts are whole
	Parts       int       `json:"parts"`    // of these
	Expired     int       `json:"expired"`  // commits whose raw files were deleted after they were compacted
	Uncommitted []string  `json:"uncommitted,omitempty"`
	Foreign     []string  `json:"foreign,omitempty"` // keys for which IsOwn is false; no reader sees them
	Findings    []Finding `json:"findings,omitempty"`
}

// Finding is one thing that is wrong in a lake.
type Finding struct {
	Object  string `json:"object"`
	Problem string `json:"problem"`
}

// OK reports whether there are no findings. Uncommitted files are not wrong: a campaign that is
// running, or was killed, has some.
func (r Report) OK() bool { return len(r.Findings) == 0 }

// NewFinding returns the finding that err is about object.
func NewFinding(object string, err error) Finding {
	return Finding{object, strings.TrimPrefix(err.Error(), object+": ")}
}

func (r *Report) addFinding(object string, err error) {
	r.Findings = append(r.Findings, NewFinding(object, err))
}

// Verify reads all that a campaign left in the store and checks it: markers
// against their own checksums, files against their markers, rows against the
// digest, parts against their manifests and against the rows that they were
// made from, answers and the log of the budget against their checksums. Damage is a finding; an error means
// that the store could not be read.
func Verify(ctx context.Context, store store.Store, campaign string) (Report, error) {
	r := Report{Campaign: campaign}
	markers, err := r.checkMarkers(ctx, store, commitFolder(campaign))
	if err != nil {
		return r, err
	}
	compacted, err := heldRuns(ctx, store, campaign)
	if err != nil {
		return r, err
	}
	named := map[string]bool{}
	var whole []Marker
	of := map[Run]copies{}
	for _, m := range markers {
		for _, f := range m.Files {
			named[f.Key] = true
		}
		sums, ok, err := r.checkCommit(ctx, store, m, compacted[m.Run()])
		if err != nil {
			return r, err
		}
		if ok {
			whole = append(whole, m)
			of[m.Run()] = sums
		}
	}
	r.Commits, r.Digest = len(whole), Digest(Latest(whole))
	if err := r.checkOutcomes(ctx, store, markers); err != nil {
		return r, err
	}
	if err := r.checkBatches(ctx, store, whole, of, named); err != nil {
		return r, err
	}
	if r.Labels, err = verifyAdded[record.Label](ctx, &r, store, named); err != nil {
		return r, err
	}
	if r.Features, err = verifyAdded[record.Feature](ctx, &r, store, named); err != nil {
		return r, err
	}
	if r.Gold, err = verifyAdded[record.GoldLabel](ctx, &r, store, named); err != nil {
		return r, err
	}
	for _, folder := range []string{"gold/", "starts/"} {
		if _, err := r.checkSealed(ctx, store, AboutKey(campaign, folder)); err != nil {
			return r, err
		}
	}
	if r.Answers, err = r.checkSealed(ctx, store, "answers/campaign="+campaign+"/"); err != nil {
		return r, err
	}
	if _, err := r.checkSealed(ctx, store, "budget/campaign="+campaign+"/"); err != nil {
		return r, err
	}
	if err := r.findUnnamed(ctx, store, named); err != nil {
		return r, err
	}
	_, foreign, err := Objects(ctx, store, campaign)
	if err != nil {
		return r, err
	}
	for _, o := range foreign {
		r.Foreign = append(r.Foreign, o.Key)
	}
	slices.SortFunc(r.Findings, func(a, b Finding) int { return strings.Compare(a.Object, b.Object) })
	return r, nil
}

// findUnnamed notes the files that no marker and no manifest names.
func (r *Report) findUnnamed(ctx context.Context, store store.Store, named map[string]bool) error {
	for _, table := range slices.Concat(record.Tables[:], record.Annotations[:]) {
		for _, folder := range []string{"raw", "lake"} {
			objects, err := List(ctx, store, fmt.Sprintf("%s/%s/campaign=%s/", folder, table, r.Campaign))
			if err != nil {
				return err
			}
			for _, o := range objects {
				if !named[o.Key] {
					r.Uncommitted = append(r.Uncommitted, o.Key)
				}
			}
		}
	}
	return nil
}

func (r *Report) checkMarkers(ctx context.Context, s store.Store, folder string) ([]Marker, error) {
	objects, err := List(ctx, s, folder)
	if err != nil {
		return nil, err
	}
	var markers []Marker
	for _, o := range objects {
		m, err := ReadMarker(ctx, s, o.Key)
		switch {
		case errors.Is(err, store.ErrCorrupt):
			r.addFinding(o.Key, err)
		case err != nil:
			return nil, err
		default:
			markers = append(markers, m)
		}
	}
	return markers, nil
}

// copies are the record.CopyDigest of a commit's tables.
type copies map[string]string

// heldRuns are in a compacted batch, whose parts are checked by themselves. A
// manifest that is damaged holds nothing; it is a finding later.
func heldRuns(ctx context.Context, s store.Store, campaign string) (map[Run]bool, error) {
	manifests, _, err := ReadManifests(ctx, s, campaign)
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return nil, err
	}
	held := map[Run]bool{}
	for _, m := range manifests {
		for _, member := range m.Members {
			held[member.Run] = true
		}
	}
	return held, nil
}

// checkCommit checks the files that a marker names; ok says that all are whole. Of
// a commit that is compacted, files may have been deleted.
func (r *Report) checkCommit(ctx context.Context, s store.Store, m Marker, compacted bool) (sums copies,
	ok bool, err error) {
	before := len(r.Findings)
	var rows record.Rows
	sums = copies{}
	err = errors.Join(
		verifyTable(ctx, r, s, m, &rows.Collaborations, sums),
		verifyTable(ctx, r, s, m, &rows.Rounds, sums),
		verifyTable(ctx, r, s, m, &rows.Turns, sums),
		verifyTable(ctx, r, s, m, &rows.Ballots, sums),
		verifyTable(ctx, r, s, m, &rows.Calls, sums),
	)
	if err != nil || len(r.Findings) > before {
		return nil, false, err
	}
	if len(sums) < len(record.Tables) {
		if compacted {
			r.Expired++
			return sums, true, nil
		}
		for table, f := range m.Files {
			if _, there := sums[table]; !there {
				r.addFinding(f.Key, fmt.Errorf("%w: its marker names it, but it %w, and no batch holds its rows",
					store.ErrCorrupt, errMissing))
			}
		}
		return nil, false, nil
	}
	rows, err = rows.Sorted()
	if err != nil {
		r.addFinding(m.Key(), err)
		return nil, false, nil
	}
	switch digest, err := record.Digest(rows); {
	case err != nil:
		r.addFinding(m.Key(), err)
	case digest != m.Digest:
		r.addFinding(m.Key(), fmt.Errorf("the rows have digest %s, the marker says %s", digest, m.Digest))
	case rows.Collaborations[0].Status != m.Status:
		r.addFinding(m.Key(), fmt.Errorf("the collaboration is %s, the marker says %s",
			rows.Collaborations[0].Status, m.Status))
	default:
		r.countRows(m)
		return sums, true, nil
	}
	return nil, false, nil
}

func (r *Report) countRows(m Marker) {
	for _, f := range m.Files {
		r.Files++
		r.Rows += f.Rows
	}
}

// verifyTable reads one table of a commit; damage becomes a finding.
func verifyTable[T record.Row](ctx context.Context, r *Report, s store.Store, m Marker, rows *[]T, sums copies) error {
	var zero T
	got, err := ReadRows[T](ctx, s, m)
	if err == nil {
		sums[zero.Table()], err = copyOf(got, m.Files[zero.Table()].Key)
	}
	switch {
	case errors.Is(err, errMissing): // it has no sum
		return nil
	case errors.Is(err, store.ErrCorrupt):
		r.addFinding(m.Files[zero.Table()].Key, err)
		return nil
	}
	*rows = got
	return err
}

// checkSealed checks the envelopes of the objects below a folder and counts those that are whole.
func (r *Report) checkSealed(ctx context.Context, store store.Store, folder string) (whole int, err error) {
	objects, err := List(ctx, store, folder)
	if err != nil {
		return 0, err
	}
	for _, o := range objects {
		data, err := store.Get(ctx, o.Key)
		if errors.Is(err, fs.ErrNotExist) { // a call that was not made was taken back meanwhile
			continue
		}
		if err != nil {
			return whole, err
		}
		var body json.RawMessage
		if err := Unseal(o.Key, data, &body); err != nil {
			r.addFinding(o.Key, err)
			continue
		}
		whole++
	}
	return whole, nil
}

// copyOf returns the rows' record.CopyDigest; rows without one cannot have been written.
func copyOf[T record.Row](rows []T, key string) (string, error) {
	sum, err := record.CopyDigest(rows)
	if err != nil {
		return "", fmt.Errorf("%s: %w: %w", key, store.ErrCorrupt, err)
	}
	return sum, nil
}
