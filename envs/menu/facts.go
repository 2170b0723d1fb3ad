package menu

import (
	"encoding/json"
	"maps"
	"slices"

	"roundtable/envs/joint"
)

// knowing is the kitchen as one agent knows it: a joint.Mind.
type knowing struct {
	*kitchen
	seen Observation
}

func newMind(o Observation) joint.Mind {
	return knowing{&kitchen{offered: o.Dishes, ingredients: o.Ingredients}, o}
}

// Facts returns what the observation holds: stock/…, value/… and guest/name/group.
func (o Observation) Facts() joint.Facts {
	facts := joint.Facts{}
	for _, name := range slices.Sorted(maps.Keys(o.Stock)) {
		facts.Put("stock/"+name, o.Stock[name])
	}
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		facts.Put("value/"+name, o.Values[name])
	}
	for _, g := range o.Profiles {
		var groups map[string]json.RawMessage
		data, err := json.Marshal(g)
		if err != nil || json.Unmarshal(data, &groups) != nil {
			panic("menu: a profile does not marshal")
		}
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			facts["guest/"+g.Name+"/"+group] = groups[group]
		}
	}
	return facts
}

func (k knowing) Facts() joint.Facts { return k.seen.Facts() }

// Know returns an estimate without doubt, of an agent that has no partner.
func (k knowing) Know(all joint.Facts) string {
	k.seen.Values = nil // they are among all
	k.seen.Stock = nil
	e := k.estimateFrom([]joint.Facts{all}, joint.Doubt{})
	e.PartnerIngredients, e.PartnerValues = nil, nil
	return e.String()
}

// Assume adds what others told to what the agent sees itself.
func (k knowing) Assume(told []joint.Facts, d joint.Doubt) string {
	return k.estimateFrom(told, d).String()
}

// estimateFrom follows the order of the dishes and ingredients, so that doubts fall the same way each time.
func (k knowing) estimateFrom(told []joint.Facts, d joint.Doubt) Estimate {
	e := Estimate{PartnerIngredients: joint.State{}, PartnerValues: joint.State{}, Ingredients: joint.State{},
		Values: joint.State{}}
	number := func(fact string) (sum float64, known bool) {
		for _, facts := range told {
			var v float64
			if data, ok := facts[fact]; ok && json.Unmarshal(data, &v) == nil {
				sum, known = min(joint.Most, max(0, sum+d.Heard(v))), true
			}
		}
		return sum, known
	}
	for _, name := range k.ingredients {
		amount := float64(k.seen.Stock[name])
		if v, ok := number("stock/" + name); ok {
			e.PartnerIngredients[name] = v
			amount += v
		}
		e.Ingredients[name] = min(joint.Most, joint.Tidy(amount+d.Excess))
	}
	guests := k.guestsKnown(told)
	for _, dish := range k.offered {
		e.Values[dish.Name] = k.seen.Values[dish.Name]
		if v, ok := number("value/" + dish.Name); ok {
			e.PartnerValues[dish.Name] = v
			e.Values[dish.Name] += v
		}
		for _, g := range guests {
			e.Values[dish.Name] += Value(g, dish)
		}
		e.Values[dish.Name] = min(joint.Most, joint.Tidy(e.Values[dish.Name]))
	}
	return e
}

// guestsKnown joins what is known of the guests' profiles.
func (k knowing) guestsKnown(told []joint.Facts) []Guest {
	var guests []Guest
	for _, g := range k.seen.Profiles {
		groups := joint.Facts{}
		own := Observation{Profiles: []Guest{g}}.Facts()
		for _, facts := range append(slices.Clone(told), own) {
			for _, group := range profileGroups {
				if v, ok := facts["guest/"+g.Name+"/"+group]; ok {
					groups[group] = v
				}
			}
		}
		var joined Guest
		data, err := json.Marshal(groups)
		if err != nil || json.Unmarshal(data, &joined) != nil {
			joined = g // what an agent said is not a profile
		}
		guests = append(guests, joined)
	}
	return guests
}

// profileGroups are the groups of a profile's fields.
var profileGroups = []string{
	"Name", "Gender", "Nationality", "Age", "Occupation", "Recent Status", "Dietary Preferences", "Food Allergies",
	"Cultural Preferences", "Health and Fitness Goals", "Personality and Dining Style",
	"Ethical and Religious Considerations",
}

// Merged returns all that both agents observe.
func (s *session) Merged() string {
	all, what := joint.Facts{}, "the stock and what is known of the guests"
	for _, o := range s.seen {
		maps.Copy(all, o.Facts())
	}
	if s.seen[0].Numeric { // values of both guests add up
		what = "the stock and the value of each dish to both guests together"
		sum := map[string]float64{}
		for _, d := range s.offered {
			sum[d.Name] = joint.Tidy(s.seen[0].Values[d.Name] + s.seen[1].Values[d.Name])
		}
		maps.Copy(all, (Observation{Values: sum}).Facts())
	}
	data, err := json.Marshal(all)
	if err != nil {
		panic("menu: " + err.Error())
	}
	return "All observations together (" + what + "): " + string(data)
}

// Merged of what one agent knows is its own observation.
func (k *kitchen) Merged() string { return "" }
