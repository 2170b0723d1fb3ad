package lake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/until"
)

// Marker says that a collaboration is committed: it is written after all its files, and readers see
// only files that a marker names.
type Marker struct {
	Campaign      string `json:"campaign"`
	Condition     string `json:"condition"`
	Collaboration string `json:"collaboration"`
	Generation    int    `json:"generation"`
	// the labeller or embedder, if it is about what was added and not about the collaboration itself
	By string `json:"by,omitempty"`
	// that was added to the collaboration; "" of the collaboration itself
	Table         string    `json:"table,omitempty"`
	SchemaVersion int       `json:"schema_version"`
	Status        string    `json:"status"`             // of the collaboration
	Reason        string    `json:"reason,omitempty"`   // of one that was stopped: record.Answered; "" for others
	Measured      *Measured `json:"measured,omitempty"` // what stopping questions are about; nil if it did not succeed
	Calls         int64     `json:"calls"`              // what it spent, as in its row
	// of these, calls of unknown outcome; in markers of labels
	Unknown      int64    `json:"unknown,omitempty"`
	Cached       int64    `json:"cached,omitempty"` // answers that the cache served
	InputTokens  int64    `json:"input_tokens"`
	OutputTokens int64    `json:"output_tokens"`
	CostUSD      *float64 `json:"cost_usd,omitempty"` // absent if some price is not known
	// of calls of unknown outcome; absent if that is not known
	WorstUSD *float64        `json:"worst_usd,omitempty"`
	Charged  Charge          `json:"charged"` // against the campaign's budget
	Digest   string          `json:"digest"`  // record.Digest of the rows
	Files    map[string]File `json:"files"`   // by table; empty tables have none
}

// Measured is what a campaign's stopping question can be about, as in the collaboration's row.
type Measured struct {
	Outcome *float64 `json:"outcome,omitempty"` // record.Collaboration.Outcome; nil if averages leave it out
	Decided bool     `json:"decided,omitempty"` // there is a decision
	Rounds  int      `json:"rounds"`            // that were begun
}

// MeasuredOf returns the Measured of a collaboration's row.
func MeasuredOf(c record.Collaboration) Measured {
	return Measured{Outcome: c.Worth(c.Score), Decided: c.DecisionKey != nil, Rounds: int(c.RoundsRun)}
}

// Value returns m's value for a measure of package until; false if it has none.
func (m Measured) Value(measure string) (float64, bool) {
	switch {
	case measure == until.Score && m.Outcome != nil:
		return *m.Outcome, true
	case measure == until.Decided && m.Decided:
		return 1, true
	case measure == until.Decided:
		return 0, true
	case measure == until.Rounds:
		return float64(m.Rounds), true
	}
	return 0, false
}

// File is the object that holds a table's rows of one collaboration.
type File struct {
	Key    string `json:"key"`
	Rows   int    `json:"rows"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // of the file's bytes
}

// FileOf returns the File with this key, number of rows and content.
func FileOf(key string, rows int, data []byte) File {
	sum := sha256.Sum256(data)
	return File{Key: key, Rows: rows, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
}

// Rows returns how many rows of a table the commit has.
func (m Marker) Rows(table string) int { return m.Files[table].Rows }

func commitFolder(campaign string) string { return "raw/_commits/campaign=" + campaign + "/" }

// Key returns the marker's own key.
func (m Marker) Key() string {
	if m.By != "" {
		return fmt.Sprintf("%s%s.%d.json", commitsBy(m.Table, m.Campaign, m.By), m.Collaboration, m.Generation)
	}
	return fmt.Sprintf("%s%s.%d.json", commitFolder(m.Campaign), m.Collaboration, m.Generation)
}

// FileKey returns the key of the file with a table's rows.
func (m Marker) FileKey(table string) string {
	by := ""
	if m.By != "" {
		by = "." + m.By
	}
	return fmt.Sprintf("raw/%s/campaign=%s/condition=%s/%s.%d%s.parquet", table, m.Campaign, m.Condition,
		m.Collaboration, m.Generation, by)
}

// OtherFileKey returns the key used instead of FileKey if rows that were never committed have taken
// that; it contains a part of the digest.
func (m Marker) OtherFileKey(table string) string {
	return strings.TrimSuffix(m.FileKey(table), ".parquet") + ".rows-" + m.Digest[:min(8, len(m.Digest))] + ".parquet"
}

// Check returns an error if the marker is impossible.
func (m Marker) Check() error {
	for what, name := range map[string]string{"campaign": m.Campaign, "condition": m.Condition,
		"collaboration": m.Collaboration} {
		if !isName(name) {
			return fmt.Errorf("%s %q cannot be part of an object's name", what, name)
		}
	}
	if !isPartOfName(m.By) {
		return fmt.Errorf("%q, whose rows they are, cannot be part of an object's name", m.By)
	}
	if m.Generation < 0 {
		return fmt.Errorf("generation %d is negative", m.Generation)
	}
	known := record.Tables[:]
	if m.By != "" {
		known = []string{m.Table}
	}
	if (m.Table == "") != (m.By == "") || m.Table != "" && (!slices.Contains(record.Annotations[:], m.Table)) {
		return fmt.Errorf("table %q is none that is added to collaborations", m.Table)
	}
	for table, f := range m.Files {
		if !slices.Contains(known, table) {
			return fmt.Errorf("table %q is not known", table)
		}
		if f.Key != m.FileKey(table) && f.Key != m.OtherFileKey(table) {
			return fmt.Errorf("the file of table %s is %s; it should be %s", table, f.Key, m.FileKey(table))
		}
	}
	if m.By == "" && m.Files[record.Collaborations].Rows != 1 {
		return errors.New("it does not name one row of the table collaborations")
	}
	return nil
}

func isPartOfName(s string) bool { return !strings.ContainsAny(s, "/\\\x00") && utf8.ValidString(s) }

// ReadMarker reads a marker by its key.
func ReadMarker(ctx context.Context, s store.Store, key string) (Marker, error) {
	var m Marker
	data, err := s.Get(ctx, key)
	if err == nil {
		err = Unseal(key, data, &m)
	}
	if err != nil {
		return Marker{}, err
	}
	if err := m.Check(); err != nil {
		return Marker{}, fmt.Errorf("%s: %w: %w", key, store.ErrCorrupt, err)
	}
	if m.Key() != key {
		return Marker{}, fmt.Errorf("%s: %w: it is the marker %s", key, store.ErrCorrupt, m.Key())
	}
	return m, nil
}

// Commits returns the markers of a campaign, all generations, by condition, collaboration and
// generation. Those that cannot be read are left out and are errors (joined, each with its key).
func Commits(ctx context.Context, store store.Store, campaign string) ([]Marker, error) {
	objects, err := List(ctx, store, commitFolder(campaign))
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(objects))
	for i, o := range objects {
		keys[i] = o.Key
	}
	markers, err := readWhole(ctx, store, keys)
	slices.SortFunc(markers, compareMarkers)
	return markers, err
}

// readWhole reads markers. Those that cannot be read are errors (joined, each with
// its key) next to the others.
func readWhole(ctx context.Context, store store.Store, keys []string) ([]Marker, error) {
	read := make([]Marker, len(keys))
	errs := make([]error, len(keys))
	_ = Each(ctx, len(keys), func(ctx context.Context, i int) error {
		read[i], errs[i] = ReadMarker(ctx, store, keys[i])
		return nil
	})
	var markers []Marker
	for i, m := range read {
		if errs[i] == nil {
			markers = append(markers, m)
		}
	}
	return markers, errors.Join(errs...)
}

// Committed returns the markers of what readers see of a campaign: the latest generation of each
// collaboration.
func Committed(ctx context.Context, store store.Store, campaign string) ([]Marker, error) {
	markers, err := Commits(ctx, store, campaign)
	return Latest(markers), err
}

// Latest returns the markers of the latest generation of each collaboration, by condition and
// collaboration.
func Latest(markers []Marker) []Marker {
	latest := map[string]Marker{}
	for _, m := range markers {
		if l, ok := latest[m.Collaboration]; !ok || m.Generation > l.Generation {
			latest[m.Collaboration] = m
		}
	}
	var all []Marker
	for _, m := range latest {
		all = append(all, m)
	}
	slices.SortFunc(all, compareMarkers)
	return all
}

// Digest returns the digest of a campaign's rows: the SHA-256 of a line "<collaboration>
// <generation> <digest>" for each of markers, which come from Committed, sorted by collaboration.
func Digest(markers []Marker) string {
	var lines []string
	for _, m := range markers {
		lines = append(lines, fmt.Sprintf("%s %d %s\n", m.Collaboration, m.Generation, m.Digest))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

func compareMarkers(a, b Marker) int {
	if c := strings.Compare(a.Condition, b.Condition); c != 0 {
		return c
	}
	if c := strings.Compare(a.Collaboration, b.Collaboration); c != 0 {
		return c
	}
	return a.Generation - b.Generation
}

// campaignName leaves out folders that are not campaign's, such as "New folder".
var campaignName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// Campaigns returns the names of the campaigns with a plan, answers or commits in the store,
// sorted.
func Campaigns(ctx context.Context, store store.Store) ([]string, error) {
	names := map[string]bool{}
	planned, err := Folders(ctx, store, About)
	if err != nil {
		return nil, err
	}
	for _, name := range planned {
		names[name] = true
	}
	for _, prefix := range []string{"raw/_commits/", "answers/"} {
		folders, err := Folders(ctx, store, prefix)
		if err != nil {
			return nil, err
		}
		for _, f := range folders {
			if name, ok := strings.CutPrefix(f, "campaign="); ok {
				names[name] = true
			}
		}
	}
	var all []string
	for n := range names {
		if campaignName.MatchString(n) {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

// Folders returns the names of the folders directly below a prefix. Stores that can list them are
// asked directly.
func Folders(ctx context.Context, s store.Store, prefix string) ([]string, error) {
	if s, ok := store.As[interface {
		Folders(context.Context, string) ([]string, error)
	}](s); ok {
		return s.Folders(ctx, prefix)
	}
	objects, err := s.List(ctx, prefix)
	var folders []string
	for _, o := range objects {
		if f, _, ok := strings.Cut(strings.TrimPrefix(o.Key, prefix), "/"); ok {
			folders = append(folders, f)
		}
	}
	return slices.Compact(folders), err
}
