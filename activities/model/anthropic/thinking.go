package anthropic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/activities/model"
)

// budgets are the tokens that an effort may think for: exactly so where a model
// must be given a number, of which 1024 is the least, and otherwise as room in max_tokens.
var budgets = map[string]int{"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384}

// generation is a part of the ids of models before Claude 4.6, and whether they
// think within a budget of tokens or not at all.
type generation struct {
	name   string
	thinks bool
}

// older are tried in their order; all other models take an effort. They are
// from Anthropic's pages "Thinking" and "Effort".
var older = []generation{
	{"claude-3-7-", true},
	{"claude-3", false},
	{"claude-2", false},
	{"claude-instant", false},
	{"claude-sonnet-4-0", true},
	{"claude-sonnet-4-2", true}, // Claude Sonnet 4, of 2025
	{"claude-opus-4-0", true},
	{"claude-opus-4-2", true},
	{"claude-opus-4-1", true},
	{"claude-sonnet-4-5", true},
	{"claude-opus-4-5", true},
	{"claude-haiku-4-5", true},
}

// setThinking asks for an effort if one is set. Without one, what is thought is the model's own choice.
func setThinking(p *question, r model.Parameters) error {
	switch r.ReasoningEffort {
	case "":
		return nil
	case "none":
		return dontThink(p)
	}
	if r.Temperature != nil && *r.Temperature != 1 {
		return errors.New("temperature and reasoning_effort are set; a model that thinks takes no temperature but 1: leave one of them out")
	}
	if r.TopP != nil && *r.TopP < 0.95 {
		return fmt.Errorf("top_p is %g and reasoning_effort is set; a model that thinks takes a top_p from 0.95 to 1: leave one of them out", *r.TopP)
	}
	i := slices.IndexFunc(older, func(g generation) bool { return strings.Contains(p.Model, g.name) })
	switch {
	case i < 0:
		return setAdaptive(p, r.ReasoningEffort)
	case older[i].thinks:
		return setBudget(p, r.ReasoningEffort)
	}
	return fmt.Errorf("reasoning_effort is set, which %q does not take; leave it out", p.Model)
}

// dontThink switches thinking off, where a model thinks at all.
func dontThink(p *question) error {
	i := slices.IndexFunc(older, func(g generation) bool { return strings.Contains(p.Model, g.name) })
	if i < 0 || older[i].thinks {
		p.Thinking = &thinking{Type: "disabled"}
	}
	return nil
}

func setAdaptive(p *question, effort string) error {
	switch effort {
	case "low", "medium", "high":
		p.OutputConfig = &outputConfig{Effort: effort}
		p.Thinking = &thinking{Type: "adaptive"}
		return nil
	}
	return fmt.Errorf("reasoning_effort is %q; %q takes low, medium and high", effort, p.Model)
}

func setBudget(p *question, effort string) error {
	tokens, ok := budgets[effort]
	switch {
	case !ok:
		return fmt.Errorf("reasoning_effort is %q; %q takes minimal, low, medium and high", effort, p.Model)
	case p.MaxTokens <= tokens:
		return fmt.Errorf("max_tokens is %d, of which reasoning_effort %s takes up to %d; set max_tokens higher", p.MaxTokens, effort, tokens)
	}
	p.Thinking = &thinking{Type: "enabled", BudgetTokens: tokens}
	return nil
}
