package commits_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
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
	times := 60
	if *long {
		times = 1_500
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

// Every bit flip and every cut, in any object, is found and named; nothing panics.
func TestVerifyFindsAllDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes under the race detector, which has nothing to see in it")
	}
	a, s, dir := open(t)
	_, err := commits.Commit(ctx, s, sample("c", "k", "x", 0, 3))
	must(t, err)
	p := answers.RunKey{Campaign: "c", Collaboration: "x"}
	_, err = a.Intend(ctx, p, answers.Intent{})
	must(t, err)
	_, err = a.Put(ctx, p, turn(0, "raw", "text"))
	must(t, err)
	_, err = a.PutBatch(ctx, p, []answers.Turn{turn(1, "raw", "text"), turn(2, "raw", "text")})
	must(t, err)
	_, err = money.Open(ctx, money.Config{Store: s, Campaign: "c", Count: func(context.Context) (money.Amount, error) { return money.Amount{Tokens: 5}, nil }})
	must(t, err)
	whole := verified(t, s, "c")
	objects, err := s.List(ctx, "")
	must(t, err)
	if whole.Commits != 1 || whole.Answers != 3 || len(objects) != 6+3+1 {
		t.Fatalf("%+v, %d objects", whole, len(objects))
	}
	x := rand.New(rand.NewPCG(7, 7))
	times := 100
	if *long {
		times = 2000
	}
	for n := range times {
		o := objects[n%len(objects)]
		file := filepath.Join(dir, filepath.FromSlash(o.Key))
		good, err := os.ReadFile(file)
		must(t, err)
		bad := slices.Clone(good)
		what := fmt.Sprintf("damage %d of %s: ", n, o.Key)
		switch n / len(objects) % 5 {
		case 0:
			bad = bad[:x.IntN(len(bad))]
			what += fmt.Sprint("cut to ", len(bad))
		case 1:
			at, length := x.IntN(len(bad)), 1+x.IntN(64)
			for i := at; i < min(at+length, len(bad)); i++ {
				bad[i] = ^bad[i]
			}
			what += fmt.Sprint("hole at ", at)
		default:
			bit := x.IntN(8 * len(bad))
			bad[bit/8] ^= 1 << (bit % 8)
			what += fmt.Sprint("bit ", bit)
		}
		must(t, os.WriteFile(file, bad, 0o600))
		r, err := lake.Verify(ctx, s, "c")
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Object != o.Key {
			t.Fatalf("%s: found %+v, error %v", what, r.Findings, err)
		}
		if !raceDetector && strings.HasPrefix(o.Key, "raw/") && !strings.HasPrefix(o.Key, "raw/_") {
			read(t, bad)
		}
		must(t, os.WriteFile(file, good, 0o600))
	}
	for _, o := range objects {
		must(t, os.Rename(filepath.Join(dir, o.Key), filepath.Join(dir, "away")))
		r, err := lake.Verify(ctx, s, "c")
		must(t, err)
		switch {
		case strings.HasPrefix(o.Key, "raw/_"): // as if it had never been committed
			if r.Commits != 0 || len(r.Uncommitted) != 5 {
				t.Errorf("%s is gone: %+v", o.Key, r)
			}
		case strings.HasPrefix(o.Key, "raw/"):
			if len(r.Findings) != 1 || r.Findings[0].Object != o.Key {
				t.Errorf("%s is gone: %+v", o.Key, r)
			}
		}
		must(t, os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, o.Key)))
	}
}

// read decodes damaged bytes without the protection of a checksum: it must come back.
func read(t *testing.T, bad []byte) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("panic: %v", p)
		}
	}()
	_, _ = lake.Decode[record.Turn](bad)
	_, _ = lake.Decode[record.Collaboration](bad)
}

// A marker that lies about its rows is found although its own checksum is right.
func TestVerifyRecomputesTheDigest(t *testing.T) {
	_, s, _ := open(t)
	m, err := commits.Commit(ctx, s, sample("c", "k", "x", 0, 2))
	must(t, err)
	m.Digest = strings.Repeat("0", 64)
	data, err := lake.Seal(m.Key(), m)
	must(t, err)
	must(t, s.Replace(ctx, m.Key(), data, ""))
	r, err := lake.Verify(ctx, s, "c")
	if err != nil || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Problem, "digest") {
		t.Fatalf("%+v %v", r, err)
	}
}
