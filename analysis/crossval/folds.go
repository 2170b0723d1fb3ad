package crossval

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Folds says in which fold each unit is held out. Conditions that share units are split alike, and
// all rounds of a collaboration stay together.
type Folds struct {
	K    int            `json:"k"`
	Seed uint64         `json:"seed"` // of NewFolds; what Of says counts
	Of   map[string]int `json:"of"`   // by unit, from 0
}

// NewFolds deals units into k folds whose sizes differ by at most one, independently of their
// order. Repeated units count once.
func NewFolds(units []string, k int, seed uint64) (Folds, error) {
	once := slices.Compact(slices.Sorted(slices.Values(units)))
	if k < 2 || len(once) < k {
		return Folds{}, fmt.Errorf("%d folds of %d collaborations; at least 2 folds are needed, and a collaboration in each", k, len(once))
	}
	f := Folds{K: k, Seed: seed, Of: make(map[string]int, len(once))}
	for place, i := range rand.New(rand.NewPCG(seed, 0x666f6c6473)).Perm(len(once)) {
		f.Of[once[i]] = place % k
	}
	return f, nil
}

// split some runs into those outside and those in a fold.
func (f Folds) split(d *Data, runs []int, fold int) (train, test []int) {
	for _, run := range runs {
		if f.Of[d.Runs[run].Unit] == fold {
			test = append(test, run)
		} else {
			train = append(train, run)
		}
	}
	return train, test
}

// foldSplit are the runs outside and in a fold; nobody changes them.
type foldSplit struct{ train, test []int }

// splitAll divides all runs, for each fold.
func (f Folds) splitAll(d *Data) []foldSplit {
	all := make([]foldSplit, f.K)
	for fold := range all {
		all[fold].train, all[fold].test = f.split(d, d.everyRun(), fold)
	}
	return all
}

// check that every run has a fold, and every fold something to be trained on.
func (f Folds) check(d *Data) error {
	size := make([]int, f.K)
	for _, t := range d.Runs {
		fold, ok := f.Of[t.Unit]
		if !ok || fold < 0 || fold >= f.K {
			return fmt.Errorf("collaboration %s (%s) is in none of the %d folds", t.ID, t.Unit, f.K)
		}
		size[fold]++
	}
	if slices.Max(size) == len(d.Runs) {
		return fmt.Errorf("all %d collaborations are in one fold, so there are none to be trained on", len(d.Runs))
	}
	return nil
}
