package lake

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Annotations are the tables that are added to collaborations: labels, features.
// Each has one marker for each run and each maker of its rows.

func annotationFolder(table, campaign string) string {
	return "raw/_commits/" + table + "/campaign=" + campaign + "/"
}

func commitsBy(table, campaign, by string) string {
	return annotationFolder(table, campaign) + by + "/"
}

// Annotators returns the ids of those who have added rows of a table to a campaign, such as
// labellers, sorted.
func Annotators(ctx context.Context, store store.Store, table, campaign string) ([]string, error) {
	return Folders(ctx, store, annotationFolder(table, campaign))
}

// AnnotationFolders returns the folders of the markers of all tables added to a campaign.
func AnnotationFolders(ctx context.Context, store store.Store, campaign string) (folders []string, err error) {
	for _, table := range record.Annotations {
		all, err := Annotators(ctx, store, table, campaign)
		if err != nil {
			return nil, err
		}
		for _, by := range all {
			folders = append(folders, commitsBy(table, campaign, by))
		}
	}
	return folders, nil
}

// AnnotatedRuns returns the runs to which by, a labeller or embedder, has added rows of a table.
func AnnotatedRuns(ctx context.Context, store store.Store, table, campaign, by string) (map[Run]bool, error) {
	objects, err := List(ctx, store, commitsBy(table, campaign, by))
	runs := make(map[Run]bool, len(objects))
	for _, o := range objects {
		runs[runOf(o.Key)] = true
	}
	return runs, err
}

// AnnotationMarkers returns the markers of a table's rows that by added, in the order of their
// keys.
func AnnotationMarkers(ctx context.Context, store store.Store, table, campaign, by string) ([]Marker, error) {
	objects, err := List(ctx, store, commitsBy(table, campaign, by))
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(objects))
	for i, o := range objects {
		keys[i] = o.Key
	}
	return readMarkers(ctx, store, keys)
}

// addedCommits returns the commits of a table that was added to the members, by whom
// and in the order of their keys.
func (d Dataset) addedCommits(ctx context.Context, store store.Store, table string) ([]Marker, error) {
	members := make(map[Run]bool, len(d.Members))
	for _, m := range d.Members {
		members[m.Run] = true
	}
	all, err := Annotators(ctx, store, table, d.Campaign)
	if err != nil {
		return nil, err
	}
	var added []Marker
	for _, by := range all {
		markers, err := AnnotationMarkers(ctx, store, table, d.Campaign, by)
		if err != nil {
			return nil, err
		}
		added = append(added, slices.DeleteFunc(markers, func(m Marker) bool { return !members[m.Run()] })...)
	}
	return added, nil
}

// Added returns the files of tables added to the members, by table; within a table by maker, in the
// order of the markers' keys.
func (d Dataset) Added(ctx context.Context, store store.Store) (map[string][]File, error) {
	files := map[string][]File{}
	for _, table := range record.Annotations {
		markers, err := d.addedCommits(ctx, store, table)
		if err != nil {
			return nil, err
		}
		for _, m := range markers {
			if f, ok := m.Files[table]; ok {
				files[table] = append(files[table], f)
			}
		}
	}
	return files, nil
}

// ScanAdded returns the rows of a table that anyone added to d's members, such as labels, checked
// as by ReadTable.
func ScanAdded[T record.Row](ctx context.Context, store store.Store, d Dataset) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		markers, err := d.addedCommits(ctx, store, zero.Table())
		if err != nil {
			yield(zero, err)
			return
		}
		ReadTable[T](ctx, store, markers)(yield)
	}
}

// BookEnd ends the code book's name at the beginning of a labeller's id. Ids of labellers of
// dialogue acts begin with no such name.
const BookEnd = "."

// Labellers returns the ids of the labellers of a campaign's dialogue acts, sorted.
func Labellers(ctx context.Context, store store.Store, campaign string) ([]string, error) {
	all, err := AllLabellers(ctx, store, campaign)
	return slices.DeleteFunc(all, func(id string) bool { return strings.Contains(id, BookEnd) }), err
}

// AllLabellers returns the ids of all labellers of a campaign, by any code book, sorted.
func AllLabellers(ctx context.Context, store store.Store, campaign string) ([]string, error) {
	return Annotators(ctx, store, record.Labels, campaign)
}

// LabelledRuns returns the runs whose messages the labeller by has labelled.
func LabelledRuns(ctx context.Context, store store.Store, campaign, by string) (map[Run]bool, error) {
	return AnnotatedRuns(ctx, store, record.Labels, campaign, by)
}

// LabelMarkers returns the markers of the labels by a labeller, in the order of their keys.
func LabelMarkers(ctx context.Context, store store.Store, campaign, by string) ([]Marker, error) {
	return AnnotationMarkers(ctx, store, record.Labels, campaign, by)
}

// verifyAdded checks a table that was added: files against markers, rows
// against digests. It returns the number of rows that are whole.
func verifyAdded[T record.Row](ctx context.Context, r *Report, s store.Store,
	named map[string]bool) (n int, err error) {
	var zero T
	table := zero.Table()
	markers, err := r.checkMarkers(ctx, s, annotationFolder(table, r.Campaign))
	if err != nil {
		return 0, err
	}
	for _, m := range markers {
		for _, f := range m.Files {
			named[f.Key] = true
		}
		rows, err := ReadRows[T](ctx, s, m)
		switch {
		case errors.Is(err, store.ErrCorrupt):
			r.addFinding(m.Files[table].Key, err)
			continue
		case err != nil:
			return n, err
		}
		digest, err := record.TableDigest(rows)
		if err == nil && digest != m.Digest {
			err = fmt.Errorf("the %s have digest %s, the marker says %s", table, digest, m.Digest)
		}
		if err != nil {
			r.addFinding(m.Key(), err)
			continue
		}
		n += len(rows)
	}
	return n, nil
}
