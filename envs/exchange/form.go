package exchange

import (
	"math"

	"roundtable/envs"
	"roundtable/envs/jsonschema"
)

// ProposalForm returns the form of a proposal: an amount of each good for each agent. The schema
// cannot say that the amounts of a good add up; the example divides each good unevenly, each in
// another way.
func (e *Economy) ProposalForm() envs.Form {
	t := e.table
	goods := make([]jsonschema.Property, len(t.goods))
	for k, good := range t.goods {
		goods[k] = jsonschema.Property{Name: good, Schema: jsonschema.Number(0, t.quantity[k])}
	}
	return envs.Form{
		Schema:  jsonschema.ObjectOf(t.agents, jsonschema.Object(goods...)),
		Example: string(t.formatAllocation(t.exampleAllocation())),
	}
}

// exampleAllocation divides each good in the ratio 1 : 2 : … : n, with another agent first
// for each good; the last one gets what is left by rounding.
func (t table) exampleAllocation() allocation {
	n := len(t.agents)
	a := make(allocation, n)
	for i := range a {
		a[i] = make([]float64, len(t.goods))
	}
	for k, total := range t.quantity {
		left := total
		for i := range n {
			share := roundTo12(math.Floor(100*total*float64(i+1)/float64(n*(n+1)/2)) / 100)
			if i == n-1 {
				share = roundTo12(left)
			}
			a[(i+k)%n][k], left = share, left-share
		}
	}
	return a
}
