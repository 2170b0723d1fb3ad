package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"roundtable/cmd/internal/cli"
)

// attributed is what the table of attribute says, by player.
func attributed(t *testing.T, out string) (shares map[string]float64, exact float64) {
	t.Helper()
	var got []struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	shares = map[string]float64{}
	for _, r := range got[0].Rows {
		name, _ := r["agent"].(string)
		switch v := r["contributes"].(type) {
		case float64:
			shares[name] = v
		case map[string]any:
			shares[name], _ = v["value"].(float64)
		}
		exact, _ = r["exact"].(float64)
	}
	return shares, exact
}

// TestAttributeUnderABudget: the budget is a cap that the vendor's books hold to; with more
// of it the work goes on where it stopped, and buys nothing twice. Contributions add up.
func TestAttributeUnderABudget(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	dir := original(t)
	before, _ := v.books()
	from := len(v.arrivals())
	contains(t, ends(t, cli.ExitUsage, dir, v.at(), "attribute", "original", "--of", "agents").err, "give --cost-usd, as 5")
	contains(t, ends(t, cli.ExitUsage, dir, v.at(), "attribute", "original", "--of", "agents", "--cost-usd", "much").err, `--cost-usd is "much"; expected a number`)
	contains(t, ends(t, cli.ExitUsage, dir, v.at(), "attribute", "original", "--of", "agents", "--cost-usd", "nan").err, "expected US dollars above 0")
	contains(t, ends(t, cli.ExitUsage, dir, v.at(), "attribute", "original", "--of", "words", "--cost-usd", "1").err, "expected agents, rounds or messages")
	contains(t, ends(t, cli.ExitUsage, dir, v.at(), "attribute", "original", "--of", "agents", "--cost-usd", "0.01").err, "the first pair of orders is 10 forks", "nothing was started")
	if n := len(v.arrivals()); n != from {
		t.Errorf("%d calls are made all the same", n-from)
	}
	first := command(t, dir, v.at(), "attribute", "original", "--of", "agents", "--cost-usd", "0.075", "--json")
	sold, perhaps := v.books()
	if spent := sold.nanoUSD - before.nanoUSD + perhaps.nanoUSD; spent > 75_000_000 || spent == 0 {
		t.Errorf("of 0.075 US dollars %.4f are spent", float64(spent)/1e9)
	}
	if first.code != cli.ExitIncomplete && first.code != 0 {
		t.Errorf("it ends with code %d: %s", first.code, first.err)
	}
	stored := storedKeys(t, dir)
	middle := len(v.arrivals())
	out := ends(t, 0, dir, v.at(), "attribute", "original", "--of", "agents", "--cost-usd", "2", "--json").out
	for _, a := range v.arrivals()[middle:] {
		if stored[a.key] {
			t.Errorf("%s was stored and is asked again", a.key)
		}
	}
	shares, exact := attributed(t, out)
	sum := 0.0
	for name, s := range shares {
		if name != "all together" {
			sum += s
		}
	}
	if len(shares) != 4 || exact != 2 || math.Abs(sum-shares["all together"]) > 1e-9 {
		t.Errorf("contributions are %v, of %v collaborations exact", shares, exact)
	}
	whole := queriedRows(t, dir, `SELECT avg(outcome) AS outcome FROM collaborations WHERE campaign_id = 'original'`)[0]["outcome"].(float64)
	none := queriedRows(t, dir, `SELECT avg(outcome) AS outcome FROM collaborations WHERE campaign_id = 'original-by-agents' AND calls = 0`)[0]["outcome"].(float64)
	if math.Abs(shares["all together"]-(whole-none)) > 1e-9 {
		t.Errorf("all together contribute %v; the original is worth %v, nobody %v", shares["all together"], whole, none)
	}
	asked := len(v.arrivals())
	again := ends(t, 0, dir, v.at(), "attribute", "original", "--of", "agents", "--cost-usd", "2", "--json").out
	if again != out || len(v.arrivals()) != asked {
		t.Errorf("once more it makes %d calls and says\n%s", len(v.arrivals())-asked, again)
	}
	contains(t, ends(t, 0, dir, nil, "verify", "original-by-agents").out, "Nothing is wrong.")
	t.Logf("%d calls, %s", asked-from, strings.TrimSpace(first.err))
}

// TestAttributeGoesOn: with fewer pairs the table is of what there is; once the original has
// grown, the same command adds its instances. An agent that takes no turns takes no part,
// and what is computed here needs no budget.
func TestAttributeGoesOn(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	exampleData(t, dir)
	const file = `name: grows
seed: 6
replicates: 1
instances: 2
data: examples/data
env: {name: qa, format: bbh, file: orders.json, agents: 4}
protocol: {name: debate, rounds: 2}
rule: plurality
model: scripted/answerer
`
	save(t, dir, "campaign.yaml", file)
	ends(t, 0, dir, nil, "run", "campaign.yaml")
	attribute := []string{"attribute", "grows", "--of", "agents", "--json"}
	two := ends(t, 0, dir, nil, append(attribute, "--pairs", "2")...).out
	if one := ends(t, 0, dir, nil, append(attribute, "--pairs", "1")...).out; one != two {
		t.Errorf("with fewer pairs it says\n%s", one)
	}
	save(t, dir, "campaign.yaml", strings.NewReplacer("replicates: 1", "replicates: 2", "instances: 2", "instances: 3").Replace(file))
	ends(t, 0, dir, nil, "run", "campaign.yaml")
	ends(t, 0, dir, nil, append(attribute, "--pairs", "2")...)
	r := queriedRows(t, dir, `SELECT count(DISTINCT instance) AS instances, max(replicate) AS replicate FROM collaborations WHERE campaign_id = 'grows-by-agents'`)[0]
	if r["instances"] != 3. || r["replicate"] != 0. {
		t.Errorf("the forks are of %v", r)
	}
	contains(t, ends(t, 0, dir, nil, "verify", "grows-by-agents").out, "Nothing is wrong.")
}

// TestForkExample: the example's planted differences are found: the agent that knows more
// contributes most, and without it the group is worse, as it is not without another.
func TestForkExample(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	exampleData(t, dir)
	for _, name := range []string{"original.yaml", "forks.yaml"} {
		text, err := os.ReadFile("../../examples/forks/" + name)
		noError(t, err)
		save(t, dir, name, strings.NewReplacer("data: ../data", "data: examples/data").Replace(string(text)))
		ends(t, 0, dir, nil, "run", name)
	}
	var a struct {
		Tables []struct {
			Name string
			Rows []map[string]any
		}
	}
	noError(t, json.Unmarshal([]byte(ends(t, 0, dir, nil, "analyze", "debated-fork", "--table", "fork-effects", "--json").out), &a))
	effects := map[string]float64{}
	for _, r := range a.Tables[0].Rows {
		name, _ := r["fork.change"].(string)
		effects[name], _ = r["high"].(float64)
	}
	if len(effects) != 6 || effects["without Agent 1"] >= 0 || effects["more insight"] <= 0 {
		t.Errorf("effects end at %v", effects)
	}
	shares, exact := attributed(t, ends(t, 0, dir, nil, "attribute", "debated", "--of", "agents", "--json").out)
	if exact != 48 || shares["Agent 1"] < 3*max(shares["Agent 2"], shares["Agent 3"]) {
		t.Errorf("contributions are %v, of %v collaborations exact", shares, exact)
	}
	contains(t, ends(t, 0, dir, nil, "verify", "debated-fork").out, "Nothing is wrong.")
	checkLabelsOnlyName(t, dir, "debated-fork")
}
