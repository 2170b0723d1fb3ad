package menu

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/envs/joint"
)

// session is one instance: a kitchen and who sees what of it.
type session struct {
	*Menu
	*kitchen
	joint.Board
	id   string
	seen [2]Observation
}

// Observation is what an agent knows at the start.
type Observation struct {
	Dishes      []Dish
	Ingredients []string
	Numeric     bool
	Guests      []string
	Stock       map[string]int     // the part that it sees
	Values      map[string]float64 // of all dishes to its own guest; nil if not Numeric
	Profiles    []Guest            // what it knows of both guests; nil if Numeric
}

// known are the probabilities that an agent sees a group of a profile's fields
// (paper 3, A.1.3), by agent.
var known = [2]struct{ occupation, status, diet, allergies, culture, health, dining, ethics float64 }{
	{0.7, 0.6, 0.6, 0.7, 0.6, 0.4, 0.5, 0.5},
	{0.6, 0.6, 0.7, 0.8, 0.6, 0.5, 0.7, 0.6},
}

// dealStock parts the stock, 40 to 60 % of its kinds to each agent, and the guests.
func (s *session) dealStock(rng *rand.Rand) {
	var stocked []string
	for _, name := range s.ingredients {
		if s.stock[name] > 0 {
			stocked = append(stocked, name)
		}
	}
	least, n := (2*len(stocked)+4)/5, len(stocked)
	first := least + rng.IntN(n-2*least+1)
	owner := rng.Perm(n)
	for agent := range s.seen {
		o := &s.seen[agent]
		*o = Observation{Dishes: s.offered, Ingredients: s.ingredients, Numeric: s.params.Observations == Numeric,
			Stock: map[string]int{}}
		for i, name := range stocked {
			if (owner[i] < first) == (agent == 0) {
				o.Stock[name] = s.stock[name]
			}
		}
		for g, guest := range s.guests {
			o.Guests = append(o.Guests, guest.Name)
			switch {
			case !o.Numeric:
				o.Profiles = append(o.Profiles, guest.partOf(rng, agent))
			case g == agent:
				o.Values = map[string]float64{}
				for _, d := range s.offered {
					o.Values[d.Name] = Value(guest, d)
				}
			}
		}
	}
}

// partOf returns what an agent sees of a guest.
func (g Guest) partOf(rng *rand.Rand, agent int) Guest {
	p := known[agent]
	sees := func(probability float64) bool { return rng.Float64() < probability }
	if !sees(p.occupation) {
		g.Occupation = nil
	}
	if !sees(p.status) {
		g.Status = nil
	}
	if !sees(p.diet) {
		g.Diet = nil
	}
	if !sees(p.allergies) {
		g.Allergies = nil
	}
	if !sees(p.culture) {
		g.Culture = nil
	}
	if !sees(p.health) {
		g.Health = nil
	}
	if !sees(p.dining) {
		g.Dining = nil
	}
	if !sees(p.ethics) {
		g.Ethics = nil
	}
	return g
}

func (s *session) ID() string { return s.id }

// Agents returns two, with equal rights.
func (s *session) Agents() []envs.Agent { return []envs.Agent{{Name: "agent_1"}, {Name: "agent_2"}} }

// Observe gives an Observation.
func (s *session) Observe(agent int) any { return s.seen[agent] }

// Parse reads a list of dishes.
func (s *session) Parse(text []byte) (envs.Proposal, error) {
	var list []string
	if json.Unmarshal(text, &list) != nil {
		return "", fmt.Errorf(`a menu is a list of dishes' names, as ["%s"]`, s.offered[0].Name)
	}
	choice := slices.Repeat([]int{-1}, len(s.offered))
	for _, name := range list {
		i := slices.IndexFunc(s.offered, func(d Dish) bool { return strings.EqualFold(d.Name, strings.TrimSpace(name)) })
		switch {
		case i < 0:
			return "", fmt.Errorf("there is no such dish on offer; there are %s", strings.Join(s.Items(), ", "))
		case choice[i] == 0:
			return "", fmt.Errorf("%s is on the menu twice; expected once", s.offered[i].Name)
		}
		choice[i] = 0
	}
	return s.Proposal(choice), nil
}

// Utility returns what a menu is worth to the agent's guest: to the guest with its index.
func (s *session) Utility(agent int, p envs.Proposal) float64 {
	sum := 0.0
	for i, o := range s.Choice(p) {
		if o == 0 {
			sum += Value(s.guests[agent], s.offered[i])
		}
	}
	return sum
}

// Score has NR / 100 as score.
func (s *session) Score(p envs.Proposal) envs.Score {
	score := s.Board.Score(p)
	for agent := range s.seen {
		score.Utilities = append(score.Utilities, s.Utility(agent, p))
	}
	return score
}
