package bedrock

import (
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
		if err := anthropic.CheckSampling(p); err != nil {
			return err
		}
	}
	return reasoners[i].set(in, p)
}

func setBudget(in *sdk.ConverseInput, p model.Parameters) error {
	tokens, err := anthropic.BudgetOf(*in.ModelId, p)
	if err == nil {
		addFields(in, map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": tokens}})
	}
	return err
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
	addFields(in, map[string]any{"reasoningConfig": map[string]any{"type": "enabled",
		"maxReasoningEffort": p.ReasoningEffort}})
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
