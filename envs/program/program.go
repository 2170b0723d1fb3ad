// Package program is an environment that the user's own program deals, reads and
// scores, in any language. Every fact comes from an Asker, which puts one question
// in JSON to the program and remembers the answer: this package does no I/O itself,
// checks all that comes back, and shows a program nothing that it need not know.
package program

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"roundtable/envs"
	"roundtable/envs/wording"
)

// Params name the program.
type Params struct {
	Command []string       `json:"command"` // the program and its arguments
	Timeout string         `json:"timeout"` // of one answer, 1s to 1h
	Params  map[string]any `json:"params"`  // given to the program with every question
}

// Defaults returns half a minute an answer and no parameters.
func Defaults() Params { return Params{Timeout: "30s"} }

// Bounds of Params.Timeout.
const (
	leastTimeout = time.Second
	mostTimeout  = time.Hour
)

// Asker puts questions to programs.
type Asker interface {
	// Ask returns the answer, an object in JSON. It is the same for the same question
	// for as long as a campaign lasts. The error says why there is none.
	Ask(q Question) (json.RawMessage, error)
}

// Question is one question to a program.
type Question struct {
	Command []string
	Timeout time.Duration
	Input   json.RawMessage // an object
	About   string          // what is asked, for errors
	// Fact says that the answer is recorded with the campaign and the question never asked again.
	// Other answers are those of scripted agents, which are recorded as such.
	Fact bool
	// Identity says that the answer is what the program says of itself: if that has
	// changed, so has the program.
	Identity bool
	// Check returns what is wrong with an answer; a wrong answer is not recorded.
	Check func(answer json.RawMessage) error
}

// Failed is the error of a program that gave no usable answer. Methods whose interface in envs
// returns no error panic with it.
type Failed struct{ Err error }

func (f Failed) Error() string { return f.Err.Error() }
func (f Failed) Unwrap() error { return f.Err }

// Environment is the environment of one program with its parameters.
type Environment struct {
	link      link
	described description
}

// link is the way to a program.
type link struct {
	asker   Asker
	command []string
	timeout time.Duration
	params  json.RawMessage
}

// New asks the program to describe itself and returns its environment.
func New(p Params, asker Asker) (*Environment, error) {
	l, err := newLink(p, asker)
	if err != nil {
		return nil, err
	}
	e := &Environment{link: l}
	e.described, err = ask(e.link, "describe", true, "what it is", fields{}, checkDescription)
	return e, err
}

// newLink returns the way to the program that parameters name.
func newLink(p Params, asker Asker) (link, error) {
	timeout, err := time.ParseDuration(p.Timeout)
	switch {
	case len(p.Command) == 0 || slices.Contains(p.Command, ""):
		return link{}, fmt.Errorf("command is %q; expected a list of a program and its arguments, as [python3, env.py]", p.Command)
	case err != nil || timeout < leastTimeout || timeout > mostTimeout:
		return link{}, fmt.Errorf("timeout is %q; expected 1s to 1h, as 90s or 10m", p.Timeout)
	case asker == nil:
		return link{}, fmt.Errorf("no program can be asked here")
	}
	if p.Params == nil {
		p.Params = map[string]any{}
	}
	params, err := json.Marshal(p.Params)
	if err != nil {
		return link{}, fmt.Errorf("params cannot be written as JSON: %w", err)
	}
	return link{asker, p.Command, timeout, params}, nil
}

// Command returns the program and its arguments.
func (e *Environment) Command() []string { return e.link.command }

// Version returns the version of dealing, reading and scoring that the program states.
func (e *Environment) Version() int { return e.described.Version }

// Measure returns what the program's scores measure.
func (e *Environment) Measure() envs.Measure { return e.described.Measure }

// Instances returns the number of instances that the program has; 0 means unlimited.
func (e *Environment) Instances() int { return e.described.Instances }

//go:embed prompts/*.tmpl
var prompts embed.FS

// Prompts returns templates that show the program's texts.
func (e *Environment) Prompts() fs.FS {
	sub, err := fs.Sub(prompts, "prompts")
	if err != nil {
		panic("program: " + err.Error()) // the folder is embedded
	}
	return sub
}

// Instance has the program deal an instance.
func (e *Environment) Instance(seed uint64, index int) (envs.Instance, error) {
	if n := e.described.Instances; index < 0 || n > 0 && index >= n {
		return nil, fmt.Errorf("there is no instance %d; the program has %s", index, countOf(n))
	}
	asked := fields{"seed": strconv.FormatUint(seed, 10), "index": index}
	check := func(d dealing) error { return d.check(e.described.Measure) }
	dealt, err := ask(e.link, "instance", true, fmt.Sprintf("instance %d", index), asked, check)
	if err != nil {
		return nil, err
	}
	if dealt.Error != "" {
		return nil, fmt.Errorf("the program has no instance %d: %s", index, clean(dealt.Error))
	}
	return &instance{env: e, dealing: dealt}, nil
}

func countOf(instances int) string {
	if instances == 0 {
		return "instances from 0 on"
	}
	return wording.Count(instances, "instance") + ", from 0 on"
}

// fields of a question, by key.
type fields map[string]any

// ask puts one question to the program and decodes its answer strictly.
func ask[T any](l link, kind string, fact bool, about string, with fields, check func(T) error) (answer T, err error) {
	with["ask"], with["params"] = kind, l.params
	input, err := json.Marshal(with)
	if err != nil {
		return answer, fmt.Errorf("program: the question %s is not JSON: %w", kind, err)
	}
	q := Question{Command: l.command, Timeout: l.timeout, Input: input, About: about, Fact: fact,
		Identity: kind == "describe", Check: func(data json.RawMessage) error {
			_, err := decodeAnswer(data, check)
			return err
		}}
	data, err := l.asker.Ask(q)
	if err != nil {
		return answer, Failed{err}
	}
	if answer, err = decodeAnswer(data, check); err != nil { // recorded by another version of this program
		return answer, Failed{fmt.Errorf("the recorded answer of the program about %s: %w", about, err)}
	}
	return answer, nil
}

// mustAsk is ask where the caller has no error to return.
func mustAsk[T any](l link, kind string, fact bool, about string, with fields, check func(T) error) T {
	answer, err := ask(l, kind, fact, about, with, check)
	if err != nil {
		panic(err)
	}
	return answer
}
