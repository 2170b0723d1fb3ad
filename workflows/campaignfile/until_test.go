package campaignfile_test

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/until"
)

const askedUntil = `name: a
env: {name: exchange, agents: 3}
protocol: roundtable
model: scripted/trader
seed: 5
replicates: 50
grid:
  rule: [majority, {label: lists, value: ranked}]
  protocol.rounds: [3, 10]
`

func TestUntil(t *testing.T) {
	file := parse(t, askedUntil+"until: {compare: rule, measure: score}\n")
	q := file.Until
	if q == nil {
		t.Fatal("there is no question")
	}
	var names []string
	for _, l := range q.Levels {
		names = append(names, l.Name)
		if len(l.Members) != 2 || l.Members[0].Env != q.Levels[0].Members[0].Env {
			t.Errorf("%+v", l)
		}
	}
	want := until.Question{Compare: "rule", Measure: "score", Method: until.Betting, High: 1, Levels: q.Levels, Level: .05, Ahead: 4, Seed: 5}
	if !reflect.DeepEqual(*q, want) || !reflect.DeepEqual(names, []string{"majority", "lists"}) {
		t.Errorf("%+v of %v", *q, names)
	}
	if without := parse(t, askedUntil); without.Until != nil || without.Campaign.Revision() != file.Campaign.Revision() {
		t.Error("until is part of the campaign's identity")
	}
	q = parse(t, askedUntil+"until: {compare: protocol.rounds, measure: rounds, reference: 3, smallest: 0.5, level: 0.1, ahead: 2}\n").Until
	if q.Reference != "3" || q.Smallest != .5 || q.High != 10 || q.Level != .1 || q.Ahead != 2 || len(q.Contrasts()) != 1 {
		t.Errorf("%+v", *q)
	}
	const numeric = "name: a\nenv: consensus\nprotocol: consensus\nmodel: scripted/average\ngrid: {protocol.rounds: [3, 5]}\n"
	q = parse(t, numeric+"until: {compare: protocol.rounds, measure: score, width: 1}\n").Until
	if q.Method != until.Asymptotic || q.Width != 1 {
		t.Errorf("%+v", *q)
	}
	if got := errorsOf(t, numeric+"until: {compare: protocol.rounds, measure: score, method: betting}\n"); len(got) != 1 || !strings.Contains(got.Error(), "until.method: betting needs a measure with bounds") {
		t.Error(got)
	}
	q = parse(t, numeric+"until: {compare: protocol.rounds, measure: score, low: -40, high: 0, width: 1}\n").Until
	if q.Method != until.Betting || q.Low != -40 || q.High != 0 {
		t.Errorf("%+v", *q)
	}
	for given, says := range map[string]string{
		"low: -40":                              "line 6: until.low: low and high go together",
		"low: -40, high: -50":                   "line 6: until.high: is -50; expected a number above low, which is -40",
		"low: -40, high: 0, method: asymptotic": "line 6: until.low: does not go with method: asymptotic",
		"low: -40, high: 0, width: 80":          "line 6: until.width: is 80; differences of score are from -40 to 40: expected a number that is at least 0.08 and below 80",
		"low: -40, high: 0, smallest: 0.07":     "expected a number that is at least 0.08 and below 40",
	} {
		if got := errorsOf(t, numeric+"until: {compare: protocol.rounds, measure: score, "+given+"}\n"); len(got) != 1 || !strings.Contains(got.Error(), says) {
			t.Errorf("%v\nwant %s", got, says)
		}
	}
}

func TestUntilErrors(t *testing.T) {
	for says, text := range map[string]string{
		`line 10: until.compare: "agents" is not an axis of the grid with two values; there are protocol.rounds and rule`: askedUntil + "until: {compare: agents, measure: score}",
		`line 10: until.reference: "rank" is not a value of rule; it has majority and lists`:                              askedUntil + "until: {compare: rule, measure: score, reference: rank}",
		`until.compare: majority and lists of rule cannot be compared in pairs`:                                           strings.Replace(askedUntil, "rounds: [3, 10]\n", "rounds: [3, 10]\n  exclude: [{rule: lists, protocol.rounds: 3}]\n", 1) + "until: {compare: rule, measure: score}",
		`until.compare: symmetric and uniform of env.utility cannot be compared`:                                          strings.Replace(askedUntil, "protocol.rounds: [3, 10]", "env.utility: [symmetric, uniform]", 1) + "until: {compare: env.utility, measure: score}",
		`until: is empty`: askedUntil + "until:",
		`line 10: until.low: is for a score that is an error`:                                                                           askedUntil + "until: {compare: rule, measure: score, low: 0, high: 1}",
		`line 10: until.width: is 2; differences of score are from -1 to 1: expected a number that is at least 0.002 and below 2`:       askedUntil + "until: {compare: rule, measure: score, width: 2}",
		`line 10: until.width: is 0.0009; differences of score are`:                                                                     askedUntil + "until: {compare: rule, measure: score, width: 0.0009}",
		`line 10: until.smallest: is 1; differences of score are from -1 to 1: expected a number that is at least 0.002 and below 1`:    askedUntil + "until: {compare: rule, measure: score, smallest: 1}",
		`line 10: until.width: is 5; differences of score are from -1 to 1: expected a number that is above 0 and below 2`:              askedUntil + "until: {compare: rule, measure: score, width: 5, method: asymptotic}",
		`line 10: until.width: is 0.01; differences of rounds are from -10 to 10: expected a number that is at least 0.02 and below 20`: askedUntil + "until: {compare: rule, measure: rounds, width: 0.01}",
	} {
		if got := errorsOf(t, text+"\n"); len(got) != 1 || !strings.Contains(got.Error(), says) {
			t.Errorf("%v\nwant %s", got, says)
		}
	}
}

// Data sets that share a question have it as one unit, whatever they call it; what two data
// sets number alike is not the same.
func TestUntilGoesByQuestions(t *testing.T) {
	files := fstest.MapFS{
		"a.csv": {Data: []byte("id,question,answer\n1,One?,yes\n2,Two?,no\n3,Three?,no\n")},
		"b.csv": {Data: []byte("id,question,answer\n1,Two?,no\n2,Four?,yes\n3,Three?,yes\n")}, // another key
	}
	host := campaignfile.Host{Catalogue: catalogue.Builtin(), Data: func(string) (fs.FS, error) { return files, nil }}
	file, err := campaignfile.Parse([]byte("name: a\ndata: .\nenv: {name: qa, format: csv, kind: yesno, agents: 3}\nprotocol: {name: debate, rounds: 1}\nmodel: scripted/answerer\ngrid: {rule: [plurality, unanimous], env.file: [a.csv, b.csv]}\nuntil: {compare: rule, measure: score}\n"), host)
	if err != nil {
		t.Fatal(err)
	}
	members := file.Until.Levels[0].Members
	want := []until.Same{{Asked: until.Asked{Env: members[1].Env, Instance: 0}, As: until.Asked{Env: members[0].Env, Instance: 1}}}
	if !reflect.DeepEqual(file.Until.Same, want) {
		t.Errorf("the same are %+v, want %+v", file.Until.Same, want)
	}
	if n := until.NewDesign(*file.Until, file.Campaign.QuestionGrid()).Units(); n != 5 {
		t.Errorf("%d units, want 5", n)
	}
}
