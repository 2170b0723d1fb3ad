// Package programtest has a small environment as a program would be one: where along a
// road a village drills its well. It answers questions in this process, or as a real
// program in the tests of what runs programs.
package programtest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"roundtable/envs"
	"roundtable/envs/program"
)

// Asker answers as the program does.
type Asker struct{}

// Ask answers, and holds the answer to its check.
func (Asker) Ask(q program.Question) (json.RawMessage, error) {
	answer, err := json.Marshal(Answer(q.Input))
	if err == nil {
		answer, err = program.Canonical(answer, len(answer))
	}
	if err == nil {
		err = q.Check(answer)
	}
	return answer, err
}

// question has what the program looks at.
type question struct {
	Ask      string          `json:"ask"`
	Seed     string          `json:"seed"`
	Index    int             `json:"index"`
	Agent    int             `json:"agent"`
	Do       string          `json:"do"`
	View     float64         `json:"view"`
	Problem  []float64       `json:"problem"`
	Proposal json.RawMessage `json:"proposal"`
	Offers   []struct {
		Proposal place `json:"proposal"`
	} `json:"offers"`
	Candidate place `json:"candidate"`
	Params    struct {
		Road float64 `json:"road"`
	} `json:"params"`
}

type place struct {
	Km float64 `json:"km"`
}

var names = []string{"Ana", "Ben", "Cleo"}

const defaultRoad = 10

// Answer answers one question.
func Answer(input []byte) map[string]any {
	var q question
	if err := json.Unmarshal(input, &q); err != nil {
		return map[string]any{"error": err.Error()}
	}
	if q.Params.Road == 0 {
		q.Params.Road = defaultRoad
	}
	switch q.Ask {
	case "describe":
		return map[string]any{"version": 1, "measure": "share", "instances": 0,
			"policies": []string{"neighbour", "stubborn"}}
	case "instance":
		return q.deal()
	case "parse":
		return q.read()
	case "score":
		return q.score()
	case "act":
		return q.act()
	}
	return map[string]any{"error": "what is that?"}
}

func (q question) deal() map[string]any {
	seed, _ := strconv.ParseUint(q.Seed, 10, 64)
	var homes []float64
	var agents []map[string]any
	for i, name := range names {
		home := math.Round(10 * q.Params.Road * envs.Stream(seed, "home", q.Index, i).Float64() / 10)
		homes = append(homes, home)
		agents = append(agents, map[string]any{"name": name,
			"background": fmt.Sprintf("Your house is at kilometre %v.", home), "view": home})
	}
	return map[string]any{
		"id": fmt.Sprintf("well-%d", q.Index), "agents": agents, "problem": homes,
		"task": fmt.Sprintf("A well is drilled along a road of %v kilometres. Everybody wants a short way to it.",
			q.Params.Road),
		"proposal":  fmt.Sprintf(`A proposal is {"km": <number>}, from 0 to %v, in tenths.`, q.Params.Road),
		"facts":     []map[string]any{{"name": "Houses", "text": fmt.Sprint(homes)}},
		"baselines": []map[string]any{{"name": "middle_of_the_road", "score": q.share(homes, q.Params.Road/2)}},
	}
}

func (q question) read() map[string]any {
	var given map[string]any
	km, ok := 0.0, false
	if json.Unmarshal(q.Proposal, &given) == nil && len(given) == 1 {
		km, ok = given["km"].(float64)
	}
	if !ok || km < 0 || km > q.Params.Road {
		return map[string]any{"error": fmt.Sprintf(`a proposal is {"km": <number>} with a number from 0 to %v`,
			q.Params.Road)}
	}
	return map[string]any{"proposal": place{math.Round(10*km) / 10}}
}

// share returns 1 for the shortest ways together, 0 for the longest.
func (q question) share(homes []float64, km float64) float64 {
	sorted := slices.Sorted(slices.Values(homes))
	best, worst := ways(homes, sorted[len(sorted)/2]), max(ways(homes, 0), ways(homes, q.Params.Road))
	return max(0, min(1, (worst-ways(homes, km))/(worst-best)))
}

func ways(homes []float64, km float64) (sum float64) {
	for _, home := range homes {
		sum += math.Abs(home - km)
	}
	return sum
}

func (q question) score() map[string]any {
	var at place
	if err := json.Unmarshal(q.Proposal, &at); err != nil {
		return map[string]any{"error": err.Error()}
	}
	var utilities []float64
	for _, home := range q.Problem {
		utilities = append(utilities, -math.Abs(home-at.Km))
	}
	return map[string]any{"score": q.share(q.Problem, at.Km), "utilities": utilities}
}

// act has an agent ask for a well half way between its house and what was proposed last.
func (q question) act() map[string]any {
	wish := q.View
	if n := len(q.Offers); n > 0 {
		wish = math.Round(5*(wish+q.Offers[n-1].Proposal.Km)) / 10
	}
	switch q.Do {
	case "message":
		return map[string]any{"text": fmt.Sprintf("I would have it at kilometre %v.", wish), "to": []int{}}
	case "propose":
		return map[string]any{"proposal": place{wish}}
	case "value":
		return map[string]any{"value": 1 - math.Abs(q.View-q.Candidate.Km)/q.Params.Road}
	}
	return map[string]any{"value": 0.2}
}
