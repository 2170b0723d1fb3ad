package sql

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
)

// columnTypes are DuckDB's for the words of record.Column.
var columnTypes = map[string]string{
	"string": "VARCHAR", "int32": "INTEGER", "int64": "BIGINT", "double": "DOUBLE", "boolean": "BOOLEAN",
	"list of double": "DOUBLE[]", "timestamp (µs, UTC)": "TIMESTAMP WITH TIME ZONE",
}

// superseded is a run of a campaign that readers do not see.
type superseded struct {
	campaign string
	lake.Run
}

// conditionLabel is what a campaign's file calls one of its conditions.
type conditionLabel struct{ campaign, condition, label string }

// defineView returns the definition of a table's view over files.
func (f files) defineView(table record.Table, own []string) (string, error) {
	rows, err := selectStored(table, own, f.hidden)
	rows = withMoney(table, rows)
	if table.Name == record.Collaborations {
		rows = f.withLabels(rows)
	}
	return "CREATE VIEW " + table.Name + " AS " + rows, err
}

// withLabels puts the files' present labels in place of the stored ones.
func (f files) withLabels(rows string) string {
	if len(f.labels) == 0 {
		return rows
	}
	var values []string
	for _, l := range f.labels {
		values = append(values, fmt.Sprintf("(%s, %s, %s)", quoteLiteral(l.campaign), quoteLiteral(l.condition),
			quoteLiteral(l.label)))
	}
	return fmt.Sprintf("SELECT * EXCLUDE (now) REPLACE (coalesce(now, label) AS label) FROM (%s) LEFT JOIN (VALUES "+
		"%s) AS labels(campaign_id, condition_id, now) USING (campaign_id, condition_id)",
		rows, strings.Join(values, ", "))
}

// withMoney makes amounts of money decimals of nanodollars, as they were counted: the
// sum of binary fractions depends on the order in which they are added.
func withMoney(table record.Table, rows string) string {
	var amounts []string
	for _, c := range table.Columns {
		if strings.HasSuffix(c.Name, "_usd") {
			amounts = append(amounts, fmt.Sprintf("TRY_CAST(%[1]s AS DECIMAL(38, 9)) AS %[1]s", c.Name))
		}
	}
	if len(amounts) == 0 {
		return rows
	}
	return fmt.Sprintf("SELECT * REPLACE (%s) FROM (%s)", strings.Join(amounts, ", "), rows)
}

// selectStored returns a SELECT of the rows in files. It begins with no rows of every
// column, so that the columns, their order and their types are those of the
// schema whatever files there are.
func selectStored(table record.Table, files []string, hidden []superseded) (string, error) {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range table.Columns {
		t, ok := columnTypes[c.Type]
		if !ok {
			return "", fmt.Errorf("column %s.%s: no SQL type is known for %q", table.Name, c.Name, c.Type)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "NULL::%s AS %s", t, c.Name)
	}
	b.WriteString(" WHERE false")
	if len(files) == 0 {
		return b.String(), nil
	}
	fmt.Fprintf(&b, " UNION ALL BY NAME SELECT * FROM read_parquet(%s, union_by_name = true, hive_partitioning = false)", listLiteral(files))
	if len(hidden) > 0 {
		b.WriteString(" ANTI JOIN (VALUES ")
		for i, s := range hidden {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "(%s, %s, %d::INTEGER)", quoteLiteral(s.campaign),
				quoteLiteral(s.Collaboration), s.Generation)
		}
		b.WriteString(") AS hidden(campaign_id, collaboration_id, generation) USING (campaign_id, collaboration_id, " +
			"generation)")
	}
	return b.String(), nil
}

// defineView returns the definition of the view that has a function's rows of campaigns.
func (f Function) defineView(campaigns []string) string {
	selects := []string{fmt.Sprintf("SELECT * FROM %s('') WHERE false", f.Name)} // the columns, also of an empty lake
	for _, c := range campaigns {
		selects = append(selects, fmt.Sprintf("SELECT * FROM %s(%s)", f.Name, quoteLiteral(c)))
	}
	return fmt.Sprintf("CREATE VIEW %s AS %s", f.Table,
		withMoney(record.Table{Columns: f.Columns}, strings.Join(selects, " UNION ALL ")))
}

// listLiteral returns a list of texts.
func listLiteral(texts []string) string {
	quoted := slices.Clone(texts)
	for i, s := range quoted {
		quoted[i] = quoteLiteral(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func quoteLiteral(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
