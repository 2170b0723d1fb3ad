package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

// smallExamples are examples that need no service and cover the protocols, environments
// and models, with the changes that make them small. Those that run with -long come last:
// a table is pinned where it is found first.
var smallExamples = []struct {
	name   string
	change []string
	check  func(t *testing.T, dir string) // of what it leaves
	isLong bool                           // it runs with -long
}{
	{"voting-rules", []string{"replicates: 100", "replicates: 2"}, nil, false},
	{"movielens-tiny", []string{"model:", "instances: 2\nmodel:"}, nil, false},
	{"consensus-networks", []string{"instances: 20", "instances: 2"}, nil, false},
	{"debate", []string{"replicates: 3", "instances: 2"}, nil, false},
	{"undecided", nil, nil, false},
	{"publicgoods", []string{"replicates: 10", "replicates: 1", "instances: 5", "instances: 1"}, nil, true},
	{"delphi", []string{"replicates: 10", "replicates: 1", "instances: 5", "instances: 2"}, nil, true},
	{"deliberation", []string{"instances: 60", "instances: 1"}, nil, true},
	{"viewpoints", []string{"replicates: 2", "instances: 1", "[1, 4, 7, 10, 12, 14, 16, 18, 20]", "[1, 7, 20]"}, nil, true},
	{"baselines", []string{"replicates: 4", "replicates: 1", "agents: 3}", "agents: 3, n: 4}", "samples: 60", "samples: 50"}, checkSelfConsistency, true},
	{"peers", []string{"replicates: 4", "replicates: 2", "agents: 3}", "agents: 3, n: 5}"}, checkControls, true},
	{"judged-questions", []string{"replicates: 3", "instances: 1"}, nil, true},
	{"robots", []string{"instances: 20", "instances: 1"}, nil, true},
	{"discussion-sizes", []string{"replicates: 3", "instances: 1"}, nil, true},
	{"controls", []string{"replicates: 50", "replicates: 2"}, checkSameRules, true},
	{"phases", []string{"replicates: 20", "replicates: 1"}, nil, true},
	{"voting-or-consensus", []string{"replicates: 3", "instances: 1"}, nil, true},
	{"challenges", []string{"replicates: 3", "instances: 2"}, nil, true},
	{"labels-by-hand", []string{"replicates: 40", "replicates: 2"}, nil, true},
	{"grids", []string{"replicates: 10", "replicates: 1"}, nil, true},
	{"consensus", []string{"instances: 300", "instances: 2"}, nil, true},
	{"debate-when-needed", []string{"replicates: 6", "replicates: 1"}, checkGates, true},
	{"single-agent", []string{"replicates: 3", "instances: 2"}, nil, true},
	{"viewpoint-pool", []string{"agents: 400", "agents: 30", "n: 3", "n: 2"}, nil, true},
	{"own-questions", nil, checkOwnScores, true},
	{"own-study", []string{"replicates: 3", "instances: 1"}, nil, true},
}

// compared are those whose outcomes are found in all that is shown: one a study. The first
// always, the others with -long.
var compared = []string{"voting-rules", "debate", "undecided", "movielens-tiny", "consensus-networks", "deliberation", "voting-or-consensus"}

// TestExamples runs examples and holds what they find.
//
//   - Condition ids and the digest of the rows may not change: an id names what was paid
//     for, and whoever published a digest must find it again.
//   - The numbers of each table and figure are those of the first example that has it.
//   - The outcome of a condition is the same wherever it is shown.
//   - Labels name, and nothing else: all numbers are the same with them and without.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for from, to := range map[string]string{"../../examples": "examples", "../../envs/recsys/testdata/ml-tiny": "envs/recsys/testdata/ml-tiny"} {
		noError(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(from)))
	}
	dir = filepath.Join(dir, "examples")
	save(t, dir, "undecided.yaml", undecided)
	rows, numbers := make([]string, len(smallExamples)), make([][]numbered, len(smallExamples))
	t.Run("all", func(t *testing.T) { // returns after those in it, which run at once
		for i, x := range smallExamples {
			if x.isLong && !*long {
				continue
			}
			t.Run(x.name, func(t *testing.T) {
				t.Parallel()
				changeFile(t, filepath.Join(dir, x.name+".yaml"), x.change...)
				output(t, dir, "run", x.name+".yaml", "--json", "--no-check=false")
				rows[i], numbers[i] = rowsText(t, dir, x.name), numbersText(t, dir, x.name)
				if *long || x.name == "debate" {
					checkTablesAlone(t, dir, x.name)
				}
				if *long {
					checkLabelsOnlyName(t, dir, x.name)
				}
				if i := slices.Index(compared, x.name); i >= 0 && (i < 1 || *long) {
					compareOutcomes(t, dir, x.name)
				}
				if x.check != nil {
					x.check(t, dir)
				}
			})
		}
	})
	isPinned := map[string]bool{}
	for i, x := range smallExamples {
		if x.isLong && !*long {
			continue
		}
		if rows[i] == "" { // its tables would be pinned in a later one
			t.Logf("%s did not run, so nothing after it is compared", x.name)
			return
		}
		text := rows[i]
		for _, n := range numbers[i] {
			if !isPinned[n.of] {
				isPinned[n.of] = true
				text += n.text
			}
		}
		golden(t, x.name, text)
	}
}

// changeFile replaces texts of a file, each of which must be there.
func changeFile(t *testing.T, path string, replace ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	noError(t, err)
	for i := 0; i < len(replace); i += 2 {
		if strings.Count(string(text), replace[i]) == 0 {
			t.Fatalf("%s has no %q", path, replace[i])
		}
		text = []byte(strings.Replace(string(text), replace[i], replace[i+1], 1))
	}
	save(t, filepath.Dir(path), filepath.Base(path), string(text))
}

// rowsText has the digest that verify finds and the ids of the recorded conditions.
func rowsText(t *testing.T, dir, name string) string {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	p, _, err := campaign.ReadRecorded(t.Context(), s, name)
	noError(t, err)
	text := fmt.Sprintf("rows %s\n", digestBy(t, dir, name))
	for _, c := range p.Campaign.Conditions {
		text += fmt.Sprintf("condition %s\n", c.ID())
	}
	return text
}

// checkSameRules: two names of one rule give the same rows but for the name.
func checkSameRules(t *testing.T, dir string) {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	markers, err := lake.Committed(context.Background(), s, "controls")
	if err != nil || len(markers) != 8 {
		t.Fatalf("%d collaborations: %v", len(markers), err)
	}
	cell := regexp.MustCompile(`-i\d+-r\d+$`)
	digests := map[string]map[string]string{} // by rule's words, cell
	for _, m := range markers {
		rows, err := lake.ReadRows[record.Turn](context.Background(), s, m)
		noError(t, err)
		ballots, err := lake.ReadRows[record.Ballot](context.Background(), s, m)
		noError(t, err)
		for i := range rows {
			rows[i].ConditionID, rows[i].CollaborationID = "", ""
		}
		for i := range ballots {
			ballots[i].ConditionID, ballots[i].CollaborationID = "", ""
		}
		data, err := json.Marshal([]any{rows, ballots})
		noError(t, err)
		rule, _, _ := strings.Cut(m.Condition, "-")
		twin := map[string]string{"absolute_majority": "majority", "dowdall": "ranked"}[rule]
		if twin == "" {
			twin = rule
		}
		key := twin + cell.FindString(m.Collaboration)
		if digests[key] == nil {
			digests[key] = map[string]string{}
		}
		digests[key][rule] = string(data)
	}
	for key, byName := range digests {
		if len(byName) != 2 {
			t.Fatalf("%s has %d names, want 2", key, len(byName))
		}
		first := ""
		for name, rows := range byName {
			if first != "" && rows != first {
				t.Errorf("%s: the rows of %s differ from those of its other name", key, name)
			}
			first = rows
		}
	}
}

// example copies an example into a folder of its own, changed.
func example(t *testing.T, name string, replace ...string) (dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	noError(t, err)
	here := strings.Replace(string(text), "\ndata: data\n", "\ndata: examples/data\n", 1) // see exampleData
	changed := strings.NewReplacer(replace...).Replace(here)
	if len(replace) > 0 && changed == here {
		t.Fatalf("%s has none of %q", name, replace)
	}
	dir = t.TempDir()
	save(t, dir, name, changed)
	return dir
}

// fullExamples are examples at a size at which what was declared of them shows.
var fullExamples = []struct {
	name   string
	change []string
	check  func(t *testing.T, dir string)
}{
	{"voting-rules", []string{"replicates: 100", "replicates: 50"}, checkVotingRules},
	{"debate", []string{"replicates: 3", "replicates: 2", "agents: 10}", "agents: 10, n: 12}"}, checkDebates},
	{"viewpoints", []string{"contexts: 5", "contexts: 2", "replicates: 2", "replicates: 1"}, checkViewpoints},
	{"deliberation", []string{"instances: 60", "instances: 20"}, checkDeliberation},
	{"consensus", []string{"instances: 300", "instances: 60"}, nil},
	{"consensus-networks", nil, nil},
	{"robots", nil, nil},
	{"discussion-sizes", []string{"replicates: 3", "instances: 12", "[1, 3, 5, 9]", "[1, 3, 9]", "conformity: 0.9", "conformity: 1"}, checkSizes},
	{"challenges", []string{"replicates: 3", "instances: 12"}, checkChallenges},
}

// TestFullExamples: what the papers find, and what was planted in scripted agents, is
// found, and the outcome of a condition is the same wherever it is shown.
func TestFullExamples(t *testing.T) {
	if !*long {
		t.Skip("TestExamples runs them small; -long")
	}
	for _, x := range fullExamples {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			dir := example(t, x.name+".yaml", x.change...)
			exampleData(t, dir)
			output(t, dir, "run", x.name+".yaml")
			output(t, dir, "verify", x.name)
			compareOutcomes(t, dir, x.name)
			if x.check != nil {
				x.check(t, dir)
			}
		})
	}
}

// checkVotingRules: the rules differ in directions that were declared before this was
// first run: those of paper 1's Table 1.
func checkVotingRules(t *testing.T, dir string) {
	t.Helper()
	table := analyse(t, dir, "voting-rules", "utility-by-rule")
	graded := []string{"rated", "ranked", "cumulative"}
	for _, rule := range graded {
		for _, discrete := range []string{"unanimous", "majority", "plurality"} {
			if a, b := table.value(t, rule, "AUC@3"), table.value(t, discrete, "AUC@3"); a <= b {
				t.Errorf("AUC@3 of %s is %.2f and of %s %.2f; graded ballots should decide earlier", rule, a, discrete, b)
			}
		}
		if a, b := table.value(t, rule, "rigidity"), table.value(t, "majority", "rigidity"); a >= b {
			t.Errorf("rigidity of %s is %.2f and of majority %.2f; graded ballots should change more often", rule, a, b)
		}
	}
	for _, rule := range append(graded, "majority", "plurality") {
		if a, b := table.value(t, "unanimous", "AUC@10"), table.value(t, rule, "AUC@10"); a >= b {
			t.Errorf("AUC@10 of unanimous is %.2f and of %s %.2f; unanimity should be the slowest", a, rule, b)
		}
		if a, b := table.value(t, "unanimous", "rigidity"), table.value(t, rule, "rigidity"); a <= b {
			t.Errorf("rigidity of unanimous is %.2f and of %s %.2f; unanimity should be the most rigid", a, rule, b)
		}
	}
}

// checkDebates: the planted bias shows, and several answers are better than one.
func checkDebates(t *testing.T, dir string) {
	t.Helper()
	table := analyse(t, dir, "debate", "debate-accuracy")
	accuracy := func(strategy string) float64 { return *table.cellOf(t, "strategy", strategy, "orders") }
	if a, b := accuracy("MAD+Truth"), accuracy("MAD, truth first"); a <= b {
		t.Errorf("truth last has %.1f %%, truth first %.1f %%; the last is followed more", a, b)
	}
	if a, b := accuracy("Self-Consistency"), accuracy("Single CoT"); a <= b {
		t.Errorf("ten answers have %.1f %%, one has %.1f %%", a, b)
	}
}

// checkViewpoints: with agents who follow the last, the first side is overturned.
func checkViewpoints(t *testing.T, dir string) {
	t.Helper()
	table := analyse(t, dir, "viewpoints", "viewpoints")
	for _, x := range []struct {
		column, agents string
		above          bool
	}{{"correct first", "10", true}, {"incorrect first", "10", false}, {"correct first", "20", false}, {"incorrect first", "20", true}} {
		if share := table.cellOf(t, "agents", x.agents, x.column); share == nil || (*share > 0.5) != x.above {
			t.Errorf("%s with %s agents: %v", x.column, x.agents, share)
		}
	}
	for _, column := range []string{"correct first", "incorrect first"} {
		if n := table.cellOf(t, "agents", "reversed at", column); n == nil || *n <= 10 || *n > 20 {
			t.Errorf("%s is reversed at %v", column, n)
		}
	}
}

// checkDeliberation: who has all observations does better than who must exchange them.
func checkDeliberation(t *testing.T, dir string) {
	t.Helper()
	table := analyse(t, dir, "deliberation", "deliberation-rewards")
	for _, setting := range []string{"menu-numeric", "menu-semantic", "allocation"} {
		worst := map[string]float64{}
		for i, nr := range values(t, table, setting+" NR") {
			var variant string
			noError(t, json.Unmarshal(table.Tables[0].Rows[i]["variant"], &variant))
			if least, ok := worst[variant]; !ok || nr < least {
				worst[variant] = nr
			}
		}
		if worst["deliberation"] >= worst["oracle"] || worst["oracle"] < 90 {
			t.Errorf("%s: NR at worst %v", setting, worst)
		}
	}
	if slope := analyse(t, dir, "deliberation", "centralized-gap").cellOf(t, "setting", "overall", "slope"); slope == nil || *slope <= 0 {
		t.Errorf("the centralized gap changes by %v with HR; the more it errs, the more it loses", slope)
	}
}

// checkSizes: more agents are better, more turns are not (Figures 4 and 5).
func checkSizes(t *testing.T, dir string) {
	t.Helper()
	sizes := analyse(t, dir, "discussion-sizes", "discussion-scaling")
	if s := sizes.number(t, "slope", map[string]string{"by": "agents", "protocol.rounds": "1"}); s <= 0 {
		t.Errorf("an agent more brings %v points", s)
	}
	if s := sizes.number(t, "slope", map[string]string{"by": "rounds before the vote", "env.agents": "9"}); s >= 0 {
		t.Errorf("a turn more brings %v points", s)
	}
}

// checkChallenges: what is irrelevant is always challenged, and who knows the history
// challenges less (Figures 6 and 7).
func checkChallenges(t *testing.T, dir string) {
	t.Helper()
	challenges := analyse(t, dir, "challenges", "challenges")
	rate := func(shown string) float64 {
		return challenges.number(t, "challenged", map[string]string{"shown": shown})
	}
	if rate("irrelevant") != 100 || rate("history") >= rate("solution") || rate("wrong") <= rate("solution") {
		t.Errorf("challenged: irrelevant %v, wrong %v, solution %v, with history %v", rate("irrelevant"), rate("wrong"), rate("solution"), rate("history"))
	}
}

// TestMovieLens runs on the real data where they are.
func TestMovieLens(t *testing.T) {
	if !*long {
		t.Skip("TestExamples runs the made-up data; -long")
	}
	t.Parallel()
	reals, err := filepath.Abs("../../../shared/data/ml-100k")
	noError(t, err)
	if _, err := os.Stat(filepath.Join(reals, "u1.base")); err != nil {
		t.Skip("MovieLens-100k is not here")
	}
	dir, name := t.TempDir(), "paper1-table-7-rater"
	output(t, dir, "data", "movielens", "--path", reals)
	output(t, dir, "replicate", "paper1/table-7", "--model", "scripted/rater", "--data", reals, "--limit", "20")
	if table := analyse(t, dir, name, "rating-errors"); len(table.Tables[0].Rows) == 0 {
		t.Error("Table 7 is empty")
	}
	output(t, dir, "verify", name)
	compareOutcomes(t, dir, name)
}

// TestExamplesAreAccepted: every example that needs no service is accepted as it is.
func TestExamplesAreAccepted(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	s, err := store.NewLocal(t.TempDir())
	noError(t, err)
	for _, file := range files {
		name := filepath.Base(file)
		if _, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), file, s, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkGates: groups that agree at once, and are sure enough where that is asked, end after their
// first answers; all others talk on, and no group loses its decision.
func checkGates(t *testing.T, dir string) {
	t.Helper()
	// One row a collaboration: its gate, and what its first answers were.
	const first = `WITH answers AS (
		SELECT collaboration_id, proposal_key, count(*) AS n,
			count(*) FILTER (CAST(json_extract(data_json, '$.v[0]') AS DOUBLE) >= 0.6) AS sure
		FROM turns WHERE round = 1 AND format = 'answer' AND status = 'said' GROUP BY 1, 2
	), started AS (SELECT collaboration_id, max(n) AS most, max(sure) AS surest FROM answers GROUP BY 1),
	talks AS (
		SELECT json_extract_string(settings_json, '$.stop.name') AS gate, CAST(json_extract(settings_json, '$.stop.params.share') AS DOUBLE) AS share,
			end_reason, rounds_run, most, surest, decision_key, CASE
				WHEN gate = 'never' THEN false
				WHEN gate = 'confident_at_start' THEN surest >= 2
				WHEN share IS NULL THEN most = 3
				ELSE most >= 2 END AS agreed
		FROM collaborations JOIN started USING (collaboration_id)
	) `
	csv := func(query string) string {
		return output(t, dir, "query", first+query, "--campaign", "debate-when-needed", "--format", "csv")
	}
	contains(t, csv("SELECT count(*) AS n FROM talks WHERE agreed AND (end_reason <> 'stopped' OR rounds_run <> 1 OR decision_key IS NULL)"), "\n0\n")
	contains(t, csv("SELECT count(*) AS n FROM talks WHERE NOT agreed AND rounds_run <> 4"), "\n0\n")
	contains(t, csv("SELECT count(DISTINCT gate) AS gates, count(*) AS n FROM talks WHERE agreed"), "\n2,")
	contains(t, csv("SELECT min(surest) AS least, max(surest) AS most FROM talks"), "\n0,3\n")
}

// checkOwnScores: half scores come out of its expression.
func checkOwnScores(t *testing.T, dir string) {
	t.Helper()
	got := output(t, dir, "query", "SELECT DISTINCT score FROM collaborations ORDER BY 1", "--campaign", "own-questions", "--format", "csv")
	if !strings.Contains(got, "0\n0.5\n1\n") {
		t.Errorf("scores are %s", got)
	}
	if n := output(t, dir, "query", "SELECT count(*) FROM collaborations WHERE instance_id = 'm1'", "--campaign", "own-questions", "--format", "csv"); !strings.HasSuffix(n, "\n0\n") {
		t.Errorf("the worked example is asked: %s", n)
	}
}
