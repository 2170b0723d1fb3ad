package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Every talk, topology, order and removal by the keys of a campaign: whom the
// four agents see in the round after their first answers, as the rows have it.
func TestDebateKeys(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	right := func(seen []record.Turn) string { // the answers seen, right ones as +
		marks := ""
		for _, o := range seen {
			marks += map[bool]string{true: "+", false: "-"}[*o.ProposalUtility == 1]
		}
		return marks
	}
	others := func(seen []record.Turn) string {
		who := ""
		for _, o := range seen {
			if who += "s"; o.Agent != nil {
				who = who[:len(who)-1] + fmt.Sprint(*o.Agent)
			}
		}
		return who
	}
	sorted := func(text string) string { return strings.Join(slices.Sorted(strings.SplitSeq(text, "")), "") }
	all := "0:123 1:023 2:013 3:012"
	cases := map[string]struct {
		of   func([]record.Turn) string
		want string // "" is checked below
	}{
		`{"order":"fixed"}`: {others, all}, `{"order":"random"}`: {func(seen []record.Turn) string { return sorted(others(seen)) }, all},
		`{"topology":"ring"}`: {others, "0:13 1:02 2:13 3:02"}, `{"topology":"star"}`: {others, "0:123 1:0 2:0 3:0"},
		`{"topology":"tree"}`:                                         {others, "0:12 1:03 2:0 3:1"},
		`{"topology":{"k":1,"name":"random"}}`:                        {func(seen []record.Turn) string { return fmt.Sprint(len(seen)) }, "0:1 1:1 2:1 3:1"},
		`{"topology":{"hears":[[3],[],[0,1],[2]],"name":"explicit"}}`: {others, "0:3 1: 2:01 3:2"},
		`{"remove":[{"agent":1,"from":2}]}`:                           {others, "0:23 2:03 3:02"}, `{"remove":[1]}`: {others, "0:23 2:03 3:02"},
		`{"agents":2}`:          {others, "0:1 1:0"},
		`{"talk":"one_by_one"}`: {others, all}, `{"talk":"summarizer"}`: {others, "0:s 1:s 2:s 3:s"},
		`{"order":"truth_last"}`: {right, ""}, `{"order":"truth_first"}`: {right, ""},
		`{"order":"madc"}`: {others, ""}, `{"order":"madc_per_receiver"}`: {others, ""},
	}
	dir := t.TempDir()
	exampleData(t, dir)
	file := "name: keys\nenv: {name: qa, format: bbh, file: orders.json, agents: 4, n: 6}\ndata: examples/data\nrule: plurality\nmodel: {name: scripted/answerer, policy: {accuracy: 0.5}}\ngrid:\n  protocol:\n"
	for params := range cases {
		file += `    - {"name": "debate", ` + params[1:] + "\n"
	}
	save(t, dir, "keys.yaml", file)
	output(t, dir, "run", "keys.yaml")
	found := map[string]int{}
	for _, c := range debated(t, filepath.Join(dir, "lake"), "keys") {
		x, ok := cases[c.params]
		if !ok {
			t.Fatalf("a condition has the parameters %s", c.params)
		}
		found[c.params]++
		var lines []string
		for _, turn := range c.turns {
			if turn.Round != 2 || turn.Format != "answer" {
				continue
			}
			saw := c.saw(t, turn)
			if own := saw[0]; own.Agent == nil || *own.Agent != *turn.Agent || own.Round != 1 {
				t.Errorf("%s: agent %d is not shown its own first answer first", c.params, *turn.Agent)
			}
			lines = append(lines, fmt.Sprint(*turn.Agent, ":", x.of(saw[1:])))
			checkOrder(t, c.params, saw[1:])
			if c.params == `{"talk":"one_by_one"}` {
				for _, o := range saw[1:] {
					if newer := *o.Agent < *turn.Agent; (o.Round == 2) != newer {
						t.Errorf("one by one: agent %d sees agent %d of round %d", *turn.Agent, *o.Agent, o.Round)
					}
				}
			}
		}
		if got := strings.Join(lines, " "); x.want != "" && got != x.want {
			t.Errorf("%s: %s, want %s", c.params, got, x.want)
		}
	}
	if len(found) != len(cases) {
		t.Errorf("%d conditions of %d: %v", len(found), len(cases), found)
	}
}

// checkOrder holds the orders that depend on answers to what they promise.
func checkOrder(t *testing.T, params string, peers []record.Turn) {
	t.Helper()
	same := func(o record.Turn) (n int) {
		for _, p := range peers {
			if *p.ProposalKey == *o.ProposalKey {
				n++
			}
		}
		return n
	}
	for i := 1; i < len(peers); i++ {
		a, b := peers[i-1], peers[i]
		wrong := false
		switch params {
		case `{"order":"truth_last"}`:
			wrong = *a.ProposalUtility > *b.ProposalUtility
		case `{"order":"truth_first"}`:
			wrong = *a.ProposalUtility < *b.ProposalUtility
		case `{"order":"madc_per_receiver"}`:
			wrong = same(a) > same(b) || same(a) == same(b) && *a.Agent > *b.Agent
		}
		if wrong {
			t.Errorf("%s: agent %d is shown before agent %d", params, *a.Agent, *b.Agent)
		}
	}
}

// played is one collaboration of a debate, with the parameters of its protocol.
type played struct {
	params string
	turns  []record.Turn
}

// saw are the entries that a turn's prompt had.
func (p played) saw(t *testing.T, turn record.Turn) (all []record.Turn) {
	t.Helper()
	var ranges [][2]int
	noError(t, json.Unmarshal([]byte(turn.SeesJSON), &ranges))
	for _, r := range ranges {
		all = append(all, p.turns[r[0]:r[1]]...)
	}
	return all
}

func debated(t *testing.T, dir, campaign string) (all []played) {
	t.Helper()
	s, err := store.NewLocal(dir)
	noError(t, err)
	d, err := lake.ReadDataset(context.Background(), s, campaign)
	noError(t, err)
	for rows, err := range lake.Collaborations(context.Background(), s, d) {
		noError(t, err)
		var settings struct {
			Protocol struct{ Params map[string]json.RawMessage }
		}
		noError(t, json.Unmarshal([]byte(rows.Collaborations[0].SettingsJSON), &settings))
		given := settings.Protocol.Params
		maps.DeleteFunc(given, func(key string, v json.RawMessage) bool { // a plan says today's defaults of these
			return key == "memory" && string(v) == `"chat"` || key == "speaking" && string(v) == `"order"`
		})
		params, err := json.Marshal(given)
		noError(t, err)
		all = append(all, played{string(params), rows.Turns})
	}
	return all
}
