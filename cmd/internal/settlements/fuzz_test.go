package settlements

import (
	"strings"
	"testing"
)

// A usage export is read, with amounts that can be, or the error says what is wrong.
func FuzzExport(f *testing.F) {
	for _, s := range []string{
		"id,model,cost,time\nr1,m,0.5,2026-01-31T12:00:00Z\n", `[{"request_id":"r","cost":1,"created_at":1767225600,"model":"m"}]`,
		`{"id":"r","cost":"$0.1","time":"2026-01-31 12:00:00.5"}` + "\n" + `{"id":1}`, "", "[1]", "a\n\"b", `{"id":"r","cost":1e308,"time":9e10}`,
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, csv bool) {
		name := "usage.json"
		if csv {
			name = "usage.csv"
		}
		rows, err := readExport(name, data)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without a word")
			}
			return
		}
		for _, b := range rows {
			if !(b.usd >= 0 && b.usd < 1e9) || b.tokens < 0 || b.id == "" || b.row < 1 {
				t.Errorf("%+v", b)
			}
		}
	})
}
