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
		fmt.Fprintf(&b, "| `%s` | %s%s | %s |\n", c.Name, c.Type, map[bool]string{true: "?"}[c.Nullable], c.About)
	}
	b.WriteString("\n## Columns that every stored table has\n\n")
	columnsTable(&b, tables[0].Columns[:shared])
	return b.String(), nil
}

const schemaHead = `# The tables

Written from ` + "`analysis/lake/record/record.go`" + ` by ` + "`go test ./analysis/lake/record -update`" + `. Schema version %d.

A campaign has five tables in Parquet: first a file per collaboration and table, then compacted parts.

` + "```" + `
lake/raw/<table>/campaign=<name>/condition=<condition>/<collaboration>.<generation>.parquet
lake/raw/_commits/campaign=<name>/<collaboration>.<generation>.json
lake/lake/<table>/campaign=<name>/condition=<condition>/part-<batch>.parquet
lake/lake/_manifests/campaign=<name>/batch-<batch>.json
lake/lake/_campaigns/<name>/README.md, files.json, schema.json, croissant.json
` + "```" + `

- A collaboration counts once its marker in ` + "`_commits`" + ` is there, with the SHA-256 of each file; a part once its batch's manifest is there, and it then replaces the files it was made from. ` + "`files.json`" + ` lists exactly the files to read, ` + "`README.md`" + ` the lines for DuckDB, Polars and pandas; [SQL](../guides/sql.md) needs neither.
- ` + "`generation`" + ` is 0, and one more for each rerun of a cell. Take the latest ([query](#what-an-outcome-is-worth)).
- ` + "`campaign=`" + ` and ` + "`condition=`" + ` are Hive partitions; the columns are ` + "`campaign_id`" + ` and ` + "`condition_id`" + `. An empty table has no file.
- **` + "`simulated`" + ` is true where scripted agents answered. Never mix these rows with those of language models.**
- ` + "`*_id`" + ` identify, ` + "`*_at`" + ` are UTC with microseconds, ` + "`*_ms`" + ` milliseconds, ` + "`*_json`" + ` JSON, ` + "`*_usd`" + ` US dollars.
- ` + "`?`" + ` after a type: may be NULL, where there is no such thing. ` + "`†`" + ` after a name: operational, not part of the row digest; may differ between two runs of a campaign.
- Columns are added, never renamed, retyped or reused; ` + "`schema_version`" + ` grows with each addition.
`

const schemaWorth = `
## What an outcome is worth

Average ` + "`outcome`" + `, not ` + "`score`" + `, which is NULL without a decision. ` + "`measure`" + ` says what the environment measures: a *share* from 0 to 1 (exchange: of the greatest total utility; qa: accuracy, of SQuAD F1; menu and allocation: of the greatest reward; publicgoods: of the possible gain), or minus an *error* (recsys: of the rating, in stars; consensus and robots: the distance from the mean of the starts).

| what happened | share | error |
| --- | --- | --- |
| a decision | its score | its score |
| undecided, at the end or up to a round | 0 | left out; n is shown |
| a round after an early end | the final decision, in tables and figures; ` + "`rounds`" + ` has no row | likewise |
| failed, stopped, or to come | counted, never averaged | likewise |
| an invalid turn | counts for nothing; the decision counts | likewise |

- Means over decided groups only are marked: the papers' own measures (Table 7, with n; fairness in Table 1, counted as 100 too in ` + "`readings`" + `), and measures that an undecided group does not have, with n. Shares of collaborations count all that succeeded.
- **All-invalid is not a result.** Tables and the end of ` + "`run`" + ` mark a condition with more than a tenth of invalid turns (of kind ask) or of answers cut off by length.
- **Equal replicates are not evidence.** Where replicates of an instance are equal word for word (` + "`answer_hash`" + `), tables show the number of distinct ones next to n. Means take all; with only one instance the standard errors are then too small, as a note says.
- **The unit** of errors, intervals and tests is the instance, or the replicate where there is one instance, unless said otherwise (papers' deviations over replicates).

Once the campaign has ` + "`_SUCCESS`" + `, such a pattern finds every row:

` + "```" + `sql
SELECT rule, simulated, count(*) AS n, avg(outcome) AS outcome, count(score) AS decided
FROM (
  SELECT * FROM read_parquet('lake/lake/collaborations/campaign=voting-rules/*/*.parquet')
  QUALIFY generation = max(generation) OVER (PARTITION BY collaboration_id)
)
GROUP BY ALL ORDER BY ALL;
` + "```" + `
`

const schemaAdded = `
## Tables that are added later

Not part of a collaboration's commit and digest; a file and marker per collaboration and labeller, or embedder and rule:

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

It has no file: ` + "`roundtable query`" + ` makes it from the plan and the stored data files, ` + "`roundtable export NAME --table instances -o instances.parquet`" + ` writes it. Environments that draw their instances have no rows.

`

func columnsTable(b *strings.Builder, columns []Column) {
	b.WriteString("| column | type | what it is |\n| --- | --- | --- |\n")
	for _, c := range columns {
		operational, absent := "†", ""
		if c.Digest {
			operational = ""
		}
		if c.Nullable {
			absent = "?"
		}
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", c.Name, operational, c.Type+absent, strings.ReplaceAll(c.About, "|", "\\|"))
	}
}
