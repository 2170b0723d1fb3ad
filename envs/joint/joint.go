// Package joint is what joint decision problems of paper 3 have in common: a
// packing problem that each agent knows a part of, its exact solver, estimates of its state,
// tools that compute with such an estimate, and the measures of a decision.
package joint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/envs"
)

// Nodes that a solver may look at: a hundred times what benchmark tasks need.
const Nodes = 20000

// State is named quantities; what is not named is 0.
type State map[string]float64

// Most is the greatest quantity that an estimate may name.
const Most = 1e6

// Named returns a state as an agent wrote it under the known names, which it may
// write in any case. The error says what is accepted.
func (s State) Named(kind string, known []string) (State, error) {
	if s == nil {
		return nil, nil
	}
	named := State{}
	for _, given := range slices.Sorted(maps.Keys(s)) {
		if v := s[given]; v < 0 || v > Most {
			return nil, fmt.Errorf("a quantity is %v; it is from 0 to %v", v, Most)
		}
		i := slices.IndexFunc(known, func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(given)) })
		if i < 0 {
			return nil, fmt.Errorf("there is no %s %.60q in this task; there are %s", kind, given,
				strings.Join(known, ", "))
		}
		if _, twice := named[known[i]]; twice {
			return nil, fmt.Errorf("the %s %s is given twice", kind, known[i])
		}
		named[known[i]] = s[given]
	}
	return named, nil
}

// Domain is a kind of task. Where it takes an estimate, "" stands for the truth.
type Domain interface {
	// Problem as the estimate has it; always with the same items, options and resources.
	Problem(estimate string) Problem
	// State is the quantities of all components, by name; Pooled are those of
	// them that are pooled by summation (paper 3's public resources).
	State(estimate string) State
	Pooled() []string
	// Items and Resources name those of Problem.
	Items() []string
	Resources() []string
	// Proposal and Choice translate between the two forms.
	Proposal(choice []int) envs.Proposal
	Choice(p envs.Proposal) []int
	// Merged is all observations as one, in words.
	Merged() string
}

// Board is a domain with what is known of its truth.
type Board struct {
	Domain
	problem Problem
	best    float64
}

// New solves the domain's truth.
func New(d Domain) Board {
	p := d.Problem("")
	return Board{Domain: d, problem: p, best: Solve(p, Nodes).Value}
}

// Best returns the greatest reward that there can be.
func (b Board) Best() float64 { return b.best }

// Score has the share of the greatest reward as score, 0 if the proposal is not feasible.
func (b Board) Score(p envs.Proposal) envs.Score {
	reward, feasible := b.problem.Value(b.Choice(p))
	return envs.Score{Value: shareOfBest(reward, feasible, b.best)}
}

func shareOfBest(reward float64, feasible bool, best float64) float64 {
	if !feasible || best <= 0 {
		return 0
	}
	return reward / best
}

// The cues that a board answers.
const (
	Merged     = "merged"     // all observations as one
	Solver     = "solver"     // the best proposal by an estimate
	Calculator = "calculator" // what an estimate allows, and what proposals lack
	Outcome    = "result"     // the measures of a collaboration: nobody is shown them
)

// Cue answers one. The tools see the last estimate that the step shows, and nothing of the truth.
func (b Board) Cue(c envs.Cue) (envs.Contribution, error) {
	switch c.Name {
	case Merged:
		return envs.Contribution{Text: b.Merged()}, nil
	case Outcome:
		text, err := json.Marshal(b.measureResult(c.Shown))
		return envs.Contribution{Text: string(text)}, err
	case Solver, Calculator:
	default:
		return envs.Contribution{}, fmt.Errorf("there is no tool %q; there are %s, %s", c.Name, Solver, Calculator)
	}
	estimate := ""
	for _, s := range c.Shown {
		if s.Proposal == "" && s.Text != "" {
			estimate = s.Text
		}
	}
	switch {
	case estimate == "":
		return envs.Contribution{Text: "There is no estimate to compute with."}, nil
	case c.Name == Calculator:
		return envs.Contribution{Text: b.checkItems(estimate, c.Shown)}, nil
	}
	return b.solveFor(estimate), nil
}

func (b Board) solveFor(estimate string) envs.Contribution {
	s := Solve(b.Problem(estimate), Nodes)
	p := b.Proposal(s.Choice)
	text := fmt.Sprintf("By your estimate the best is %s, worth %.2f.", p, s.Value)
	if s.Gap > 0 {
		text = fmt.Sprintf("By your estimate %s is worth %.2f; the best may be worth up to %.2f.", p, s.Value, s.Bound)
	}
	return envs.Contribution{Text: text, Proposals: []envs.Proposal{p}}
}

// checkItems says of each item whether the estimate allows it by itself, and of each shown proposal what it lacks.
func (b Board) checkItems(estimate string, shown []envs.Shown) string {
	p := b.Problem(estimate)
	var possible, short []string
	for i, options := range p.Items {
		lacks := make([]string, len(options))
		for o, option := range options {
			lacks[o] = b.missingResources(option.Use, p.Capacity)
		}
		if least := shortestOf(lacks); least == "" {
			possible = append(possible, b.Items()[i])
		} else {
			short = append(short, fmt.Sprintf("%s (%s)", b.Items()[i], least))
		}
	}
	lines := []string{"Possible by itself: " + orNone(possible), "Not possible, for lack of: " + orNone(short)}
	for _, s := range shown {
		if s.Proposal == "" {
			continue
		}
		verdict := "is feasible by your estimate"
		if lack := b.missingResources(p.Uses(b.Choice(s.Proposal)), p.Capacity); lack != "" {
			verdict = "is not feasible by your estimate; it lacks " + lack
		}
		lines = append(lines, fmt.Sprintf("The proposal %s %s.", s.Proposal, verdict))
	}
	return strings.Join(lines, "\n")
}

// missingResources names what is missing; "" if nothing is.
func (b Board) missingResources(use, capacity []float64) string {
	var list []string
	for r, u := range use {
		if d := u - capacity[r]; d > Tolerance {
			list = append(list, fmt.Sprintf("%s %.4g", b.Resources()[r], d))
		}
	}
	return strings.Join(list, ", ")
}

func shortestOf(list []string) string {
	least := list[0]
	for _, s := range list {
		if len(s) < len(least) {
			least = s
		}
	}
	return least
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "nothing."
	}
	return strings.Join(list, "; ") + "."
}
