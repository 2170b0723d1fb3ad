package commits_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/plan"
)

const cardFolder = "lake/_campaigns/c/"

func content(t *testing.T, s store.Store, key string, into any) string {
	t.Helper()
	data, err := s.Get(ctx, key)
	must(t, err)
	if into != nil {
		must(t, json.Unmarshal(data, into))
	}
	return string(data)
}

func TestCard(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	failed := sample("c", "k1", "x", 0, 0)
	failed.Collaborations[0].Status, failed.Collaborations[0].Simulated = "failed", false
	_, err := commits.Commit(ctx, s, failed)
	must(t, err)
	must(t, commits.WriteCard(ctx, s, "c"))
	if text := content(t, s, cardFolder+"README.md", nil); !strings.Contains(text, "| turns | 41 | 5 |") {
		t.Errorf("before compaction: %s", text)
	}
	compact(t, s)
	_, err = commits.Commit(ctx, s, sample("c", "k0", "b", 1, 1))
	must(t, err)
	must(t, commits.WriteCard(ctx, s, "c"))
	text := content(t, s, cardFolder+"README.md", nil)
	for _, want := range []string{
		"# Campaign c\n", "Scripted agents answered in 6 of 7 collaborations", "7 collaborations under 2 conditions",
		"| k0 | exchange | roundtable | ranked | scripted/trader | 4 | 0 | 0 | 4 |", "| k1 | exchange | roundtable | ranked | scripted/trader | 2 | 1 | 0 | 2 |",
		"| turns | 39 | 3 |", dataset(t, s).Digest(), "lake/_campaigns/c/files.json", "generations too** (2 at present)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("README.md does not say %q:\n%s", want, text)
		}
	}
	var files lake.Dataset
	content(t, s, cardFolder+"files.json", &files)
	checkSame(t, files.Files, dataset(t, s).Files)
	checkSame(t, files.Superseded, dataset(t, s).Superseded)
	var schema struct{ Tables []record.Table }
	content(t, s, cardFolder+"schema.json", &schema)
	want, err := record.Schema()
	must(t, err)
	checkSame(t, schema.Tables, want)
	checkCroissant(t, s, files)
	if changed, err := commits.CheckCard(ctx, s, "c"); err != nil || len(changed) > 0 {
		t.Errorf("just written, and changed: %v, %v", changed, err)
	}
	before := contents(t, s, cardFolder)
	for key, text := range before {
		for _, damaged := range []string{"", text[:len(text)-1], text + " ", strings.Replace(text, "e", "f", 1)} {
			if damaged == text { // it has no letter
				continue
			}
			must(t, s.Replace(ctx, key, []byte(damaged), ""))
			if changed, err := commits.CheckCard(ctx, s, "c"); err != nil || len(changed) == 0 {
				t.Errorf("%s is damaged, and nothing is found (%v)", key, err)
			}
		}
		must(t, s.Replace(ctx, key, []byte(text), ""))
	}
	must(t, commits.WriteCard(ctx, s, "c"))
	checkSame(t, contents(t, s, cardFolder), before)
}

// checkCroissant follows every reference and opens every file; the program of
// the format's authors has the last word, but is not written in Go.
func checkCroissant(t *testing.T, s store.Store, d lake.Dataset) {
	t.Helper()
	var c struct {
		Type         string         `json:"@type"`
		Context      map[string]any `json:"@context"`
		Distribution []struct {
			ID       string `json:"@id"`
			Includes []string
		}
		RecordSet []struct {
			Name string
			Key  []struct {
				ID string `json:"@id"`
			}
			Field []struct {
				ID       string `json:"@id"`
				DataType string
				Source   struct {
					FileSet struct {
						ID string `json:"@id"`
					}
					Extract struct{ Column string }
				}
			}
		}
	}
	content(t, s, cardFolder+"croissant.json", &c)
	if c.Type != "sc:Dataset" || c.Context["recordSet"] != "cr:recordSet" || len(c.RecordSet) != 5 || len(c.Distribution) != 5 {
		t.Fatalf("%+v", c)
	}
	for i, rs := range c.RecordSet {
		fs := c.Distribution[i]
		var keys []string
		for _, f := range d.Files[rs.Name] {
			keys = append(keys, f.Key)
		}
		checkSame(t, fs.Includes, keys)
		columns := columnsOf(t, s, fs.Includes[0])
		ids := map[string]bool{}
		for _, f := range rs.Field {
			ids[f.ID] = true
			if f.Source.FileSet.ID != fs.ID || !slices.Contains(columns, f.Source.Extract.Column) || !strings.HasPrefix(f.DataType, "sc:") {
				t.Errorf("field %+v of %s, whose files have the columns %v", f, rs.Name, columns)
			}
		}
		for _, k := range rs.Key {
			if !ids[k.ID] {
				t.Errorf("%s has the key %s, which is none of its fields", rs.Name, k.ID)
			}
		}
		if len(ids) != len(columns) {
			t.Errorf("%s has %d fields for %d columns", rs.Name, len(ids), len(columns))
		}
	}
}

func columnsOf(t *testing.T, s store.Store, key string) (names []string) {
	t.Helper()
	data, err := s.Get(ctx, key)
	must(t, err)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	return names
}

// An empty campaign has a card too.
func TestCardOfNothing(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	must(t, commits.WriteCard(ctx, s, "c"))
	if text := content(t, s, cardFolder+"README.md", nil); !strings.Contains(text, "0 collaborations under 0 conditions") || strings.Contains(text, "Scripted") {
		t.Error(text)
	}
	var c map[string]any
	content(t, s, cardFolder+"croissant.json", &c)
	if fmt.Sprint(c["name"]) != "c" {
		t.Error(c)
	}
}

// A card that a kill cut short is written again, and a whole one is left alone.
func TestRepairCard(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	for _, want := range []struct {
		broken   string
		repaired bool
	}{{"", false}, {"README.md", true}, {"schema.json", true}} {
		must(t, commits.WriteCard(ctx, s, "c"))
		if want.broken != "" {
			must(t, s.Replace(ctx, cardFolder+want.broken, []byte("half"), ""))
		}
		repaired, err := commits.RepairCard(ctx, s, "c")
		must(t, err)
		changed, err := commits.CheckCard(ctx, s, "c")
		must(t, err)
		if repaired != want.repaired || len(changed) > 0 {
			t.Errorf("%q: repaired is %v, and %v are not as they should be", want.broken, repaired, changed)
		}
	}
}

// inBucket is a store whose lake is in a bucket.
type inBucket struct{ store.Store }

func (inBucket) String() string { return "s3://bucket/some/prefix" }

// Tables that were added later are in the card, which is written again after
// them; Croissant has licence, citation, version and date, and the lines read
// from the bucket where the lake is.
func TestCardOfAddedTables(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	one := sample("c", "k", "a", 1, 2)
	one.Collaborations[0].EndedAt = 1_790_000_000_000_000 // 2026-09-21
	_, err := commits.Commit(ctx, s, one)
	must(t, err)
	must(t, commits.RefreshCard(ctx, s, "c"))
	if _, err := s.Get(ctx, cardFolder+"README.md"); err == nil {
		t.Error("a campaign without a card has got one")
	}
	must(t, commits.WriteCard(ctx, s, "c"))
	var files lake.Dataset
	content(t, s, cardFolder+"files.json", &files)
	if len(files.Files[record.Labels]) > 0 {
		t.Error("labels before anybody labelled")
	}
	m, rows := labelled(0, 1, 2)
	_, err = commits.CommitAnnotations(ctx, s, m, rows)
	must(t, err)
	must(t, campaign.WriteManifest(ctx, s, campaign.Manifest{Campaign: "c", Revision: "1", Card: &plan.Card{License: "CC-BY-4.0"}}))
	must(t, commits.RefreshCard(ctx, s, "c"))
	content(t, s, cardFolder+"files.json", &files)
	if len(files.Files[record.Labels]) != 1 {
		t.Errorf("files.json has the labels %v", files.Files[record.Labels])
	}
	text := content(t, s, cardFolder+"README.md", nil)
	if !strings.Contains(text, "| labels | 3 | 1 |") || strings.Contains(text, "s3://") {
		t.Errorf("README.md:\n%s", text)
	}
	var c struct {
		License, CiteAs, Version, DatePublished string
		RecordSet                               []struct{ Name string }
	}
	content(t, s, cardFolder+"croissant.json", &c)
	if len(c.RecordSet) != 6 || c.License != "https://spdx.org/licenses/CC-BY-4.0.html" || !strings.Contains(c.CiteAs, "Campaign c (2026-09-21). 1 collaboration,") ||
		!strings.HasPrefix(c.Version, "1.0.0+") || c.DatePublished != "2026-09-21" {
		t.Errorf("croissant.json: %+v", c)
	}
	must(t, commits.WriteCard(ctx, store.Watch(inBucket{s}), "c")) // as the engine wraps it
	text = content(t, s, cardFolder+"README.md", nil)
	for _, want := range []string{
		"FROM 's3://bucket/some/prefix/lake/_campaigns/c/files.json'", "list('s3://bucket/some/prefix/' || f.key)", `scan_parquet("s3://bucket/some/prefix/" + f["key"]`, "httpfs",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the lines of a bucket lack %q:\n%s", want, text)
		}
	}
}

// The description of an export names its files, and what the owner says.
func TestDescribeExport(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	describe := func(card plan.Card) (readme string, croissant map[string]any) {
		must(t, campaign.WriteManifest(ctx, s, campaign.Manifest{Campaign: "c", Revision: "1", Card: &card}))
		text, data, err := commits.DescribeExport(ctx, s, dataset(t, s), []commits.ExportedFile{
			{Table: "collaborations", Name: "collaborations.parquet", SHA256: "ab", Rows: 6, Bytes: 9},
			{Table: "turns", Name: "turns.parquet", SHA256: "cd", Rows: 39, Bytes: 10},
		})
		must(t, err)
		must(t, json.Unmarshal(data, &croissant))
		return string(text), croissant
	}
	readme, croissant := describe(plan.Card{License: "CC-BY-4.0", Citation: "Me (2026)", Version: "2.0.1", Date: "2026-09-21"})
	for _, want := range []string{
		"---\npretty_name: \"c\"\nlicense: cc-by-4.0\n", "- config_name: collaborations\n  default: true\n  data_files:\n  - split: train\n    path: collaborations.parquet\n- config_name: turns\n",
		"| [turns](turns.parquet) | 39 |", "had not ended when this was written", "Version 2.0.1.", "Cite: Me (2026)", "Licence: https://spdx.org/licenses/CC-BY-4.0.html",
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q:\n%s", want, readme)
		}
	}
	if len(croissant["distribution"].([]any)) != 2 || len(croissant["recordSet"].([]any)) != 2 || croissant["datePublished"] != "2026-09-21" ||
		croissant["version"] != "2.0.1" || croissant["citeAs"] != "Me (2026)" {
		t.Errorf("croissant.json: %v", croissant)
	}
	for license, want := range map[string]string{
		"": "pretty_name: \"c\"\ntags:", "https://example.org/terms": "license: other\nlicense_name: owner\nlicense_link: \"https://example.org/terms\"\n",
		"ODC-By-1.0": "license_link: \"https://spdx.org/licenses/ODC-By-1.0.html\"\n",
	} {
		if readme, _ := describe(plan.Card{License: license}); !strings.Contains(readme, want) {
			t.Errorf("%q: README.md does not say %q:\n%s", license, want, readme)
		}
	}
}
