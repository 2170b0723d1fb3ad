package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// A slope planted in the agents is found by the regression of Table 7. The three
// kinds of agents have HR 0, 1, 1 and, since a hundredth too much changes no plan
// and a thousand too much makes all dishes seem possible, gaps of 0, 0, 100. So
// the slope is 50, R² 1/4, and the standard error √(1785.7 / 6.667).
func TestPlantedGap(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	campaign := `name: planted
instances: 10
env: menu
rule: unanimous
grid:
  protocol: [deliberation, {name: deliberation, variant: centralized}]
  model:
    - scripted/sharer
    - {name: scripted/sharer, policy: {excess: 0.01}}
    - {name: scripted/sharer, policy: {excess: 1000}}
`
	save(t, dir, "planted.yaml", campaign)
	output(t, dir, "run", "planted.yaml")
	gaps := analyse(t, dir, "planted", "centralized-gap")
	for column, want := range map[string]float64{"n": 30, "slope": 50, "se": 16.366, "R²": 0.25, "Pearson r": 0.5} {
		if got := gaps.cellOf(t, "setting", "menu-numeric", column); got == nil || math.Abs(*got-want) > 0.001 {
			t.Errorf("%s is %v, want %v", column, got, want)
		}
	}
}

// Agents that tell everything and understand it reach the optimum in every
// setting; noise lowers NR and raises HR; and rules of vote decide as well.
func TestDeliberationSharing(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	for name, campaign := range map[string]string{"sharing": `name: sharing
instances: 3
protocol: deliberation
rule: unanimous
grid:
  env: [{name: menu, observations: numeric}, {name: menu, observations: semantic}, allocation]
  model: [scripted/sharer, {name: scripted/sharer, policy: {noise: 0.8}}]
`, "votes": `name: votes
instances: 2
env: allocation
protocol: {name: deliberation, authority: vote}
model: scripted/sharer
grid: {rule: [unanimous, majority, plurality, rated, ranked, cumulative]}
`} {
		save(t, dir, name+".yaml", campaign)
		output(t, dir, "run", name+".yaml")
		output(t, dir, "verify", name)
	}
	rewards, errors := analyse(t, dir, "sharing", "deliberation-rewards"), analyse(t, dir, "sharing", "estimate-errors")
	for _, setting := range []string{"menu-numeric", "menu-semantic", "allocation"} {
		clear, noisy := values(t, rewards, setting+" NR")[0], values(t, rewards, setting+" NR")[1]
		if clear < 100-1e-9 || noisy >= clear {
			t.Errorf("%s: NR %v, and with noise %v", setting, clear, noisy)
		}
	}
	for _, row := range errors.Tables[0].Rows { // of agents that understand all, the one who spoke first knows least
		var noise *string
		var rate struct{ Value float64 }
		if json.Unmarshal(row["model.policy.noise"], &noise) != nil || json.Unmarshal(row["HR"], &rate) != nil || (noise != nil && *noise == "0.8") != (rate.Value > 0) {
			t.Errorf("noise %s: HR %s", row["model.policy.noise"], row["HR"])
		}
	}
	for i, nr := range values(t, analyse(t, dir, "votes", "deliberation-rewards"), "allocation NR") {
		if nr <= 0 { // who spoke first votes by what it knew then
			t.Errorf("rule %d reaches nothing", i)
		}
	}
}

// What each agent believed is in show and in the report, and no message is longer than
// the limit.
func TestDeliberationIsShown(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	const characters = 300
	dir := t.TempDir()
	save(t, dir, "believed.yaml", fmt.Sprintf(`name: believed
instances: 1
rule: unanimous
model: {name: scripted/sharer, malformed: 0.1, policy: {share: 0.8, noise: 0.2}}
grid:
  env: [menu, {name: allocation, domains: [camping]}]
  protocol: [{name: deliberation, tools: [solver, calculator], characters: %d}]
`, characters))
	output(t, dir, "run", "believed.yaml")
	beliefs := []string{`"partner_ingredients":{"`, `"partner_values":{"`, `"ingredients":{"`, `"values":{"`, `"private":{"`, `"public":{"`}
	told, longest := "", 0
	for _, file := range glob(t, dir, "lake/raw/collaborations/campaign=believed/*/*.parquet") {
		shown := output(t, dir, "show", strings.TrimSuffix(filepath.Base(file), ".0.parquet"))
		told += shown
		for _, after := range strings.Split(shown, " to everybody:\n")[1:] {
			message, _, _ := strings.Cut(after, "\n")
			longest = max(longest, utf8.RuneCountInString(strings.TrimSpace(message)))
		}
	}
	if longest != characters {
		t.Errorf("the longest message has %d characters, the limit is %d", longest, characters)
	}
	for _, text := range append(beliefs, "-- solver --", "By your estimate", "it lacks", "-- decision --", `{"nr":`) {
		contains(t, told, text)
	}
	output(t, dir, "report", "believed", "-o", "believed.html")
	page, err := os.ReadFile(filepath.Join(dir, "believed.html"))
	if err != nil || !strings.Contains(string(page), "partner_ingredients") {
		t.Errorf("the report does not hold what agents believed (%v)", err)
	}
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	noError(t, err)
	return files
}

// values of a column of means, row by row.
func values(t *testing.T, a analysed, column string) []float64 {
	t.Helper()
	var list []float64
	for _, row := range a.Tables[0].Rows {
		v := number(t, row[column])
		if v == nil {
			t.Fatalf("%s is empty", column)
		}
		list = append(list, *v)
	}
	return list
}
