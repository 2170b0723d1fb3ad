package campaignfile_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
)

const gridBase = "name: a\nenv: exchange\nmodel: scripted/trader\nprotocol: roundtable\ngrid:\n"

// A label changes nothing but what a value is called.
func TestLabelsAreNoIdentity(t *testing.T) {
	plain := parse(t, gridBase+"  rule: [majority, {name: rated, max: 9}]\n  stop: [never]\n")
	file := parse(t, gridBase+"  rule: [majority, {label: out of nine, value: {name: rated, max: 9}}]\n  stop: [{label: to the end, value: never}]\n")
	if file.Campaign.Revision() != plain.Campaign.Revision() {
		t.Error("labels make another revision")
	}
	if plain.AxisLabels() != nil {
		t.Errorf("without labels there are %v", plain.AxisLabels())
	}
	labels := file.AxisLabels()
	for i, want := range []string{"majority", "out of nine"} {
		got := labels[file.Campaign.Conditions[i].ID()]
		if got["rule"] != want || got["stop"] != "to the end" || len(got) != 2 {
			t.Errorf("condition %d is called %v, want %q", i, got, want)
		}
	}
}

func TestLabelFaults(t *testing.T) {
	for text, want := range map[string]string{
		`  rule: [majority, {label: "", value: rated}]`:                              `line 6: grid.rule.label: "" is not a label; expected 1 to 60 printable characters`,
		`  rule: [majority, {label: [a], value: rated}]`:                             `line 6: grid.rule.label: a list is not a label; expected 1 to 60 printable characters`,
		`  rule: [majority, {label: "a\tb", value: rated}]`:                          `line 6: grid.rule.label: "a\tb" is not a label; expected 1 to 60 printable characters`,
		`  rule: [majority, {label: majority, value: rated}]`:                        `line 6: grid.rule.label: "majority" is there twice`,
		`  rule: [{label: x, value: ranked}, {label: x, value: rated}]`:              `line 6: grid.rule.label: "x" is there twice`,
		`  rule: [majority, {label: x, name: rated}]`:                                `line 6: grid.rule: a value with a label is written {label: …, value: …}`,
		`  rule: [majority, {label: x, value: majority}]`:                            `line 6: grid.rule: "majority" is there twice`,
		`  rule: [majority, {label: ` + strings.Repeat("x", 61) + `, value: rated}]`: `is not a label; expected 1 to 60 printable characters`,
	} {
		if got := errorsOf(t, gridBase+text+"\n").Error(); !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// Labels name environments in instances, too.
func TestLabelsNameInstances(t *testing.T) {
	text := strings.Replace(twoTasks, "{name: recsys, synthetic: true, n: 9}", "{label: movies, value: {name: recsys, synthetic: true, n: 9}}", 1)
	if got := parse(t, text+"instances: {movies: 2}\n").Campaign.Instances; got[0] != 1 || got[3] != 2 {
		t.Errorf("instances are %v", got)
	}
	got := errorsOf(t, text+"instances: {films: 2}\n").Error()
	if want := "instances.films: no condition has such an environment; expected exchange, movies or recsys"; !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Combinations are left out by value, label, plug-in or parameters.
func TestExclude(t *testing.T) {
	text := gridBase + `  rule: [majority, {label: nine, value: {name: rated, max: 9}}, {name: rated, max: 7}]
  protocol.rounds: [2, 3]
  stop: [never, first_agreement]
`
	whole := parse(t, text).Campaign
	for exclude, want := range map[string]int{
		"[{rule: majority, stop: first_agreement}]": 10,
		"[{rule: nine}]":     8,
		"[{rule: rated}]":    4,
		"[{rule: {max: 7}}]": 8,
		"[{rule: {name: rated, max: 7}, protocol.rounds: 3}]":           10,
		"[{rule: [majority, nine], protocol.rounds: [2], stop: never}]": 10,
		"[{rule: majority}, {stop: never, protocol.rounds: 2}]":         6,
	} {
		file := parse(t, text+"  exclude: "+exclude+"\n")
		c := file.Campaign
		if len(c.Conditions) != want || len(file.Agents) != want || len(file.Values) != want {
			t.Errorf("%s leaves %d conditions, want %d", exclude, len(c.Conditions), want)
		}
		later := pluginNames(whole)
		for name := range pluginNames(c) {
			if _, ok := later[name]; !ok {
				t.Errorf("%s makes %s, which is not in the whole grid", exclude, name)
			}
		}
		if diff := whole.Extends(c); len(diff) > 0 {
			t.Errorf("taking %s away is not an extension: %v", exclude, diff)
		}
		if diff := c.Extends(whole); len(diff) != 1 || !strings.HasSuffix(diff[0], ", which the campaign has; conditions can be added, not taken away") {
			t.Errorf("%s takes conditions away: %v", exclude, diff)
		}
	}
	for exclude, want := range map[string]string{
		"[{rules: majority}]":                           "line 9: grid.exclude.rules: is not an axis of the grid; expected rule, protocol.rounds or stop; did you mean rule?",
		"[{rule: ranked}]":                              `line 9: grid.exclude.rule: the axis has no value "ranked"`,
		"[{rule: [majority, ranked]}]":                  `line 9: grid.exclude.rule: the axis has no value "ranked"`,
		"[{rule: majority, stop: [never], rule: nine}]": "line 9: grid.exclude.rule: given twice",
		"[{stop: []}]":                                  `line 9: grid.exclude: no combination of the grid is {"stop":[]}`,
		"[{}]":                                          "line 9: grid.exclude: an entry is empty; write which combination to leave out",
		"[~]":                                           "line 9: grid.exclude: an entry is empty",
		"[]":                                            "line 9: grid.exclude: is empty; list the combinations to leave out",
		"[{rul: rated}]":                                "line 9: grid.exclude.rul: is not an axis of the grid; expected rule, protocol.rounds or stop; did you mean rule?",
		"{rule: majority}":                              "line 9: grid.exclude: a mapping is not a list of combinations",
		"[{rule: [majority, rated]}]":                   "line 5: grid: every combination is excluded",
	} {
		if got := errorsOf(t, text+"  exclude: "+exclude+"\n").Error(); !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", exclude, got, want)
		}
	}
}

// What is excluded need not fit together.
func TestExcludeOfWhatDoesNotFit(t *testing.T) {
	text := "name: a\nenv: {name: exchange}\nmodel: scripted/trader\ngrid:\n  protocol: [roundtable, {name: discussion, collective: true}]\n  rule: [plurality, majority_consensus]\n"
	errorsOf(t, text)
	if n := len(parse(t, text+"  exclude: [{protocol: discussion, rule: majority_consensus}]\n").Campaign.Conditions); n != 3 {
		t.Errorf("%d conditions", n)
	}
}

// What tells conditions apart is what their values on the axes differ in.
func TestColumns(t *testing.T) {
	long := strings.Repeat("x", 400)
	file := parse(t, gridBase+`  rule: [majority, {name: rated, max: 9}, {name: rated, max: 7}]
  stop: [{label: whole, value: never}, first_agreement]
  protocol.rounds: [4]
  generate.stop: [[`+long+`a], [`+long+`b]]
`)
	names, rows := file.Columns()
	if got := strings.Join(names, " "); got != "rule rule.max stop generate.stop" {
		t.Errorf("columns are %s", got)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		for _, text := range row {
			if len([]rune(text)) > 60 {
				t.Errorf("%q is long", text)
			}
		}
		seen[strings.Join(row, "|")] = true
	}
	if len(seen) != 12 {
		t.Errorf("%d rows are told apart: %v", len(seen), rows)
	}
	if first := strings.Join(rows[4][:3], "|"); first != "rated|9|whole" {
		t.Errorf("the fifth row is %s", first)
	}
	if got := strings.Join(file.Shared(), ", "); got != "env exchange, protocol roundtable (rounds 4), model scripted/trader" {
		t.Errorf("they share %s", got)
	}
}

func TestSharedSettingsInWords(t *testing.T) {
	file := parse(t, strings.Replace(minimal, "env: exchange", "env: {name: exchange, utility: uniform, agents: 4}", 1)+"generate: {temperature: 0, max_tokens: 9}\n")
	if got := strings.Join(file.Shared(), "; "); !strings.HasPrefix(got, "env exchange (agents 4, utility uniform); ") || !strings.HasSuffix(got, "; generate (max_tokens 9, temperature 0)") {
		t.Errorf("they share %s", got)
	}
}

// Collective Improvement votes, and so it stands next to consensus rules only if
// their combinations are excluded: one grid holds paper 2's Table 1.
func TestCollectiveImprovementBesideConsensus(t *testing.T) {
	files := fstest.MapFS{"a.jsonl": {Data: []byte(`{"question": "1 + 1?", "answer": "2"}`)}}
	text := `name: table-1
data: x
env: {name: qa, format: jsonl, file: a.jsonl, kind: integer}
model: scripted/answerer
protocol: {name: discussion}
grid:
  rule: [simple, borda, majority_consensus, unanimity_consensus]
  protocol.collective: [false, {label: CI, value: true}]
`
	host := campaignfile.Host{Catalogue: catalogue.Builtin(), Data: func(string) (fs.FS, error) { return files, nil }}
	if _, err := campaignfile.Parse([]byte(text), host); err == nil {
		t.Fatal("collective improvement with a consensus rule is accepted")
	}
	file, err := campaignfile.Parse([]byte(text+"  exclude: [{protocol.collective: CI, rule: [majority_consensus, unanimity_consensus]}]\n"), host)
	if err != nil || len(file.Campaign.Conditions) != 6 {
		t.Errorf("%d conditions, error %v", len(file.Campaign.Conditions), err)
	}
}
