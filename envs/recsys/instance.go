package recsys

import (
	"fmt"
	"math"
	"sync"

	"roundtable/envs"
)

// The agents, in index order.
const (
	basicInfo = iota
	movieHistory
	userHistory
)

func newAgents() []envs.Agent {
	return []envs.Agent{{Name: "BasicInfo Agent"}, {Name: "MovieHistory Agent"}, {Name: "UserHistory Agent"}}
}

// Instance is one row of u1.test.
type Instance struct {
	env  *MovieLens
	gold rating
	seen []func() Observation // by agent; each is made when first asked for
}

func newInstance(m *MovieLens, gold rating) *Instance {
	in := &Instance{env: m, gold: gold}
	for agent := range newAgents() {
		in.seen = append(in.seen, sync.OnceValue(func() Observation { return m.observationOf(agent, gold.user, gold.movie) }))
	}
	return in
}

// ID returns the user and the movie, such as "u26-m231".
func (in *Instance) ID() string { return fmt.Sprintf("u%d-m%d", in.gold.user+1, in.gold.movie+1) }

// Agents returns the three holders of the tables.
func (in *Instance) Agents() []envs.Agent { return newAgents() }

// Observe returns the agent's Observation, which is shared and must not be changed.
func (in *Instance) Observe(agent int) any { return in.seen[agent]() }

// Parse reads a rating.
func (in *Instance) Parse(proposal []byte) (envs.Proposal, error) {
	v, err := parseRating(proposal)
	if err != nil {
		return "", err
	}
	return formatRating(v), nil
}

// Utility returns minus the absolute error in stars, for every agent the same.
func (in *Instance) Utility(_ int, p envs.Proposal) float64 { return in.scoreOf(p) }

// Score returns minus the absolute error in stars.
func (in *Instance) Score(p envs.Proposal) envs.Score {
	g := in.scoreOf(p)
	return envs.Score{Value: g, Utilities: []float64{g, g, g}}
}

// scoreOf counts in hundredths, so that no error shows digits that the rating has not.
func (in *Instance) scoreOf(p envs.Proposal) float64 {
	v, err := parseRating([]byte(p))
	if err != nil {
		return lowest - highest // Parse makes no such proposal
	}
	off := toHundredths(v) - 100*in.gold.stars
	return -float64(max(off, -off)) / 100
}

// Question returns what is to be rated, with the true rating.
func (in *Instance) Question() envs.Question {
	return envs.Question{
		Text: fmt.Sprintf("the rating of movie %d by user %d", in.gold.movie+1, in.gold.user+1),
		Keys: []envs.Proposal{formatRating(in.Gold())},
	}
}

// Gold returns the true rating. It is for the record only.
func (in *Instance) Gold() float64 { return float64(in.gold.stars) }

// Predictions returns what simple methods predict here, always in the same order.
func (in *Instance) Predictions() []Prediction {
	return in.env.means.predict(in.gold.user, in.gold.movie)
}

// Baselines returns the scores of simple methods here: minus the absolute errors of their
// predictions.
func (in *Instance) Baselines() []envs.Baseline {
	var list []envs.Baseline
	for _, p := range in.Predictions() {
		list = append(list, envs.Baseline{Name: p.Name, Score: -math.Abs(p.Rating - in.Gold())})
	}
	return list
}
