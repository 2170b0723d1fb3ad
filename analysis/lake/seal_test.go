package lake_test

import (
	"errors"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// A sealed object is of one place: in another one's it is damage, which names both. One that says no
// place, as lakes of the first days have them, is read anywhere, and the cache asks for none.
func TestSealedForItsPlace(t *testing.T) {
	const one, another = "budget/campaign=c/00000001.json", "budget/campaign=c/00000002.json"
	data, err := lake.Seal(one, map[string]int{"used": 3})
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]int
	if err := lake.Unseal(one, data, &body); err != nil || body["used"] != 3 {
		t.Errorf("in its place: %v, %v", body, err)
	}
	err = lake.Unseal(another, data, &body)
	if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), one) || !strings.Contains(err.Error(), another) {
		t.Errorf("in another's place: %v", err)
	}
	if of, err := lake.UnsealAny(another, data, &body); err != nil || of != one {
		t.Errorf("anywhere it is of %q, %v", of, err)
	}
	placeless := []byte(`{"version":1,"sha256":"2b94b1e8c36b8b2ac1c1eb2ba0d52d3ab9ef8ae5e6e2ed2b6e9bf3a1a29b4c4f","body":{"used":3}}` + "\n")
	if err := lake.Unseal(one, placeless, &body); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("with another checksum: %v", err)
	}
	for i := range data {
		changed := []byte(string(data))
		changed[i] ^= 1
		if err := lake.Unseal(one, changed, &body); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("with another byte %d, %q: %v", i, data[i], err)
		}
	}
}
