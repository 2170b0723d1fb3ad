// Package recsys is the recommendation environment of paper 1 (§4.2, D.3):
// three agents predict the rating that a user gives to a movie. One knows the
// movie and the user, one what others gave to the movie, one what the user
// gave to other movies. The data are MovieLens-100k's split u1; histories come
// from u1.base only, and the true rating is in nobody's observation.
//
// Data files are read by New and never again.
package recsys

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"roundtable/envs"
)

// Params are the parameters of the environment. Start from Defaults.
type Params struct {
	// N is the size of the sample of u1.test that the campaign's seed draws without
	// replacement; a larger sample begins with the smaller one. Default 100.
	N int `json:"n"`
	// NMF gives the similarity of users.
	NMF NMF `json:"nmf"`
	// History is the greatest number of history rows shown to an agent; 0, the default, shows all.
	History int `json:"history"`
	// Synthetic allows data of the same form that are not the official files.
	Synthetic bool `json:"synthetic"`
}

// NMF is the factorization of the zero-filled users × movies matrix of u1.base. The paper does
// not state these parameters, nor can they be derived from its figures.
type NMF struct {
	K          int    `json:"k"`          // number of factors, default 20
	Iterations int    `json:"iterations"` // multiplicative updates of each factor, default 200
	Seed       uint64 `json:"seed"`       // of the start, default 0; not the campaign's seed
}

// Defaults returns the paper's sample and our choice of the rest.
func Defaults() Params {
	return Params{N: 100, NMF: NMF{K: 20, Iterations: 200}}
}

func (p Params) check(rows int) error {
	within := func(name string, v, low, high int) error {
		if v >= low && v <= high {
			return nil
		}
		return fmt.Errorf("%s is %d; it is from %d to %d", name, v, low, high)
	}
	return errors.Join(
		within("n", p.N, 1, rows),
		within("history", p.History, 0, 1_000_000),
		within("nmf.k", p.NMF.K, 1, 500),
		within("nmf.iterations", p.NMF.Iterations, 1, 100_000))
}

// MovieLens is the environment.
type MovieLens struct {
	params Params
	data   *dataset
	means  means
	// tastes is computed when first needed, because checking a campaign needs no
	// similarities. It depends on nothing but data and params.
	tastes func() tastes
}

// New reads u1.base, u1.test, u.item, u.user and u.genre. Every error of the
// files is reported with file and line; unless p.Synthetic is set, the files
// must be the official ones.
func New(p Params, files fs.FS) (envs.Environment, error) {
	m, err := loadMovieLens(p, files)
	if err != nil {
		return nil, fmt.Errorf("recsys: %w", err)
	}
	return m, nil
}

func loadMovieLens(p Params, files fs.FS) (*MovieLens, error) {
	if !p.Synthetic {
		if err := Check(files); err != nil {
			return nil, fmt.Errorf("%w\n(set synthetic: true to use other data of the same form)", err)
		}
	}
	data, err := readFiles(files)
	if err != nil {
		return nil, err
	}
	if err := p.check(len(data.test)); err != nil {
		return nil, err
	}
	return &MovieLens{
		params: p, data: data, means: newMeans(data),
		tastes: sync.OnceValue(func() tastes { return newTastes(data, p.NMF) }),
	}, nil
}

// Version returns the version of dealing, parsing, scoring and the scripted policies.
func (m *MovieLens) Version() int { return 1 }

// Measure returns an error: minus the absolute error.
func (*MovieLens) Measure() envs.Measure { return envs.Error }

// Instances returns the size of the sample.
func (m *MovieLens) Instances() int { return m.params.N }

// Instance returns the index-th row of the sample of u1.test.
func (m *MovieLens) Instance(seed uint64, index int) (envs.Instance, error) {
	if index < 0 || index >= m.params.N {
		return nil, fmt.Errorf("recsys: there is no instance %d; the sample has 0 to %d", index, m.params.N-1)
	}
	rng := envs.Stream(seed, "recsys/sample")
	return newInstance(m, m.data.test[drawCard(rng.IntN, len(m.data.test), index)]), nil
}

// drawCard returns the index-th card of a shuffled deck: the first steps of a
// Fisher-Yates shuffle that remembers only what it moved.
func drawCard(intN func(int) int, deck, index int) int {
	moved := map[int]int{}
	at := func(i int) int {
		if card, ok := moved[i]; ok {
			return card
		}
		return i
	}
	for i := 0; ; i++ {
		j := i + intN(deck-i)
		if i == index {
			return at(j)
		}
		moved[j] = at(i)
	}
}

//go:embed prompts/*.tmpl
var prompts embed.FS

// Prompts returns the built-in templates.
func (m *MovieLens) Prompts() fs.FS {
	sub, err := fs.Sub(prompts, "prompts")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}
