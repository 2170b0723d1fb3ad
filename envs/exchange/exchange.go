// Package exchange is the exchange economy of paper 1 (§4.1, D.1, D.2): agents
// hand out goods among themselves, each with a private Cobb-Douglas utility
// u_i = Π_k a_ik^θ_ik (0^θ = 0). What counts for the group, their total utility
// as a share of the greatest possible one, is told to nobody.
package exchange

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs"
	"roundtable/envs/wording"
)

// Params of the economy. A zero value means the default.
type Params struct {
	// Agents is their number, and for the named utilities also the number of goods: 2 to 100, default 3.
	Agents int `json:"agents"`
	// Utility names a set of exponents, default asymmetric:
	//   asymmetric            0.8 for good i of agent i, 0.2/(K-1) for the others (§4.1)
	//   symmetric             0.8 for the first good of everybody, 0.2/(K-1) for the others
	//   symmetric_as_printed  the same with 0.2/K, as in D.2, where exponents add up to less than 1
	//   uniform               1/K for every good (D.2)
	//   explicit              as given in Exponents
	Utility string `json:"utility"`
	// Exponents by agent and good, for explicit utilities. None is negative; those of one agent
	// add up to at most 1, which makes the greatest total computable.
	Exponents [][]float64 `json:"exponents"`
	// Quantity of each good, default 100.
	Quantity Quantity `json:"quantity"`
	// Tolerance is how far the total of a good in a proposal may be off, as a share of its
	// quantity: at most 0.01, default 1e-3, because models round thirds to two decimals.
	// Agents are told that totals are exact.
	Tolerance float64 `json:"tolerance"`
	// Totals is what becomes of a proposal whose totals are off by more: exact, the default,
	// refuses it; scale multiplies the amounts of each good so that they add up. Agents are
	// told which.
	Totals string `json:"totals"`
}

// Values of Params.Totals.
const (
	TotalsExact = "exact"
	TotalsScale = "scale"
)

// Defaults returns the economy of paper 1's Table 1.
func Defaults() Params {
	return Params{Agents: 3, Utility: asymmetric, Quantity: Quantity{100}, Tolerance: 1e-3, Totals: TotalsExact}
}

// Quantity is one number for every good or a list by good; empty means 100.
type Quantity []float64

// UnmarshalJSON takes a number or a list of numbers.
func (q *Quantity) UnmarshalJSON(text []byte) error {
	var one float64
	if json.Unmarshal(text, &one) == nil && string(text) != "null" {
		*q = Quantity{one}
		return nil
	}
	var list []float64
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("quantity is a number, or a list of numbers by good; not %s", wording.Clip(string(text)))
	}
	*q = list
	return nil
}

const (
	most        = 100 // agents and goods
	preferred   = 0.8 // exponent of the favourite good
	maxQuantity = 1e12

	asymmetric = "asymmetric"
	explicit   = "explicit"
)

// Utilities returns the names of the sets of exponents.
func Utilities() []string {
	return []string{asymmetric, "symmetric", "symmetric_as_printed", "uniform", explicit}
}

//go:embed prompts/*.tmpl
var prompts embed.FS

// Economy is the environment. It has one instance; only replicates vary.
type Economy struct {
	id     string
	table  table
	theta  [][]float64
	utmost float64 // the greatest possible total utility
}

// New checks the parameters and finds the greatest possible total utility.
func New(p Params) (*Economy, error) {
	theta, name, err := p.exponentMatrix()
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	quantity, err := p.quantityByGood(len(theta[0]))
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	tolerance := cmp.Or(p.Tolerance, Defaults().Tolerance)
	if !(tolerance > 0 && tolerance <= 0.01) {
		return nil, fmt.Errorf("exchange: tolerance is %v; it is more than 0 and at most 0.01", tolerance)
	}
	utmost, err := greatestTotal(theta, quantity)
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	e := &Economy{theta: theta, utmost: roundTo12(utmost)}
	if totals := cmp.Or(p.Totals, TotalsExact); totals != TotalsExact && totals != TotalsScale {
		return nil, fmt.Errorf("exchange: totals is %q; expected %s or %s", wording.Clip(totals),
			TotalsExact, TotalsScale)
	}
	e.table = table{scales: p.Totals == TotalsScale, agents: firstNames(agentNames, len(theta)),
		goods: firstNames(goodNames, len(theta[0])), quantity: quantity, tolerance: tolerance}
	e.id = economyName(name, theta, quantity)
	return e, nil
}

func (p Params) exponentMatrix() ([][]float64, string, error) {
	d := Defaults()
	k, name := cmp.Or(p.Agents, d.Agents), cmp.Or(p.Utility, d.Utility)
	if k < 2 || k > most {
		return nil, "", fmt.Errorf("agents is %d; it is a number from 2 to %d", k, most)
	}
	if name == explicit {
		if len(p.Exponents) != k {
			return nil, "", fmt.Errorf("exponents are given for %d agents; there are %d", len(p.Exponents), k)
		}
		return p.Exponents, explicit, checkExponents(p.Exponents)
	}
	if p.Exponents != nil {
		return nil, "", fmt.Errorf("exponents are given, but utility is %s; they go with utility %s",
			wording.Clip(name), explicit)
	}
	theta, err := presetExponents(name, k)
	return theta, name, err
}

func presetExponents(name string, k int) ([][]float64, error) {
	theta := make([][]float64, k)
	for i := range theta {
		favourite, own, other := 0, preferred, (1-preferred)/float64(k-1)
		switch name {
		case asymmetric:
			favourite = i
		case "symmetric":
		case "symmetric_as_printed":
			other = (1 - preferred) / float64(k)
		case "uniform":
			own, other = 1/float64(k), 1/float64(k)
		default:
			return nil, fmt.Errorf("unknown utility %q; expected %s%s", wording.Clip(name), wording.Or(Utilities()),
				wording.DidYouMean(name, Utilities()))
		}
		theta[i] = slices.Repeat([]float64{other}, k)
		theta[i][favourite] = own
	}
	return theta, nil
}

func checkExponents(theta [][]float64) error {
	for i, row := range theta {
		if len(row) == 0 || len(row) > most || len(row) != len(theta[0]) {
			return fmt.Errorf("exponents of agent %d are for %d goods, of agent 1 for %d; all are for the same 1 to %d goods", i+1, len(row), len(theta[0]), most)
		}
		sum := 0.0
		for k, v := range row {
			if !(v >= 0 && v <= 1) {
				return fmt.Errorf("exponent %v of agent %d for good %d is not from 0 to 1", v, i+1, k+1)
			}
			sum += v
		}
		if sum == 0 || sum > 1+1e-9 {
			return fmt.Errorf("exponents of agent %d add up to %v; they add up to more than 0 and at most 1", i+1, sum)
		}
	}
	return nil
}

func (p Params) quantityByGood(goods int) ([]float64, error) {
	q := p.Quantity
	if len(q) == 0 {
		q = Defaults().Quantity
	}
	if len(q) == 1 {
		q = slices.Repeat(q, goods)
	}
	if len(q) != goods {
		return nil, fmt.Errorf("%d quantities are given for %d goods; give one for all or one for each", len(q), goods)
	}
	for k, v := range q {
		if !(v > 0 && v <= maxQuantity) {
			return nil, fmt.Errorf("the quantity of good %d is %v; quantities are positive and at most %v", k+1, v,
				float64(maxQuantity))
		}
	}
	return q, nil
}

// economyName names the economy; what is not said by the size and the named
// utility enters as a hash.
func economyName(name string, theta [][]float64, quantity []float64) string {
	id := "k" + strconv.Itoa(len(theta)) + "-" + strings.ReplaceAll(name, "_", "-")
	usual := !slices.ContainsFunc(quantity, func(v float64) bool { return v != 100 })
	if name != explicit && usual {
		return id
	}
	h := fnv.New32a()
	fmt.Fprint(h, theta, quantity)
	return fmt.Sprintf("%s-%08x", id, h.Sum32())
}

// Version returns the version of dealing, parsing, scoring and the scripted policies.
func (e *Economy) Version() int { return 1 }

// Measure returns a share: of the greatest total utility.
func (*Economy) Measure() envs.Measure { return envs.Share }

// Instances returns 1: an economy is its parameters.
func (e *Economy) Instances() int { return 1 }

// Instance deals the economy; the seed has no part in it.
func (e *Economy) Instance(_ uint64, index int) (envs.Instance, error) {
	if index != 0 {
		return nil, fmt.Errorf("exchange: there is no instance %d; an economy has one, of index 0, and varies by replicate", index)
	}
	return e, nil
}

// Prompts returns the built-in templates.
func (e *Economy) Prompts() fs.FS {
	sub, err := fs.Sub(prompts, "prompts")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// ID returns the size and the utility, such as "k3-asymmetric".
func (e *Economy) ID() string { return e.id }

// Agents have names of one word.
func (e *Economy) Agents() []envs.Agent {
	agents := make([]envs.Agent, len(e.table.agents))
	for i, name := range e.table.agents {
		agents[i].Name = name
	}
	return agents
}

// Utmost returns the greatest possible total utility.
func (e *Economy) Utmost() float64 { return e.utmost }

// Parse takes {"agent": {"good": amount, …}, …} with every agent, every good
// and nothing else; each good must be handed out in full.
func (e *Economy) Parse(proposal []byte) (envs.Proposal, error) {
	a, err := e.table.parseAllocation(proposal)
	if err != nil {
		return "", err
	}
	return e.table.formatAllocation(a), nil
}

// Utility returns u_i of what the proposal gives to the agent.
func (e *Economy) Utility(agent int, p envs.Proposal) float64 {
	return e.Score(p).Utilities[agent]
}

// Score returns the total utility as a share of the greatest possible one. A text that Parse did
// not return scores 0.
func (e *Economy) Score(p envs.Proposal) envs.Score {
	s := envs.Score{Utilities: make([]float64, len(e.theta))}
	a, ok := e.table.readCanonical(p)
	if !ok {
		return s
	}
	total := 0.0
	for i, theta := range e.theta {
		s.Utilities[i] = roundTo12(cobbDouglas(theta, a[i]))
		total += s.Utilities[i]
	}
	s.Value = roundTo12(total / e.utmost)
	return s
}

func cobbDouglas(theta, amounts []float64) float64 {
	u := 1.0
	for k, t := range theta {
		if t > 0 {
			u *= math.Pow(amounts[k], t)
		}
	}
	return u
}

// roundTo12 keeps 12 digits: the last bits of a product differ between processors
// that fuse multiply and add and those that do not.
func roundTo12(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return v
}
