package scoring

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestScoring(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{`"exact"`, `"exact"`},
		{`"f1"`, `"f1"`},
		{`"number"`, `"number"`},
		{`{"number":{"absolute":0.5}}`, `{"number":{"absolute":0.5}}`},
		{`{"expression":"answer == key"}`, `{"expression":"answer == key"}`},
		{`"exat"`, `is "exat"; expected exact, number, f1, {number: {absolute: …, relative: …}}, {expression: "…"}, {command: [program, argument, …], timeout: 1m} or {judge: {model: …, rubric: "…"}}; did you mean exact?`},
		{`{"number":{"absolut":1}}`, "is not a score; expected"},
		{`{"number":{"absolute":-1}}`, "has a tolerance below 0"},
		{`{}`, "has 0 ways to score, and there is one; expected"},
		{`{"number":{},"expression":"1"}`, "has 2 ways to score"},
		{`{"command":["./score.sh","-x"],"timeout":"2s"}`, `{"command":["./score.sh","-x"],"timeout":"2s"}`},
		{`{"command":["score"]}`, `{"command":["score"],"timeout":"1m0s"}`},
		{`{"command":[]}`, "command names no program"},
		{`{"command":[""]}`, "command names no program"},
		{`{"command":["x"],"timeout":"0s"}`, `timeout is "0s"; expected 1s to 24h`},
		{`{"expression":"1","timeout":"2s"}`, "has a timeout, which goes with command"},
		{`7`, "is not a score"},
		{`{"expression":"answr == key"}`, "expression: unknown name answr (1:1); it may use answer, key,"},
		{`{"expression":""}`, "expression has 0 characters"},
		{`{"expression":"now()"}`, "unknown name now"},
		{`{"expression":"len(keys)"}`, `{"expression":"len(keys)"}`},
		{`{"expression":"any(1..9, any(1..9, any(1..9, # > 1)))"}`, "functions with a predicate lie 3 deep in each other; expected 2"},
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

// What nobody chose is not written.
func TestIsZero(t *testing.T) {
	type params struct {
		Score Scoring `json:"score,omitzero"`
	}
	for want, s := range map[string]Scoring{`{}`: {}, `{"score":"f1"}`: {Name: F1}} {
		if data, err := json.Marshal(params{s}); err != nil || string(data) != want {
			t.Errorf("%+v is written as %s, %v", s, data, err)
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
		{Tolerance{Absolute: 0.1}, "8.3", "8.2", true}, // 0.1000000000000014 in binary
		{Tolerance{Relative: 0.01}, "99", "100", true},
		{Tolerance{Relative: 0.01}, "98.9", "100", false},
		{Tolerance{Absolute: 2, Relative: 0.01}, "98.5", "100", true},
		{Tolerance{Absolute: 1}, "x", "1", false},
	} {
		if got := x.t.IsWithin(x.answer, x.key); got != x.want {
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
		{"sum([0.25, 0.25])", "0.5"}, {"mean([0.25, 0.75])", "0.5"}, {"median([0.5])", "0.5"}, {"min(1, 0.5)", "0.5"}, {"round(answer / 6)", "1"},
		{`join(split("a b", " "), "") == "ab"`, "1"}, {`replace(question, "many", "few") == "How few?"`, "1"}, {`upper(trim(" x ")) + lower("Y") == "Xy"`, "1"},
		{`toJSON([1, "a"]) matches "a"`, "1"}, {`fromJSON("[0.5]")[0]`, "0.5"}, {`len(concat([1], [2, 3])) == len(flatten([[1], [2, 3]]))`, "1"}, {`string(answer) == "3"`, "1"},
		{`sort([3, 1])[0] / 2`, "0.5"}, {`reduce(1..3, #acc + #, 0) / 12`, "0.5"}, {`indexOf("abc", "c") / 4`, "0.5"}, {`fromBase64(toBase64("x")) == "x"`, "1"}, {`int("1") + float("0") == 1`, "1"},
		{`any(fields.words, # startsWith "mo") and all(keys, # == key)`, "1"}, {`answer in [3, 4] ? 0.5 : 0`, "0.5"}, {`first(reverse([0, 0.5])) ?? 0`, "0.5"}, {`len(uniq([1, 1])) == 1`, "1"},
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

// No expression takes the memory or the time of the machine, whichever way it makes texts longer.
func TestExpressionsAreBounded(t *testing.T) {
	shared := `let a = "` + strings.Repeat("x", 1000) + `"; let b = [a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a]; ` +
		`let c = [b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b]; let d = [c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c]; `
	c := Case{Answer: "aaaa", Question: strings.Repeat("long ", 20_000), Fields: map[string]any{"text": strings.Repeat("a", 100_000)}}
	for _, source := range []string{
		`len(reduce(1..40, #acc + #acc, "aaaa"))`,
		`len(reduce(1..40, #acc + answer + #acc, answer))`,
		`len(reduce(1..40, join([#acc, #acc], ""), "aaaa"))`,
		`len(reduce(1..40, join([#acc, #acc, ""], #acc), "aaaa"))`,
		`len(reduce(1..40, replace(#acc, "a", "aaaa"), "aaaa"))`,
		`len(replace(question, "", question))`,
		`len(reduce(1..40, toJSON(#acc), "\"\""))`,
		`len(reduce(1..40, string([#acc, #acc]), "aaaa"))`,
		`len(reduce(1..60, toBase64(#acc + #acc), "aaaa"))`,
		`len(reduce(1..40, concat(#acc, #acc), [1]))`,
		`len(reduce(1..40, flatten([#acc, #acc]), [1]))`,
		`len(map(1..100000, upper(question)))`,
		`len(map(1..100000, question + "x"))`,
		`len(map(1..100000, split(question, "")))`,
		`len(map(1..1000, fromJSON("[" + join(split(fields.text, ""), ",") + "]")))`,
		`let r = 1..900000; any(r, any(r, false)) ? 1 : 0`,
		`let r = 1..900000; count(r, # in r)`,
		`let r = 1..900000; count(r, sum(r) > 1)`,
		`let r = 1..900000; count(r, sort(r)[0] > 1)`,
		`count(1..900000, question contains "not there")`,
		`count(1..900000, question matches "(x+x+)+y")`,
		`count(1..900000, question == fields.text)`,
		shared + `len(toJSON(d))`, shared + `len(string(d))`, shared + `len(join(flatten(d), ""))`,
	} {
		e, err := Compile(source)
		if err != nil {
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		_, err = e.Score(c)
		t.Logf("%.60s: %v, %v", source, time.Since(began).Round(time.Millisecond), err)
		runtime.ReadMemStats(&after)
		if made := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || made > 256 {
			t.Errorf("%.90s takes %d MB: %v", source, made, err)
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

// What people write is within the bounds: the longest expression, and texts that are read.
func TestWithinBounds(t *testing.T) {
	if _, err := Compile(strings.Repeat(" ", maxSource-1) + "1"); err != nil {
		t.Error(err)
	}
	if _, err := Compile(strings.Repeat(" ", maxSource) + "1"); err == nil {
		t.Error("a longer one is accepted")
	}
	e, err := Compile(`question contains "there" ? 1 : 0`)
	if err != nil {
		t.Fatal(err)
	}
	if score, err := e.Score(Case{Question: strings.Repeat("long ", 200_000) + "there"}); err != nil || score != 1 {
		t.Errorf("of a question of a megabyte: %v, %v", score, err)
	}
}
