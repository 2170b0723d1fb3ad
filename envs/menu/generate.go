package menu

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/envs/joint"
)

// The selection of paper 3 (A.1.4): of 10,000 candidates the best 60.
const (
	candidates    = 10000
	selected      = 60
	kinds         = 8 // of ingredients in stock
	dishes        = 12
	mostStock     = 5   // of one ingredient
	mostPossible  = 8   // dishes that are drawn because the stock allows them
	leastPossible = 5   // dishes that the stock allows by themselves …
	leastShare    = 0.4 // … and of all dishes of the task
	leastBest     = 3   // dishes in the best menu
	nodes         = joint.Nodes
)

// Task is one problem of the benchmark.
type Task struct {
	Dishes []string       `json:"dishes"` // on offer
	Stock  map[string]int `json:"stock"`
	Guests []string       `json:"guests"`
	Best   float64        `json:"best"` // greatest reward
	Number int            `json:"number"`

	used     int // kinds of ingredients in the best menu
	listed   int // kinds in stock or in any recipe
	possible int // dishes that the stock allows by themselves
	length   int // of the best menu
	places   int // by all criteria together
}

// criteria of the selection, in the paper's order; less is better.
var criteria = []func(Task) int{
	func(t Task) int { return -t.used },
	func(t Task) int { return t.listed },
	func(t Task) int { return -t.possible },
	func(t Task) int { return t.length },
}

// generateTasks generates the candidates of a seed and selects. The paper names its
// criteria and no weights: here each counts the same, by a candidate's place in it.
func (db *database) generateTasks(seed uint64) ([]Task, error) {
	var fit []Task
	for n := range candidates {
		if t, ok := db.drawTask(envs.Stream(seed, "menu", n)); ok {
			t.Number = n
			fit = append(fit, t)
		}
	}
	if len(fit) < selected {
		return nil, fmt.Errorf("menu: only %d of %d tasks of the seed %d are fit for a benchmark; %d are needed",
			len(fit), candidates, seed, selected)
	}
	rankTasks(fit)
	return fit[:selected], nil
}

// rankTasks puts tasks in the order of the sums of their places: how many others are better by each criterion.
func rankTasks(tasks []Task) {
	for _, criterion := range criteria {
		var all []int
		for _, t := range tasks {
			all = append(all, criterion(t))
		}
		slices.Sort(all)
		for i := range tasks {
			better, _ := slices.BinarySearch(all, criterion(tasks[i]))
			tasks[i].places += better
		}
	}
	slices.SortStableFunc(tasks, func(a, b Task) int { return cmp.Compare(a.places, b.places) })
}

// The benchmark of one seed is recorded, since generating it takes a second.
const recordedSeed = 1

//go:embed data/benchmark.jsonl
var benchmarkJSON string

func recordedTasks(uint64) ([]Task, error) {
	var tasks []Task
	for line := range strings.Lines(benchmarkJSON) {
		var t Task
		if err := json.Unmarshal([]byte(line), &t); err != nil {
			return nil, fmt.Errorf("menu: data/benchmark.jsonl: %w", err)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// drawTask draws a stock, dishes and guests; false if they make no task.
func (db *database) drawTask(rng *rand.Rand) (Task, bool) {
	t := Task{Stock: db.drawStock(rng)}
	offered := db.drawDishes(rng, t.Stock)
	for _, d := range offered {
		t.Dishes = append(t.Dishes, d.Name)
		if isMakeable(d, t.Stock) {
			t.possible++
		}
	}
	for _, g := range rng.Perm(len(db.guests))[:2] {
		t.Guests = append(t.Guests, db.guests[g].Name)
	}
	if len(t.Stock) != kinds || t.possible < max(leastPossible, int(math.Ceil(leastShare*float64(len(t.Dishes))))) {
		return t, false
	}
	k, err := db.buildKitchen(t)
	if err != nil {
		return t, false
	}
	best := joint.Solve(k.problem, nodes)
	for _, o := range best.Choice {
		if o >= 0 {
			t.length++
		}
	}
	for _, amount := range k.problem.Uses(best.Choice) {
		if amount > 0 {
			t.used++
		}
	}
	t.Best, t.listed = best.Value, len(k.ingredients)
	return t, t.length >= leastBest && best.Gap == 0
}

// drawStock adds dishes' ingredients until there are as many kinds as wanted.
// Of many dishes the one that needs the fewest new kinds is taken, so that
// dishes compete for what is there.
func (db *database) drawStock(rng *rand.Rand) map[string]int {
	stock := map[string]int{}
	for range 40 {
		at, fewest := -1, kinds+1
		for range 30 {
			i := rng.IntN(len(db.dishes))
			if n := missingKinds(db.dishes[i], stock); n > 0 && n < fewest {
				at, fewest = i, n
			}
		}
		if at < 0 || len(stock)+fewest > kinds {
			continue
		}
		for _, in := range db.ingredients { // in their order, not the map's
			if db.dishes[at].Recipe[in.Name] > 0 && stock[in.Name] == 0 {
				stock[in.Name] = 1 + rng.IntN(mostStock)
			}
		}
		if len(stock) == kinds {
			break
		}
	}
	return stock
}

// missingKinds counts kinds of ingredients that are not there.
func missingKinds(d Dish, stock map[string]int) int {
	n := 0
	for _, name := range d.needs {
		if stock[name] == 0 {
			n++
		}
	}
	return n
}

// drawDishes takes dishes that can be made and fills up with others.
func (db *database) drawDishes(rng *rand.Rand, stock map[string]int) []Dish {
	var near, far []Dish
	for _, i := range rng.Perm(len(db.dishes)) {
		switch d := db.dishes[i]; {
		case len(near) < mostPossible && isMakeable(d, stock):
			near = append(near, d)
		case len(far) < dishes:
			far = append(far, d)
		}
	}
	list := append(near, far...)[:dishes]
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func isMakeable(d Dish, stock map[string]int) bool {
	for _, name := range d.needs {
		if stock[name] < d.Recipe[name] {
			return false
		}
	}
	return true
}

func (db *database) findTask(t Task) (offered []Dish, guests []Guest, err error) {
	for _, name := range t.Dishes {
		i := slices.IndexFunc(db.dishes, func(d Dish) bool { return d.Name == name })
		if i < 0 {
			return nil, nil, fmt.Errorf("menu: there is no dish %q", name)
		}
		offered = append(offered, db.dishes[i])
	}
	for _, name := range t.Guests {
		i := slices.IndexFunc(db.guests, func(g Guest) bool { return g.Name == name })
		if i < 0 {
			return nil, nil, errors.New("menu: there is no such guest")
		}
		guests = append(guests, db.guests[i])
	}
	return offered, guests, nil
}
