package recsys

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`{"rating": 3.5}`: `{"rating":3.5}`, `{"rating":4}`: `{"rating":4}`, `{"rating":4.0}`: `{"rating":4}`, ` {"rating" : 35e-1} `: `{"rating":3.5}`,
		`3.5`: `{"rating":3.5}`, `5`: `{"rating":5}`, `1`: `{"rating":1}`, `3.14159`: `{"rating":3.14}`, `4.996`: `{"rating":5}`, `2.005000001`: `{"rating":2.01}`,
		`{"\u0072ating": 2}`: `{"rating":2}`,
	} {
		got, err := new(Instance).Parse([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"rating": 0.99}`: "from 1 to 5", `5.001`: "from 1 to 5", `-3`: "from 1 to 5", `1e999`: "from 1 to 5", `{"rating": "4"}`: "not a number", `"4"`: "not a number",
		`{"rating": null}`: "not a number", `null`: "not a number", `[4]`: "not a number", `{}`: "no rating", `{"Rating": 4}`: `unknown member "Rating"`,
		`{"rating":4,"rating":5}`: "two ratings", `{"rating":4,"why":"x"}`: "unknown member", `{"rating":4} {"rating":4}`: "not valid JSON", `NaN`: "not valid JSON",
		``: "not valid JSON", `{"rating":[4]}`: "not a number", `{"rating":{"rating":4}}`: "not a number", `4` + strings.Repeat(" ", 1<<17): "at most 65536 are read",
	} {
		got, err := new(Instance).Parse([]byte(text))
		if err == nil || got != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestScoreIsMinusTheError(t *testing.T) {
	in := &Instance{gold: rating{stars: 3}}
	for text, want := range map[string]float64{`3`: 0, `3.1`: -0.1, `2.7`: -0.3, `5`: -2, `1.01`: -1.99} {
		p, err := in.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s := in.Score(p)
		if s.Value != want || len(s.Utilities) != 3 {
			t.Errorf("%s: %+v, want score %v", text, s, want)
		}
		for agent, u := range s.Utilities {
			if u != want || in.Utility(agent, p) != want {
				t.Errorf("%s: agent %d has utility %v, want %v", text, agent, u, want)
			}
		}
	}
}
