package lake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Dataset is what readers see of a campaign: exactly the files that hold its committed rows, and no
// others. Scan and Collaborations read it.
type Dataset struct {
	Campaign string `json:"campaign"`
	Batches  int    `json:"batches"` // compacted
	// the latest generation of each collaboration, by condition and collaboration
	Members []Member `json:"-"`
	// by table: parts by batch and condition, then files of commits that no batch holds
	Files map[string][]File `json:"files"`
	// Superseded are in parts although a later generation exists. Whoever opens
	// Files with another program leaves them out.
	Superseded []Run   `json:"superseded"`
	Open       []Batch `json:"-"` // written down but not compacted yet
	// Earlier is how many generations came before those of Members, by condition.
	Earlier map[string]int `json:"-"`

	last      int                 // number of the last manifest
	raw       map[Run]Marker      // members that no batch holds
	earlier   []string            // markers of earlier generations that no batch holds
	manifests []Manifest          // of the batches that hold a member
	holder    map[Run]int         // index in manifests
	unread    map[string][]string // columns of parts that readers have no use for, by table
}

// ReadDataset lists a campaign's files. It may be running: what is committed is seen.
func ReadDataset(ctx context.Context, store store.Store, campaign string) (Dataset, error) {
	manifests, open, err := ReadManifests(ctx, store, campaign)
	if err != nil {
		return Dataset{}, err
	}
	d := datasetOf(campaign, manifests)
	d.Open = open
	objects, err := List(ctx, store, commitFolder(campaign))
	if err != nil {
		return Dataset{}, err
	}
	members := latestMembers(manifests)
	unread, earlier := newerMarkers(members, objects)
	d.earlier = d.unbatchedMarkers(objects, unread)
	markers, err := readMarkers(ctx, store, unread)
	if err != nil {
		return Dataset{}, err
	}
	for _, m := range markers {
		d.raw[m.Run()] = m
		members[m.Collaboration] = MemberOf(m)
	}
	d.Members = slices.SortedFunc(maps.Values(members), compareMembers)
	for _, m := range d.Members {
		if n := earlier[m.Collaboration]; n > 0 {
			d.Earlier[m.Condition] += n
		}
	}
	d.listFiles()
	return d, nil
}

// newerMarkers returns the keys of the markers that have later generations than the
// members; earlier is how many generations are not the latest, by collaboration.
func newerMarkers(members map[string]Member, objects []store.Object) (keys []string, earlier map[string]int) {
	type found struct {
		generation int
		key        string // "" is a member
	}
	last := map[string]found{}
	for name, m := range members {
		last[name] = found{generation: m.Generation}
	}
	earlier = map[string]int{}
	for _, o := range objects {
		run := runOf(o.Key)
		l, known := last[run.Collaboration]
		if known && l.generation != run.Generation {
			earlier[run.Collaboration]++
		}
		if !known || run.Generation > l.generation {
			last[run.Collaboration] = found{run.Generation, o.Key}
		}
	}
	for _, l := range last {
		if l.key != "" {
			keys = append(keys, l.key)
		}
	}
	return keys, earlier
}

// unbatchedMarkers returns the keys of markers that no batch holds, but for the given ones.
func (d Dataset) unbatchedMarkers(objects []store.Object, but []string) (keys []string) {
	passed := map[string]bool{}
	for _, key := range but {
		passed[key] = true
	}
	for _, o := range objects {
		if _, held := d.holder[runOf(o.Key)]; !held && !passed[o.Key] {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// ReadMarkers returns the markers of runs, in the order of runs.
func ReadMarkers(ctx context.Context, store store.Store, campaign string, runs []Run) ([]Marker, error) {
	keys := make([]string, len(runs))
	for i, run := range runs {
		keys[i] = run.MarkerKey(campaign)
	}
	return readMarkers(ctx, store, keys)
}

func readMarkers(ctx context.Context, store store.Store, keys []string) ([]Marker, error) {
	markers := make([]Marker, len(keys))
	return markers, Each(ctx, len(keys), func(ctx context.Context, i int) (err error) {
		markers[i], err = ReadMarker(ctx, store, keys[i])
		return err
	})
}

// datasetOf begins a dataset with the batches. A run is in one batch; if two name
// it, the one with the lower number holds it, and a batch that holds nothing
// is none.
func datasetOf(campaign string, manifests []Manifest) Dataset {
	d := Dataset{Campaign: campaign, Files: map[string][]File{}, Earlier: map[string]int{}, raw: map[Run]Marker{},
		holder: map[Run]int{}}
	for _, m := range manifests {
		n := len(d.holder)
		for _, member := range m.Members {
			if _, taken := d.holder[member.Run]; !taken {
				d.holder[member.Run] = len(d.manifests)
			}
		}
		if len(d.holder) > n {
			d.manifests = append(d.manifests, m)
		}
	}
	d.Batches = len(d.manifests)
	if len(manifests) > 0 {
		d.last = manifests[len(manifests)-1].Number
	}
	return d
}

// latestMembers returns the members of batches that no other of them supersedes, by collaboration.
func latestMembers(manifests []Manifest) map[string]Member {
	all := map[string]Member{}
	for _, b := range manifests {
		for _, m := range b.Members {
			if l, known := all[m.Collaboration]; !known || m.Generation > l.Generation {
				all[m.Collaboration] = m
			}
		}
	}
	return all
}

// listFiles fills Files and Superseded from the rest.
func (d *Dataset) listFiles() {
	seen := map[Run]bool{}
	d.Superseded = []Run{}
	for _, m := range d.Members {
		seen[m.Run] = true
	}
	for _, b := range d.manifests {
		for _, m := range b.Members {
			if !seen[m.Run] && !slices.Contains(d.Superseded, m.Run) {
				d.Superseded = append(d.Superseded, m.Run)
			}
		}
		for _, table := range record.Tables {
			for _, p := range b.Files[table] {
				d.Files[table] = append(d.Files[table], p.File)
			}
		}
	}
	for _, m := range d.Members {
		for _, table := range record.Tables {
			if f, ok := d.raw[m.Run].Files[table]; ok {
				d.Files[table] = append(d.Files[table], f)
			}
		}
	}
}

// Digest returns the Digest of the members, the same before and after compaction.
func (d Dataset) Digest() string {
	markers := make([]Marker, len(d.Members))
	for i, m := range d.Members {
		markers[i] = Marker{Collaboration: m.Collaboration, Generation: m.Generation, Digest: m.Digest}
	}
	return Digest(markers)
}

// Generations returns the dataset with every committed generation as a member, for readers that sum
// up what all of them took. Files is unchanged.
func (d Dataset) Generations(ctx context.Context, store store.Store) (Dataset, error) {
	markers, err := readMarkers(ctx, store, d.earlier)
	if err != nil {
		return Dataset{}, err
	}
	d.raw, d.earlier, d.Members = maps.Clone(d.raw), nil, nil
	for _, m := range markers {
		d.raw[m.Run()] = m
	}
	for _, m := range d.raw {
		d.Members = append(d.Members, MemberOf(m))
	}
	for i, b := range d.manifests {
		for _, m := range b.Members {
			if d.holder[m.Run] == i {
				d.Members = append(d.Members, m)
			}
		}
	}
	slices.SortFunc(d.Members, compareMembers)
	return d, nil
}

// RunAgain returns the dataset of only the generations that a later one has replaced.
func (d Dataset) RunAgain(ctx context.Context, store store.Store) (Dataset, error) {
	latest := map[Run]bool{}
	for _, m := range d.Members {
		latest[m.Run] = true
	}
	all, err := d.Generations(ctx, store)
	return all.Only(func(m Member) bool { return !latest[m.Run] }), err
}

// Only returns the dataset with only the members for which keep returns true.
func (d Dataset) Only(keep func(Member) bool) Dataset {
	d.Members = slices.DeleteFunc(slices.Clone(d.Members), func(m Member) bool { return !keep(m) })
	return d
}

// ByPart returns the dataset with its members in the order of the parts that hold them, so that
// memory holds one part of each table at a time. In the usual order, by collaboration, it holds all
// parts of a condition. Results must not depend on the order, since batches differ from run to run.
func (d Dataset) ByPart() Dataset {
	d.Members = slices.Clone(d.Members)
	slices.SortStableFunc(d.Members, func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Condition, b.Condition), cmp.Compare(d.batchOf(a), d.batchOf(b)))
	})
	return d
}

// Sealed is a dataset of the members of one condition that one batch holds.
type Sealed struct {
	Dataset
	// Digest names their rows: the campaign, them, and the SHA-256 of all files that these are in.
	Digest string
	files  []File
}

// AreIn reports whether all files are among these sizes of objects, by key.
func (s Sealed) AreIn(sizes map[string]int64) bool {
	return !slices.ContainsFunc(s.files, func(f File) bool {
		size, there := sizes[f.Key]
		return !there || size != f.Size
	})
}

// PartSizes returns the sizes of the parts that the store has of a campaign, by key.
func (d Dataset) PartSizes(ctx context.Context, store store.Store) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, table := range record.Tables {
		objects, err := List(ctx, store, partFolder(table, d.Campaign))
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			sizes[o.Key] = o.Size
		}
	}
	return sizes, nil
}

// Split returns the members that batches hold, by batch and condition, and the dataset of those
// that none holds.
func (d Dataset) Split() (sealed []Sealed, raw Dataset) {
	d = d.ByPart()
	raw = d
	raw.Members = nil
	for i := 0; i < len(d.Members); {
		first := d.Members[i]
		batch, from := d.batchOf(first), i
		for i < len(d.Members) && d.Members[i].Condition == first.Condition && d.batchOf(d.Members[i]) == batch {
			i++
		}
		if batch < 0 {
			raw.Members = append(raw.Members, d.Members[from:i]...)
			continue
		}
		one := Sealed{Dataset: d}
		one.Members = d.Members[from:i]
		sum := sha256.New()
		fmt.Fprintln(sum, d.Campaign)
		for _, table := range record.Tables {
			if f, ok := d.manifests[batch].partOf(table, first.Condition); ok {
				one.files = append(one.files, f)
				fmt.Fprintln(sum, f.SHA256)
			}
		}
		for _, m := range one.Members {
			fmt.Fprintln(sum, m.Run)
		}
		one.Digest = hex.EncodeToString(sum.Sum(nil))
		sealed = append(sealed, one)
	}
	return sealed, raw
}

// Without returns the dataset without these columns of a table when parts are read: they are absent
// in rows. Files outside of batches are small and are read whole.
func (d Dataset) Without(table string, columns ...string) Dataset {
	d.unread = maps.Clone(d.unread)
	if d.unread == nil {
		d.unread = map[string][]string{}
	}
	d.unread[table] = columns
	return d
}

// Reading returns d restricted to these columns of one table, and its key, when parts are read.
func Reading[T record.Row](d Dataset, columns ...string) Dataset {
	var unread []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		if isOfKey := len(field.Index) > 1; !field.Anonymous && !isOfKey && !slices.Contains(columns, name) {
			unread = append(unread, name)
		}
	}
	var zero T
	return d.Without(zero.Table(), unread...)
}

// batchOf returns which batch holds a member; -1 if none does.
func (d Dataset) batchOf(m Member) int {
	if i, compacted := d.holder[m.Run]; compacted {
		return i
	}
	return -1
}

// membersFrom returns the members of the batch that holds m from the first of its condition on.
func (d Dataset) membersFrom(m Member) []Member {
	all := d.manifests[d.holder[m.Run]].Members
	first, _ := slices.BinarySearchFunc(all, Member{Condition: m.Condition}, compareMembers)
	return all[first:]
}

// Uncompacted returns the markers of the members that no batch holds, in the members' order.
func (d Dataset) Uncompacted() []Marker {
	var markers []Marker
	for _, m := range d.Members {
		if raw, ok := d.raw[m.Run]; ok {
			markers = append(markers, raw)
		}
	}
	return markers
}

// Next returns the next batch, made of commits that no batch holds yet.
func (d Dataset) Next(commits []Marker) Batch {
	b := Batch{Campaign: d.Campaign, Number: d.last + 1}
	for _, m := range commits {
		b.Members = append(b.Members, MemberOf(m))
	}
	slices.SortFunc(b.Members, compareMembers)
	return b
}

// locateRows returns the file with a member's rows of a table, and what names it; ok is
// false if there are none.
func (d Dataset) locateRows(m Member, table string) (f File, naming string, ok bool) {
	if i, compacted := d.holder[m.Run]; compacted {
		b := d.manifests[i]
		f, ok = b.partOf(table, m.Condition)
		return f, "the manifest " + b.Key(), ok && m.Rows[table] > 0
	}
	f, ok = d.raw[m.Run].Files[table]
	return f, "its marker", ok
}
