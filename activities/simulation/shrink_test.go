package simulation

import (
	"reflect"
	"slices"
)

// Shrink returns the smallest scenario found that still fails: without kills, faults,
// cells, agents, rounds and processes that it does not take.
func Shrink(s Scenario, fails func(Scenario) bool) Scenario {
	for again := true; again; {
		again = false
		for _, smaller := range s.smaller() {
			if fails(smaller) {
				s, again = smaller, true
				break
			}
		}
	}
	return s
}

// smaller returns scenarios that have one thing less.
func (s Scenario) smaller() []Scenario {
	var all []Scenario
	less := func(change func(*Scenario)) {
		smaller := s
		smaller.Kills = slices.Clone(s.Kills)
		change(&smaller)
		if !reflect.DeepEqual(smaller, s) {
			all = append(all, smaller)
		}
	}
	for i := range s.Kills {
		less(func(s *Scenario) { s.Kills = slices.Delete(s.Kills, i, i+1) })
	}
	for i := range reflect.TypeFor[Faults]().NumField() {
		less(func(s *Scenario) { reflect.ValueOf(&s.Faults).Elem().Field(i).SetZero() })
	}
	less(func(s *Scenario) { s.Cap = 0 })
	less(func(s *Scenario) { s.Cache = false })
	less(func(s *Scenario) { s.Batched = false })
	less(func(s *Scenario) { s.Nameless = false })
	less(func(s *Scenario) { s.Cancelled = 0 })
	less(func(s *Scenario) { s.Content = 0 })
	less(func(s *Scenario) { s.Cells = max(1, s.Cells-1) })
	less(func(s *Scenario) { s.Agents = max(2, s.Agents-1) })
	less(func(s *Scenario) { s.Rounds = max(1, s.Rounds-1) })
	less(func(s *Scenario) { s.AtOnce = max(1, s.AtOnce-1) })
	less(func(s *Scenario) { s.Processes = 1 })
	return all
}
