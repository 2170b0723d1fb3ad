package transcripts

import (
	"reflect"
	"strings"

	"roundtable/analysis/lake/record"
)

// rowsJSON returns every table with the columns' names.
func rowsJSON(r record.Rows) map[string]any {
	return map[string]any{
		record.Collaborations: byColumn(r.Collaborations), record.Rounds: byColumn(r.Rounds),
		record.Turns:   byColumn(r.Turns),
		record.Ballots: byColumn(r.Ballots), record.Calls: byColumn(r.Calls),
	}
}

func byColumn[T record.Row](rows []T) []map[string]any {
	list := make([]map[string]any, len(rows))
	for i := range rows {
		list[i] = map[string]any{}
		addColumns(list[i], reflect.ValueOf(rows[i]))
	}
	return list
}

func addColumns(row map[string]any, v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			addColumns(row, v.Field(i))
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		row[name] = v.Field(i).Interface()
	}
}
