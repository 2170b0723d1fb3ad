package lake

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Run identifies one generation of a collaboration.
type Run struct {
	Collaboration string `json:"collaboration"`
	Generation    int    `json:"generation"`
}

// ParseRun parses a run's name, "<collaboration>.<generation>"; false if it is something else.
func ParseRun(name string) (Run, bool) {
	i := strings.LastIndexByte(name, '.')
	generation, err := strconv.Atoi(name[i+1:])
	if i < 0 || err != nil {
		return Run{}, false
	}
	return Run{name[:i], generation}, true
}

// runOf returns the run that a marker's key names. Of a key that names none it is
// one that ReadMarker will not find in it.
func runOf(key string) Run {
	name := strings.TrimSuffix(key[strings.LastIndexByte(key, '/')+1:], ".json")
	if run, ok := ParseRun(name); ok {
		return run
	}
	return Run{Collaboration: name, Generation: 1 << 30}
}

// Ended returns the runs of a campaign that have a marker, by collaboration and generation. It
// reads no marker.
func Ended(ctx context.Context, store store.Store, campaign string) ([]Run, error) {
	keys, err := listKeys(ctx, store, commitFolder(campaign))
	var all []Run
	for _, key := range keys {
		if run, ok := ParseRun(strings.TrimSuffix(strings.TrimPrefix(key, commitFolder(campaign)), ".json")); ok {
			all = append(all, run)
		}
	}
	slices.SortFunc(all, compareRuns)
	return all, err
}

func compareRuns(a, b Run) int {
	if c := strings.Compare(a.Collaboration, b.Collaboration); c != 0 {
		return c
	}
	return a.Generation - b.Generation
}

// listKeys returns the keys of the objects under a prefix, asked of stores that have
// them for less than the objects.
func listKeys(ctx context.Context, s store.Store, prefix string) ([]string, error) {
	if s, ok := store.As[interface {
		Keys(context.Context, string) ([]string, error)
	}](s); ok {
		keys, err := s.Keys(ctx, prefix)
		return slices.DeleteFunc(keys, func(key string) bool { return !IsOwn(key) }), err
	}
	objects, err := List(ctx, s, prefix)
	keys := make([]string, len(objects))
	for i, o := range objects {
		keys[i] = o.Key
	}
	return keys, err
}

// Generations returns the latest committed generation of each collaboration.
func Generations(ctx context.Context, store store.Store, campaign string) (map[string]int, error) {
	ended, err := Ended(ctx, store, campaign)
	latest := make(map[string]int, len(ended))
	for _, run := range ended { // later generations come later
		latest[run.Collaboration] = run.Generation
	}
	return latest, err
}

// Member is what a batch records of one generation of a collaboration.
type Member struct {
	Run
	Condition string         `json:"condition"`
	Status    string         `json:"status"` // of the collaboration
	Rows      map[string]int `json:"rows"`   // by table; empty tables are left out
	Digest    string         `json:"digest"` // record.Digest of the rows
}

// MemberOf returns the member that m commits.
func MemberOf(m Marker) Member {
	rows := map[string]int{}
	for table, f := range m.Files {
		rows[table] = f.Rows
	}
	return Member{m.Run(), m.Condition, m.Status, rows, m.Digest}
}

// Run returns the run that the marker commits.
func (m Marker) Run() Run { return Run{m.Collaboration, m.Generation} }

// MarkerKey returns the key of the run's marker.
func (r Run) MarkerKey(campaign string) string {
	return Marker{Campaign: campaign, Collaboration: r.Collaboration, Generation: r.Generation}.Key()
}

// String returns "<collaboration>.<generation>", as ParseRun parses it.
func (r Run) String() string { return fmt.Sprintf("%s.%d", r.Collaboration, r.Generation) }

func compareMembers(a, b Member) int {
	return cmp.Or(cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.Collaboration, b.Collaboration),
		cmp.Compare(a.Generation, b.Generation))
}

// Batch is a set of commits that are compacted together. It is recorded before its first part, so
// that any process that continues it makes the same parts.
type Batch struct {
	Campaign string   `json:"campaign"`
	Number   int      `json:"batch"`   // from 1
	Members  []Member `json:"members"` // by condition, collaboration and generation
}

const (
	intentSuffix   = ".intent.json"
	manifestSuffix = ".json"
)

func manifestFolder(campaign string) string { return "lake/_manifests/campaign=" + campaign + "/" }

// IntentKey returns the key under which the batch is recorded.
func (b Batch) IntentKey() string { return b.baseName() + intentSuffix }

// Key returns the key of the manifest that says that the batch is compacted.
func (b Batch) Key() string { return b.baseName() + manifestSuffix }

func (b Batch) baseName() string {
	return fmt.Sprintf("%sbatch-%06d", manifestFolder(b.Campaign), b.Number)
}

// PartKey returns the key of the part with a table's rows of a condition.
func (b Batch) PartKey(table, condition string) string {
	return fmt.Sprintf("%scondition=%s/part-%06d.parquet", partFolder(table, b.Campaign), condition, b.Number)
}

// partFolder returns the folder of a campaign's parts of a table.
func partFolder(table, campaign string) string {
	return fmt.Sprintf("lake/%s/campaign=%s/", table, campaign)
}

// Rows returns how many rows of a table the batch has, by condition; conditions without any are
// left out.
func (b Batch) Rows(table string) map[string]int {
	rows := map[string]int{}
	for _, m := range b.Members {
		if n := m.Rows[table]; n > 0 {
			rows[m.Condition] += n
		}
	}
	return rows
}

// Check returns an error if the batch is impossible.
func (b Batch) Check() error {
	if b.Number < 1 || len(b.Members) == 0 {
		return fmt.Errorf("batch %d with %d members; batches are numbered from 1 and are not empty", b.Number,
			len(b.Members))
	}
	if !isName(b.Campaign) {
		return fmt.Errorf("campaign %q cannot be part of an object's name", b.Campaign)
	}
	condition := map[string]string{}
	for i, m := range b.Members {
		switch known, ok := condition[m.Collaboration]; {
		case !isName(m.Collaboration) || !isName(m.Condition) || m.Generation < 0:
			return fmt.Errorf("collaboration %q, generation %d, of condition %q cannot be", m.Collaboration,
				m.Generation, m.Condition)
		case i > 0 && compareMembers(b.Members[i-1], m) >= 0:
			return fmt.Errorf("collaboration %s.%d is there twice or out of order", m.Collaboration, m.Generation)
		case ok && known != m.Condition:
			return fmt.Errorf("collaboration %s is of two conditions", m.Collaboration)
		case m.Rows[record.Collaborations] != 1:
			return fmt.Errorf("collaboration %s has %d rows of its own", m.Collaboration, m.Rows[record.Collaborations])
		}
		condition[m.Collaboration] = m.Condition
	}
	return nil
}

func isName(s string) bool { return s != "" && isPartOfName(s) }

// Manifest says that a batch is compacted: it is written after all its parts.
type Manifest struct {
	Batch
	SchemaVersion int               `json:"schema_version"` // of the program that wrote it; rows carry their own
	Files         map[string][]Part `json:"files"`          // by table, and in it by condition; empty ones are left out
}

// Part is the file that holds a table's rows of the members of one condition.
type Part struct {
	Condition string `json:"condition"`
	File
}

// Check returns an error if the manifest is impossible.
func (m Manifest) Check() error {
	if err := m.Batch.Check(); err != nil {
		return err
	}
	for table := range m.Files {
		if !slices.Contains(record.Tables[:], table) {
			return fmt.Errorf("table %q is not known", table)
		}
	}
	for _, table := range record.Tables {
		want := m.Rows(table)
		for i, p := range m.Files[table] {
			switch {
			case p.Key != m.PartKey(table, p.Condition):
				return fmt.Errorf("the part of table %s and condition %s is %s; it should be %s", table, p.Condition,
					p.Key, m.PartKey(table, p.Condition))
			case i > 0 && m.Files[table][i-1].Condition >= p.Condition:
				return fmt.Errorf("the parts of table %s are not in the order of their conditions", table)
			case p.File.Rows != want[p.Condition]:
				return fmt.Errorf("%s has %d rows, its members have %d", p.Key, p.File.Rows, want[p.Condition])
			}
		}
		if len(m.Files[table]) != len(want) {
			return fmt.Errorf("table %s has %d parts for %d conditions", table, len(m.Files[table]), len(want))
		}
	}
	return nil
}

// partOf returns the file of a table's rows of a condition; false if there are none.
func (m Manifest) partOf(table, condition string) (File, bool) {
	i := slices.IndexFunc(m.Files[table], func(p Part) bool { return p.Condition == condition })
	if i < 0 {
		return File{}, false
	}
	return m.Files[table][i].File, true
}
