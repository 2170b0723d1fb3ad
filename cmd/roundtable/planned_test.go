package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/forks"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

const traded = "env: exchange, protocol: {name: roundtable, rounds: 2}, rule: majority, "

// What a plan allows and probably does not intend is said: replicates that nothing makes differ.
func TestWarningsOfPlans(t *testing.T) {
	t.Parallel()
	const warning = "the replicates of an instance need not differ in "
	for text, want := range map[string]string{
		"model: openai/a, replicates: 2, generate: {temperature: 0}":                     warning + "any condition",
		"model: openai/a, replicates: 2, generate: {temperature: 0.7, seed: 3}":          warning + "any condition",
		"model: openai/a, replicates: 2, grid: {generate.temperature: [0, 0.7]}":         warning + "1 of 2 conditions",
		"model: openai/a, replicates: 2, generate: {temperature: 0.7}":                   "",
		"model: openai/a, replicates: 1, generate: {temperature: 0}":                     "",
		"model: scripted/trader, replicates: 2, generate: {temperature: 0}":              "",
		"grid: {model: [openai/a, openai/b]}, replicates: 2, generate: {seed: 3}":        warning + "any condition",
		"grid: {model: [scripted/trader, openai/b]}, replicates: 2, generate: {seed: 3}": warning + "1 of 2 conditions",
	} {
		s := storetest.NewMemory(map[string]string{})
		p, err := laketest.Record(t.Context(), s, "{name: c, "+traded+text+"}")
		noError(t, err)
		list, err := planning.Warnings(t.Context(), catalogue.Builtin(), p, s)
		if err != nil || (len(list) == 0) != (want == "") || want != "" && !strings.HasPrefix(list[0], want) {
			t.Errorf("%s: %q, %v", text, list, err)
		}
	}
}

// A plan is compared with what the lake has of it: how much has ended, what it adds, and why it would be refused.
func TestComparePlans(t *testing.T) {
	t.Parallel()
	const scripted = traded + "model: scripted/trader, "
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	noError(t, laketest.Play(ctx, s, "{name: c, "+scripted+"replicates: 2}", 0))
	for text, want := range map[string]string{
		"name: c, replicates: 2": "The lake has this campaign: 2 of 2 cells finished. A run would add nothing.",
		"name: c, replicates: 3": "The lake has this campaign: 2 of 2 cells finished. A run would add 1 cell (",
		"name: d, replicates: 2": "", "name: c, replicates: 2, seed: 7": "refused",
	} {
		p, err := laketest.Record(ctx, storetest.NewMemory(map[string]string{}), "{"+scripted+text+"}")
		noError(t, err)
		for _, pilot := range []bool{false, true} {
			got, err := planning.Compare(ctx, s, p, campaign.Manifest{Campaign: p.Campaign.Name}, "", pilot)
			refused := want == "refused"
			if (err != nil) != (refused && pilot) || (got.Refusal != "") != (refused && !pilot) || err != nil && cli.ExitCode(err) != cli.ExitUsage {
				t.Errorf("%s: %+v, %v", text, got, err)
			}
			if got.Begun != nil {
				said := got.Begun.String()
				if want == "" || refused || !strings.HasPrefix(said, want) {
					t.Errorf("%s: %s", text, said)
				}
				got.Begun.Finished, got.Begun.Again, got.Begun.Unlabelled = 1, 1, 1
				if said = got.Begun.String(); !strings.Contains(said, "1 of 2 cells finished. A run would finish the remaining 1, run 1 finished cell again, add ") || !strings.HasSuffix(said, " and label 1 collaboration.") {
					t.Errorf("%s: %s", text, said)
				}
			} else if want != "" && !refused {
				t.Errorf("%s: the lake has it", text)
			}
		}
	}
}

// Each coalition's fork leaves out who is absent, each in one way; a campaign of other forks is refused.
func TestAttributionForks(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	noError(t, laketest.Play(ctx, s, "{name: c, "+traded+"model: scripted/trader, replicates: 2}", 0))
	p, m, err := campaign.ReadRecorded(ctx, s, "c")
	noError(t, err)
	for of, x := range map[string]struct{ players, pairs, coalitions int }{forks.Agents: {3, 20, 7}, forks.Rounds: {2, 20, 3}, forks.Messages: {6, 1, 0}} {
		a := forks.Attribution{Campaign: "c", Of: of, Pairs: x.pairs}
		w, err := a.Open(ctx, s, p, m)
		noError(t, err)
		if w.Begun() != 0 || w.IsPaid() {
			t.Errorf("%s: %d pairs are begun, paid %t", of, w.Begun(), w.IsPaid())
		}
		f := w.File(x.pairs)
		if f.Name != "c-by-"+of || x.coalitions > 0 && len(f.Fork.Changes) != x.coalitions {
			t.Errorf("%s: %s has %d changes", of, f.Name, len(f.Fork.Changes))
		}
		sizes := map[int]int{} // of what is left out
		for _, c := range f.Fork.Changes {
			change := c.(map[string]any)
			drop, _ := change["drop"].([]any)
			remove, _ := change["remove"].([]any)
			if (len(drop) > 0) != (of == forks.Agents) || (len(remove) > 0) == (of == forks.Agents) || (change["at"] != nil) != (of == forks.Agents) {
				t.Errorf("%s: a change is %v", of, change)
			}
			sizes[len(drop)+len(remove)]++
			for _, r := range remove {
				if gone := slices.Sorted(maps.Keys(r.(map[string]any))); fmt.Sprint(gone) != map[string]string{forks.Rounds: "[round]", forks.Messages: "[agent round]"}[of] {
					t.Errorf("%s: %v is removed", of, r)
				}
			}
			if all := len(drop)+len(remove) == x.players; all != (change["label"] == "nobody") {
				t.Errorf("%s: %v", of, change)
			}
		}
		if sizes[x.players] != 1 || sizes[1] == 0 || sizes[0] != 0 {
			t.Errorf("%s: as many are left out: %v", of, sizes)
		}
		if next := w.Next(1, 0); x.pairs == 1 && next != 1 || x.pairs > 1 && x.players == 3 && next != 2 {
			t.Errorf("%s: after a pair there are %d", of, next)
		}
	}
	for usd, want := range map[float64]int{0: 2, .5: 1, 50: 2} { // a pair cost 0.6
		w, err := forks.Attribution{Campaign: "c", Of: forks.Agents, Pairs: 20, CostUSD: usd}.Open(ctx, s, p, m)
		noError(t, err)
		if next := w.Next(1, .6); next != want {
			t.Errorf("with $%v there are %d pairs after the first, want %d", usd, next, want)
		}
	}
	noError(t, laketest.Play(ctx, s, "{name: other, "+traded+"model: scripted/trader}", 0))
	for says, a := range map[string]forks.Attribution{
		"is in the lake, and is not what": {Campaign: "c", Of: forks.Agents, Name: "other"}, "--of words: expected agents, rounds or messages": {Campaign: "c", Of: "words"},
		"has no collaboration that succeeded": {Campaign: "c", Of: forks.Agents, Conditions: []string{"none"}},
	} {
		if _, err := a.Open(ctx, s, p, m); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", a, err)
		}
	}
}
