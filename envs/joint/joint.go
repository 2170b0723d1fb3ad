// Package joint holds what the joint decision problems of paper 3 have in common: a packing
// problem of which each agent knows a part, its exact solver, estimates of its state, tools that
// compute with such an estimate, and the measures of a decision.
package joint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/envs"
)

// Nodes is how many nodes the solver may visit: a hundred times what benchmark tasks need.
const Nodes = 20000

// State is quantities by name; a missing one is 0.
type State map[string]float64

// Most is the greatest quantity that an estimate may contain.
const Most = 1e6

// Named returns a state that an agent wrote, with its names, which may be in any case, replaced
// by the known ones. kind is what errors call a name; they list what is accepted.
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
	// Problem returns the problem under an estimate; always with the same items, options and
	// resources.
	Problem(estimate string) Problem
	// State returns the quantities of all components, by name; Pooled returns the names of those that
	// are pooled by summation (paper 3's public resources).
	State(estimate string) State
	Pooled() []string
	// Items and Resources return the names of those of Problem, by index.
	Items() []string
	Resources() []string
	// Proposal and Choice convert between a choice (see Solution) and a proposal.
	Proposal(choice []int) envs.Proposal
	Choice(p envs.Proposal) []int
	// Merged returns all observations together, in words.
	Merged() string
}

// Board is a domain with the solution of its true problem.
type Board struct {
	Domain
	problem Problem
	best    float64
}

// New solves the domain's true problem.
func New(d Domain) Board {
	p := d.Problem("")
	return Board{Domain: d, problem: p, best: Solve(p, Nodes).Value}
}

// Best returns the greatest possible reward.
func (b Board) Best() float64 { return b.best }

// Score returns the reward as a share of the greatest one; 0 if the proposal is not feasible.
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

// Names of the cues that a Board answers.
const (
	Merged     = "merged"     // all observations as one
	Solver     = "solver"     // the best proposal by an estimate
	Calculator = "calculator" // what an estimate allows, and what proposals lack
	Outcome    = "result"     // the measures of a collaboration: nobody is shown them
)

// Cue answers c. The tools use the last estimate that c shows, and nothing of the truth.
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
