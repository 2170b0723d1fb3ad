package recount_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/recount"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/ruletest"
	"roundtable/workflows/transcript"
)

// Every rule of the catalogue, played by the engine in every protocol that takes
// rules: its decisions are found again from the lake.
func TestDecisionsOfEveryRuleAreFoundAgain(t *testing.T) {
	var names []string
	for _, r := range catalogue.Builtin().Rules {
		names = append(names, r.Name)
	}
	const traders = "env: {name: exchange, agents: 4}\nmodel: scripted/trader\nprotocol: "
	means := []string{"plurality", "ranked", "majority_consensus", "judge"} // one of each
	for group, rules := range map[string][]string{
		traders + "{name: discussion, rounds: 1, vote_from: 1, personas: none}":                                             names,
		traders + "{name: discussion, rounds: 3, vote_from: 2, personas: none}":                                             means,
		traders + "{name: roundtable, rounds: 2}":                                                                           means,
		traders + "{name: debate, remove: [{agent: 1, from: 2}]}":                                                           means,
		"env: allocation\ninstances: 5\nmodel: scripted/sharer\nprotocol: {name: deliberation, rounds: 2, authority: vote}": means,
		traders + "{name: roundtable, rounds: 2}\nagents: [{votes: 3}, {votes: 0}, {}, {}]":                                 means,
		traders + "{name: debate, remove: [{agent: 1, from: 2}]}\nagents: [{votes: 3}, {votes: 0}, {}, {}]":                 means,
		traders + "{name: discussion, rounds: 3, vote_from: 2, personas: none}\nagents: {pool: [{votes: 3}, a, b, c, d]}":   means,
	} {
		s, d := played(t, "rules", fmt.Sprintf("name: rules\n%s\ngenerate: {logprobs: true}\ngrid: {rule: [%s]}\n", group, strings.Join(rules, ", ")))
		r, err := recount.Check(ctx, s, d, counting)
		if err != nil || len(r.Mismatches) > 0 || r.Decisions < len(rules) || r.Uncounted > 0 {
			t.Errorf("%s: %+v %v", group, r, err)
		}
	}
}

// Generated votes, in rows as the engine writes them, are counted as they were
// under every rule that counts ballots.
func TestGeneratedVotesAreCountedAgain(t *testing.T) {
	rules := map[string]decision.Rule{}
	for _, r := range catalogue.Builtin().Rules {
		var err error
		if rules[r.Name], err = r.New(func(any) error { return nil }, struct{}{}); err != nil {
			t.Fatal(err)
		}
		if m := decision.MeansOf(rules[r.Name]); m == decision.ByAgreement {
			delete(rules, r.Name) // it has no ballots
		}
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			draw, decided := rand.New(rand.NewPCG(1, 2)), 0
			for range 200 {
				rows, winners := vote(t, rule, draw)
				var r recount.Report
				r.Add(rows, func(record.Collaboration) (recount.Counting, error) {
					return recount.Counting{Rule: rule, Break: first}, nil
				})
				if len(r.Mismatches) > 0 || r.Decisions != 1 {
					t.Fatalf("%+v", r)
				}
				decided += len(winners)
			}
			if decided < 20 {
				t.Errorf("%d winners of 200 votes say little", decided)
			}
		})
	}
}

func first(winners []int, _ int, _ string) int {
	if len(winners) == 0 {
		return -1
	}
	return winners[0]
}

// vote returns the rows of one vote over what agents have proposed, and who wins.
func vote(t *testing.T, rule decision.Rule, draw *rand.Rand) (record.Rows, []int) {
	agents, n := 2+draw.IntN(4), 1+draw.IntN(4)
	rows := record.Rows{Collaborations: []record.Collaboration{{Agents: int32(agents)}}, Rounds: []record.Round{{Round: 1}}}
	add := func(kind transcript.Kind, format transcript.Format, agent int, act transcript.Act) int {
		data, err := json.Marshal(act)
		if err != nil {
			t.Fatal(err)
		}
		said, who := string(data), int32(agent)
		rows.Turns = append(rows.Turns, record.Turn{
			Entry: int32(len(rows.Turns)), Round: 1, Kind: kind.String(), Format: string(format), Agent: &who, DataJSON: &said,
		})
		if w := act.Weighed(); w > 0 {
			mean := math.Log(float64(w) / 1e6)
			rows.Turns[len(rows.Turns)-1].MeanLogprob = &mean
		}
		return len(rows.Turns) - 1
	}
	for c := range n {
		add(transcript.Ask, transcript.FormatProposal, c, transcript.Act{Key: fmt.Sprint("p", c)})
	}
	form := rule.Ballot(n, agents)
	ballots := rapid.Custom(func(t *rapid.T) transcript.Ballot { return ruletest.Ballot(t, form) })
	profile := decision.Profile{Candidates: n, Electorate: agents, Round: 1}
	for a := range agents {
		b := ballots.Example(draw.Int())
		if err := form.Validate(b); err != nil {
			t.Fatal(err)
		}
		profile.Ballots = append(profile.Ballots, b)
		entry := add(transcript.Ask, transcript.FormatBallot, a, transcript.Act{Ballot: &b})
		for c := range n {
			value := rule.Value(b, c, n)
			near, _ := value.Float64()
			exact, key, candidate := value.RatString(), fmt.Sprint("p", c), int32(c)
			row := record.Ballot{Round: 1, Entry: int32(entry), Agent: int32(a), Candidate: &candidate, CandidateKey: &key, Value: &near, ValueExact: &exact}
			if b.Abstain {
				row = record.Ballot{Round: 1, Entry: int32(entry), Agent: int32(a), Abstained: true}
			}
			if c == 0 || !b.Abstain {
				rows.Ballots = append(rows.Ballots, row)
			}
		}
	}
	winners := rule.Tally(profile).Winners
	if !slices.ContainsFunc(profile.Ballots, func(b transcript.Ballot) bool { return !b.Abstain }) {
		winners = nil
	}
	d := transcript.Decision{Winners: winners, Selected: first(winners, 1, ""), Standing: -1}
	if d.Selected >= 0 {
		d.Standing, d.Key = d.Selected, fmt.Sprint("p", d.Selected)
		rows.Rounds[0].DecisionKey, rows.Collaborations[0].DecisionKey = &d.Key, &d.Key
	}
	rows.Rounds[0].Winners = int32(len(winners))
	add(transcript.Decide, "", 0, transcript.Act{Decision: &d})
	return rows, winners
}

// A ballot may be about a candidate that no longer stands when the round's last votes are counted.
func TestCandidatesThatChanged(t *testing.T) {
	s, d := played(t, "changed", `name: changed
instances: 60
env: allocation
rule: unanimous
model: {name: scripted/sharer, noise: 0.4, share: 0.8, skill: 0.5, trust: 0.7}
protocol: {name: deliberation, variant: oracle}
`)
	r, err := recount.Check(ctx, s, d, counting)
	if err != nil || len(r.Mismatches) > 0 {
		t.Errorf("%+v %v", r, err)
	}
	for row, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil || row.Status != record.Succeeded {
			t.Errorf("%s: %s, %v", row.CollaborationID, row.Status, err)
		}
	}
}
