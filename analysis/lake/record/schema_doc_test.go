package record

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reference/schema.md again")

// TestSchemaDoc holds docs/reference/schema.md to record.go: names and types come from
// the struct tags, descriptions from the comments next to the fields.
func TestSchemaDoc(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "reference", "schema.md")
	want, err := schemaDoc()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/reference/schema.md is not what record.go says; run: go test ./analysis/lake/record -update")
	}
}

// schemaDoc renders the page. A column without a description is an error.
func schemaDoc() (string, error) {
	tables, err := Schema()
	if err != nil {
		return "", err
	}
	shared := reflect.TypeFor[Key]().NumField()
	var b strings.Builder
	fmt.Fprintf(&b, schemaHead, SchemaVersion)
	for _, t := range tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", t.Name, t.About)
		columnsTable(&b, t.Columns[shared:])
	}
	added, err := AnnotationSchema()
	if err != nil {
		return "", err
	}
	b.WriteString(schemaWorth + schemaAdded)
	for _, t := range added {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", t.Name, t.About)
		columnsTable(&b, t.Columns[shared:])
	}
	derived, err := InstanceSchema()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, schemaDerived, derived.About)
	b.WriteString("| column | type | what it is |\n| --- | --- | --- |\n")
	for _, c := range derived.Columns {
		fmt.Fprintf(&b, "| `%s` | %s%s | %s |\n", c.Name, c.Type, map[bool]string{true: ", may be absent"}[c.Nullable], c.About)
	}
	b.WriteString("\n## Columns that every stored table has\n\n")
	columnsTable(&b, tables[0].Columns[:shared])
	return b.String(), nil
}

const schemaHead = `# The tables

This page is made from ` + "`analysis/lake/record/record.go`" + ` by ` + "`go test ./analysis/lake/record -update`" + `, and a test holds the two together.
It describes schema version %d.

A campaign leaves five tables as Parquet: at first one file for each collaboration and table, which are compacted into one part for each batch of collaborations, condition and table.

` + "```" + `
lake/raw/<table>/campaign=<name>/condition=<condition>/<collaboration>.<generation>.parquet
lake/raw/_commits/campaign=<name>/<collaboration>.<generation>.json
lake/lake/<table>/campaign=<name>/condition=<condition>/part-<batch>.parquet
lake/lake/_manifests/campaign=<name>/batch-<batch>.json
lake/lake/_campaigns/<name>/README.md, files.json, schema.json, croissant.json
` + "```" + `

- A collaboration counts when its marker in ` + "`_commits`" + ` is there. The marker is written last and holds the SHA-256 of each file.
  Files without a marker belong to a commit that was interrupted; ` + "`roundtable verify NAME`" + ` lists how many there are.
- A part counts when its batch's manifest in ` + "`_manifests`" + ` is there, and then in place of the files it was made from, which stay. A collaboration is in one batch at most.
  ` + "`files.json`" + ` lists exactly the files to read; the README next to it says how.
- ` + "`generation`" + ` is 0, and one more each time a cell is run again (` + "`run --retry-failed`" + `). Take the latest; see docs/guides/operating.md for the query.
- The folders are Hive partitions named ` + "`campaign=`" + ` and ` + "`condition=`" + `; the columns in the files are ` + "`campaign_id`" + ` and ` + "`condition_id`" + `.
- An empty table has no file: a collaboration that was stopped before it began has one row in ` + "`collaborations`" + ` and nothing else.
- ` + "`simulated`" + ` is true where scripted agents answered. Never mix these rows with those of language models.
- Names: ` + "`*_id`" + ` identify, ` + "`*_at`" + ` are UTC with microseconds, ` + "`*_ms`" + ` are milliseconds, ` + "`*_json`" + ` hold JSON, ` + "`*_usd`" + ` are US dollars.
- "may be absent" means NULL.
- Columns marked "no" under *digest* are operational: two runs of one campaign may differ in them and still have the same digest.
- Columns are added, never renamed, retyped or used for something else; ` + "`schema_version`" + ` grows with each addition.
`

const schemaWorth = `
## What an outcome is worth

Tables, figures, comparisons and the report go by one definition, ` + "`record.Collaboration.Worth`" + `, and the columns hold its values. ` + "`score`" + ` is the goodness of a decision, and NULL without one; ` + "`outcome`" + `, in ` + "`collaborations`" + ` and ` + "`rounds`" + `, is what to average.
What goodness measures is the environment's to say, in the column ` + "`measure`" + `: a *share* from 0 to 1 (exchange: of the greatest total utility; qa: accuracy, of SQuAD F1; menu and allocation: of the greatest reward; publicgoods: of the possible gain), or minus an *error* (recsys: of the rating, in stars; consensus and robots: the distance from the mean of the starts).

| what happened | share | error |
| --- | --- | --- |
| a decision | its goodness | its goodness |
| undecided: no decision at the end, or none up to a round | 0 | left out; the n is shown |
| a round after an early end | what stood at the end is carried on, in tables and figures; ` + "`rounds`" + ` has no row | likewise |
| failed or stopped | counted, never averaged | likewise |
| to come, or no such round in the plan | counted; not averaged | likewise |
| an invalid turn | the turn counts for nothing; the group's outcome is worth what its decision is worth | likewise |

- A mean is over decided groups only where a table or a column says so. So do the papers' own measures: the mean absolute error over what has a decision, with its n (Table 7); fairness, undefined without a decision, left out, with its n (Table 1; table ` + "`readings`" + ` counts it as 100 too).
- Other measures of one collaboration that a group without a decision does not have (the round of the decision, the final value of a consensus) are left out, with the n. Shares of collaborations (not yet agreed, reached, valid) count every one that succeeded.
- **All-invalid is no result.** A condition in which more than a tenth of the asked turns is invalid, or of the answers ended by the limit of their length (finish_reason ` + "`length`" + `), is marked under every table and at the end of ` + "`run`" + `, with the most frequent reason and an example, and tables that count how cells ended have both shares as columns. Table ` + "`summary`" + ` has the counts: asked turns are the rows of ` + "`turns`" + ` of kind ask; ` + "`collaborations.turns`" + ` counts the rule's own entries too.
- **Equal replicates are no evidence.** Where collaborations of one instance and condition are equal word for word (the same answers by ` + "`answer_hash`" + ` in the same order), tables that count how cells ended have the distinct ones as a column next to n, and a note names the conditions. Means take all of them, equal or not. Nothing is dropped, since independent answers can come out alike: where standard errors are over instances, equal replicates do not make them smaller; where there is only one instance, they do, and the note says that these standard errors are too small.
- **The unit** of standard errors, intervals, pairs and tests is the instance where an environment has several in the campaign, since replicates of one instance have it in common. Where it has one, as usual in the exchange economy, the unit is the replicate. A mean is over collaborations, of comparisons and gains over the instances that both conditions have. Where a paper has its deviation over replicates (tables and figures ` + "`2.*`" + `: ± sd), that is said.

` + "```sql" + `
SELECT rule, simulated, count(*) AS n, round(avg(outcome), 4) AS outcome, count(score) AS decided
FROM collaborations WHERE campaign_id = 'voting-rules' GROUP BY ALL ORDER BY ALL;
` + "```" + `
`

const schemaAdded = `
## Tables that are added later

They are no part of a collaboration's commit and of its digest. Each has one file and one marker for each collaboration and labeller, or embedder and rule:

` + "```" + `
lake/raw/labels/campaign=<name>/condition=<condition>/<collaboration>.<generation>.<labeller>.parquet
lake/raw/_commits/labels/campaign=<name>/<labeller>/<collaboration>.<generation>.json
lake/raw/features/campaign=<name>/condition=<condition>/<collaboration>.<generation>.<method>.parquet
lake/raw/_commits/features/campaign=<name>/<method>/<collaboration>.<generation>.json
` + "```" + `
`

const schemaDerived = `
## instances

%s

` + "`roundtable query`" + ` makes it from the plan and from the data files that are stored with it: a copy of the lake needs no others. It has no file; ` + "`roundtable export NAME --table instances -o instances.parquet`" + ` writes one.
Environments that make up their instances (exchange, consensus and others) have no rows here.

`

func columnsTable(b *strings.Builder, columns []Column) {
	b.WriteString("| column | type | digest | what it is |\n| --- | --- | --- | --- |\n")
	for _, c := range columns {
		digest, absent := "no", ""
		if c.Digest {
			digest = "yes"
		}
		if c.Nullable {
			absent = ", may be absent"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.Name, c.Type+absent, digest, strings.ReplaceAll(c.About, "|", "\\|"))
	}
}
