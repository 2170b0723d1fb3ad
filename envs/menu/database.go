package menu

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// The database, authored for this project in the measure of paper 3's: 51
// ingredients, 78 dishes of 12 cuisines, 10 guests (§2.3).
var (
	//go:embed data/ingredients.json
	ingredientsJSON string
	//go:embed data/dishes.json
	dishesJSON string
	//go:embed data/guests.json
	guestsJSON string
)

// Ingredient is an ingredient with the traits that matter to diets and tastes.
type Ingredient struct {
	Name   string   `json:"name"`
	Traits []string `json:"traits"`
}

// Dish is a dish; Recipe has amounts by ingredient, Spice is from 0 to 3.
type Dish struct {
	Name    string         `json:"name"`
	Cuisine string         `json:"cuisine"`
	Spice   int            `json:"spice"`
	Style   []string       `json:"style"`
	Recipe  map[string]int `json:"recipe"`

	traits []string // of all ingredients
	needs  []string // the recipe's ingredients, sorted
}

// totalAmount of everything that the recipe needs.
func (d Dish) totalAmount() int {
	n := 0
	for _, name := range slices.Sorted(maps.Keys(d.Recipe)) {
		n += d.Recipe[name]
	}
	return n
}

// Guest is a profile (paper 3, A.1.2). A group that is nil is not known.
type Guest struct {
	Name        string
	Gender      string
	Nationality string
	Age         int
	Occupation  map[string]string `json:",omitempty"`
	Status      map[string]string `json:"Recent Status,omitempty"`
	Diet        map[string]bool   `json:"Dietary Preferences,omitempty"`
	Allergies   *[]string         `json:"Food Allergies,omitempty"`
	Culture     *Culture          `json:"Cultural Preferences,omitempty"`
	Health      map[string]bool   `json:"Health and Fitness Goals,omitempty"`
	Dining      map[string]bool   `json:"Personality and Dining Style,omitempty"`
	Ethics      *Ethics           `json:"Ethical and Religious Considerations,omitempty"`
}

// Culture is what a guest is used to.
type Culture struct {
	Cuisine     string `json:"Cuisine Type"`
	Spice       string `json:"Spice Level Preference"`
	Traditional bool   `json:"Traditional Dishes"`
}

// Ethics are rules that a guest keeps.
type Ethics struct {
	Halal, Kosher, Buddhist bool
	Preferences             string `json:"Ethical Eating Preferences"`
}

type database struct {
	ingredients []Ingredient
	dishes      []Dish
	guests      []Guest
}

func loadDatabase() (*database, error) {
	db := &database{}
	for _, part := range []struct {
		name, text string
		to         any
	}{{"ingredients", ingredientsJSON, &db.ingredients}, {"dishes", dishesJSON, &db.dishes},
		{"guests", guestsJSON, &db.guests}} {
		if err := json.Unmarshal([]byte(part.text), part.to); err != nil {
			return nil, fmt.Errorf("menu: data/%s.json: %w", part.name, err)
		}
	}
	for i := range db.dishes {
		d := &db.dishes[i]
		for _, in := range db.ingredients {
			if d.Recipe[in.Name] > 0 {
				d.traits = append(d.traits, in.Traits...)
			}
		}
		d.needs = slices.Sorted(maps.Keys(d.Recipe))
	}
	return db, nil
}
