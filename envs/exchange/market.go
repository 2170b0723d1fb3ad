package exchange

import (
	"math"
	"slices"
	"strconv"

	"roundtable/envs"
)

// market is what a trader makes of its situation: the goods, its own exponents
// and what it believes of the others'.
type market struct {
	table
	self    int
	beliefs [][]float64 // exponents by agent and good; its own are known
}

// formBeliefs forms beliefs: an agent that has said nothing likes all goods the same; one that
// named a favourite is believed more with every round.
func (t Trader) formBeliefs(s envs.Situation) market {
	o := s.Observation.(Observation)
	m := market{table: o.newTable(), self: s.Agent, beliefs: make([][]float64, len(o.Agents))}
	goods := len(o.Goods)
	said := favouriteGoods(m.goods, len(o.Agents), s.Messages)
	sure := 1 - math.Pow(1-t.Trust, float64(s.Round))
	for j := range m.beliefs {
		m.beliefs[j] = slices.Repeat([]float64{1 / float64(goods)}, goods)
		if f := said[j]; f >= 0 && goods > 1 {
			for k := range m.beliefs[j] {
				stated := (1 - preferred) / float64(goods-1)
				if k == f {
					stated = preferred
				}
				m.beliefs[j][k] += sure * (stated - m.beliefs[j][k])
			}
		}
	}
	m.beliefs[s.Agent] = o.Exponents
	return m
}

// demandWith returns the allocation that is best for the sum of log utilities with the
// agent's own weight: a_jk in proportion to weight times exponent.
func (m market) demandWith(weight float64) allocation {
	a := make(allocation, len(m.agents))
	for j := range a {
		a[j] = slices.Clone(m.beliefs[j])
		if j == m.self {
			for k := range a[j] {
				a[j][k] *= weight
			}
		}
	}
	for k, q := range m.quantity {
		sum := 0.0
		for j := range a {
			sum += a[j][k]
		}
		for j := range a {
			if sum > 0 {
				a[j][k] *= q / sum
			} else {
				a[j][k] = q / float64(len(a))
			}
		}
	}
	return a
}

// handOut scales every good to its quantity in amounts of about four digits;
// who gets most takes the remainder.
func (m market) handOut(a allocation) allocation {
	for k, q := range m.quantity {
		sum, most := 0.0, 0
		for j := range a {
			sum += a[j][k]
			if a[j][k] > a[most][k] {
				most = j
			}
		}
		digits := max(0, 4-int(math.Floor(math.Log10(q))))
		unit, rest := math.Pow10(digits), q
		for j := range a {
			if j != most {
				// 1e-6: what is whole stays whole on every machine
				a[j][k] = roundDecimal(math.Floor(a[j][k]*q/sum*unit+1e-6)/unit, digits)
				rest -= a[j][k]
			}
		}
		a[most][k] = roundDecimal(rest, digits+6) // clear of the noise of subtraction
	}
	return a
}

func roundDecimal(v float64, digits int) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', digits, 64), 64)
	return v
}

func (m market) ownUtility(a allocation) float64 { return cobbDouglas(m.beliefs[m.self], a[m.self]) }

// worthOf returns own^(1-care) · others^care, where others is the geometric mean of
// what the others are believed to make of the allocation.
func (m market) worthOf(a allocation, care float64) float64 {
	others := 1.0
	for j := range a {
		if j != m.self {
			others *= math.Pow(cobbDouglas(m.beliefs[j], a[j]), 1/float64(len(a)-1))
		}
	}
	return math.Pow(m.ownUtility(a), 1-care) * math.Pow(others, care)
}
