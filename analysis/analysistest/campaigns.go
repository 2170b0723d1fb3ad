// Package analysistest makes up what analysis is tested with: runs and campaigns, the
// trajectories of the reference vectors and scripted ones with a planted effect; and it finds
// cells of tables, and checks lists of names.
package analysistest

import (
	"fmt"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
)

// NewRun takes a run from its rows.
func NewRun(c record.Collaboration, rounds []record.Round, turns []record.Turn,
	readers ...campaign.Reader) campaign.Run {
	r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{c}, Rounds: rounds,
		Turns: turns}, readers...)
	if err != nil {
		panic(err)
	}
	return r
}

// MeasureOf returns what the score of a built-in environment measures.
func MeasureOf(env string) string {
	switch env {
	case "recsys", "consensus", "robots":
		return record.Error
	}
	return record.Share
}

// Cell makes the rows of one collaboration: scores and keys by round, slots
// as pairs of own and standing utility, by round and agent.
type Cell struct {
	Condition, Env, Rule, Settings, status string
	instance, Replicate, Agents, Planned   int
	Scores                                 []*float64
	keys                                   []string
	Utilities                              []float64
	Slots                                  [][2]*float64
	simulated                              bool
	cost                                   *float64
	Baselines                              *string
}

// Run makes the run that a cell describes, through its rows.
func (c Cell) Run(readers ...campaign.Reader) campaign.Run {
	key := record.Key{
		SchemaVersion: record.SchemaVersion, CampaignID: "made-up", ConditionID: c.Condition,
		CollaborationID: fmt.Sprintf("%s-i%d-r%d", c.Condition, c.instance, c.Replicate),
	}
	if c.Settings == "" {
		c.Settings = fmt.Sprintf(`{"env":{"name":%q},"protocol":{"name":"roundtable"},"rule":{"name":%q},"stop":{"name":"never"},"model":{"name":"openai/gpt-4o-mini"},"generate":{},"reasks":2}`, c.Env, c.Rule)
	}
	row := record.Collaboration{
		Key: key, Status: c.status, Environment: c.Env, Measure: MeasureOf(c.Env),
		InstanceID: fmt.Sprint("item", c.instance), Instance: int32(c.instance), Replicate: int32(c.Replicate),
		Rule: c.Rule, Simulated: c.simulated, Agents: int32(c.Agents), RoundsPlanned: int32(c.Planned),
		RoundsRun: int32(len(c.Scores)),
		Utilities: c.Utilities, SettingsJSON: c.Settings, CostUSD: c.cost, BaselinesJSON: c.Baselines,
		Turns: 10, InvalidTurns: 1, Asks: 12, Calls: 12, InputTokens: 1000, OutputTokens: 100,
	}
	if row.Status == "" {
		row.Status = record.Succeeded
	}
	var rounds []record.Round
	for i, s := range c.Scores {
		r := record.Round{Key: key, Round: int32(i + 1), Score: s}
		if s != nil {
			k := fmt.Sprint("key", i)
			if c.keys != nil {
				k = c.keys[i]
			}
			r.DecisionKey = &k
			if row.DecidedRound == nil {
				row.DecidedRound = &r.Round
			}
		}
		row.DecisionKey, row.DecisionJSON, row.Score = r.DecisionKey, r.DecisionKey, s
		rounds = append(rounds, r)
	}
	turns := []record.Turn{{Key: key, Kind: "ask", Format: "message"}, {Key: key, Kind: "decide"}}
	for _, s := range c.Slots {
		turns = append(turns, record.Turn{Key: key, Kind: "ask", Format: "proposal", ProposalUtility: s[0],
			StandingUtility: s[1]})
	}
	return NewRun(row, rounds, turns, readers...)
}

// Majority returns a cell of three agents that decide by majority within three rounds.
func Majority(replicate int) Cell {
	return Cell{Condition: "majority-1", Env: "exchange", Rule: "majority", Replicate: replicate, Agents: 3, Planned: 3,
		cost: new(0.5)}
}

// ByHand returns an exchange campaign that was worked out with pencil and paper in TestTable1ByHand.
func ByHand(readers ...campaign.Reader) campaign.Campaign {
	a, b, failed := Majority(0), Majority(1), Majority(2)
	a.Scores, a.Utilities = []*float64{nil, new(.5), new(.8)}, []float64{30, 40, 50}
	a.Slots = [][2]*float64{{new(9.), nil}, {new(3.), new(2.)}, {new(2.), new(2.)}, {nil, new(2.)}}
	b.Scores, b.keys, b.Utilities = []*float64{new(.4), new(.4), new(.6)}, []string{"x", "y", "z"},
		[]float64{10, 20, 40}
	b.Slots = [][2]*float64{{new(3.), new(2.)}, {new(3.), new(2.)}, {new(3.), new(2.)}, {new(1.), new(2.)}}
	failed.status, failed.Scores, failed.Utilities, failed.cost = "failed", []*float64{new(.99)},
		[]float64{1, 1, 1}, nil
	u := Cell{Condition: "unanimous-1", Env: "exchange", Rule: "unanimous", Agents: 3, Planned: 3, cost: new(.25),
		simulated: true}
	u.Scores = []*float64{nil, nil, nil}
	u.Slots = [][2]*float64{{new(1.), nil}, {nil, nil}}
	return campaign.Campaign{Name: "made-up",
		Runs:    []campaign.Run{b.Run(readers...), failed.Run(readers...), a.Run(readers...), u.Run(readers...)},
		Earlier: map[string]int{"majority-1": 1}}
}

// Ratings returns a campaign of ratings with chosen errors.
func Ratings() campaign.Campaign {
	run := func(instance int, errors ...*float64) campaign.Run {
		c := Cell{Condition: "rated-1", Env: "recsys", Rule: "rated", instance: instance, Agents: 3, Planned: 2,
			cost: new(0.)}
		for _, e := range errors {
			if e != nil {
				e = new(-*e)
			}
			c.Scores = append(c.Scores, e)
		}
		c.Baselines = new(fmt.Sprintf(`{"always_4":%d,"item_mean":-0.5}`, -instance))
		return c.Run()
	}
	again := run(2, new(1.), new(1.))
	again.Replicate = 1
	return campaign.Campaign{Name: "made-up",
		Runs: []campaign.Run{run(0, nil, new(0.)), run(1, new(2.), new(1.)), run(2, new(1.), new(2.)), again}}
}

// OfTrajectories makes a campaign of trajectories, one condition each name.
func OfTrajectories(environment string, conditions map[string][]acts.Trajectory) campaign.Campaign {
	c, trajectories := campaign.Campaign{Name: "made-up"}, campaign.Trajectories{}
	for rule, runs := range conditions {
		for i, r := range runs {
			one := Cell{Condition: rule + "-1", Env: environment, Rule: rule, Replicate: i, Agents: 3,
				Planned: len(r.Rounds), simulated: r.Simulated, cost: new(0.)}
			for _, round := range r.Rounds {
				one.Scores = append(one.Scores, round.Score)
			}
			run := one.Run()
			r.ID, r.Condition, r.Unit, r.Environment, r.Rule = run.CollaborationID, run.ConditionID,
				fmt.Sprintf("i0-r%d", i), environment, rule
			c.Runs, trajectories.Runs = append(c.Runs, run), append(trajectories.Runs, r)
		}
	}
	campaign.Keep(&c.Parts, trajectories)
	return c
}
