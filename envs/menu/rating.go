package menu

import (
	"math"
	"slices"
)

// spices are how much a guest likes, on the dishes' scale.
var spices = map[string]int{"Mild": 0, "Medium": 1, "Hot": 2}

// Rating returns how much a guest likes a dish, from 0 to 5: our own rule on the profile, since
// the paper's ratings are not printed. Unknown parts of the profile count for nothing.
func Rating(g Guest, d Dish) float64 {
	if isRefusedBy(g, d) {
		return 0
	}
	r := 2.5
	has := func(trait string) bool { return slices.Contains(d.traits, trait) }
	is := func(style string) bool { return slices.Contains(d.Style, style) }
	add := func(applies bool, points float64) {
		if applies {
			r += points
		}
	}
	if c := g.Culture; c != nil {
		add(c.Cuisine == d.Cuisine, 1.5)
		add(c.Traditional && is("traditional"), 0.5)
		r -= 0.5 * math.Abs(float64(d.Spice-spices[c.Spice]))
	}
	add(g.Diet["Low-carb"] && has("starch"), -1)
	add(g.Health["Protein-rich"] && has("protein"), 0.5)
	add(g.Health["Muscle-building focus"] && has("meat"), 0.5)
	add(g.Health["Calorie-conscious"] && has("rich"), -0.5)
	add(g.Health["Weight-loss focus"] && has("starch"), -0.5)
	add(g.Health["Low-sodium"] && has("salty"), -0.5)
	add(g.Health["Low-sugar"] && has("sweet"), -1)
	add(g.Dining["Adventurous Eater"] && !is("traditional"), 0.5)
	add(g.Dining["Comfort Food Lover"] && is("comfort"), 1)
	add(g.Dining["Indulgent Food Preferences"] && has("rich"), 0.5)
	add(g.Dining["Minimalist Dining"] && len(d.Recipe) <= 3, 0.5)
	add(g.Dining["Snack-friendly"] && is("snack"), 0.5)
	return min(5, max(0.5, r))
}

// isRefusedBy reports whether a guest does not eat a dish at all.
func isRefusedBy(g Guest, d Dish) bool {
	none := func(applies bool, traits ...string) bool {
		return applies && slices.ContainsFunc(traits, func(t string) bool { return slices.Contains(d.traits, t) })
	}
	if g.Allergies != nil {
		for _, a := range *g.Allergies { // by kind of food or by ingredient
			if d.Recipe[a] > 0 || none(true, a) || none(a == "peanuts", "nuts") || none(a == "eggs", "egg") {
				return true
			}
		}
	}
	return none(g.Diet["Vegetarian"], "meat", "fish", "shellfish") ||
		none(g.Diet["Vegan"], "meat", "fish", "shellfish", "egg", "dairy", "honey") ||
		none(g.Diet["Gluten-free"], "gluten") || none(g.Diet["Dairy-free"], "dairy") ||
		g.Ethics != nil && (none(g.Ethics.Halal, "pork") || none(g.Ethics.Kosher, "pork", "shellfish") ||
			none(g.Ethics.Buddhist, "meat", "fish", "shellfish"))
}

// Value returns the value of a dish to a guest: r(n + 0.2 n^1.5) with r the Rating and n the
// amount of its ingredients (paper 3, A.1.2), to two decimals.
func Value(g Guest, d Dish) float64 {
	n := float64(d.totalAmount())
	return math.Round(100*Rating(g, d)*(n+0.2*math.Pow(n, 1.5))) / 100
}
