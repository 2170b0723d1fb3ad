package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/cmd/internal/cli"
)

// liveOriginal is a campaign that a vendor answers: 4 rounds of 9 calls and a count.
const liveOriginal = `name: original
replicates: 2
env: exchange
protocol: {name: roundtable, rounds: 4}
rule: majority
model: openai/fake
generate: {max_tokens: 500}
`

// original is where such a campaign was run at a vendor.
func original(t *testing.T) (dir string) {
	t.Helper()
	return copyOf(t, "original", func(t *testing.T, dir string) {
		save(t, dir, "campaign.yaml", liveOriginal+vendorPrices)
		ends(t, 0, dir, newVendor(t).at(), "run", "campaign.yaml")
	})
}

// queriedRows returns the rows of a query.
func queriedRows(t *testing.T, dir, sql string) (rows []map[string]any) {
	t.Helper()
	noError(t, json.Unmarshal([]byte(ends(t, 0, dir, nil, "query", "--json", sql).out), &rows))
	return rows
}

// TestForkBuysNothingTwice: of the turns before the fork the vendor sells none again and the
// ledger has none; the rest is as many calls as are left. The rows are whole, verify finds
// nothing wrong, and finds a prefix that was forged.
func TestForkBuysNothingTwice(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v := newVendor(t)
	dir := original(t)
	before := len(v.arrivals())
	sold, _ := v.books()
	out := ends(t, 0, dir, v.at(), "fork", "original", "--at", "round=3", "--set", "rule=ranked", "--control", "--replicates", "2").out
	contains(t, out, "Forks of original: what each change does", "rule ranked", "as it was")
	asked, first, keys := v.arrivals()[before:], 0, map[string]bool{}
	for _, a := range asked {
		if !a.again() {
			first++
		}
		if keys[a.key] {
			t.Errorf("%s is asked twice", a.key)
		}
		keys[a.key] = true
		parts := strings.Split(a.key, "/")
		if entry, err := strconv.Atoi(parts[len(parts)-2]); err != nil || entry < 20 {
			t.Errorf("%s is asked, which is before the fork", a.key)
		}
	}
	all, _ := v.books()
	if want := 2 * 2 * 2 * 18; first > want || first < want*3/4 { // conditions, replicates, forks of each; answers that both conditions need alike are bought once
		t.Errorf("%d first questions after the fork; %d turns are asked for", first, want)
	}
	r := queriedRows(t, dir, `SELECT count(*) FILTER (forked_from IS NULL AND NOT cached) AS bought, count(*) FILTER (forked_from IS NOT NULL AND ask = 0) AS had,
		count(*) FILTER (forked_from IS NOT NULL AND (NOT cached OR cost_usd > 0 OR entry >= 20 OR forked_from NOT LIKE 'original/majority-%.0')) AS wrong,
		round(sum(cost_usd) * 1e9) AS nano FROM calls WHERE campaign_id = 'original-fork'`)[0]
	if r["bought"] != float64(len(asked)) || r["had"] != 8.*18 || r["wrong"] != 0. || r["nano"] != float64(all.nanoUSD-sold.nanoUSD) {
		t.Errorf("the ledger says %v; the vendor has sold %d calls for %d", r, len(asked), all.nanoUSD-sold.nanoUSD)
	}
	turns := queriedRows(t, dir, `SELECT count(*) AS n, count(DISTINCT collaboration_id) AS cells, count(*) FILTER (forked_from IS NOT NULL AND entry < 20) AS had,
		count(*) FILTER (forked_from IS NOT NULL AND entry >= 20) AS wrong FROM turns WHERE campaign_id = 'original-fork'`)[0]
	if turns["cells"] != 8. || turns["had"] != 8.*20 || turns["wrong"] != 0. {
		t.Errorf("the table turns says %v", turns)
	}
	contains(t, ends(t, 0, dir, nil, "verify", "original-fork").out, "the turns before the fork of 8 collaborations", "Nothing is wrong.")
	ends(t, 0, dir, v.at(), "run", "original-fork.yaml")
	if n := len(v.arrivals()); n != before+len(asked) {
		t.Errorf("run again, it asks %d times", n-before-len(asked))
	}
	forgePrefix(t, dir)
	d := ends(t, cli.ExitFailed, dir, nil, "verify", "original-fork")
	contains(t, d.out, "is not what is stored of it in original/majority-")
}

// forgePrefix changes what an agent said before the fork, in an answer's text, turn and
// checksum alike.
func forgePrefix(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "lake/answers/campaign=original-fork/*/000000.batch.json"))
	if err != nil || len(paths) != 8 {
		t.Fatalf("%d prefixes: %v", len(paths), err)
	}
	reseal(t, paths[0], paths[0], func(turns []any) {
		ask := turns[1].(map[string]any)["asks"].([]any)[0].(map[string]any)
		ask["latency_ms"] = ask["latency_ms"].(float64) + 1
	})
}

// reseal changes the turns of a batch of answers of a lake and writes it, with a checksum that fits.
func reseal(t *testing.T, from, to string, change func(turns []any)) {
	t.Helper()
	var body map[string]any
	data, err := os.ReadFile(from)
	noError(t, err)
	_, err = lake.UnsealAny(from, data, &body)
	noError(t, err)
	change(body["turns"].([]any))
	_, key, _ := strings.Cut(to, "/lake/")
	sealed, err := lake.Seal(key, body)
	noError(t, err)
	noError(t, os.WriteFile(to, sealed, 0o600))
}

// TestForkRefuses: what cannot be forked or changed is an error before anything is asked.
func TestForkRefuses(t *testing.T) {
	v := newVendor(t)
	dir := original(t)
	t.Chdir(dir)
	t.Setenv("OPENAI_BASE_URL", v.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "k")
	before := len(v.arrivals())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"nothing", "--at", "round=2"}, `no campaign "nothing"`},
		{[]string{"original", "--at", "2"}, "--at 2: expected round=N or entry=N"},
		{[]string{"original", "--drop", "Alex"}, "fork.at: is missing"},
		{[]string{"original", "--at", "round=9", "--name", "a"}, "no condition has a round 9; the longest has "},
		{[]string{"original", "--at", "round=2", "--drop", "Nobody", "--name", "b"}, `unknown agent "Nobody"; expected Alex, Blake or Casey`},
		{[]string{"original", "--at", "round=2", "--set", "env.agents=4", "--name", "c"}, "env.agents: cannot be changed in a fork"},
		{[]string{"original", "--at", "round=2", "--set", "protocol=debate", "--name", "d"}, "a collaboration keeps its protocol (roundtable)"},
		{[]string{"original", "--at", "round=2", "--set", "rule=rankt", "--name", "e"}, "did you mean ranked?"},
		{[]string{"original", "--at", "round=3", "--set", "protocol.rounds=2", "--name", "f"}, "what is changed cannot continue from these turns"},
		{[]string{"original", "--at", "round=2", "--condition", "ranked-1", "--name", "g"}, "--condition ranked-1: expected the id of one condition"},
		{[]string{"original", "--at", "round=2", "--at", "round=3"}, "it can be given once only"},
		{[]string{"original", "--at", "round=2", "--cost-usd", "-1"}, "--cost-usd -1: expected US dollars, above 0"},
		{[]string{"original", "--at", "round=2", "--cost-usd", "0"}, "--cost-usd 0: expected US dollars, above 0"},
		{[]string{"original", "--at", "round=2", "--cost-usd", "NaN"}, "--cost-usd NaN: expected US dollars, above 0"},
		{[]string{"original", "--at", "round=2", "--set", "rule=ranked", "--set", "rule=borda"}, "rule is set twice"},
		{[]string{"original", "--at", "entry=400"}, "begins with entry 400, and majority-"},
		{[]string{"original", "--at", "entry=1", "--drop", "Alex,Blake,Casey"}, "leaves nobody at the table"},
		{[]string{"original", "--remove", "round=9"}, "picks no message: majority-"},
		{[]string{"original", "--remove", "round=-1"}, "round is -1; rounds are counted from 1"},
		{[]string{"original", "--remove", "phase=foo"}, "picks no message: majority-"},
		{[]string{"original", "--remove", "entry=400"}, "picks no message: majority-"},
		{[]string{"original", "--remove", "round=1,agent=Blake", "--control"}, "give --at, as entry=6"},
		{[]string{"original", "--replace", "round=1", "--replace", "round=2", "--text", "No."}, "expected as many of each, got 2 and 1"},
		{[]string{"original", "--replace", "round=2,agent=Blake", "--text", "I would rather keep the apples."}, "says in round 2, phase proposal"},
		{[]string{"original", "--at", "round=2", "--name", "a/b"}, "give --name NAME"},
	} {
		if d := ran(t, append([]string{"fork", "--no-check"}, c.args...)...); d.code != cli.ExitUsage || !strings.Contains(d.err, c.want) {
			t.Errorf("%v: code %d, does not say %q\n%s", c.args, d.code, c.want, d.err)
		}
	}
	if n := len(v.arrivals()); n != before {
		t.Errorf("%d calls are made all the same", n-before)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.yaml")); err != nil || len(left) != 1 {
		t.Errorf("files are left: %v", left)
	}
}
