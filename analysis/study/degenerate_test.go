package study

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/entry"
	"roundtable/analysis/table"
)

// degenerate are campaigns of which little or nothing can be computed.
func degenerate() map[string]campaign.Campaign {
	plain := analysistest.Script{Runs: 6, Rounds: 3, Agents: 3, Seed: 1, Noise: 0.1}
	of := func(p analysistest.Script, change func(*acts.Trajectory)) []acts.Trajectory {
		runs := p.Make()
		for i := range runs {
			change(&runs[i])
		}
		return runs
	}
	nothing := func(*acts.Trajectory) {}
	failed := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{"majority": of(plain, nothing)})
	var left []acts.Excluded
	for i := range failed.Runs {
		failed.Runs[i].Status = "failed"
		left = append(left, acts.Excluded{ID: failed.Runs[i].CollaborationID, Reason: "it is failed"})
	}
	campaign.Keep(&failed.Parts, campaign.Trajectories{Excluded: left})
	all := map[string]campaign.Campaign{"empty": {Name: "empty"}, "all failed": failed}
	for _, env := range []string{"exchange", "recsys", "qa"} {
		for name, runs := range map[string][]acts.Trajectory{
			"constant": of(analysistest.Script{Runs: 6, Rounds: 3, Agents: 3}, nothing),
			"one":      of(analysistest.Script{Runs: 1, Rounds: 3, Agents: 3, Noise: 0.1}, nothing),
			"a round":  of(analysistest.Script{Runs: 6, Rounds: 1, Agents: 3, Noise: 0.1}, nothing),
			"unlabelled": of(plain, func(t *acts.Trajectory) {
				for i := range t.Rounds {
					t.Rounds[i].Acts = nil
				}
			}),
			"silent": of(plain, func(t *acts.Trajectory) {
				for i := range t.Rounds {
					t.Rounds[i].Acts, t.Rounds[i].Distance, t.Rounds[i].Proposals = make([]acts.Set, 3), nil, 0
				}
			}),
			"undecided": of(plain, func(t *acts.Trajectory) {
				for i := range t.Rounds {
					t.Rounds[i].Score, t.Rounds[i].Agreed = nil, false
				}
			}),
		} {
			all[env+", "+name] = analysistest.OfTrajectories(env, map[string][]acts.Trajectory{"majority": runs, "rated": runs[:1]})
		}
	}
	return all
}

// Whatever a campaign lacks, every table that there is says so in words: no
// cell is NaN or infinite, and a table without figures has a note.
func TestNothingIsMadeUp(t *testing.T) {
	for name, c := range degenerate() {
		l := dialogue.Labels{Labeller: "l", Talks: map[lake.Run]acts.ActsByRound{}}
		for _, run := range campaign.TrajectoriesOf(c).Runs {
			if run.IsLabelled() {
				l.Talks[lake.Run{Collaboration: run.ID}] = talkOf(run)
			}
		}
		list := All(c)
		for _, listed := range entry.Of(Tables()) {
			if table, err := Make(c, listed); err == nil {
				list = append(list, table)
			}
		}
		for _, build := range []func(dialogue.Labels) (table.Table, error){
			func(l dialogue.Labels) (table.Table, error) { return dialogue.Acts(c, l) }, func(l dialogue.Labels) (table.Table, error) { return dialogue.Transitions(c, l) },
		} {
			table, err := build(l)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, table)
		}
		for _, table := range list {
			text := table.Text()
			for _, wrong := range []string{"NaN", "Inf ", "Inf)", "+Inf", "-Inf"} {
				if strings.Contains(text, wrong) {
					t.Errorf("%s: table %s has %s:\n%s", name, table.Name, wrong, text)
				}
			}
			if len(table.Notes) == 0 {
				t.Errorf("%s: table %s has no note", name, table.Name)
			}
			if _, err := table.MarshalJSON(); err != nil {
				t.Errorf("%s: table %s: %v", name, table.Name, err)
			}
		}
	}
}

func talkOf(t acts.Trajectory) acts.ActsByRound {
	var talk acts.ActsByRound
	for _, r := range t.Rounds {
		talk = append(talk, r.Acts)
	}
	return talk
}

// What stands in the way is said where a reader would look for the figure.
func TestWhatIsMissingIsExplained(t *testing.T) {
	all := degenerate()
	for _, x := range []struct{ campaign, table, says string }{
		{"all failed", "early-stopping", "0 collaborations can be analysed; at least 2 are needed"},
		{"all failed", "regression", "none of the 0 collaborations"},
		{"all failed", "stopping-times", "Not judged: 6 collaborations, it is failed."},
		{"exchange, one", "early-stopping", "at least 2 are needed"},
		{"exchange, one", "nested", "at least 2 are needed"},
		{"exchange, constant", "early-stopping", "changes in score"},
		{"exchange, constant", "regression", "the outcome is the same in all"},
		{"exchange, constant", "comparisons", "at least 100 resamples and 2 collaborations"},
		{"exchange, unlabelled", "early-stopping", "label them first"},
		{"exchange, unlabelled", "regression", "label them first"},
		{"exchange, silent", "early-stopping", "no two rounds in a row have messages"},
		{"exchange, silent", "regression", "no pair of dialogue acts is in at least 5"},
		{"recsys, undecided", "early-stopping-recsys", "has a score in any round"},
		{"recsys, undecided", "regression", "has a score in a round from 2"},
		{"exchange, a round", "regression", "has a score in a round from 2"},
	} {
		table, err := Make(all[x.campaign], x.table)
		if err != nil {
			t.Errorf("%s: %v", x.campaign, err)
			continue
		}
		if notes := fmt.Sprint(table.Notes); !strings.Contains(notes, x.says) {
			t.Errorf("%s: table %s does not say %q:\n%s", x.campaign, x.table, x.says, table.Text())
		}
	}
}
