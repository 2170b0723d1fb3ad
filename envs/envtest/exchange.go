package envtest

import (
	"encoding/json"
	"testing"

	"roundtable/envs"
	"roundtable/envs/exchange"
)

// ExchangeProposal returns an allocation (rows are agents, columns goods) as the economy
// reads it from a model's text.
func ExchangeProposal(t testing.TB, e *exchange.Economy, amounts [][]float64) envs.Proposal {
	t.Helper()
	goods := e.Observe(0).(exchange.Observation).Goods
	m := map[string]map[string]float64{}
	for i, a := range e.Agents() {
		m[a.Name] = map[string]float64{}
		for k, v := range amounts[i] {
			m[a.Name][goods[k].Name] = v
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Parse(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return p
}
