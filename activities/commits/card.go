package commits

import (
	"bytes"
	"cmp"
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
	"time"

	"roundtable/activities/batch"
	"roundtable/activities/ledger"
	"roundtable/activities/money"
	"roundtable/activities/programs"
	"roundtable/activities/scoring"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/envs/wording"
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

// CheckCard returns the files of a campaign's card, and the plans whose hashes it has, that have
// changed since WriteCard wrote it.
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

// RefreshCard writes the card again if there is one. Commands call it that add a table to a
// finished campaign. The error also names damaged plans.
func RefreshCard(ctx context.Context, store store.Store, campaign string) error {
	return RefreshCardOf(ctx, store, campaign, nil)
}

// ErrDamagedCard says that a file, a plan or the ledger is not as the card describes it, or is
// missing.
var ErrDamagedCard = errors.New("it is not as it was written, or is missing")

// RefreshCardOf is RefreshCard with owner's card instead of the manifest's. Write that to the
// manifest after it: a process that is killed in between repeats both.
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

// RepairCard writes the card again if it was not written whole or lacks added tables, and reports
// whether it had to. A command calls it that may have been killed just before it wrote the card.
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

// object is JSON-LD; its keys are written in the order of the alphabet.
type object map[string]any

// describeCroissant describes the tables in the vocabulary of Croissant 1.0
// (docs.mlcommons.org/croissant/docs/croissant-spec.html): a set of files and a
// set of records each. Paths are those of the lake.
func (c *card) describeCroissant() object {
	var distribution, records []object
	for _, t := range c.Tables {
		if files := c.filesOf(t.Name); files != nil {
			distribution = append(distribution, files)
			records = append(records, recordSet(t, files))
		}
	}
	about := object{
		"@context": croissantContext(), "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
		"name": c.Campaign, "description": c.aboutText(), "distribution": distribution, "recordSet": records,
		"license": c.License(), "citeAs": c.Citation(), "version": c.Version(),
	}
	if date := cmp.Or(c.Owner.Date, c.dayEnded()); date != "" {
		about["datePublished"] = date
	}
	return about
}

// filesOf returns the files of a table: those of the lake, or the exported one; nil if there are none.
func (c *card) filesOf(table string) object {
	for _, f := range c.Exported {
		if f.Table == table {
			return object{
				"@type": "cr:FileObject", "@id": f.Name, "name": f.Name, "description": "The table " + table + ".",
				"contentUrl":  f.Name,
				"contentSize": fmt.Sprintf("%d B", f.Bytes), "encodingFormat": "application/x-parquet",
				"sha256": f.SHA256,
			}
		}
	}
	if c.Exported != nil || len(c.Dataset.Files[table]) == 0 {
		return nil
	}
	keys := []string{}
	for _, f := range c.Dataset.Files[table] {
		keys = append(keys, f.Key)
	}
	set := table + "-files"
	return object{
		"@type": "cr:FileSet", "@id": set, "name": set, "description": "Parquet files of the table " + table + ".",
		"encodingFormat": "application/x-parquet", "includes": keys,
	}
}

// License returns the address of the owner's licence, or says that there is none.
func (c *card) License() string {
	return cmp.Or(c.Owner.LicenseAddress(),
		"Not stated: the owner of the campaign decides, and may be bound by the licence of the data that it uses.")
}

// Version returns the owner's version of the data set, or the schema's with the digest of the rows as build.
func (c *card) Version() string {
	return cmp.Or(c.Owner.Version, fmt.Sprintf("%d.0.0+%.12s", c.SchemaVersion, c.Dataset.Digest()))
}

// dayEnded returns the day of the last answer; "" if nothing was asked.
func (c *card) dayEnded() string {
	if c.Ended == 0 {
		return ""
	}
	return time.UnixMicro(c.Ended).UTC().Format(time.DateOnly)
}

// Citation returns the owner's citation, or names the campaign, when it ended and what made it.
func (c *card) Citation() string {
	if c.Owner.Citation != "" {
		return c.Owner.Citation
	}
	cite := "Campaign " + c.Campaign
	if c.Ended > 0 {
		cite += " (" + c.dayEnded() + ")"
	}
	made := "Made with roundtable, engine " + cmp.Or(c.Engine, "unknown")
	if c.Engine == record.Imported {
		made = "Imported into roundtable"
	}
	return fmt.Sprintf("%s. %s, version %s. %s.", cite, wording.Count(c.Cells, "collaboration"), c.Version(), made)
}

func (c *card) aboutText() string {
	about := fmt.Sprintf("Campaign %s: %s of agents under %s.", c.Campaign, wording.Count(c.Cells, "collaboration"),
		wording.Count(len(c.Conditions), "condition"))
	if c.Simulated > 0 {
		about += fmt.Sprintf(" In %d of them scripted agents answered, not language models.", c.Simulated)
	}
	if len(c.Dataset.Superseded) > 0 && c.Exported == nil {
		about += " Of each collaboration only the latest generation counts."
	}
	return about
}

func recordSet(t record.Table, files object) object {
	var fields, key []object
	source := map[any]string{"cr:FileObject": "fileObject", "cr:FileSet": "fileSet"}[files["@type"]]
	for _, col := range t.Columns {
		field := object{
			"@type": "cr:Field", "@id": t.Name + "/" + col.Name, "name": col.Name, "description": col.About,
			"dataType": map[string]string{
				"string": "sc:Text", "int32": "sc:Integer", "int64": "sc:Integer", "double": "sc:Float",
				"boolean": "sc:Boolean", "list of double": "sc:Float", "timestamp (µs, UTC)": "sc:DateTime",
			}[col.Type],
			"source": object{source: object{"@id": files["@id"]}, "extract": object{"column": col.Name}},
		}
		if col.Type == "list of double" {
			field["repeated"] = true
		}
		fields = append(fields, field)
	}
	for _, k := range t.Key {
		key = append(key, object{"@id": t.Name + "/" + k})
	}
	return object{"@type": "cr:RecordSet", "@id": t.Name, "name": t.Name, "description": t.About, "key": key,
		"field": fields}
}

// croissantContext returns the JSON-LD context that the specification asks for.
func croissantContext() object {
	c := object{
		"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
		"cr":  "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/",
		"conformsTo": "dct:conformsTo",
		"data":       object{"@id": "cr:data", "@type": "@json"},
		"examples":   object{"@id": "cr:examples", "@type": "@json"},
		"dataType":   object{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for _, word := range []string{
		"citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet",
		"format", "includes",
		"isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
		"repeated", "replace",
		"samplingRate", "separator", "source", "subField", "transform",
	} {
		c[word] = "cr:" + word
	}
	return c
}

// ExportedFile is one table as a Parquet file of its own.
type ExportedFile struct {
	Table, Name, SHA256 string
	Rows, Bytes         int64
}

// DescribeExport returns README.md, with the front matter that the Hugging Face Hub reads, and
// croissant.json for a folder that holds these exported tables of a campaign.
func DescribeExport(
	ctx context.Context, s store.Store, d lake.Dataset, files []ExportedFile,
) (readme, croissant []byte, err error) {
	c, err := newCard(ctx, s, d)
	if err != nil {
		return nil, nil, err
	}
	instances, err := record.InstanceSchema()
	if err != nil {
		return nil, nil, err
	}
	c.Exported, c.Tables = files, append(c.Tables, instances)
	success, err := lake.ReadSuccess(ctx, s, d.Campaign)
	if err != nil {
		return nil, nil, err
	}
	c.Complete = success.Revision != "" && success.Revision == c.revision
	if readme, err = c.render("dataset"); err != nil {
		return nil, nil, err
	}
	croissant, err = indentJSON(c.describeCroissant())
	return readme, croissant, err
}

// About returns what a row of a table is.
func (c *card) About(table string) string {
	i := slices.IndexFunc(c.Tables, func(t record.Table) bool { return t.Name == table })
	if i < 0 {
		return ""
	}
	return c.Tables[i].About
}

// HasSeveralMakers reports whether there are tables that several have added rows to.
func (c *card) HasSeveralMakers() bool {
	return slices.ContainsFunc(c.Tables, func(t record.Table) bool { return slices.Contains(record.Annotations[:], t.Name) })
}

// hubLicenses are the identifiers of SPDX, in small letters, that the Hub knows by the same name.
var hubLicenses = []string{
	"0bsd", "afl-3.0", "agpl-3.0", "apache-2.0", "artistic-2.0", "bsd-2-clause", "bsd-3-clause", "bsl-1.0",
	"cc-by-2.0", "cc-by-3.0",
	"cc-by-4.0", "cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0",
	"cc-by-nc-sa-2.0",
	"cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc0-1.0", "ecl-2.0",
	"epl-2.0", "eupl-1.2",
	"isc", "mit", "mpl-2.0", "postgresql", "unlicense", "zlib",
}

// HubLicense returns the lines of the Hub's front matter; it refuses identifiers that it does not know.
func (c *card) HubLicense() string {
	id := strings.ToLower(c.Owner.License)
	switch {
	case id == "":
		return ""
	case slices.Contains(hubLicenses, id):
		return "license: " + id + "\n"
	}
	return fmt.Sprintf("license: other\nlicense_name: owner\nlicense_link: %q\n", c.Owner.LicenseAddress())
}

const ledgerName = "ledger.json"

// countLedger counts the objects of folders of which no row and no other marker tells, by folder:
// markers of labels and of other tables that were added, checks of models, requests for
// embeddings, batches of services, settlements, what programs answered and scored, and the log
// of the budget.
func countLedger(ctx context.Context, s store.Store, campaign string) (map[string]int, error) {
	answers := "answers/campaign=" + campaign + "/"
	runs, err := lake.Folders(ctx, s, answers)
	if err != nil {
		return nil, err
	}
	folders, err := lake.AnnotationFolders(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	folders = append(folders, money.LogFolder(campaign), lake.SettlementsKey(campaign), batch.Folder(campaign),
		programs.Folder(campaign), scoring.Folder(campaign))
	for _, run := range runs {
		if strings.HasPrefix(run, ledger.CheckPrefix) || strings.HasPrefix(run, ledger.EmbeddingsPrefix) {
			folders = append(folders, answers+run+"/")
		}
	}
	counts := map[string]int{}
	for _, folder := range folders {
		objects, err := lake.List(ctx, s, folder)
		if err != nil {
			return nil, err
		}
		if len(objects) > 0 {
			counts[folder] = len(objects)
		}
	}
	return counts, nil
}

// countMost is countLedger, or what the card has counted before where that is more: of what is lost
// since, the card must not say less.
func countMost(ctx context.Context, s store.Store, campaign string) (map[string]int, error) {
	counts, err := countLedger(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	before, err := ReadCounts(ctx, s, campaign)
	for folder, n := range before {
		counts[folder] = max(counts[folder], n)
	}
	return counts, err
}

// ReadCounts returns how many objects the card has counted in each folder; nil if there is none or
// it is damaged, which CheckCard says.
func ReadCounts(ctx context.Context, s store.Store, campaign string) (counts map[string]int, err error) {
	data, err := s.Get(ctx, lake.AboutKey(campaign, ledgerName))
	if err != nil {
		return nil, store.IgnoreMissing(err)
	}
	if json.Unmarshal(data, &counts) != nil {
		return nil, nil
	}
	return counts, nil
}

// tellsOfAdded reports whether a card knows of all markers of tables that were added.
func tellsOfAdded(ctx context.Context, s store.Store, campaign string) (bool, error) {
	then, err := ReadCounts(ctx, s, campaign)
	if err != nil {
		return false, err
	}
	folders, err := lake.AnnotationFolders(ctx, s, campaign)
	if err != nil {
		return false, err
	}
	for _, folder := range folders {
		objects, err := lake.List(ctx, s, folder)
		if err != nil || len(objects) > then[folder] {
			return false, err
		}
	}
	return true, nil
}

// CheckLedger returns, by folder, which objects that the card counted are missing. Objects beyond
// its count are not a problem: they came later.
func CheckLedger(ctx context.Context, s store.Store, campaign string) (problems map[string]string, err error) {
	then, err := ReadCounts(ctx, s, campaign)
	if err != nil || then == nil {
		return nil, err
	}
	now, err := countLedger(ctx, s, campaign)
	problems = map[string]string{}
	for _, folder := range slices.Sorted(maps.Keys(then)) {
		if now[folder] < then[folder] {
			problems[folder] = fmt.Sprintf("it lists %d objects, and had %d when the tables were described; they are "+
				"missing, unless the store lists late", now[folder], then[folder])
		}
	}
	return problems, err
}
