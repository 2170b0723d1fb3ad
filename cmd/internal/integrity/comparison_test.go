package integrity

import (
	"maps"
	"strings"
	"testing"

	"roundtable/analysis/lake/store/storetest"
)

// What is not wrong is said where it may matter: raw files that are gone, and objects on which no table rests.
func TestSummary(t *testing.T) {
	s := stated(t)
	objects := maps.Clone(held)
	delete(objects, "raw/turns/campaign=c/condition=k/r.0.parquet")
	delete(objects, "lake/turns/campaign=c/condition=k/part-1.parquet")
	objects["answers/campaign=c/r-1-i0-r0.0/000002.0.json"] = "later"
	objects["raw/_commits/campaign=c/r-1-i1-r0.0.json"] = "later"
	c, err := compareAttested(t.Context(), storetest.NewMemory(objects), "", Expected{Attestation: Attestation{Statement: s}, File: "f"})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	c.WriteSummary(&said)
	c.WriteErrors(&said)
	for _, want := range []string{
		"Attested: 8 of 10 objects as f has them", "Deleted since: 1 raw file, an error only where", "Added since: 1 object that no table rests on", "ADDED  answers/campaign=c/r-1-i0-r0.0/000002.0.json\n",
		"WRONG  f: it attests rows of digest 0a0a", "WRONG  lake/turns/campaign=c/condition=k/part-1.parquet: it was attested and is missing", "r-1-i1-r0.0.json: it was stored after the attestation, and readers see it", "attest it again",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not said:\n%s", want, &said)
		}
	}
	if c.Errors() != 3 {
		t.Errorf("%d are wrong", c.Errors())
	}
	same, err := compareAttested(t.Context(), storetest.NewMemory(held), s.Digest, Expected{Attestation: Attestation{Statement: s}, File: "f"})
	said.Reset()
	same.WriteSummary(&said)
	if err != nil || strings.Contains(said.String(), "since") {
		t.Errorf("nothing was changed: %v\n%s", err, &said)
	}
	said.Reset()
	writeKeys(&said, "- ", strings.Split(strings.Repeat("k", shown+2), ""), ".")
	if strings.Count(said.String(), "- k.\n") != shown || !strings.HasSuffix(said.String(), "- and 2 objects more.\n") {
		t.Errorf("of many keys: %s", &said)
	}
}
