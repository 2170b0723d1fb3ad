package campaignfile_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// Every cell is counted exactly once whatever the conditions' numbers, and after
// each turn all conditions that have cells left have had equally many.
func TestOrderCountsEachCellOnce(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		conditions := 1 + draw.IntN(7)
		c := plan.Campaign{Replicates: 1 + draw.IntN(4), Conditions: make([]plan.Condition, conditions)}
		for range conditions {
			c.Instances = append(c.Instances, 1+draw.IntN(6))
		}
		if draw.IntN(2) == 0 {
			c.Replicates = 4
			for range conditions {
				c.Repeats = append(c.Repeats, 1+draw.IntN(4))
			}
		}
		order, seen, had := c.Order(), map[plan.Cell]bool{}, make([]int, conditions)
		for n := range c.Size() {
			cell := order.Cell(n)
			if cell != c.Cell(n) || seen[cell] || cell.Instance >= c.Instances[cell.Condition] || cell.Replicate >= c.ReplicatesOf(cell.Condition) {
				t.Fatalf("%v × %d %v: cell %d is %+v", c.Instances, c.Replicates, c.Repeats, n, cell)
			}
			seen[cell] = true
			had[cell.Condition]++
			for i, h := range had {
				if h+1 < had[cell.Condition] && h < c.CellsOf(i) {
					t.Fatalf("%v × %d: after cell %d the conditions have had %v", c.Instances, c.Replicates, n, had)
				}
			}
		}
		for i, h := range had {
			if h != c.CellsOf(i) {
				t.Errorf("%v × %d: condition %d has %d cells", c.Instances, c.Replicates, i, h)
			}
		}
	}
}

const twoTasks = `name: tasks
replicates: 2
data: ml-tiny
protocol: {name: roundtable, rounds: 3}
model: scripted/stubborn
grid:
  env: [exchange, {name: recsys, synthetic: true, n: 9}]
  rule: [majority, rated]
`

// Conditions run all instances that their own environment has.
func TestConditionsOwnTheirInstances(t *testing.T) {
	c := parse(t, twoTasks).Campaign
	if want := ([]int{1, 1, 9, 9}); !reflect.DeepEqual(c.Instances, want) || c.Size() != 2*(1+1+9+9) {
		t.Errorf("instances are %v and cells %d, want %v", c.Instances, c.Size(), want)
	}
	for text, want := range map[string][]int{
		"instances: 1":                        {1, 1, 1, 1},
		"instances: {recsys: 4}":              {1, 1, 4, 4},
		"instances: {exchange: 1, recsys: 9}": {1, 1, 9, 9},
		"instances: {\"recsys\": 1}":          {1, 1, 1, 1},
	} {
		if got := parse(t, twoTasks+text+"\n").Campaign.Instances; !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"instances: 2":                 `line 9: instances: is 2; the environment exchange has 1; a mapping gives each environment its own number, and one that it does not name runs all it has`,
		"instances: {recsys: 10}":      `line 9: instances.recsys: is 10; the environment recsys {"history":0,"n":9,"synthetic":true} has 9`,
		"instances: {exchange: 1.5}":   `line 9: instances.exchange: "1.5" is not a whole number`,
		"instances: {recsys: 05}":      `line 9: instances.recsys: 05 begins with 0, which some read as octal; write 5, 0o5 for octal, or "05" for a text`,
		"instances: {recsys: 0}":       `line 9: instances.recsys: 0 is not from 1 to 10000000`,
		"instances: {qa: 3}":           `line 9: instances.qa: no condition has such an environment; expected exchange or recsys`,
		"instances: ~":                 `line 9: instances: is empty`,
		"instances: {recsys: 3, a: 1}": `line 9: instances.a: no condition has such an environment; expected exchange or recsys`,
	} {
		if got := errorsOf(t, twoTasks+text+"\n"); got.Error() != want {
			t.Errorf("%s\n got %v\nwant %v", text, got, want)
		}
	}
}

// Data sets of one environment are told apart by the values that the grid gives it.
func TestInstancesOfDataSets(t *testing.T) {
	files := fstest.MapFS{}
	for name, n := range map[string]int{"few.jsonl": 3, "some.jsonl": 40, "many.jsonl": 600} {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf(`{"id": "q%d", "question": "What is %d + 1?", "answer": "%d"}`, i, i, i+1))
		}
		files[name] = &fstest.MapFile{Data: []byte(strings.Join(lines, "\n"))}
	}
	sets := campaignfile.Host{Catalogue: catalogue.Builtin(), Data: func(string) (fs.FS, error) { return files, nil }}
	text := "name: sets\ndata: x\nenv: {name: qa, format: jsonl, kind: integer}\nrule: plurality\nprotocol: debate\nmodel: scripted/answerer\ngrid: {env.file: [few.jsonl, some.jsonl, many.jsonl]}\n"
	read := func(more string) ([]int, error) {
		file, err := campaignfile.Parse([]byte(text+more), sets)
		return file.Campaign.Instances, err
	}
	for more, want := range map[string][]int{
		"":                                  {3, 40, 600},
		"instances: {many.jsonl: 500}":      {3, 40, 500},
		"instances: {qa: 2}":                {2, 2, 2},
		"instances: {qa: 2, many.jsonl: 7}": {2, 2, 7},
	} {
		if got, err := read(more); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q gives %v, error %v; want %v", more, got, err, want)
		}
	}
	// A value with a label is called by either of its names.
	text = strings.Replace(text, "[few.jsonl,", "[{label: Few, value: few.jsonl},", 1)
	for more, want := range map[string][]int{
		"instances: {Few: 2}":               {2, 40, 600},
		"instances: {few.jsonl: 2}":         {2, 40, 600},
		"instances: {qa: 1, few.jsonl: 2}":  {2, 1, 1},
		"instances: {few.jsonl: 2, Few: 2}": {2, 40, 600},
		"instances: {some.jsonl: 2, qa: 3}": {3, 2, 3},
	} {
		if got, err := read(more); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q of labelled values gives %v, error %v; want %v", more, got, err, want)
		}
	}
	if _, err := read("instances: {few.jsonl: 2, Few: 3}"); err == nil || !strings.Contains(err.Error(), "is also called Few, which has another number") {
		t.Errorf("two numbers of one value: %v", err)
	}
	text = strings.Replace(text, "{label: Few, value: few.jsonl}", "few.jsonl", 1)
	if _, err := read("instances: 4"); err == nil || !strings.Contains(err.Error(), "the environment qa (few.jsonl) has 3") {
		t.Errorf("four of three: %v", err)
	}
}

// A recorded campaign is read as it was written, goes on, and can be extended to what
// its environments have.
func TestRecordedCampaignIsRead(t *testing.T) {
	data, err := os.ReadFile("testdata/recorded-campaign.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded plan.Campaign
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	if back, err := json.Marshal(recorded); err != nil || string(back)+"\n" != string(data) {
		t.Errorf("it is written again as %s, error %v", back, err)
	}
	if got := recorded.Revision(); got != "0673e3134bfe" || recorded.Size() != 8 {
		t.Errorf("revision %s, %d cells", got, recorded.Size())
	}
	var ids []string
	for n := range recorded.Size() {
		ids = append(ids, recorded.CollaborationID(recorded.Cell(n)))
	}
	if want := "majority-8c4ecf6a-i0-r0 rated-e23a471b-i0-r0 majority-88d55a4e-i0-r0 rated-02782be1-i0-r0 majority-8c4ecf6a-i0-r1 rated-e23a471b-i0-r1 majority-88d55a4e-i0-r1 rated-02782be1-i0-r1"; strings.Join(ids, " ") != want {
		t.Errorf("its cells are %v", ids)
	}
	extended := host
	extended.Recorded = func(string) (plan.Campaign, error) { return recorded, nil }
	again := func(text string) plan.Campaign {
		file, err := campaignfile.Parse([]byte(text), extended)
		if err != nil {
			t.Fatal(err)
		}
		return file.Campaign
	}
	same := again(twoTasks + "instances: 1\n")
	if same.Revision() != recorded.Revision() || len(same.Added(recorded)) > 0 {
		t.Errorf("the same file with one instance is revision %s, %v", same.Revision(), same.Added(recorded))
	}
	whole := again(twoTasks)
	if diff := whole.Extends(recorded); len(diff) > 0 {
		t.Errorf("it cannot be extended: %v", diff)
	}
	later := pluginNames(whole)
	for name, seed := range pluginNames(recorded) {
		if later[name] != seed {
			t.Errorf("%s is lost or has another seed", name)
		}
	}
	if added := whole.Added(recorded); len(added) != 2 || !strings.HasSuffix(added[0], " had 1 instance and has 9") {
		t.Errorf("added: %q", added)
	}
	if diff := recorded.Extends(whole); len(diff) != 1 || !strings.HasPrefix(diff[0], "instances of ") || !strings.HasSuffix(diff[0], " was 9 and is 1; it can only grow") {
		t.Errorf("it shrinks: %q", diff)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 8 {
		t.Error("ids are there twice")
	}
}

// Replicates are one number, or one for each environment, as instances are.
func TestConditionsOwnTheirReplicates(t *testing.T) {
	file := func(text string) string { return strings.Replace(twoTasks, "replicates: 2\n", text+"\n", 1) }
	for text, want := range map[string][]int{
		"":                                     {1, 1, 1, 1},
		"replicates: 3":                        {3, 3, 3, 3},
		"replicates: {exchange: 100}":          {100, 100, 1, 1},
		"replicates: {exchange: 9, recsys: 2}": {9, 9, 2, 2},
		"replicates: {exchange: 2, recsys: 2}": {2, 2, 2, 2},
	} {
		c := parse(t, file(text)).Campaign
		var got []int
		for i := range c.Conditions {
			got = append(got, c.ReplicatesOf(i))
		}
		if !slices.Equal(got, want) || c.Size() != want[0]+want[1]+9*(want[2]+want[3]) || c.Replicates != slices.Max(want) || (c.Repeats == nil) != (want[0] == want[2]) || !c.HasSoundInstances() {
			t.Errorf("%q gives %v (%d, %v) and %d cells, want %v", text, got, c.Replicates, c.Repeats, c.Size(), want)
		}
		held, last := c.Contains(), plan.Cell{Condition: 2, Instance: 8, Replicate: want[2] - 1}
		next := last
		next.Replicate++
		if !held(c.CollaborationID(last)) || held(c.CollaborationID(next)) {
			t.Errorf("%q: the last replicate of a condition is not the last one of its cells", text)
		}
	}
	for text, want := range map[string]string{
		"replicates: 0":                  `replicates: 0 is not from 1 to 10000000`,
		"replicates: {recsys: 0}":        `replicates.recsys: 0 is not from 1 to 10000000`,
		"replicates: {qa: 3}":            `replicates.qa: no condition has such an environment; expected exchange or recsys`,
		"replicates: [3, 4]":             `replicates: a list is not a whole number`,
		"replicates: {exchange: [1]}":    `replicates.exchange: a list is not a whole number`,
		"replicates: {exchange: 010}":    `replicates.exchange: 010 begins with 0, which some read as octal; write 10, 0o10 for octal, or "010" for a text`,
		"replicates: {qa: 3, recsys: 2}": `replicates.qa: no condition has such an environment; expected exchange or recsys`,
		"replicates: ~":                  `replicates: is empty`,
	} {
		if got := errorsOf(t, file(text)); !strings.Contains(got.Error(), want) {
			t.Errorf("%s\n got %v\nwant %v", text, got, want)
		}
	}
}

// Controls and baselines have the replicates of what they are held against.
func TestControlsHaveTheirGroupsReplicates(t *testing.T) {
	c := parse(t, strings.Replace(twoTasks, "replicates: 2", "replicates: {exchange: 5, recsys: 2}\ncontrols: [same]", 1)).Campaign
	of := map[string]map[int]bool{"exchange": {}, "recsys": {}}
	for i, condition := range c.Conditions {
		of[condition.Env.Name][c.ReplicatesOf(i)] = true
	}
	if len(c.Conditions) != 8 || !reflect.DeepEqual(of, map[string]map[int]bool{"exchange": {5: true}, "recsys": {2: true}}) {
		t.Errorf("%d conditions have these replicates: %v", len(c.Conditions), of)
	}
}

// Replicates of an environment can grow by themselves, and not become fewer.
func TestReplicatesOfAnEnvironmentGrow(t *testing.T) {
	with := func(text string) plan.Campaign {
		return parse(t, strings.Replace(twoTasks, "replicates: 2", "replicates: "+text, 1)).Campaign
	}
	was := with("{exchange: 5, recsys: 2}")
	for text, want := range map[string]string{
		"{exchange: 5, recsys: 3}": "recsys had 2 replicates and has 3",
		"{exchange: 9, recsys: 2}": "exchange had 5 replicates and has 9",
		"5":                        "recsys had 2 replicates and has 5",
	} {
		now := with(text)
		if diff := now.Extends(was); len(diff) > 0 {
			t.Errorf("%s: %v", text, diff)
		}
		added := strings.Join(now.Added(was), "; ")
		for i, c := range was.Conditions {
			added = strings.ReplaceAll(added, was.Conditions[i].ID(), c.Env.Name)
		}
		if !strings.Contains(added, want) {
			t.Errorf("%s adds %q, want %q", text, added, want)
		}
	}
	for text, want := range map[string]string{"4": "replicates was 5 and is 4; it can only grow", "{exchange: 5}": "was 2 and is 1; it can only grow"} {
		if diff := with(text).Extends(was); len(diff) != 1 || !strings.Contains(diff[0], want) {
			t.Errorf("%s: %v, want %q", text, diff, want)
		}
	}
}
