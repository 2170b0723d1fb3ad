package campaignfile_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/envs"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/plan"
)

const asked = `name: a
data: folder
reasks: 1
generate: {temperature: 0.7}
model: {name: scripted/answerer}
models: {Agent 2: scripted/other}
agents: [{role: clerk}, {role: baker}, {role: smith}]
env: {name: qa, format: csv, file: q.csv, kind: yesno, agents: 3}
grid:
  protocol:
    - {label: long, value: {name: debate, rounds: 2, chain_of_thought: false}}
    - {name: debate, rounds: 0}
    - {name: discussion, rounds: 4}
  rule: [majority, unanimous]
`

func parseAsked(text string, recorded ...plan.Condition) (campaignfile.File, error) {
	h := host
	h.Data = func(string) (fs.FS, error) {
		return fstest.MapFS{"q.csv": {Data: []byte("question,answer\nOne?,yes\nTwo?,no\n")}}, nil
	}
	h.Model = func(plan.Choice, plan.Condition, envs.Decode, envs.Environment) error { return nil }
	h.Recorded = func(string) (plan.Campaign, error) { return plan.Campaign{Conditions: recorded}, nil }
	return campaignfile.Parse([]byte(text), h)
}

// Each baseline has its groups' questions, model and sampling and is there once; who is
// asked once and alone gets none.
func TestBaselines(t *testing.T) {
	file, err := parseAsked(asked + "baselines: [single, self_consistency]\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, c := range file.Campaign.Conditions[6:] {
		got = append(got, fmt.Sprint(c.Rule.Name, string(c.Protocol.Params), string(c.Env.Params), *c.Generate.Temperature, c.Reasks, len(c.Models), c.Agents == nil, " ", file.Values[6+i]))
		if c.Model.Name != "scripted/answerer" || file.Agents[6+i] < 1 || file.Rounds[6+i] != 1 {
			t.Errorf("%+v", c)
		}
	}
	const env = `{"agents":%d,"file":"q.csv","format":"csv","kind":"yesno","reading":"stated"}`
	want := []string{
		`plurality{"chain_of_thought":false,"memory":"chat","rounds":0,"speaking":"order"}` + fmt.Sprintf(env, 1) + `0.7 1 0 true [single single]`,
		`plurality{"memory":"chat","rounds":0,"speaking":"order"}` + fmt.Sprintf(env, 1) + `0.7 1 0 true [single single]`,
		`plurality{"chain_of_thought":false,"memory":"chat","rounds":0,"speaking":"order"}` + fmt.Sprintf(env, 36) + `0.7 1 0 true [self-consistency of 36 self-consistency of 36]`,
		`plurality{"memory":"chat","rounds":0,"speaking":"order"}` + fmt.Sprintf(env, 96) + `0.7 1 0 true [self-consistency of 96 self-consistency of 96]`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	labels := file.AxisLabels()
	if l := labels[file.Campaign.Conditions[8].ID()]; l["baseline"] != "self-consistency of 36" || l["protocol"] != "" {
		t.Errorf("labels of a baseline are %v", l)
	}
	if l := labels[file.Campaign.Conditions[0].ID()]; l["protocol"] != "long" || l["baseline"] != "" {
		t.Errorf("labels of a group are %v", l)
	}
	if l := labels[file.Campaign.Conditions[2].ID()]; !strings.Contains(l["protocol"], "debate") {
		t.Errorf("labels of a group without one are %v", l)
	}
}

// One agent with the budget of a group may write, and think, as much in one answer as the
// group in all its turns, and is otherwise asked as one agent alone.
func TestBaselineOfABudget(t *testing.T) {
	text := strings.Replace(asked, "temperature: 0.7", "temperature: 0.7, max_tokens: 200, extra_body: {thinking: {type: enabled, budget_tokens: 50}, top_k: 5}", 1)
	file, err := parseAsked(text + "baselines: [single, {single: {budget: group}}]\n")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for i, c := range file.Campaign.Conditions[8:] {
		like := file.Campaign.Conditions[6+i]
		turns := []int{9, 24}[i] // of three agents: three rounds of a debate; four of a discussion, with votes
		if c.Generate.MaxTokens != 200*turns || fmt.Sprint(c.Generate.ExtraBody) != fmt.Sprintf("map[thinking:map[budget_tokens:%d type:enabled] top_k:5]", 50*turns) {
			t.Errorf("condition %d has %+v", 8+i, c.Generate)
		}
		c.Generate = like.Generate
		if titles = append(titles, file.Values[8+i][0].Label); c.ID() != like.ID() {
			t.Errorf("besides its budget, %+v differs from %+v", c, like)
		}
	}
	if fmt.Sprint(titles) != "[single of 1800 tokens single of 4800 tokens]" {
		t.Errorf("titles are %v", titles)
	}
}

// The budget is of the tokens to think with, too; it ends at what the model takes in one answer,
// which is said, as it is that an effort is no number. A campaign that goes on keeps its budget.
func TestBudgetEndsAtWhatAModelTakes(t *testing.T) {
	parse := func(generate string, longest, thinks int, recorded ...plan.Condition) campaignfile.File {
		t.Helper()
		h := host
		h.Data = func(string) (fs.FS, error) {
			return fstest.MapFS{"q.csv": {Data: []byte("question,answer\nOne?,yes\nTwo?,no\n")}}, nil
		}
		h.Model = func(_ plan.Choice, c plan.Condition, _ envs.Decode, _ envs.Environment) error {
			if c.Generate.Thinking > thinks {
				return fmt.Errorf("thinking is %d; the model takes %d", c.Generate.Thinking, thinks)
			}
			return nil
		}
		h.LongestAnswer = func(plan.Choice) int { return longest }
		h.Recorded = func(string) (plan.Campaign, error) { return plan.Campaign{Conditions: recorded}, nil }
		text := "name: a\ndata: folder\nmodel: scripted/answerer\nenv: {name: qa, format: csv, file: q.csv, kind: yesno, agents: 3}\n" +
			"protocol: {name: debate, rounds: 2}\nrule: majority\nbaselines: [{single: {budget: group}}]\ngenerate: " + generate + "\n"
		file, err := campaignfile.Parse([]byte(text), h)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, x := range []struct {
		generate        string
		longest, thinks int
		tokens, think   int
		note            string
	}{
		{"{max_tokens: 300, thinking: 200}", 0, 9999, 2700, 1800, ""},
		{"{max_tokens: 300, thinking: 200}", 1300, 9999, 1200, 800, "no more than 1200 tokens in one answer here: one agent has the budget of 4 of the group's 9 turns"},
		{"{max_tokens: 300, thinking: 200}", 1300, 500, 600, 400, "the budget of 2 of the group's 9 turns"},
		{"{max_tokens: 300, reasoning_effort: high}", 9999, 0, 2700, 0, "reasoning_effort high, which is no number of tokens"},
		{"{max_tokens: 300, extra_body: {chat_template_kwargs: {thinking: true}}}", 9999, 0, 2700, 0, ""},
	} {
		file := parse(x.generate, x.longest, x.thinks)
		if g := file.Campaign.Conditions[1].Generate; g.MaxTokens != x.tokens || g.Thinking != x.think {
			t.Errorf("%+v: %+v", x, g)
		}
		if notes := strings.Join(file.Notes, "\n"); x.note == "" && notes != "" || !strings.Contains(notes, x.note) {
			t.Errorf("%+v: notes are %q", x, notes)
		}
	}
	before := parse("{max_tokens: 300}", 1300, 0).Campaign.Conditions
	after := parse("{max_tokens: 300}", 2500, 0, before...).Campaign.Conditions
	if len(after) != 3 || after[2].ID() != before[1].ID() || after[1].Generate.MaxTokens != 2400 {
		t.Errorf("a model that takes more has conditions %+v", after)
	}
}

// A campaign that goes on keeps the samples that it has.
func TestBaselinesOfACampaignThatGoesOn(t *testing.T) {
	text := asked + "baselines: [single, self_consistency]\n"
	before, err := parseAsked(text)
	if err != nil {
		t.Fatal(err)
	}
	after, err := parseAsked(strings.Replace(text, "[single, self_consistency]", "[single, {self_consistency: {samples: 50}}]", 1), before.Campaign.Conditions...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := after.Campaign.Extends(before.Campaign); len(diff) > 0 {
		t.Errorf("refused: %v", diff)
	}
	if n := len(after.Campaign.Conditions); n != 12 {
		t.Errorf("%d conditions, want 10 and 2 of 50 samples", n)
	}
}

func TestBaselineErrors(t *testing.T) {
	for baselines, want := range map[string]string{
		"single":                                `baselines: "single" is not a list; expected single, {single: {budget: group}}, self_consistency or {self_consistency: {samples: 30}}`,
		"[]":                                    "baselines: is an empty list; expected single,",
		"[both]":                                `baselines[0]: "both" is not a baseline; expected single,`,
		"[{single: {budget: 9}}]":               `baselines[0].single: {"budget":9} is not a budget; expected {budget: group}`,
		"[{single: {budget: group, more: 1}}]":  "is not a budget; expected {budget: group}",
		"[{single: {budget: group}}]":           "generate.max_tokens: is missing",
		"[single, single]":                      `baselines[1]: "single" is there twice`,
		"[{self_consistency: {samples: 1}}]":    "samples is 1; expected 2 or more",
		"[{self_consistency: {sample: 9}}]":     "sample: unknown key",
		"[{self_consistency: {samples: 4000}}]": "self_consistency does not fit the environment qa",
	} {
		if _, err := parseAsked(asked + "baselines: " + baselines + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", baselines, err, want)
		}
	}
	scored := strings.Replace(asked, "kind: yesno", "kind: text, score: {command: [cat]}", 1)
	if _, err := parseAsked(scored + "baselines: [single, self_consistency]\n"); err == nil || !strings.Contains(err.Error(), "equal answers are counted, of which some are right") || strings.Contains(err.Error(), "baselines: single") {
		t.Errorf("scored from outside: %v", err)
	}
	alone := strings.Replace(asked, "    - {label: long, value: {name: debate, rounds: 2, chain_of_thought: false}}\n", "", 1)
	alone = strings.Replace(alone, "    - {name: discussion, rounds: 4}\n", "", 1)
	if _, err := parseAsked(alone + "baselines: [single]\n"); err == nil || !strings.Contains(err.Error(), "there is nothing to compare") {
		t.Errorf("of agents alone: %v", err)
	}
	economy := "name: a\nenv: {name: exchange, agents: 3}\nmodel: scripted/trader\nprotocol: roundtable\nrule: majority\nbaselines: [single]\n"
	if errs := errorsOf(t, economy); len(errs) != 1 || !strings.Contains(errs[0].String(), "single does not fit the environment exchange") {
		t.Errorf("%v", errs)
	}
}
