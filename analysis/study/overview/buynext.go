package overview

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// BuyNext returns, for each pair of conditions, how much of the variance of their difference is between
// instances and how much within them, and what more instances or replicates would gain.
func BuyNext(c campaign.Campaign) (table.Table, bool) {
	v := c.View("")
	t := table.Table{Title: "What to buy next: instances or replicates"}
	unit := "USD"
	for _, g := range v.Groups {
		if cost, ok := cellCost(g, true); !ok || cost == 0 {
			unit = "calls"
		}
	}
	var rows []noise
	for i, a := range v.Groups {
		for _, b := range v.Groups[i+1:] {
			if a.Settings["env"] != b.Settings["env"] {
				continue
			}
			if n, ok := noiseOf(v, a, b, unit == "USD"); ok {
				rows = append(rows, n)
			}
		}
	}
	table.Fill(&t, rows, noiseColumns(unit)...)
	t.Notes = []string{
		"Differences of the final score, A - B, of the same replicate of the same instance. Between: standard " +
			"deviation of the true difference over instances; within: over replicates of one instance (one-way " +
			"random effects); ICC: share of the variance that is between. Empty where each instance has one " +
			"replicate: the two cannot be told apart. " +
			"Cost: mean cost of a cell of A plus one of B, which is that of one replicate, and of a new instance " +
			"with one replicate. Half width: of the 95 % interval by Student's t over instances, now and after " +
			"spending as much again (twice) or three times as much again (four times) on new instances with as many " +
			"replicates each, or on further replicates of the same instances.",
		"Best number of replicates for the money: 1, unless an instance has a price besides its calls, as an answer " +
			"that is made by hand; then √(price/cost) · within/between. A new instance says more than a replicate " +
			"for the same money, however noisy it is. Two pay above: the price of an instance from which 2 " +
			"replicates are better than 1. Where an environment has one instance only, its replicates are the units " +
			"and stand under instances. If the data set has no further instances, go by the columns of replicates: " +
			"between/√n is what no replicate gets below.",
	}
	v.AddNotes(&t)
	return t, len(rows) > 0
}

// noise is how the difference of two conditions varies.
type noise struct {
	environment, a, b string
	instances         int
	replicates        float64  // mean over instances
	between, within   *float64 // standard deviations; nil if they cannot be told apart
	total             float64  // standard deviation over instances' means
	cost              *float64
}

// noiseOf returns false if fewer than two instances have both.
func noiseOf(v campaign.View, a, b campaign.Group, usd bool) (noise, bool) {
	n := noise{environment: a.Settings["env"], a: v.Title(a), b: v.Title(b)}
	of := map[campaign.Pair]float64{}
	for _, r := range b.Succeeded() {
		if value, ok := r.Outcome(); ok {
			of[campaign.PairOf(r.Collaboration)] = value
		}
	}
	byInstance, order := map[string][]float64{}, []string{}
	for _, r := range a.Succeeded() {
		value, ok := r.Outcome()
		other, both := of[campaign.PairOf(r.Collaboration)]
		if !ok || !both {
			continue
		}
		key := r.UnitName()
		if byInstance[key] == nil {
			order = append(order, key)
		}
		byInstance[key] = append(byInstance[key], value-other)
	}
	var clusters [][]float64
	var means []float64
	all := 0
	for _, key := range order {
		clusters, means, all = append(clusters, byInstance[key]), append(means, stat.Mean(byInstance[key], nil)),
			all+len(byInstance[key])
	}
	if len(clusters) < 2 {
		return n, false
	}
	n.instances, n.replicates, n.total = len(clusters), float64(all)/float64(len(clusters)), stat.StdDev(means, nil)
	n.split(clusters)
	costA, okA := cellCost(a, usd)
	costB, okB := cellCost(b, usd)
	if okA && okB {
		n.cost = new(costA + costB)
	}
	return n, true
}

// split finds the parts of the variance, if some instance has several replicates.
func (n *noise) split(clusters [][]float64) {
	squares, free := 0., 0
	for _, c := range clusters {
		mean := stat.Mean(c, nil)
		for _, d := range c {
			squares += (d - mean) * (d - mean)
		}
		free += len(c) - 1
	}
	if free == 0 {
		return
	}
	within := squares / float64(free)
	between := n.total * n.total // of instances without spread
	if rho, err := statistics.ICC(clusters); err == nil && rho < 1 {
		between = max(0, rho) / (1 - max(0, rho)) * within
	}
	n.between, n.within = new(math.Sqrt(between)), new(math.Sqrt(within))
}

// cellCost returns the mean cost of a cell that succeeded, in US dollars or calls; false if
// it is not known.
func cellCost(g campaign.Group, usd bool) (float64, bool) {
	sum, n := 0., 0
	for _, r := range g.Succeeded() {
		switch {
		case !usd:
			sum += float64(r.Calls)
		case r.CostUSD == nil:
			return 0, false
		default:
			sum += *r.CostUSD
		}
		n++
	}
	return sum / float64(max(1, n)), n > 0
}

// halfWidth returns half the width of the interval with multiples of the instances and the replicates:
// that of the table comparisons, in proportion to what the parts of the variance predict.
func (n noise) halfWidth(instances, replicates float64) *float64 {
	i := float64(n.instances) * instances
	variance := n.total * n.total / i
	if n.between != nil {
		predict := func(replicates float64) float64 {
			return *n.between**n.between + *n.within**n.within/(n.replicates*replicates)
		}
		if now := predict(1); now > 0 {
			variance *= predict(replicates) / now
		}
	} else if replicates > 1 {
		return nil
	}
	return new(statistics.QuantileT(.975, i-1) * math.Sqrt(variance))
}

// payAbove returns the price of an instance from which 2 replicates of it are better than
// 1: (f+c)(b+w) = (f+2c)(b+w/2) at f = 2cb/w, b and w the variances between and within.
func (n noise) payAbove() *float64 {
	if n.cost == nil || n.within == nil || *n.within == 0 {
		return nil
	}
	return new(2 * *n.cost * *n.between * *n.between / (*n.within * *n.within))
}

func noiseColumns(unit string) []table.Columns[noise] {
	column := table.Column[noise]
	half := func(header string, instances, replicates float64) table.Columns[noise] {
		return column(header,
			func(n noise) table.Cell { return table.NumberOrEmpty(n.halfWidth(instances, replicates), 4) })
	}
	return []table.Columns[noise]{
		column("env", func(n noise) table.Cell { return table.Word(n.environment) }),
		column("A", func(n noise) table.Cell { return table.Word(n.a) }),
		column("B", func(n noise) table.Cell { return table.Word(n.b) }),
		column("instances", func(n noise) table.Cell { return table.Count(n.instances) }),
		column("replicates", func(n noise) table.Cell { return table.Number(n.replicates, 1) }),
		column("between", func(n noise) table.Cell { return table.NumberOrEmpty(n.between, 4) }),
		column("within", func(n noise) table.Cell { return table.NumberOrEmpty(n.within, 4) }),
		column("ICC", func(n noise) table.Cell {
			if n.between == nil || *n.between+*n.within == 0 {
				return table.Cell{}
			}
			b, w := *n.between**n.between, *n.within**n.within
			return table.Number(b/(b+w), 2)
		}),
		column("cost, "+unit, func(n noise) table.Cell { return table.NumberOrEmpty(n.cost, 4) }),
		half("half width", 1, 1), half("2× instances", 2, 1), half("2× replicates", 1, 2), half("4× instances", 4, 1),
		half("4× replicates", 1, 4),
		column("two pay above", func(n noise) table.Cell { return table.NumberOrEmpty(n.payAbove(), 4) }),
	}
}
