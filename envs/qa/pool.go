package qa

import (
	"fmt"
	"io/fs"
	"slices"

	"roundtable/envs"
)

// Pool is a file of viewpoints: solutions that a model gave before, one {"question": ID, "text":
// "…"} a line (paper 4 samples 400 for a question). A line with "simulated": true is by a
// scripted agent, and results that use it count as simulated. Only the questions that the file
// names are asked.
type Pool struct {
	File string `json:"file"`
	// Each is how many right and how many wrong viewpoints a context holds; 40.
	Each int `json:"each"`
	// Contexts is how many draws from the pool there are for a question, each an
	// instance of its own; the paper repeats its experiment 5 times.
	Contexts int `json:"contexts"`
}

func (p Pool) check() error {
	switch {
	case p.Each < 1 || p.Each > mostAgents:
		return fmt.Errorf("pool.each is %d; expected 1 to %d", p.Each, mostAgents)
	case p.Contexts < 1 || p.Contexts > 10_000:
		return fmt.Errorf("pool.contexts is %d; expected 1 to 10000", p.Contexts)
	}
	return nil
}

// viewpoint is a solution with its answer in canonical form.
type viewpoint struct {
	text, answer string
	simulated    bool // by a scripted agent
}

// viewpoints of one question, by whether they are right: all, in the order of
// the file, or those of one context.
type viewpoints map[bool][]viewpoint

func (e *QA) contextsEach() int {
	if e.pool == nil {
		return 1
	}
	return e.params.Pool.Contexts
}

// readPool keeps the questions of the pool only. Texts without an answer are
// passed over: nobody can say whether they are right.
func (e *QA) readPool(files fs.FS) error {
	p := e.params.Pool
	if p.File == "" {
		return nil
	}
	e.pool = map[string]viewpoints{}
	err := readRows(files, "pool.file", p.File, func(v struct {
		Question, Hash, Text string
		Simulated            bool
	}) error {
		q, err := e.questionOf(v.Question, v.Hash)
		if err != nil {
			return err
		}
		return e.addViewpoint(q, v.Text, v.Simulated)
	})
	if err != nil {
		return err
	}
	return e.keepPooled()
}

// addViewpoint sorts a text by whether its answer is right.
func (e *QA) addViewpoint(q Question, text string, simulated bool) error {
	if q.shuffle {
		return fmt.Errorf("the options of %s are shuffled by the seed, so letters of a pool mean nothing", q.ID)
	}
	if e.pool[q.ID] == nil {
		e.pool[q.ID] = viewpoints{}
	}
	if answer, err := q.Extract(text); err == nil {
		right := (&Instance{env: e, q: q}).isCorrect(answer)
		e.pool[q.ID][right] = append(e.pool[q.ID][right], viewpoint{text, answer, simulated})
	}
	return nil
}

// keepPooled keeps the questions of the pool; each must fill a context.
func (e *QA) keepPooled() error {
	e.questions = slices.DeleteFunc(slices.Clone(e.questions), func(q Question) bool { return e.pool[q.ID] == nil })
	if len(e.questions) == 0 {
		return fmt.Errorf("pool.file %s holds no viewpoints", e.params.Pool.File)
	}
	for _, q := range e.questions {
		have := e.pool[q.ID]
		if need := e.params.Pool.Each; len(have[true]) < need || len(have[false]) < need {
			return fmt.Errorf("pool.each is %d; question %s has %d right and %d wrong viewpoints in %s",
				need, q.ID, len(have[true]), len(have[false]), e.params.Pool.File)
		}
	}
	return nil
}

// drawContext takes n of each kind without replacement.
func (v viewpoints) drawContext(seed uint64, id string, context, each int) viewpoints {
	drawn := viewpoints{}
	for _, right := range []bool{true, false} {
		for _, i := range envs.Stream(seed, "qa/viewpoints", id, context, right).Perm(len(v[right]))[:each] {
			drawn[right] = append(drawn[right], v[right][i])
		}
	}
	return drawn
}
