package exchange

import (
	"slices"
	"strconv"
	"strings"
)

// Observation is all that one agent knows: the market, which everybody knows,
// and its own utility, which nobody else does.
type Observation struct {
	Agents []string
	Goods  []Good
	// Exponents of the agent's own utility, by good.
	Exponents []float64
	// Scales says that amounts are scaled where totals are off; see Params.Totals.
	Scales bool
}

// Good is something to hand out.
type Good struct {
	Name     string
	Quantity float64
}

// Total returns the quantity as text, as agents read it.
func (g Good) Total() string { return formatNumber(g.Quantity) }

// Formula returns the agent's utility as text, as the agent reads it, such as "apples^0.8 *
// bread^0.2".
func (o Observation) Formula() string {
	var factors []string
	for k, t := range o.Exponents {
		if t > 0 {
			factors = append(factors, o.Goods[k].Name+"^"+shortNumber(t))
		}
	}
	return strings.Join(factors, " * ")
}

// shortNumber returns a number with at most four digits that count.
func shortNumber(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return formatNumber(v)
}

func (o Observation) newTable() table {
	t := table{agents: o.Agents}
	for _, g := range o.Goods {
		t.goods = append(t.goods, g.Name)
		t.quantity = append(t.quantity, g.Quantity)
	}
	return t
}

// Observe returns the agent's Observation.
func (e *Economy) Observe(agent int) any {
	o := Observation{Agents: slices.Clone(e.table.agents), Exponents: slices.Clone(e.theta[agent]),
		Scales: e.table.scales}
	for k, name := range e.table.goods {
		o.Goods = append(o.Goods, Good{Name: name, Quantity: e.table.quantity[k]})
	}
	return o
}
