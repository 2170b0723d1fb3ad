package program_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/envs/program"
	"roundtable/envs/program/programtest"
)

// altered answers as the well does, but for one kind of question, or for some of its keys.
type altered struct {
	ask  string
	with map[string]any
	says string // instead of everything
}

func (a altered) Ask(q program.Question) (json.RawMessage, error) {
	var asked struct {
		Ask string `json:"ask"`
		Do  string `json:"do"`
	}
	if err := json.Unmarshal(q.Input, &asked); err != nil {
		return nil, err
	}
	answer := programtest.Answer(q.Input)
	text := ""
	if asked.Ask+asked.Do == a.ask {
		maps.Copy(answer, a.with)
		text = a.says
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	if text != "" {
		data = []byte(text)
	}
	if err := q.Check(data); err != nil {
		return nil, fmt.Errorf("it answered: %w", err)
	}
	return data, nil
}

// walk asks everything of an environment once. A program that fails ends it.
func walk(asker program.Asker) (err error) {
	defer func() {
		if failed, ok := recover().(program.Failed); ok {
			err = failed
		}
	}()
	p := program.Defaults()
	p.Command = []string{"well"}
	env, err := program.New(p, asker)
	if err != nil {
		return err
	}
	in, err := env.Instance(1, 0)
	if err != nil {
		return err
	}
	read, err := in.Parse([]byte(`{"km": 3.14}`))
	if err != nil {
		return err
	}
	in.Score(read)
	policy, err := env.Policy("neighbour", func(any) error { return nil })
	if err != nil {
		return err
	}
	s := envs.Situation{Agents: in.Agents(), Round: 1, Rounds: 1, Observation: in.Observe(0)}
	policy.Message(s)
	policy.Propose(s)
	policy.Value(s, read)
	policy.Reserve(s)
	return nil
}

// Every answer that breaks a promise has its word.
func TestWrongAnswers(t *testing.T) {
	if err := walk(programtest.Asker{}); err != nil {
		t.Fatal(err)
	}
	with := func(key string, value any) map[string]any { return map[string]any{key: value} }
	for _, x := range []struct {
		ask  string
		with map[string]any
		want string
	}{
		{"describe", with("version", 0), "version is 0; versions start at 1"},
		{"describe", with("measure", "fun"), `measure is "fun"; expected share or error`},
		{"describe", with("instances", -1), "instances is -1"},
		{"describe", with("policies", []string{}), "policies has 0 names"},
		{"describe", with("policies", []string{"a", "a"}), `the policy "a" is there twice`},
		{"describe", with("colour", "red"), `unknown key "colour"`},
		{"describe", with("version", "one"), "version: expected a whole number, got string"},
		{"instance", with("id", "two words"), `id is "two words"`},
		{"instance", with("agents", []any{}), "agents has 0 members"},
		{"instance", with("task", " "), "task is empty"},
		{"instance", with("proposal", "a\x00"), "proposal has a byte 0"},
		{"instance", with("task", strings.Repeat("x", 2<<20)), "expected at most 1048576"},
		{"instance", with("agents", []map[string]any{{"name": "A"}, {"name": "A"}}), `the name of agent 1 is "A"`},
		{"instance", with("agents", []map[string]any{{"name": "A"}, {"name": "B\n"}}), `the name of agent 1 is "B\n"`},
		{"instance", with("agents", []map[string]any{{"name": "A"}, {"name": ""}}), `the name of agent 1 is ""`},
		{"instance", with("agents", []map[string]any{{"name": "A"}, {"name": " B"}}), `the name of agent 1 is " B"`},
		{"instance", with("agents", []map[string]any{{"name": "A"}, {"name": strings.Repeat("é", 61)}}), "names are on one line of 1 to 60 characters"},
		{"instance", with("baselines", []map[string]any{{"name": "x", "score": 2}}), "baseline x: score is 2"},
		{"instance", with("baselines", []map[string]any{{"name": "x"}}), "a baseline has a name"},
		{"instance", with("error", "none\x1b[31m of\nthose"), "the program has no instance 0: none [31m of those"},
		{"parse", with("proposal", nil), `expected either {"proposal": …}`},
		{"parse", with("error", "both"), `expected either {"proposal": …}`},
		{"score", with("score", 1.5), "score is 1.5; as a share it is from 0 to 1"},
		{"score", with("score", nil), "score is missing"},
		{"score", with("utilities", []float64{1}), "utilities has 1 numbers for 3 agents"},
		{"actmessage", with("to", []int{0}), "to names agent 0"},
		{"actmessage", with("to", []int{7}), "to names agent 7"},
		{"actmessage", with("text", ""), "text is empty"},
		{"actvalue", with("value", 2), "value is a number from 0 to 1"},
		{"actreserve", with("value", nil), "value is a number from 0 to 1"},
	} {
		err := walk(altered{ask: x.ask, with: x.with})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s %.80v: %v, want %s", x.ask, x.with, err, x.want)
		}
		if err != nil && x.ask != "instance" && !errors.As(err, new(program.Failed)) {
			t.Errorf("%s: %v is not a failure of the program", x.ask, err)
		}
	}
}

// What a program says of a proposal is the model's to read, without what must not be shown.
// Instances are those that the program has: as many as it says, or any.
func TestInstances(t *testing.T) {
	for n, words := range map[int]string{0: "instances from 0 on", 1: "1 instance, from 0 on", 3: "3 instances, from 0 on"} {
		p := program.Defaults()
		p.Command = []string{"well"}
		env, err := program.New(p, altered{ask: "describe", with: map[string]any{"instances": n}})
		if err != nil {
			t.Fatal(err)
		}
		for _, index := range []int{-1, 0, 1, 3} {
			_, err := env.Instance(1, index)
			if is := index >= 0 && (n == 0 || index < n); is != (err == nil) || !is && !strings.Contains(err.Error(), "the program has "+words) {
				t.Errorf("instance %d of %d: %v", index, n, err)
			}
		}
	}
}

// What a program says of itself, of instances and of proposals is recorded and never asked again; its
// scripted agents are asked as others are.
func TestFacts(t *testing.T) {
	facts := map[string]bool{}
	if err := walk(noting{facts}); err != nil {
		t.Fatal(err)
	}
	for kind, is := range map[string]bool{"describe": true, "instance": true, "parse": true, "score": true, "act": false} {
		if got, asked := facts[kind]; got != is || !asked {
			t.Errorf("%s: asked %v, a fact %v", kind, asked, got)
		}
	}
}

// noting notes which questions are of facts.
type noting struct{ facts map[string]bool }

func (n noting) Ask(q program.Question) (json.RawMessage, error) {
	var of struct{ Ask string }
	if err := json.Unmarshal(q.Input, &of); err != nil {
		return nil, err
	}
	n.facts[of.Ask] = q.Fact
	return programtest.Asker{}.Ask(q)
}

func TestErrorForTheModel(t *testing.T) {
	err := walk(altered{ask: "parse", says: `{"error":"too\u0000 deep\n\u202e` + strings.Repeat("x", 3000) + `"}`})
	if err == nil || errors.As(err, new(program.Failed)) || len([]rune(err.Error())) > 510 || !strings.HasPrefix(err.Error(), "too deep x") {
		t.Errorf("got %.80v", err)
	}
}

func TestWrongParams(t *testing.T) {
	for want, change := range map[string]func(*program.Params){
		"command is []":         func(p *program.Params) { p.Command = nil },
		`command is [""]`:       func(p *program.Params) { p.Command = []string{""} },
		`timeout is "1"`:        func(p *program.Params) { p.Timeout = "1" },
		`timeout is "2h"`:       func(p *program.Params) { p.Timeout = "2h" },
		"no program can be ask": func(p *program.Params) {},
	} {
		p := program.Defaults()
		p.Command = []string{"well"}
		change(&p)
		if _, err := program.New(p, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Whatever a program answers to whatever it is asked, there is an error or a sound value.
func FuzzAnswers(f *testing.F) {
	for _, ask := range []string{"describe", "instance", "parse", "score", "actmessage", "actpropose", "actvalue"} {
		for _, says := range []string{`{}`, `{"version":1,"measure":"share","instances":3,"policies":["a"]}`, `{"proposal":{"km":1}}`, `{"score":0.5,"utilities":[1,2,3]}`,
			`{"id":"a","task":"t","proposal":"p","agents":[{"name":"A"},{"name":"B"}],"problem":null}`, `{"text":"x","to":null}`, `{"value":1}`, `{"error":"x"}`, `null`, `[]`} {
			f.Add(ask, says)
		}
	}
	f.Fuzz(func(_ *testing.T, ask, says string) {
		if says != "" && json.Valid([]byte(says)) { // as ParseLine has it
			_ = walk(altered{ask: ask, says: says})
		}
	})
}
