package bedrock

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"roundtable/activities/model"
	"roundtable/activities/model/anthropic"
	"roundtable/envs/wording"
)

// reasoner is a family of models that can be told how much to think, or that cannot.
type reasoner struct {
	name string // part of the ids of its models
	set  func(*sdk.ConverseInput, model.Parameters) error
}

// reasoners are tried in their order. They are from AWS's user guide, under
// "Extended thinking", "Adaptive thinking" and "OpenAI models", and from its
// guide to Nova 2.
var reasoners = []reasoner{
	{"anthropic.claude-3-7-", setBudget},
	{"anthropic.claude-sonnet-4-2", setBudget}, // Claude Sonnet 4, of 2025
	{"anthropic.claude-opus-4-2", setBudget},
	{"anthropic.claude-opus-4-1-", setBudget},
	{"anthropic.claude-sonnet-4-5-", setBudget},
	{"anthropic.claude-opus-4-5-", setBudget},
	{"anthropic.claude-haiku-4-5-", setBudget},
	{"anthropic.claude-3-", nil},
	{"anthropic.claude-v2", nil},
	{"anthropic.claude-instant", nil},
	{"anthropic.claude-", setAdaptive}, // 4.6 and all that came later
	{"openai.gpt-oss-", setEffort},
	{"amazon.nova-2-", setNova},
}

// setReasoning asks for an effort if one is set; a model that is not known to take one is not asked.
func setReasoning(in *sdk.ConverseInput, p model.Parameters) error {
	if p.ReasoningAsked() == "" {
		return nil
	}
	i := slices.IndexFunc(reasoners, func(r reasoner) bool { return strings.Contains(*in.ModelId, r.name) })
	if i < 0 || reasoners[i].set == nil {
		return fmt.Errorf("reasoning_effort or thinking is set, which %q is not known to take on Bedrock; leave it out", *in.ModelId)
	}
	claude := strings.Contains(*in.ModelId, "anthropic.")
	if claude && p.ReasoningEffort == "none" {
		off, err := anthropic.ThinkingOff(*in.ModelId)
		if err == nil {
			addFields(in, map[string]any{"thinking": map[string]any{"type": off}})
		}
		return err
	}
	if claude {
		if err := checkThinking(p); err != nil {
			return err
		}
	}
	return reasoners[i].set(in, p)
}

// checkThinking refuses what no Claude takes while it thinks.
func checkThinking(p model.Parameters) error {
	if p.Temperature != nil && *p.Temperature != 1 {
		return errors.New("temperature is set, and the model is told to think; then it takes no temperature but 1: leave one of them out")
	}
	if p.TopP != nil && *p.TopP < 0.95 {
		return fmt.Errorf("top_p is %g, and the model is told to think; then it takes a top_p from 0.95 to 1: leave one of them out", *p.TopP)
	}
	return nil
}

// budgets are the tokens that an effort is worth where a model must be given a number; 1024 is the least.
var budgets = map[string]int{"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384}

func setBudget(in *sdk.ConverseInput, p model.Parameters) error {
	tokens, ok := budgets[p.ReasoningEffort]
	switch tokens = max(tokens, p.Thinking); {
	case !ok && p.Thinking == 0:
		return refuseEffort(p, "minimal, low, medium and high, or thinking: a number of tokens")
	case tokens < budgets["minimal"]:
		return fmt.Errorf("thinking is %d; this model takes %d tokens or more", tokens, budgets["minimal"])
	case p.MaxTokens > 0 && p.MaxTokens <= tokens:
		return fmt.Errorf("max_tokens is %d, of which %d are to think with; set max_tokens higher", p.MaxTokens, tokens)
	}
	addFields(in, map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": tokens}})
	return nil
}

func setAdaptive(in *sdk.ConverseInput, p model.Parameters) error {
	if efforts := anthropic.AdaptiveEfforts(*in.ModelId); !slices.Contains(efforts, p.ReasoningEffort) {
		return refuseEffort(p, wording.And(efforts))
	}
	if in.OutputConfig == nil {
		in.OutputConfig = &types.OutputConfig{}
	}
	in.OutputConfig.Effort = &p.ReasoningEffort
	addFields(in, map[string]any{"thinking": map[string]any{"type": "adaptive"}})
	return nil
}

func setEffort(in *sdk.ConverseInput, p model.Parameters) error {
	if !isGraded(p) {
		return refuseEffort(p, "low, medium and high")
	}
	addFields(in, map[string]any{"reasoning_effort": p.ReasoningEffort})
	return nil
}

func setNova(in *sdk.ConverseInput, p model.Parameters) error {
	if p.ReasoningEffort == "none" {
		addFields(in, map[string]any{"reasoningConfig": map[string]any{"type": "disabled"}})
		return nil
	}
	if !isGraded(p) {
		return refuseEffort(p, "none, low, medium and high")
	}
	addFields(in, map[string]any{"reasoningConfig": map[string]any{"type": "enabled", "maxReasoningEffort": p.ReasoningEffort}})
	return nil
}

func isGraded(p model.Parameters) bool {
	return slices.Contains([]string{"low", "medium", "high"}, p.ReasoningEffort)
}

func refuseEffort(p model.Parameters, accepted string) error {
	if err := p.CheckNoThinking("this model", "a reasoning_effort: "+accepted); err != nil {
		return err
	}
	return fmt.Errorf("reasoning_effort is %q; this model takes %s", p.ReasoningEffort, accepted)
}

func addFields(in *sdk.ConverseInput, fields map[string]any) {
	in.AdditionalModelRequestFields = document.NewLazyDocument(fields)
}
