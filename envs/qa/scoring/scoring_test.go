package scoring

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestScoring(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{`"exact"`, `"exact"`},
		{`"f1"`, `"f1"`},
		{`"number"`, `"number"`},
		{`{"number":{"absolute":0.5}}`, `{"number":{"absolute":0.5}}`},
		{`{"expression":"answer == key"}`, `{"expression":"answer == key"}`},
		{`"exat"`, `is "exat"; accepted are exact, number, f1, {number: {absolute: …, relative: …}}, {expression: "…"}, {command: [program, argument, …], timeout: 1m} and {judge: {model: …, rubric: "…"}}; did you mean exact?`},
		{`{"number":{"absolut":1}}`, "is not a score; accepted are"},
		{`{"number":{"absolute":-1}}`, "has a tolerance below 0"},
		{`{}`, "has 0 ways to score, and there is one; accepted are"},
		{`{"number":{},"expression":"1"}`, "has 2 ways to score"},
		{`{"command":["./score.sh","-x"],"timeout":"2s"}`, `{"command":["./score.sh","-x"],"timeout":"2s"}`},
		{`{"command":["score"]}`, `{"command":["score"],"timeout":"1m0s"}`},
		{`{"command":[]}`, "command names no program"},
		{`{"command":[""]}`, "command names no program"},
		{`{"command":["x"],"timeout":"0s"}`, `timeout is "0s"; 1s to 24h are accepted`},
		{`{"expression":"1","timeout":"2s"}`, "has a timeout, which goes with command"},
		{`7`, "is not a score"},
		{`{"expression":"answr == key"}`, "expression: unknown name answr (1:1); it may use answer, key,"},
		{`{"expression":""}`, "expression has 0 characters"},
		{`{"expression":"now()"}`, "unknown name now"},
		{`{"expression":"len(keys)"}`, `{"expression":"len(keys)"}`},
		{`{"expression":"any(1..9, any(1..9, any(1..9, # > 1)))"}`, "functions with a predicate lie 3 deep in each other; 2 is accepted"},
		{`{"expression":"any(1..9, any(1..9, # == 1))"}`, `{"expression":"any(1..9, any(1..9, # == 1))"}`},
	} {
		var s Scoring
		err := json.Unmarshal([]byte(x.text), &s)
		got := fmt.Sprint(err)
		if err == nil {
			data, _ := json.Marshal(s)
			got = string(data)
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%s: %s, want %s", x.text, got, x.want)
		}
	}
}

func TestTolerance(t *testing.T) {
	for _, x := range []struct {
		t           Tolerance
		answer, key string
		want        bool
	}{
		{Tolerance{}, "1", "1", true},
		{Tolerance{}, "1", "1.0000000000000001", false},
		{Tolerance{Absolute: 0.1}, "0.3", "0.2", true},
		{Tolerance{Absolute: 0.1}, "0.31", "0.2", false},
		{Tolerance{Relative: 0.01}, "99", "100", true},
		{Tolerance{Relative: 0.01}, "98.9", "100", false},
		{Tolerance{Absolute: 2, Relative: 0.01}, "98.5", "100", true},
		{Tolerance{Absolute: 1}, "x", "1", false},
	} {
		if got := x.t.Within(x.answer, x.key); got != x.want {
			t.Errorf("%+v: %s of %s is %v", x.t, x.answer, x.key, got)
		}
	}
}

func TestExpression(t *testing.T) {
	c := Case{
		Answer: 3.0, Key: 4.0, Keys: []any{4.0}, Question: "How many?",
		Fields: map[string]any{"level": int64(2), "words": []any{"sun", "moon"}},
	}
	for _, x := range []struct{ source, want string }{
		{"answer == key ? 1 : 0.5", "0.5"},
		{"answer > 2", "1"},
		{"max(0, 1 - abs(answer - key) / key)", "0.75"},
		{"count(fields.words, # contains 'oo') / len(fields.words)", "0.5"},
		{"1 / fields.level", "0.5"},
		{"answer - 1", "the expression gives 2; a number from 0 to 1, true or false is expected"},
		{"question", `the expression gives "How many?", a string; a number`},
		{"fields.none > 1", "the expression fails: "},
		{"len(filter(1..900000, # > 1)) + len(filter(1..900000, # > 1)) > 0", "the expression fails: memory budget exceeded"},
	} {
		e, err := Compile(x.source)
		if err != nil {
			t.Errorf("%s: %v", x.source, err)
			continue
		}
		score, err := e.Score(c)
		got := fmt.Sprint(score)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, x.want) {
			t.Errorf("%s: %s, want %s", x.source, got, x.want)
		}
	}
}

// Whatever is written in an expression, it is refused, fails, or gives a score from 0 to 1, each time the same.
func FuzzExpression(f *testing.F) {
	for _, s := range []string{"answer == key", "1/len(keys)", "any(fields.a, # == answer)", "answer matches '^a+$'", "fields.b?.c ?? 0.5", "[1,2][5]", "\"\\xff\" in fields"} {
		f.Add(s, "aa")
	}
	f.Fuzz(func(t *testing.T, source, answer string) {
		e, err := Compile(source)
		if err != nil {
			return
		}
		c := Case{Answer: answer, Key: "aa", Keys: []any{"aa"}, Fields: map[string]any{"a": []any{"aa", int64(1)}, "b": map[string]any{"c": 1.0}}}
		score, err := e.Score(c)
		if err == nil && !(score >= 0 && score <= 1) {
			t.Errorf("%s of %q is %v", source, answer, score)
		}
		if again, twice := e.Score(c); again != score || (err == nil) != (twice == nil) {
			t.Errorf("%s of %q is %v (%v), then %v (%v)", source, answer, score, err, again, twice)
		}
	})
}
