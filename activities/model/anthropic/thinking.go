package anthropic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/activities/model"
	"roundtable/envs/wording"
)

// budgets are the tokens that an effort may think for: exactly so where a model
// must be given a number, of which 1024 is the least, and otherwise as room in max_tokens.
var budgets = map[string]int{"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768, "max": 57344}

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

// isOf46 reports whether a model takes an effort as well as a number of tokens, and no xhigh.
func isOf46(name string) bool { return strings.Contains(name, "-4-6") }

// leastThinking is the least number of tokens that a model can be told to think for.
const leastThinking = 1024

// setThinking asks for an effort if one is set. Without one, what is thought is the model's own choice.
func setThinking(p *question, r model.Parameters) error {
	switch {
	case r.ReasoningAsked() == "":
		return nil
	case r.ReasoningEffort == "none":
		return dontThink(p)
	}
	if err := CheckSampling(r); err != nil {
		return err
	}
	i := slices.IndexFunc(older, func(g generation) bool { return strings.Contains(p.Model, g.name) })
	switch {
	case i >= 0 && !older[i].thinks:
		return fmt.Errorf("reasoning_effort or thinking is set, which %q does not take; leave it out", p.Model)
	case i >= 0, r.Thinking > 0 && isOf46(p.Model):
		return setBudget(p, r)
	}
	return setAdaptive(p, r)
}

// CheckSampling refuses what no Claude takes while it thinks.
func CheckSampling(r model.Parameters) error {
	if r.Temperature != nil && *r.Temperature != 1 {
		return errors.New("temperature is set, and the model is told to think; then it takes no temperature but 1: leave one of them out")
	}
	if r.TopP != nil && *r.TopP < 0.95 {
		return fmt.Errorf("top_p is %g, and the model is told to think; then it takes a top_p from 0.95 to 1: leave one of them out", *r.TopP)
	}
	return nil
}

// dontThink switches thinking off, where a model thinks at all.
func dontThink(p *question) error {
	i := slices.IndexFunc(older, func(g generation) bool { return strings.Contains(p.Model, g.name) })
	if i >= 0 && !older[i].thinks {
		return nil
	}
	off, err := ThinkingOff(p.Model)
	if err == nil {
		p.Thinking = &thinking{Type: off}
	}
	return err
}

// ThinkingOff returns the type of thinking with which a model answers at once, or why there is
// none. The rules are those of the pages "Thinking" and "What's new in Claude Sonnet 5.5".
func ThinkingOff(name string) (string, error) {
	switch {
	case strings.Contains(name, "claude-opus-5-5"), strings.Contains(name, "claude-fable-5"):
		return "", fmt.Errorf("reasoning_effort is none; %q always thinks and takes %s", name,
			wording.And(AdaptiveEfforts(name)))
	case strings.Contains(name, "claude-sonnet-5-5"):
		return "between_tools", nil
	}
	return "disabled", nil
}

// AdaptiveEfforts returns the efforts of a model that is told no number of tokens, by its id:
// Claude 4.6 and later.
func AdaptiveEfforts(name string) []string {
	if isOf46(name) {
		return []string{"low", "medium", "high", "max"}
	}
	return []string{"low", "medium", "high", "xhigh", "max"}
}

func setAdaptive(p *question, r model.Parameters) error {
	efforts := AdaptiveEfforts(p.Model)
	if err := r.CheckNoThinking(p.Model, "a reasoning_effort: "+wording.And(efforts)); err != nil {
		return err
	}
	if !slices.Contains(efforts, r.ReasoningEffort) {
		return fmt.Errorf("reasoning_effort is %q; %q takes %s", r.ReasoningEffort, p.Model, wording.And(efforts))
	}
	p.OutputConfig = &outputConfig{Effort: r.ReasoningEffort}
	p.Thinking = &thinking{Type: "adaptive", Display: "summarized"} // models after 4.6 leave out what they have thought
	return nil
}

func setBudget(p *question, r model.Parameters) error {
	tokens, err := BudgetOf(p.Model, r)
	if err == nil {
		p.Thinking = &thinking{Type: "enabled", BudgetTokens: tokens}
	}
	return err
}

// BudgetOf returns how many tokens a model may think for that must be told a number.
func BudgetOf(name string, r model.Parameters) (int, error) {
	tokens := max(budgets[r.ReasoningEffort], r.Thinking)
	switch {
	case r.Thinking == 0 && !slices.Contains([]string{"minimal", "low", "medium", "high"}, r.ReasoningEffort):
		return 0, fmt.Errorf("reasoning_effort is %q; %q takes minimal, low, medium and high, or thinking: a number of tokens", r.ReasoningEffort, name)
	case tokens < leastThinking:
		return 0, fmt.Errorf("thinking is %d; %q takes %d tokens or more", tokens, name, leastThinking)
	case r.MaxTokens > 0 && r.MaxTokens <= tokens:
		return 0, fmt.Errorf("max_tokens is %d, of which %d are to think with; set max_tokens higher",
			r.MaxTokens, tokens)
	}
	return tokens, nil
}
