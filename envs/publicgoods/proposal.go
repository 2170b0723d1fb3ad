package publicgoods

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs"
	"roundtable/envs/wording"
)

const mostBytes = 64 << 10

// Parse reads {"Alex": 12, "Blake": 8, …}: every agent's contribution, rounded to
// two decimals. It reads tokens, because a map would hide doubled names.
func (in *instance) Parse(text []byte) (envs.Proposal, error) {
	agents := names[:in.params.Agents]
	want := errors.New("a proposal is an object with the contribution of each of " + wording.And(agents))
	if len(text) > mostBytes || !json.Valid(text) {
		return "", want
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return "", want
	}
	given, found := make([]float64, len(agents)), make([]bool, len(agents))
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return "", want
		}
		i := slices.Index(agents, fmt.Sprint(name))
		if i < 0 {
			return "", fmt.Errorf("the proposal names an unknown agent; the agents are %s", wording.And(agents))
		}
		if found[i] {
			return "", fmt.Errorf("the proposal names %s twice", agents[i])
		}
		value, err := d.Token()
		amount, ok := value.(float64)
		if err != nil || !ok || amount < 0 || amount > in.params.Endowment {
			return "", fmt.Errorf("the contribution of %s must be a number from 0 to %s", agents[i],
				formatNumber(in.params.Endowment))
		}
		given[i], found[i] = amount, true
	}
	if i := slices.Index(found, false); i >= 0 {
		return "", fmt.Errorf("the contribution of %s is missing", agents[i])
	}
	return canonicalProposal(given, agents), nil
}

// canonicalProposal writes contributions by agent, in hundredths.
func canonicalProposal(given []float64, agents []string) envs.Proposal {
	var parts []string
	for i, v := range given {
		parts = append(parts, strconv.Quote(agents[i])+":"+formatNumber(v))
	}
	return envs.Proposal("{" + strings.Join(parts, ",") + "}")
}

// contributionsOf of a canonical proposal, by agent.
func contributionsOf(p envs.Proposal, agents []string) []float64 {
	byName := map[string]float64{}
	if err := json.Unmarshal([]byte(p), &byName); err != nil {
		panic("publicgoods: not a proposal of Parse: " + err.Error())
	}
	given := make([]float64, len(agents))
	for i, name := range agents {
		given[i] = byName[name]
	}
	return given
}

func formatNumber(v float64) string {
	return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64)
}

// Cue answers "median" with the proposals that the step sees, one agent at a
// time: the median contribution as a proposal, and with the quartiles in words.
func (in *instance) Cue(c envs.Cue) (envs.Contribution, error) {
	if c.Name != envs.CueMedian {
		return envs.Contribution{}, fmt.Errorf("the environment publicgoods has no %s; it has %s", c.Name,
			envs.CueMedian)
	}
	agents := names[:in.params.Agents]
	var all [][]float64
	for _, s := range c.Shown {
		if s.Proposal != "" {
			all = append(all, contributionsOf(s.Proposal, agents))
		}
	}
	if len(all) == 0 {
		return envs.Contribution{Text: envs.NoEstimates}, nil
	}
	middle, lines := make([]float64, len(agents)), make([]string, len(agents))
	for i, name := range agents {
		var amounts []float64
		for _, given := range all {
			amounts = append(amounts, given[i])
		}
		quartiles := envs.Quartiles(amounts)
		middle[i] = quartiles[1]
		lines[i] = fmt.Sprintf("%s: median %s (middle half from %s to %s)", name, formatNumber(quartiles[1]),
			formatNumber(quartiles[0]), formatNumber(quartiles[2]))
	}
	return envs.Contribution{Text: strings.Join(lines, "\n"),
		Proposals: []envs.Proposal{canonicalProposal(middle, agents)}}, nil
}
