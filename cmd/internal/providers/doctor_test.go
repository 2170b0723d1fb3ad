package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
)

// service is one that computes a number of calls at once, on a fake clock.
type service struct {
	slots  chan struct{}
	answer func(r model.Request, n int64) (model.Response, error) // n counts the calls
	asked  atomic.Int64
}

func (s *service) Complete(_ context.Context, r model.Request) (model.Response, error) {
	n := s.asked.Add(1)
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	time.Sleep(time.Second)
	return s.answer(r, n)
}

// able answers as a good service does.
func able(r model.Request, _ int64) (model.Response, error) {
	a := model.Response{Text: []byte("Jupiter"), Model: "m", FinishReason: "stop", Usage: model.Usage{Input: 20, Output: 2}}
	if len(r.Schema) > 0 {
		a.Text = []byte(`{"planet": "Jupiter", "moons": 95}`)
	}
	if r.Parameters.Logprobs {
		a.Logprob = &model.Logprob{Mean: -0.1, Tokens: 2}
	}
	if strings.Contains(r.Messages[0].Content, "entry 5?") {
		a.Usage.CachedInput = 15
	}
	return a, nil
}

// examine returns the findings by name, as "result: detail".
func examine(t *testing.T, slots, atOnce int, answer func(model.Request, int64) (model.Response, error)) (found map[string]string, r Report, failed error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &service{slots: make(chan struct{}, slots), answer: answer}
		e := Examination{
			Provider: model.Provider{Model: s, Name: "openai/m", Endpoint: "http://there"},
			Price:    &campaign.Price{Input: 1, Output: 2}, MaxTokens: 50, AtOnce: atOnce,
		}
		found = map[string]string{}
		r, failed = e.Run(t.Context(), func(f Finding) { found[f.Name] = f.Result + ": " + f.Detail })
		most, cost, err := e.Most()
		if err != nil || r.Calls > most || int64(r.Calls) != s.asked.Load() || r.Tokens > cost.Tokens || *r.CostUSD > cost.USD() {
			t.Errorf("%v: %d asked, at most %d and %v, %+v for $%v", err, s.asked.Load(), most, cost, r, *r.CostUSD)
		}
	})
	return found, r, failed
}

func TestAbleService(t *testing.T) {
	found, r, err := examine(t, 4, 16, able)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"answers":       `yes: m in 1.0 s: "Jupiter"`,
		"repeats":       "yes: at temperature 0 the same question alone has the same answer twice, and so have 30 at once with others",
		"calls at once": "4: calls a minute with so many at once, 1: 60, 2: 120, 4: 240, 8: 240, 16: 240",
		"JSON schemas":  "yes: kept although no word asks for JSON",
		"prefixes":      "yes: the first question about a text of 20 tokens took 1.0 s, the second 1.0 s, and the service reports 15 of them as read before",
		"logprobs":      "yes: given; generate: {logprobs: true} keeps their mean",
		"thinking":      "no: the first answer came without any",
	} {
		if found[name] != want {
			t.Errorf("%s is\n%s, not\n%s", name, found[name], want)
		}
	}
	if len(found) != 7 || r.Calls != 1+2+30+1+2+1 || r.Tokens != int64(22*r.Calls) {
		t.Errorf("%d findings, %+v", len(found), r)
	}
	if got := r.Advice(map[string]any{"name": "openai/m"}); got != "model: {\"name\":\"openai/m\"}\nlimits: {calls: 4}\n" {
		t.Errorf("to write: %s", got)
	}
}

// Each fault shows in its own finding, and says what to do or what the service said.
func TestFaults(t *testing.T) {
	is := func(r model.Request, text string) bool { return strings.Contains(r.Messages[0].Content, text) }
	refused := errors.New("openai: status 400 unsupported: no such thing")
	for name, c := range map[string]struct {
		change func(r model.Request, n int64, a *model.Response) error
		shows  map[string]string
	}{
		"two answers part": {func(r model.Request, n int64, a *model.Response) error {
			if is(r, tale) {
				a.Text = fmt.Appendf(nil, "River %d", n)
			}
			return nil
		}, map[string]string{"repeats": "no: at temperature 0 the same question alone has two answers"}},
		"one answer differs": {func(r model.Request, n int64, a *model.Response) error {
			if is(r, tale) && n == 3 {
				a.Text = []byte("another")
			}
			return nil
		}, map[string]string{"repeats": "no: at temperature 0 the same question alone has two answers"}},
		"empty answers": {func(r model.Request, _ int64, a *model.Response) error {
			a.Text, a.FinishReason = nil, "length"
			return nil
		}, map[string]string{"repeats": `unknown: the answer was empty: "", which ended with length`, "calls at once": "8"}},
		"answers depend on the batch": {func(r model.Request, n int64, a *model.Response) error {
			if is(r, tale) && n > 3 {
				a.Text = []byte("another")
			}
			return nil
		}, map[string]string{"repeats": "no: at temperature 0 the same question alone has the same answer twice; of 14 at once with others 14 differ: they depend"}},
		"no temperature": {func(r model.Request, _ int64, _ *model.Response) error {
			if r.Parameters.Temperature != nil {
				return refused
			}
			return nil
		}, map[string]string{"repeats": "unknown: at temperature 0: openai: status 400", "calls at once": "unknown: not asked"}},
		"busy": {func(r model.Request, n int64, _ *model.Response) error {
			if is(r, tale) && n > 5 {
				return errors.New("status 429")
			}
			return nil
		}, map[string]string{"calls at once": "2: calls a minute with so many at once, 1: 60, 2: 120; of 4 at once one failed: status 429", "JSON schemas": "yes"}},
		"schemas are ignored": {func(r model.Request, _ int64, a *model.Response) error {
			a.Text = []byte("Jupiter")
			return nil
		}, map[string]string{"JSON schemas": `no: taken and not kept: "Jupiter"`}},
		"schemas are cut off": {func(r model.Request, _ int64, a *model.Response) error {
			if len(r.Schema) > 0 {
				a.Text, a.FinishReason = []byte(`{"planet": "Jup`), "length"
			}
			return nil
		}, map[string]string{"JSON schemas": `unknown: cut off; --max-tokens raises the limit: "{\"planet\": \"Jup"`}},
		"schemas are refused": {func(r model.Request, _ int64, a *model.Response) error {
			if len(r.Schema) > 0 {
				a.Waived = []string{"no JSON schema"}
			}
			return nil
		}, map[string]string{"JSON schemas": "no: it takes no JSON schema"}},
		"nothing is kept": {func(_ model.Request, _ int64, a *model.Response) error {
			a.Usage.CachedInput, a.Logprob = 0, nil
			return nil
		}, map[string]string{"prefixes": "no: ", "logprobs": "no: asked for and not given"}},
		"it thinks": {func(r model.Request, _ int64, a *model.Response) error {
			if r.Parameters.ReasoningEffort != "none" {
				a.Usage.Reasoning, a.FinishReason = 2, "length"
			}
			return nil
		}, map[string]string{"answers": `yes: m in 1.0 s: "Jupiter", which ended with length`, "thinking": "yes: 2 of its first answer's 2 tokens; reasoning_effort: none switches it off"}},
		"it thinks between marks": {func(_ model.Request, _ int64, a *model.Response) error {
			a.Text = []byte("<think>which one")
			return nil
		}, map[string]string{"thinking": "yes: before its first answer, within its 2 tokens; reasoning_effort: none does not stop it"}},
	} {
		found, r, err := examine(t, 8, 8, func(r model.Request, n int64) (model.Response, error) {
			a, _ := able(r, n)
			err := c.change(r, n, &a)
			if err != nil {
				a = model.Response{}
			}
			return a, err
		})
		for finding, want := range c.shows {
			if !strings.HasPrefix(found[finding], want) {
				t.Errorf("%s: %s is\n%s, not\n%s", name, finding, found[finding], want)
			}
			if plain := strings.Contains(r.Advice(map[string]any{}), `"json":"plain"`); finding == schemas && plain != strings.HasPrefix(want, "no") {
				t.Errorf("%s: its advice is %s", name, r.Advice(map[string]any{}))
			}
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnableService(t *testing.T) {
	found, r, err := examine(t, 1, 8, func(model.Request, int64) (model.Response, error) {
		return model.Response{}, errors.New("status 401: no key")
	})
	if err == nil || r.Calls != 1 || len(found) != 1 || found["answers"] != "no: status 401: no key" {
		t.Errorf("%v, %v, %+v", err, found, r)
	}
}

// A few calls measure no small gain; what is slower never pays off.
func TestPayingOff(t *testing.T) {
	for _, c := range []struct {
		rates []rate
		want  int
	}{
		{[]rate{{1, 10}}, 1},
		{[]rate{{1, 10}, {2, 11}, {4, 11.4}, {8, 12}}, 8},
		{[]rate{{1, 10}, {2, 11}, {4, 11.4}}, 1},
		{[]rate{{1, 10}, {2, 19}, {4, 30}, {8, 29}}, 4},
		{[]rate{{1, 10}, {2, 9}, {4, 30}}, 4},
	} {
		if got := payingOff(c.rates); got != c.want {
			t.Errorf("of %v pay off %d, want %d", c.rates, got, c.want)
		}
	}
}
