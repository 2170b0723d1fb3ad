package exchange_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"

	"roundtable/envs"
	"roundtable/envs/envtest"
	"roundtable/envs/exchange"
)

func economy(t testing.TB, p exchange.Params) *exchange.Economy {
	t.Helper()
	e, err := exchange.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEnvironment(t *testing.T) {
	hostile := []string{
		`{"Alex":{"apples":100,"bread":100,"cloth":100},"Blake":{"apples":0,"bread":0,"cloth":0},"Casey":{"apples":0,"bread":0,"cloth":-0}}`,
		`{"Alex":{"apples":1e308,"bread":1e308,"cloth":1e308},"Blake":{"apples":1e308,"bread":1e308,"cloth":1e308},"Casey":{"apples":1e308,"bread":0,"cloth":0}}`,
	}
	envtest.Run(t, economy(t, exchange.Params{}), envtest.Options{Private: []string{"Exponents"}, Hostile: hostile})
	t.Run("others", func(t *testing.T) {
		for _, p := range []exchange.Params{
			{Agents: 2}, {Agents: 7, Utility: "symmetric"}, {Agents: 4, Utility: "uniform"}, {Utility: "symmetric_as_printed", Quantity: exchange.Quantity{0.01, 1, 1e9}},
			{Agents: 2, Utility: "explicit", Exponents: [][]float64{{1, 0, 0, 0}, {0, 0.5, 0.3, 0}}, Quantity: exchange.Quantity{1, 33.3333333333, 3, 4}}, {Utility: "explicit", Exponents: [][]float64{{0.4}, {0.5}, {0.6}}},
		} {
			envtest.Run(t, economy(t, p), envtest.Options{Private: []string{"Exponents"}, Golden: "-"})
		}
	})
}

func FuzzParse(f *testing.F) { envtest.Fuzz(f, economy(f, exchange.Params{})) }

// reference is made with independent tools (scipy); it is next to the repository.
type reference struct {
	Asymmetric map[string]struct {
		Umax  float64
		Even  float64 `json:"even_split_percent"`
		Takes float64 `json:"dictator_percent"`
	}
	Symmetric map[string]struct {
		Printed struct {
			Umax float64 `json:"Umax_closed"`
		} `json:"as_printed"`
		Normalised struct{ Umax float64 }
	}
	Uniform map[string]struct{ Umax float64 }
	Cases   []struct {
		K          int
		Allocation [][]float64 `json:"allocation_agent_by_good"`
		Utilities  []float64
		Total      float64
		Percent    float64 `json:"U_normalised_percent"`
	} `json:"allocation_cases"`
}

func load(t *testing.T) reference {
	t.Helper()
	var r reference
	text, err := os.ReadFile("../../../shared/vectors/exchange_economy_reference.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the reference vectors are not next to the repository; TestHandMade covers the formulas")
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

func TestUtmostAgainstReference(t *testing.T) {
	r := load(t)
	utmost := func(k, utility string) float64 {
		var n int
		if err := json.Unmarshal([]byte(k), &n); err != nil {
			t.Fatal(err)
		}
		return economy(t, exchange.Params{Agents: n, Utility: utility}).Utmost()
	}
	for k, x := range r.Asymmetric {
		near(t, "asymmetric "+k, utmost(k, "asymmetric"), x.Umax)
	}
	for k, x := range r.Symmetric {
		near(t, "symmetric_as_printed "+k, utmost(k, "symmetric_as_printed"), x.Printed.Umax)
		near(t, "symmetric "+k, utmost(k, "symmetric"), x.Normalised.Umax)
	}
	for k, x := range r.Uniform {
		near(t, "uniform "+k, utmost(k, "uniform"), x.Umax)
	}
	if len(r.Asymmetric) < 5 || len(r.Symmetric) < 4 || len(r.Uniform) < 4 {
		t.Error("the reference is incomplete")
	}
}

func TestAllocationsAgainstReference(t *testing.T) {
	r := load(t)
	for _, c := range r.Cases {
		e := economy(t, exchange.Params{Agents: c.K})
		p := envtest.ExchangeProposal(t, e, c.Allocation)
		s := e.Score(p)
		for i, want := range c.Utilities {
			near(t, "utility", s.Utilities[i], want)
			near(t, "utility alone", e.Utility(i, p), want)
		}
		near(t, "share", 100*s.Value, c.Percent)
	}
	if len(r.Cases) != 36 {
		t.Errorf("%d cases", len(r.Cases))
	}
}

func TestHandMade(t *testing.T) {
	e := economy(t, exchange.Params{})
	near(t, "utmost", e.Utmost(), 3*math.Pow(80, .8)*math.Pow(10, .2))
	best := e.Score(envtest.ExchangeProposal(t, e, [][]float64{{80, 10, 10}, {10, 80, 10}, {10, 10, 80}}))
	near(t, "best share", best.Value, 1)
	even := e.Score(envtest.ExchangeProposal(t, e, [][]float64{{30, 30, 30}, {35, 35, 35}, {35, 35, 35}}))
	near(t, "proportional split", even.Value, 100/e.Utmost())
	nothing := e.Score(envtest.ExchangeProposal(t, e, [][]float64{{100, 0, 0}, {0, 100, 0}, {0, 0, 100}}))
	near(t, "own good only: 0^θ = 0", nothing.Value, 0)
	if s := e.Score("not canonical"); s.Value != 0 || len(s.Utilities) != 3 {
		t.Errorf("a text that is not a proposal scores %+v", s)
	}
}

func TestParse(t *testing.T) {
	e := economy(t, exchange.Params{Agents: 2, Tolerance: 1e-6})
	const canonical = `{"Alex":{"apples":60,"bread":40.5},"Blake":{"apples":40,"bread":59.5}}`
	for _, same := range []string{
		canonical,
		"  " + canonical + "\n",
		`{"Blake": {"bread": 59.50, "apples": 4e1}, "Alex": {"bread": 40.5, "apples": 60.000}}`,
		`{"\u0041lex":{"apples":6E1,"bread":405e-1},"Blake":{"apples":40,"bread":59.5}}`,
	} {
		if p, err := e.Parse([]byte(same)); err != nil || p != canonical {
			t.Errorf("%s becomes %s, %v", same, p, err)
		}
	}
	if p, err := e.Parse([]byte(`{"Alex":{"apples":100,"bread":-0.0},"Blake":{"apples":0.0,"bread":100}}`)); err != nil || strings.Contains(string(p), "-") {
		t.Errorf("minus zero: %s, %v", p, err)
	}
	if _, err := e.Parse([]byte(`{"Alex":{"apples":60.00009,"bread":50},"Blake":{"apples":40,"bread":50}}`)); err != nil {
		t.Errorf("within the tolerance of 1e-6 of the quantity: %v", err)
	}
	coarse := economy(t, exchange.Params{Agents: 2}) // thirds as models write them add up to 99.99
	if _, err := coarse.Parse([]byte(`{"Alex":{"apples":59.91,"bread":50},"Blake":{"apples":40,"bread":50}}`)); err != nil {
		t.Errorf("within the default tolerance of 1e-3 of the quantity: %v", err)
	}
	for text, reason := range map[string]string{
		`{"Alex":{"apples":60,"bread":40},"Blake":{"apples":40,"bread":59.99}}`:                  "the amounts of bread add up to 99.99, not to 100",
		`{"Alex":{"apples":60.001,"bread":40},"Blake":{"apples":40,"bread":60}}`:                 "add up to 100.001, not to 100",
		`{"Alex":{"apples":-10,"bread":40},"Blake":{"apples":110,"bread":60}}`:                   "not negative",
		`{"Alex":{"apples":"60","bread":40},"Blake":{"apples":40,"bread":60}}`:                   "plain number",
		`{"Alex":{"apples":null,"bread":40},"Blake":{"apples":40,"bread":60}}`:                   "plain number",
		`{"Alex":{"apples":[60],"bread":40},"Blake":{"apples":40,"bread":60}}`:                   "is a list",
		`{"Alex":{"apples":NaN,"bread":40},"Blake":{"apples":40,"bread":60}}`:                    "not valid JSON",
		`{"Alex":{"apples":1e999,"bread":40},"Blake":{"apples":40,"bread":60}}`:                  "too large",
		`{"Alex":{"apples":60,"bread":40}}`:                                                      "leaves out Blake",
		`{"Alex":{"apples":100},"Blake":{"apples":0,"bread":100}}`:                               "leaves out bread",
		`{"Alex":{"apples":60,"bread":40},"Blake":{"apples":40,"bread":60},"Zoe":{}}`:            `unknown agent "Zoe"`,
		`{"alex":{"apples":60,"bread":40},"Blake":{"apples":40,"bread":60}}`:                     `unknown agent "alex"`,
		`{"Alex":{"apples":60,"bread":40,"gold":1},"Blake":{"apples":40,"bread":60}}`:            `unknown good "gold"`,
		`{"Alex":{"apples":60,"bread":40,"apples":60},"Blake":{"apples":40,"bread":60}}`:         "names apples twice",
		`{"Alex":{"apples":60,"bread":40},"Blake":{"apples":40,"bread":60},"Alex":{"apples":0}}`: "names Alex twice",
		`[1]`: "is a list", `null`: "null", `7`: "the number", ``: "empty", `{`: "ends too early", canonical + `{}`: "follows", canonical + ` and that is it`: "follows",
		strings.Repeat("[", 1<<21): "bytes",
	} {
		p, err := e.Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.80s: %q, error %v; the error should say %q", text, p, err, reason)
		}
	}
}

func TestParams(t *testing.T) {
	nan := math.NaN()
	for reason, p := range map[string]exchange.Params{
		"from 2 to 100":             {Agents: 1},
		"agents is -3":              {Agents: -3},
		"agents is 101":             {Agents: 101},
		`unknown utility "selfish"`: {Utility: "selfish"},
		"go with utility explicit":  {Agents: 2, Exponents: [][]float64{{1}, {1}}},
		"for 2 agents; there are 3": {Utility: "explicit", Exponents: [][]float64{{1}, {1}}},
		"for 0 agents":              {Utility: "explicit"},
		"for 0 goods":               {Agents: 2, Utility: "explicit", Exponents: [][]float64{{}, {}}},
		"agent 2 are for 1 goods":   {Agents: 2, Utility: "explicit", Exponents: [][]float64{{.5, .5}, {1}}},
		"not from 0 to 1":           {Agents: 2, Utility: "explicit", Exponents: [][]float64{{.5, -.5}, {1, 0}}},
		"exponent NaN":              {Agents: 2, Utility: "explicit", Exponents: [][]float64{{nan, .5}, {1, 0}}},
		"add up to 1.2":             {Agents: 2, Utility: "explicit", Exponents: [][]float64{{.6, .6}, {1, 0}}},
		"add up to 0":               {Agents: 2, Utility: "explicit", Exponents: [][]float64{{0, 0}, {1, 0}}},
		"2 quantities":              {Quantity: exchange.Quantity{1, 2}},
		"good 2 is 0":               {Quantity: exchange.Quantity{1, 0, 1}},
		"good 1 is NaN":             {Quantity: exchange.Quantity{nan}},
		"tolerance is 0.5":          {Tolerance: 0.5},
		"tolerance is -1":           {Tolerance: -1},
		"good 3 is +Inf":            {Quantity: exchange.Quantity{1, 1, math.Inf(1)}},
	} {
		if _, err := exchange.New(p); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%+v: error %v; it should say %q", p, err, reason)
		}
	}
	ids := map[string]exchange.Params{
		"k3-asymmetric": {}, "k5-uniform": {Agents: 5, Utility: "uniform"}, "k3-symmetric-as-printed": {Utility: "symmetric_as_printed", Quantity: exchange.Quantity{100}},
	}
	for id, p := range ids {
		if got := economy(t, p).ID(); got != id {
			t.Errorf("%+v has ID %s, want %s", p, got, id)
		}
	}
	a, b := economy(t, exchange.Params{Quantity: exchange.Quantity{7}}), economy(t, exchange.Params{Quantity: exchange.Quantity{8}})
	if a.ID() == b.ID() || a.ID() == "k3-asymmetric" {
		t.Errorf("other quantities, same ID: %s, %s", a.ID(), b.ID())
	}
}

func TestQuantityJSON(t *testing.T) {
	var p exchange.Params
	if err := json.Unmarshal([]byte(`{"quantity": 50}`), &p); err != nil || !slices.Equal(p.Quantity, exchange.Quantity{50}) {
		t.Errorf("a number: %v, %v", p.Quantity, err)
	}
	if err := json.Unmarshal([]byte(`{"quantity": [1, 2.5, 3]}`), &p); err != nil || !slices.Equal(p.Quantity, exchange.Quantity{1, 2.5, 3}) {
		t.Errorf("a list: %v, %v", p.Quantity, err)
	}
	if err := json.Unmarshal([]byte(`{"quantity": "many"}`), &p); err == nil || !strings.Contains(err.Error(), "a number, or a list") {
		t.Errorf("a text: %v", err)
	}
}

func TestNamesScale(t *testing.T) {
	e := economy(t, exchange.Params{Agents: 100})
	names := map[string]bool{}
	for _, a := range e.Agents() {
		names[a.Name] = true
	}
	for _, g := range e.Observe(0).(exchange.Observation).Goods {
		names[g.Name] = true
	}
	if len(names) != 200 {
		t.Errorf("%d different names of 100 agents and 100 goods", len(names))
	}
	s := envs.Situation{Agent: 99, Agents: e.Agents(), Round: 1, Rounds: 2, Observation: e.Observe(99), Rand: envs.Stream(1, "test")}
	p, err := e.Policy("trader", func(any) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	text, ok := p.Propose(s)
	if _, err := e.Parse([]byte(text)); !ok || err != nil {
		t.Errorf("a proposal for 100 agents and goods: %v, %v", ok, err)
	}
}

// TestPrivacy: nobody is told another's utility, nor that the total counts.
func TestPrivacy(t *testing.T) {
	e := economy(t, exchange.Params{Agents: 2, Utility: "explicit", Exponents: [][]float64{{.71, .13, .11}, {.12, .17, .53}}, Quantity: exchange.Quantity{90, 91, 92}})
	all := template.Must(template.ParseFS(e.Prompts(), "*.tmpl"))
	for agent, foreign := range [][]string{{"0.12", "0.17", "0.53"}, {"0.71", "0.13", "0.11"}} {
		for _, name := range []string{"task.tmpl", "background.tmpl", "proposal.tmpl"} {
			var b strings.Builder
			if err := all.ExecuteTemplate(&b, name, e.Observe(agent)); err != nil {
				t.Fatal(err)
			}
			text := strings.ToLower(b.String())
			for _, secret := range append(foreign, "total utility", "sum of", "share of the greatest", "umax") {
				if strings.Contains(text, secret) {
					t.Errorf("%s tells agent %d %q:\n%s", name, agent, secret, text)
				}
			}
			if name != "background.tmpl" && (strings.Contains(text, "^") || strings.Contains(text, "0.")) {
				t.Errorf("%s tells everybody a utility:\n%s", name, text)
			}
		}
	}
}

func TestPolicyParameters(t *testing.T) {
	e := economy(t, exchange.Params{})
	for _, field := range []string{"greed", "concession", "trust", "noise", "mood", "firmness"} {
		_, err := e.Policy("trader", func(v any) error { return json.Unmarshal([]byte(`{"`+field+`": -1}`), v) })
		if err == nil || !strings.Contains(err.Error(), field+" is -1") {
			t.Errorf("%s of -1: %v", field, err)
		}
	}
	silent, err := e.Policy("trader", func(v any) error { return json.Unmarshal([]byte(`{"silent": true}`), v) })
	if err != nil {
		t.Fatal(err)
	}
	s := envs.Situation{Agents: e.Agents(), Round: 1, Rounds: 10, Observation: e.Observe(0), Rand: envs.Stream(1, "test")}
	if m := silent.Message(s); strings.Contains(m.Text, "apples") {
		t.Errorf("a silent agent says %q", m.Text)
	}
}

// TestListening: what is said changes the proposal, and only through the messages.
func TestListening(t *testing.T) {
	e := economy(t, exchange.Params{})
	p, err := e.Policy("trader", func(v any) error { return json.Unmarshal([]byte(`{"noise": 0, "mood": 0, "trust": 1}`), v) })
	if err != nil {
		t.Fatal(err)
	}
	s := envs.Situation{Agents: e.Agents(), Round: 1, Rounds: 10, Observation: e.Observe(0), Rand: envs.Stream(1, "test")}
	deaf, _ := p.Propose(s)
	for i := 1; i < 3; i++ {
		other := s
		other.Agent, other.Observation = i, e.Observe(i)
		m := p.Message(other)
		m.From = i
		s.Messages = append(s.Messages, m)
	}
	heard, _ := p.Propose(s)
	a, err := e.Parse([]byte(deaf))
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.Parse([]byte(heard))
	if err != nil {
		t.Fatal(err)
	}
	if e.Score(b).Value < e.Score(a).Value+0.1 {
		t.Errorf("having listened, the proposal is worth %.3f; before, %.3f", e.Score(b).Value, e.Score(a).Value)
	}
}

// With totals: scale the amounts of a good are scaled until they add up; what is within the
// tolerance stays, and nothing can be scaled that is nothing.
func TestTotalsAreScaled(t *testing.T) {
	exact, scale := economy(t, exchange.Params{Agents: 2}), economy(t, exchange.Params{Agents: 2, Totals: exchange.TotalsScale})
	const off = `{"Alex":{"apples":30,"bread":150},"Blake":{"apples":20,"bread":50}}`
	if _, err := exact.Parse([]byte(off)); err == nil || err.Error() != "the amounts of apples add up to 50, not to 100; the amounts of bread add up to 200, not to 100" {
		t.Errorf("every good that is off is named: %v", err)
	}
	p, err := scale.Parse([]byte(off))
	if err != nil || p != `{"Alex":{"apples":60,"bread":75},"Blake":{"apples":40,"bread":25}}` {
		t.Errorf("%s, %v", p, err)
	}
	if again, err := scale.Parse([]byte(p)); err != nil || again != p {
		t.Errorf("%s is read again as %s, %v", p, again, err)
	}
	if _, err := scale.Parse([]byte(`{"Alex":{"apples":0,"bread":1},"Blake":{"apples":0,"bread":1}}`)); err == nil || !strings.Contains(err.Error(), "apples add up to 0, not to 100") {
		t.Errorf("nothing is scaled: %v", err)
	}
	for _, close := range []string{`{"Alex":{"apples":60.001,"bread":40},"Blake":{"apples":40,"bread":60}}`} {
		a, _ := exact.Parse([]byte(close))
		if b, err := scale.Parse([]byte(close)); err != nil || a != b {
			t.Errorf("within the tolerance %s became %s, %v", a, b, err)
		}
	}
	if _, err := exchange.New(exchange.Params{Totals: "round"}); err == nil || !strings.Contains(err.Error(), `totals is "round"; expected exact or scale`) {
		t.Errorf("%v", err)
	}
}
