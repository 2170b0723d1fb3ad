package bedrock

import (
	"errors"
	"fmt"
	"math"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
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
	_, err := c.converseInput(model.Probe(p), Plain)
	return err
}

// inferenceConfig returns what Converse knows for all models; nil if nothing is set.
func inferenceConfig(p model.Parameters) (*types.InferenceConfiguration, error) {
	if err := p.CheckNoExtra(); err != nil {
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
