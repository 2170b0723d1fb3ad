package lake_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// A sealed object is of one place: in another one's it is damage, which names both, and so is one
// that says no place. The cache takes one of any place.
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
	placeless := fmt.Sprintf(`{"version":1,"sha256":"%x","body":{"used":3}}`+"\n", sha256.Sum256([]byte(`{"used":3}`)))
	for what, forged := range map[string]string{
		"without a place":       placeless,
		"its place cut out":     strings.Replace(string(data), `"key":"`+one+`",`, "", 1),
		"its place overwritten": strings.Replace(string(data), one, another, 1),
	} {
		if err := lake.Unseal(another, []byte(forged), &body); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range data {
		changed := []byte(string(data))
		changed[i] ^= 1
		if err := lake.Unseal(one, changed, &body); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("with another byte %d, %q: %v", i, data[i], err)
		}
	}
}
