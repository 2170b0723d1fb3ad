package menu

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"roundtable/envs"
	"roundtable/envs/joint"
)

// kitchen is a task as a joint.Domain. An agent's own has no truth in it.
type kitchen struct {
	offered     []Dish
	ingredients []string // of the stock and of all recipes, in the database's order
	stock       map[string]int
	guests      []Guest
	problem     joint.Problem // of the truth
}

func (db *database) buildKitchen(t Task) (*kitchen, error) {
	offered, guests, err := db.findTask(t)
	if err != nil {
		return nil, err
	}
	k := &kitchen{offered: offered, stock: t.Stock, guests: guests}
	for _, in := range db.ingredients {
		needed := func(d Dish) bool { return d.Recipe[in.Name] > 0 }
		if t.Stock[in.Name] > 0 || slices.ContainsFunc(offered, needed) {
			k.ingredients = append(k.ingredients, in.Name)
		}
	}
	truth := Estimate{Ingredients: joint.State{}, Values: joint.State{}}
	for _, name := range slices.Sorted(maps.Keys(t.Stock)) {
		truth.Ingredients[name] = float64(t.Stock[name])
	}
	for _, d := range offered {
		for _, g := range guests {
			truth.Values[d.Name] += Value(g, d)
		}
	}
	k.problem = k.poseProblem(truth)
	return k, nil
}

// poseProblem returns the problem that an estimate makes.
func (k *kitchen) poseProblem(e Estimate) joint.Problem {
	var p joint.Problem
	for _, name := range k.ingredients {
		p.Capacity = append(p.Capacity, e.Ingredients[name])
	}
	for _, d := range k.offered {
		o := joint.Option{Value: e.Values[d.Name]}
		for _, name := range k.ingredients {
			o.Use = append(o.Use, float64(d.Recipe[name]))
		}
		p.Items = append(p.Items, []joint.Option{o})
	}
	return p
}

// Estimate is an estimate of the state: the stock of each ingredient, and each dish's value to
// both guests; and, for the record, the partner's part of both.
type Estimate struct {
	PartnerIngredients joint.State `json:"partner_ingredients,omitempty"`
	PartnerValues      joint.State `json:"partner_values,omitempty"`
	Ingredients        joint.State `json:"ingredients"`
	Values             joint.State `json:"values"`
}

func (e Estimate) String() string {
	data, err := json.Marshal(e) // names are sorted
	if err != nil {
		panic("menu: " + err.Error()) // quantities are finite
	}
	return string(data)
}

// Estimate reads an agent's.
func (k *kitchen) Estimate(text []byte) (string, error) {
	var e Estimate
	if json.Unmarshal(text, &e) != nil || e.Ingredients == nil || e.Values == nil {
		return "", fmt.Errorf(`it needs "ingredients" and "values", each an object of names and numbers`)
	}
	for _, part := range []struct {
		kind  string
		given *joint.State
		known []string
	}{
		{"ingredient", &e.Ingredients, k.ingredients}, {"ingredient", &e.PartnerIngredients, k.ingredients},
		{"dish", &e.Values, k.Items()}, {"dish", &e.PartnerValues, k.Items()},
	} {
		var err error
		if *part.given, err = part.given.Named(part.kind, part.known); err != nil {
			return "", err
		}
	}
	return e.String(), nil
}

func (k *kitchen) readEstimate(estimate string) (e Estimate) {
	if json.Unmarshal([]byte(estimate), &e) != nil {
		return Estimate{}
	}
	return e
}

// Problem of an estimate, or the true one.
func (k *kitchen) Problem(estimate string) joint.Problem {
	if estimate == "" {
		return k.problem
	}
	return k.poseProblem(k.readEstimate(estimate))
}

// State returns the stock.
func (k *kitchen) State(estimate string) joint.State {
	e, s := k.readEstimate(estimate), joint.State{}
	for _, name := range k.ingredients {
		if s[name] = e.Ingredients[name]; estimate == "" {
			s[name] = float64(k.stock[name])
		}
	}
	return s
}

// Pooled returns nothing: each kind of ingredient is seen by one agent.
func (k *kitchen) Pooled() []string { return nil }

// Items returns the dishes.
func (k *kitchen) Items() []string {
	var names []string
	for _, d := range k.offered {
		names = append(names, d.Name)
	}
	return names
}

// Resources returns the ingredients.
func (k *kitchen) Resources() []string { return k.ingredients }

// Proposal returns the list of dishes, in the order in which they are on offer.
func (k *kitchen) Proposal(choice []int) envs.Proposal {
	list := []string{}
	for i, o := range choice {
		if o >= 0 {
			list = append(list, k.offered[i].Name)
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic("menu: " + err.Error()) // strings always marshal
	}
	return envs.Proposal(data)
}

// Choice of a proposal: 0 for dishes on it, -1 for others.
func (k *kitchen) Choice(p envs.Proposal) []int {
	var list []string
	choice := slices.Repeat([]int{-1}, len(k.offered))
	if json.Unmarshal([]byte(p), &list) != nil {
		return choice
	}
	for i, d := range k.offered {
		if slices.Contains(list, d.Name) {
			choice[i] = 0
		}
	}
	return choice
}
