package exchange

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/envs"
)

const favouritePhrase = "What matters most to me is "

// favouriteGoods returns the good that each agent last named as its favourite; -1 for none.
func favouriteGoods(goods []string, agents int, messages []envs.Message) []int {
	list := slices.Repeat([]int{-1}, agents)
	for _, m := range messages {
		_, rest, found := strings.Cut(m.Text, favouritePhrase)
		if !found || m.From < 0 || m.From >= agents {
			continue
		}
		name, _, _ := strings.Cut(rest, ".")
		list[m.From] = slices.Index(goods, name)
	}
	return list
}

// Message opens with what the agent prefers, and later asks for more of it from
// the agent who holds most of it.
func (t Trader) Message(s envs.Situation) envs.Message {
	m := t.formBeliefs(s)
	own := m.beliefs[m.self]
	favourite := slices.Index(own, slices.Max(own))
	preference := "All goods matter to me about equally."
	if own[favourite] > 1.5*meanOf(own) {
		preference = favouritePhrase + m.goods[favourite] + "."
	}
	if t.Silent {
		preference = "I would rather not say what I prefer."
	}
	standing, ok := m.readCanonical(s.Standing)
	if !ok {
		return envs.Message{From: s.Agent,
			Text: "Nothing is settled yet. " + preference + " Please tell me what each of you needs."}
	}
	share := m.ownUtility(standing) / m.ownUtility(m.demandWith(t.ownWeight(s.Round)))
	if share >= 1 {
		return envs.Message{From: s.Agent, Text: "I can accept the present plan. " + preference}
	}
	holder := m.holderOf(standing, favourite)
	text := fmt.Sprintf("The present plan gives me %d percent of what I hope for. %s",
		int(math.Round(100*share)), preference)
	if t.Silent || holder == m.self {
		return envs.Message{From: s.Agent, Text: text}
	}
	return envs.Message{From: s.Agent, To: []int{holder}, Text: text + " Could you leave me more of it?"}
}

// holderOf returns who receives most of a good, the agent itself if nobody gets more than it.
func (m market) holderOf(a allocation, good int) int {
	h := m.self
	for j := range a {
		if a[j][good] > a[h][good] {
			h = j
		}
	}
	return h
}

func meanOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
