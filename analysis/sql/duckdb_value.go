//go:build cgo

package sql

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// plainValue returns a value of a column of a type as a value of Result.
func plainValue(v any, columnType string) any {
	switch v := v.(type) {
	case time.Time:
		switch columnType {
		case "DATE":
			return v.Format(time.DateOnly)
		case "TIME", "TIMETZ":
			return v.Format("15:04:05.999999999")
		}
		return v.UTC()
	case *big.Int:
		return json.Number(v.String())
	case duckdb.Decimal:
		return json.Number(v.String())
	case []byte:
		if columnType == "UUID" && len(v) == len(duckdb.UUID{}) {
			return plainValue(duckdb.UUID(v), "")
		}
		return hex.EncodeToString(v)
	case duckdb.UUID:
		return v.String()
	case duckdb.Interval:
		return map[string]any{"months": v.Months, "days": v.Days, "micros": v.Micros}
	case duckdb.Union:
		return plainValue(v.Value, "")
	}
	return nestedValue(v)
}

// nestedValue returns lists, structures and maps.
func nestedValue(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = plainValue(x, "")
		}
		return list
	case map[string]any:
		all := make(map[string]any, len(v))
		for k, x := range v {
			all[k] = plainValue(x, "")
		}
		return all
	case duckdb.OrderedMap:
		all := map[string]any{}
		for i, k := range v.Keys() {
			all[Text(plainValue(k, ""))] = plainValue(v.Values()[i], "")
		}
		return all
	}
	return v
}
