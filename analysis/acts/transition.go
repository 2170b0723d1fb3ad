package acts

import (
	"fmt"

	"roundtable/analysis/lake/record"
)

// Reading is one way to count Equation 1 of paper 1, which is ambiguous: (i, ¬i) may be an agent
// and all others together, or an agent and each other agent.
type Reading string

const (
	// Anyone counts an agent once if any other agent answers with the act.
	Anyone Reading = "anyone"
	// Each counts every other agent that answers with the act.
	Each Reading = "each"
)

// Readings returns both; the first is the one that fits the paper's range of counts.
func Readings() []Reading { return []Reading{Anyone, Each} }

// Before the first round every agent shows Start, after the last one End.
// Their bits are those after the acts'.
const (
	start  = N
	end    = N + 1
	states = N + 2
)

// follow counts how often act A in a round is followed by act B of another agent in the
// next, by A and B. Both rounds have a set for each agent. Of Anyone it is what
// stopping.Times counts, for all pairs at once.
func follow(before, round []Set, reading Reading) (counts [states][states]int) {
	for i, from := range before {
		var answers [states]int // by act: other agents that show it
		for j, s := range round {
			for b := range states {
				if j != i && s.Has(b) {
					answers[b]++
				}
			}
		}
		for a := range states {
			if !from.Has(a) {
				continue
			}
			for b, n := range answers {
				if reading == Anyone {
					n = min(n, 1)
				}
				counts[a][b] += n
			}
		}
	}
	return counts
}

// Graph holds how often acts follow each other over all rounds of some talks. Rows are Start and
// the acts, columns the acts and End.
type Graph struct {
	Reading     Reading      `json:"reading"`
	From        []string     `json:"from"`
	To          []string     `json:"to"`
	Count       [][]int      `json:"count"`       // |A → B| of Equation 1
	Of          []int        `json:"of"`          // |A|; times the number of other agents, if each counts
	Probability [][]*float64 `json:"probability"` // Count / Of; null if A is never shown. Rows do not add up to 1
	SE          [][]*float64 `json:"se"`          // of Probability over talks, as a ratio of sums; null for one talk
	Talks       []int        `json:"talks"`       // that show A
}

// Transitions returns the graph of talks whose rounds all have one set an agent. Equation 1 stops
// at the last round, but its End needs the one after it, which is counted too.
func Transitions(talks []ActsByRound, reading Reading) Graph {
	g := newGraph(reading)
	var each []Graph // by talk
	for _, t := range talks {
		one := Span(t, true, true, reading)
		each = append(each, one)
		g.add(one)
	}
	for i := range g.From {
		p, se := make([]*float64, len(g.To)), make([]*float64, len(g.To))
		for j := range g.To {
			if share := share(each, i, j); share != nil {
				p[j], se[j], g.Talks[i] = &share.Share, share.SE, share.Of
			}
		}
		g.Probability, g.SE = append(g.Probability, p), append(g.SE, se)
	}
	return g
}

func newGraph(reading Reading) Graph {
	g := Graph{Reading: reading, From: append([]string{"Start"}, record.Acts[:]...),
		To: append(record.Acts[:N:N], "End")}
	g.Count, g.Of, g.Talks = make([][]int, N+1), make([]int, N+1), make([]int, N+1)
	for i := range g.Count {
		g.Count[i] = make([]int, N+1)
	}
	return g
}

// share of an edge, over the talks in which its act is shown; nil if there are none.
func share(each []Graph, from, to int) *Ratio {
	var counts [][2]float64
	for _, one := range each {
		if of := one.Of[from]; of > 0 {
			counts = append(counts, [2]float64{float64(one.Count[from][to]), float64(of)})
		}
	}
	return ratioOfSums(counts)
}

// Span returns the counts of consecutive rounds of a talk. opens and closes say that they include
// its first and its last round, so that Start and End count. The spans of all pairs of rounds that
// follow each other add up to the whole. It has counts only.
func Span(rounds ActsByRound, opens, closes bool, reading Reading) Graph {
	g := newGraph(reading)
	if len(rounds) == 0 {
		return g
	}
	agents := len(rounds[0])
	if opens {
		g.step(setsOfAll(agents, start), rounds[0])
	}
	for r := 1; r < len(rounds); r++ {
		g.step(rounds[r-1], rounds[r])
	}
	if closes {
		g.step(rounds[len(rounds)-1], setsOfAll(agents, end))
	}
	return g
}

func (g *Graph) add(one Graph) {
	for i := range g.Count {
		g.Of[i] += one.Of[i]
		for j, n := range one.Count[i] {
			g.Count[i][j] += n
		}
	}
}

// step counts what agents do after what they did before.
func (g *Graph) step(before, round []Set) {
	counts := follow(before, round, g.Reading)
	for i := range g.From {
		a := rowBit(i)
		for _, s := range before {
			if s.Has(a) {
				g.Of[i] += g.weightOf(len(before))
			}
		}
		for j := range N {
			g.Count[i][j] += counts[a][j]
		}
		g.Count[i][N] += counts[a][end]
	}
}

// rowBit returns the bit of a row of the graph.
func rowBit(i int) int {
	if i == 0 {
		return start
	}
	return i - 1
}

func (g *Graph) weightOf(agents int) int {
	if g.Reading == Each {
		return agents - 1
	}
	return 1
}

func setsOfAll(agents, bit int) []Set {
	sets := make([]Set, agents)
	for i := range sets {
		sets[i] = 1 << bit
	}
	return sets
}

// Edge is one edge of a drawn graph.
type Edge struct {
	From        string   `json:"from"`
	To          string   `json:"to"`
	Probability float64  `json:"probability"`
	SE          *float64 `json:"se"` // over talks; nil for one
}

// String returns the probability and its standard error: 0.83 (0.04).
func (e Edge) String() string {
	if e.SE == nil {
		return fmt.Sprintf("%.2f", e.Probability)
	}
	return fmt.Sprintf("%.2f (%.2f)", e.Probability, *e.SE)
}

// Top returns the edges that the paper draws: from each node the most probable edge to another one,
// the first of equals. Acts that are never shown, or never answered, have none.
func (g Graph) Top() []Edge {
	var edges []Edge
	for i, from := range g.From {
		best := Edge{From: from}
		for j, to := range g.To {
			if p := g.Probability[i][j]; p != nil && to != from && *p > best.Probability {
				best.To, best.Probability, best.SE = to, *p, g.SE[i][j]
			}
		}
		if best.To != "" {
			edges = append(edges, best)
		}
	}
	return edges
}
