package commits

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"text/template"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// WriteCard describes a campaign for people and programs that open its files
// without this one, in lake/_campaigns/<campaign>/:
//
//	README.md       what it is, what is in it, how to open it
//	files.json      exactly the files to read, with their hashes (lake.Dataset)
//	schema.json     tables and columns
//	croissant.json  the same as Croissant 1.0 (mlcommons.org/croissant)
//	ledger.json     how many objects there are of which no row tells (see CheckLedger)
//	SHA256SUMS      of these and of the recorded plans, written last: sha256sum -c checks them
//
// It describes what is committed, tables that were added later among it, so
// writing it again brings it up to date, and the same rows make the same card. What it has summed up
// and counted of plans and of the ledger stays said, so that writing it again hides no damage.
// Licence and citation are the owner's to give, under card: in the campaign file.
func WriteCard(ctx context.Context, s store.Store, name string) error {
	return writeCardOf(ctx, s, name, nil)
}

// writeCardOf is WriteCard with what the owner says, if that is not in the manifest yet.
func writeCardOf(ctx context.Context, s store.Store, name string, owner *plan.Card) error {
	d, err := lake.ReadDataset(ctx, s, name)
	if err != nil {
		return err
	}
	c, err := newCard(ctx, s, d)
	if err != nil {
		return err
	}
	if owner != nil {
		c.Owner = *owner
	}
	d, tables := c.Dataset, c.Tables
	var sums bytes.Buffer
	for _, f := range []struct {
		name string
		make func() ([]byte, error)
	}{
		{"README.md", func() ([]byte, error) { return c.render("lake") }},
		{"files.json", func() ([]byte, error) { return indentJSON(d) }},
		{"schema.json", func() ([]byte, error) { return indentJSON(schema{record.SchemaVersion, tables}) }},
		{"croissant.json", func() ([]byte, error) { return indentJSON(c.describeCroissant()) }},
		{ledgerName, func() ([]byte, error) {
			counts, err := countMost(ctx, s, name)
			if err != nil {
				return nil, err
			}
			return indentJSON(counts)
		}},
	} {
		data, err := f.make()
		if err != nil {
			return fmt.Errorf("%s: %w", lake.AboutKey(name, f.name), err)
		}
		if err := s.Replace(ctx, lake.AboutKey(name, f.name), data, ""); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), f.name)
	}
	if err := sumPlans(ctx, s, name, &sums); err != nil {
		return err
	}
	return s.Replace(ctx, lake.AboutKey(name, sumsName), sums.Bytes(), "")
}

// newCard finds what there is to say of a campaign.
func newCard(ctx context.Context, s store.Store, d lake.Dataset) (*card, error) {
	c := &card{Campaign: d.Campaign, SchemaVersion: record.SchemaVersion, Dataset: d}
	if place, ok := store.As[fmt.Stringer](s); ok && strings.HasPrefix(place.String(), "s3://") {
		c.Root = place.String() + "/"
	}
	for _, find := range []func(context.Context, store.Store) error{c.describeTables, c.countRows, c.readPlan} {
		if err := find(ctx, s); err != nil {
			return nil, err
		}
	}
	return c, nil
}

const sumsName = "SHA256SUMS"

// sumPlans adds the recorded plans to the sums: their names are hashes of a part of them only. A plan
// is written once, so one that is summed up already keeps its sum, damaged or missing as it may be.
func sumPlans(ctx context.Context, s store.Store, campaign string, sums *bytes.Buffer) error {
	plans, err := lake.List(ctx, s, lake.AboutKey(campaign, "plans/"))
	if err != nil {
		return err
	}
	before, err := s.Get(ctx, lake.AboutKey(campaign, sumsName))
	if err := store.IgnoreMissing(err); err != nil {
		return err
	}
	lines := map[string]string{} // by name
	for line := range strings.Lines(string(before)) {
		if _, name, is := strings.Cut(strings.TrimSuffix(line, "\n"), "  plans/"); is && !strings.Contains(name, "/") {
			lines["plans/"+name] = line
		}
	}
	for _, o := range plans {
		name := strings.TrimPrefix(o.Key, lake.AboutKey(campaign, ""))
		if lines[name] != "" {
			continue
		}
		data, err := s.Get(ctx, o.Key)
		if err != nil {
			return err
		}
		lines[name] = fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name)
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		sums.WriteString(lines[name])
	}
	return nil
}

// isOfCard reports whether WriteCard can write a file again that CheckCard has named.
func isOfCard(campaign, key string) bool {
	return !strings.HasPrefix(key, lake.AboutKey(campaign, "plans/"))
}

// CheckCard names the files of a card, and the plans that it has summed up, that are not as they
// were when WriteCard wrote it.
func CheckCard(ctx context.Context, store store.Store, campaign string) (changed []string, err error) {
	key := lake.AboutKey(campaign, sumsName)
	sums, err := store.Get(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{key}, nil
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(sums), "\n")
	names := []string{"README.md", "files.json", "schema.json", "croissant.json", ledgerName}
	if len(lines) <= len(names) || lines[len(lines)-1] != "" {
		return []string{key}, nil
	}
	for _, line := range lines[len(names) : len(lines)-1] {
		_, name, is := strings.Cut(line, "  plans/")
		if !is || strings.Contains(name, "/") {
			return []string{key}, nil
		}
		names = append(names, "plans/"+name)
	}
	for i, name := range names {
		data, err := store.Get(ctx, lake.AboutKey(campaign, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if lines[i] != fmt.Sprintf("%x  %s", sha256.Sum256(data), name) {
			changed = append(changed, lake.AboutKey(campaign, name))
		}
	}
	return changed, nil
}

// schema is schema.json.
type schema struct {
	Version int            `json:"schema_version"`
	Tables  []record.Table `json:"tables"`
}

// RefreshCard writes the card again if there is one: a command that adds a table to a
// campaign that has ended calls it. The error also names plans that are damaged.
func RefreshCard(ctx context.Context, store store.Store, campaign string) error {
	return RefreshCardOf(ctx, store, campaign, nil)
}

// ErrDamagedCard says that something that a card tells of is not what it was.
var ErrDamagedCard = errors.New("it is not as it was written, or is missing")

// RefreshCardOf is RefreshCard with what the owner says, which the manifest is to say after it: a
// process that is killed between them does both again.
func RefreshCardOf(ctx context.Context, store store.Store, campaign string, owner *plan.Card) error {
	_, err := store.Head(ctx, lake.AboutKey(campaign, sumsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the campaign's own end writes it
	}
	if err == nil {
		err = writeCardOf(ctx, store, campaign, owner)
	}
	if err != nil {
		return err
	}
	changed, err := CheckCard(ctx, store, campaign)
	if err == nil && len(changed) > 0 {
		err = fmt.Errorf("%s: %w, which `verify %s` tells of; what this command has added is stored",
			strings.Join(changed, ", "), ErrDamagedCard, campaign)
	}
	return err
}

// RepairCard writes a card again that was not written whole or does not tell of all added tables: a
// command calls it that was killed, perhaps, when all but the card was done. Repaired says that it had to.
func RepairCard(ctx context.Context, store store.Store, campaign string) (repaired bool, err error) {
	changed, err := CheckCard(ctx, store, campaign)
	damaged := slices.ContainsFunc(changed, func(key string) bool { return !isOfCard(campaign, key) })
	if err != nil || damaged || len(changed) > 0 && changed[0] == lake.AboutKey(campaign, sumsName) {
		return false, err
	}
	if len(changed) == 0 {
		if whole, err := tellsOfAdded(ctx, store, campaign); err != nil || whole {
			return false, err
		}
	}
	return true, WriteCard(ctx, store, campaign)
}

// describeTables finds the tables, those that were added later included.
func (c *card) describeTables(ctx context.Context, store store.Store) (err error) {
	if c.Tables, err = record.Schema(); err != nil {
		return err
	}
	more, err := record.AnnotationSchema()
	if err != nil {
		return err
	}
	added, err := c.Dataset.Added(ctx, store)
	if err != nil {
		return err
	}
	c.Dataset.Files = maps.Clone(c.Dataset.Files)
	for _, t := range more {
		if files := added[t.Name]; len(files) > 0 {
			c.Tables, c.Dataset.Files[t.Name] = append(c.Tables, t), files
		}
	}
	return nil
}

// readPlan finds what the manifest and the plan say; a campaign without them says nothing. Plans of
// the first edition do not name it.
func (c *card) readPlan(ctx context.Context, s store.Store) error {
	m, err := campaign.ReadManifest(ctx, s, c.Campaign)
	if err != nil {
		return store.IgnoreMissing(err)
	}
	c.revision = m.Revision
	if m.Card != nil {
		c.Owner = *m.Card
	}
	key := campaign.PlanKey(c.Campaign, m.Revision)
	data, err := s.Get(ctx, key)
	if err != nil {
		return store.IgnoreMissing(err)
	}
	var plan struct {
		Edition int `json:"edition"`
	}
	if err := json.Unmarshal(data, &plan); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	c.Edition = plan.Edition
	return nil
}

// card is what is known of a campaign.
type card struct {
	Campaign      string
	Root          string // of all paths, in a bucket; "" for a folder
	Owner         plan.Card
	SchemaVersion int
	Tables        []record.Table
	Dataset       lake.Dataset
	Conditions    []*condition
	Cells         int
	Edition       int            // of the built-in prompts; 0 if no plan is recorded
	Exported      []ExportedFile // the files of a folder in place of the lake's; nil for the lake
	Complete      bool           // every cell of the plan has ended, or all was imported; only known of an export
	Simulated     int            // cells in which scripted agents answered
	revision      string         // of the plan
	Rows          map[string]int
	Bytes         int64
	Ended         int64  // when the last answer was in, in microseconds; 0 if nothing was asked
	Engine        string // the latest version that ended a collaboration
}

// condition is one line of the card.
type condition struct {
	Label, ID, Environment, Protocol, Rule, Model string
	Status                                        map[string]int
	Simulated                                     int
}

func (c *card) countRows(ctx context.Context, store store.Store) error {
	conditions := map[string]*condition{}
	for r, err := range lake.Scan[record.Collaboration](ctx, store, c.Dataset) {
		if err != nil {
			return err
		}
		k, ok := conditions[r.ConditionID]
		if !ok {
			k = &condition{
				ID: r.ConditionID, Environment: r.Environment, Protocol: r.Protocol, Rule: r.Rule, Model: r.Model,
				Status: map[string]int{},
			}
			if r.Label != nil {
				k.Label = strings.ReplaceAll(*r.Label, "|", "\\|") // ends a cell of the table
			}
			conditions[k.ID] = k
		}
		c.Cells++
		c.Ended, c.Engine = max(c.Ended, r.EndedAt), max(c.Engine, r.EngineVersion)
		k.Status[r.Status]++
		if r.Simulated {
			c.Simulated++
			k.Simulated++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(conditions)) {
		c.Conditions = append(c.Conditions, conditions[id])
	}
	c.Rows = map[string]int{}
	for _, m := range c.Dataset.Members {
		for table, n := range m.Rows {
			c.Rows[table] += n
		}
	}
	for table, files := range c.Dataset.Files {
		for _, f := range files {
			c.Bytes += f.Size
			if slices.Contains(record.Annotations[:], table) {
				c.Rows[table] += f.Rows
			}
		}
	}
	return nil
}

//go:embed card.md.tmpl
var cardText string

// render returns README.md of the lake or of an export.
func (c *card) render(name string) ([]byte, error) {
	t, err := template.New("README.md").Parse(cardText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, name, c)
	return b.Bytes(), err
}

func indentJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
