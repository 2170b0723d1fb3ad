package bedrock

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"roundtable/activities/model"
	"roundtable/activities/model/anthropic"
	"roundtable/activities/model/wire"
	"roundtable/envs/wording"
)

// converseInput returns a request in Converse's form, or why it cannot be asked.
func (c *client) converseInput(r model.Request, mode JSONMode) (*sdk.ConverseInput, error) {
	system, messages, err := splitMessages(r.Messages)
	if err != nil {
		return nil, err
	}
	in := &sdk.ConverseInput{ModelId: &c.config.Model, System: system, Messages: messages}
	if in.InferenceConfig, err = inferenceConfig(r.Parameters); err != nil {
		return nil, err
	}
	if mode == Schema {
		schema := string(wire.Without(r.Schema, wire.Bounds()...))
		in.OutputConfig = &types.OutputConfig{TextFormat: &types.OutputFormat{
			Type:      types.OutputFormatTypeJsonSchema,
			Structure: &types.OutputFormatStructureMemberJsonSchema{Value: types.JsonSchemaDefinition{Schema: &schema}},
		}}
	}
	return in, setReasoning(in, r.Parameters)
}

// splitMessages splits messages into the system's and those of the conversation, whose
// turns must alternate: neighbours of one role become one message of several
// blocks. Blank messages say nothing, and the service refuses them.
func splitMessages(in []model.Message) ([]types.SystemContentBlock, []types.Message, error) {
	var system []types.SystemContentBlock
	var turns []types.Message
	for i, m := range in {
		role := types.ConversationRole(m.Role)
		switch {
		case m.Role != "system" && role != types.ConversationRoleUser && role != types.ConversationRoleAssistant:
			return nil, nil, fmt.Errorf("message %d has the role %q; roles are system, user and assistant", i+1, m.Role)
		case strings.TrimSpace(m.Content) == "":
		case m.Role == "system":
			system = append(system, &types.SystemContentBlockMemberText{Value: m.Content})
		case len(turns) > 0 && turns[len(turns)-1].Role == role:
			last := &turns[len(turns)-1]
			last.Content = append(last.Content, &types.ContentBlockMemberText{Value: m.Content})
		default:
			turns = append(turns, types.Message{Role: role,
				Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: m.Content}}})
		}
	}
	if len(turns) == 0 || turns[0].Role != types.ConversationRoleUser {
		return nil, nil, errors.New("the first message after those of the system must be the user's, and not blank")
	}
	return system, turns, nil
}

// Check refuses parameters that no request can be made with.
func (c *client) Check(p model.Parameters) error {
	_, err := c.converseInput(model.NewProbe(p), Plain)
	return err
}

// inferenceConfig returns what Converse knows for all models; nil if nothing is set.
func inferenceConfig(p model.Parameters) (*types.InferenceConfiguration, error) {
	if err := errors.Join(p.CheckNoExtra(), p.CheckNoLogprobs("Bedrock's Converse")); err != nil {
		return nil, err
	}
	if p.Seed != nil {
		return nil, errors.New("seed is set, which Bedrock's Converse does not know; leave it out")
	}
	if p.MaxTokens > math.MaxInt32 {
		return nil, fmt.Errorf("max_tokens is %d; at most %d can be asked for", p.MaxTokens, math.MaxInt32)
	}
	if p.Temperature == nil && p.TopP == nil && p.MaxTokens == 0 && len(p.Stop) == 0 {
		return nil, nil
	}
	out := &types.InferenceConfiguration{Temperature: narrowFloat(p.Temperature), TopP: narrowFloat(p.TopP),
		StopSequences: p.Stop}
	if n := int32(p.MaxTokens); n > 0 {
		out.MaxTokens = &n
	}
	return out, nil
}

func narrowFloat(v *float64) *float32 {
	if v == nil {
		return nil
	}
	n := float32(*v)
	return &n
}

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
