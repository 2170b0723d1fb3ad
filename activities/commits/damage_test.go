package commits_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage/storetest"
)

var long = flag.Bool("long", false, "run the long tests as well")

// Every bit flip and every cut, in any object of a compacted lake, is found and
// named; no reader takes it for data, and nothing panics.
func TestDamageOfACompactedLake(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes under the race detector, which has nothing to see in it")
	}
	s := storetest.NewMemory(map[string]string{})
	for _, name := range []string{"a", "b"} {
		_, err := commits.Commit(ctx, s, sample("c", "k"+name[:1], name, 0, 2))
		must(t, err)
	}
	compact(t, s)
	_, err := commits.Commit(ctx, s, sample("c", "kb", "b", 1, 1))
	must(t, err)
	verified(t, s, "c")
	rows := seen(t, s)
	whole := maps.Clone(s.Objects)
	keys := slices.Sorted(maps.Keys(whole))
	if len(keys) != 3*6+2*5+2 {
		t.Fatalf("%d objects", len(keys))
	}
	times := 500
	if *long {
		times = 5_000
	}
	x := rand.New(rand.NewPCG(1, 1))
	for n := range times {
		key := keys[n%len(keys)]
		bad, what := damaged(x, whole[key])
		s.Objects = maps.Clone(whole)
		s.Objects[key] = bad
		r, err := lake.Verify(ctx, s, "c")
		must(t, err)
		if !slices.ContainsFunc(r.Findings, func(f lake.Finding) bool { return f.Object == key }) {
			t.Fatalf("damage %d: %s with %s: found %+v", n, key, what, r.Findings)
		}
		if n%5 > 0 {
			continue
		}
		if got, err := look(s); err == nil && !reflect.DeepEqual(got, rows) {
			t.Fatalf("damage %d: %s with %s: readers see other rows", n, key, what)
		}
		if strings.HasSuffix(key, ".parquet") {
			read(t, []byte(bad))
		}
	}
}

// damaged is an object of which a part is missing, or with one bit that is another.
func damaged(x *rand.Rand, good string) (bad, what string) {
	if x.IntN(4) == 0 {
		return good[:x.IntN(len(good))], "its end missing"
	}
	bytes := []byte(good)
	bit := x.IntN(8 * len(bytes))
	bytes[bit/8] ^= 1 << (bit % 8)
	return string(bytes), "a bit flipped"
}
