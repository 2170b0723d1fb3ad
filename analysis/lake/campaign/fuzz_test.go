package campaign

import (
	"encoding/json"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store/storetest"
)

// The documents about a campaign (plan, manifest, labeller, rerun, halt) are read, or
// refused with their key.
func FuzzDocuments(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `{"campaign":"c","revision":"000000000000","limits":{"calls":-1}}`, `{"campaign":{"name":"c","conditions":[{}]},"packs":{"x":{}},"pack":["x"]}`,
		`{"reason":"no key"}`, `{"labeller":{"name":"x"}}`, `{"cells":["a"],"generation":{"a":-1}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sealed, err := lake.Seal("", json.RawMessage(body))
		if err != nil {
			sealed = body
		}
		for _, data := range [][]byte{body, sealed} {
			s := storetest.NewMemory(map[string]string{})
			for _, key := range []string{PlanKey("c", "000000000000"), ManifestKey("c"), LabellingKey("c", "x"), RerunKey("c"), HaltKey("c")} {
				s.Objects[key] = string(data)
			}
			_, plan := ReadPlan(t.Context(), s, "c", "000000000000")
			_, manifest := ReadManifest(t.Context(), s, "c")
			_, labeller := ReadLabelling(t.Context(), s, "c", "x")
			_, rerun := ReadRerun(t.Context(), s, "c")
			_, halt := ReadHalt(t.Context(), s, "c")
			_, _, _ = ReadRecorded(t.Context(), s, "c")
			for _, err := range []error{plan, manifest, labeller, rerun, halt} {
				if err != nil && !strings.Contains(err.Error(), lake.AboutKey("c", "")) {
					t.Errorf("the error does not name the object: %v", err)
				}
			}
		}
	})
}
