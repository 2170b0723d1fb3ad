package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// defaultMaxTokens bounds the length of an answer, without what is thought
// before it, if the campaign does not: the service takes no request without.
const defaultMaxTokens = 4096

// question is the body of a request to the Messages interface. What is not set is not sent.
type question struct {
	MaxTokens     int           `json:"max_tokens"`
	Messages      []turn        `json:"messages"`
	Model         string        `json:"model"`
	Temperature   *float64      `json:"temperature,omitempty"`
	TopP          *float64      `json:"top_p,omitempty"`
	OutputConfig  *outputConfig `json:"output_config,omitempty"`
	StopSequences []string      `json:"stop_sequences,omitempty"`
	Stream        bool          `json:"stream"` // false must be said: some servers stream by default
	System        []block       `json:"system,omitempty"`
	Thinking      *thinking     `json:"thinking,omitempty"`
}

// turn is what one side of the conversation says.
type turn struct {
	Content []block `json:"content"`
	Role    string  `json:"role"`
}

type block struct {
	Text         string        `json:"text"`
	Type         string        `json:"type"`
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

// cacheControl marks the end of a beginning that the service keeps for five minutes.
type cacheControl struct {
	Type string `json:"type"`
}

func textBlocks(parts []model.Block) (blocks []block) {
	for _, p := range parts {
		b := block{Text: p.Text, Type: "text"}
		if p.Marked {
			b.CacheControl = &cacheControl{"ephemeral"}
		}
		blocks = append(blocks, b)
	}
	return blocks
}

type outputConfig struct {
	Effort string  `json:"effort,omitempty"`
	Format *format `json:"format,omitempty"`
}

// format is a schema as it was written: models write the properties in their order.
type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type thinking struct {
	BudgetTokens int    `json:"budget_tokens,omitempty"`
	Display      string `json:"display,omitempty"`
	Type         string `json:"type"`
}

// newQuestion returns a request in the form of the Messages interface, or why it cannot be asked.
func (c *client) newQuestion(r model.Request) (question, error) {
	p := question{
		Model:         c.config.Model,
		MaxTokens:     r.Parameters.MaxTokens,
		StopSequences: r.Parameters.Stop,
	}
	if err := r.Parameters.CheckNoExtra(); err != nil {
		return p, err
	}
	var err error
	if p.System, p.Messages, err = splitMessages(r.Messages); err != nil {
		return p, err
	}
	if r.Parameters.Seed != nil {
		// A run that was said to be seeded would be recorded as what it is not.
		return p, errors.New("seed is set, which Anthropic's Messages interface does not know; leave it out")
	}
	if p.Temperature, err = shareParameter("temperature", r.Parameters.Temperature); err != nil {
		return p, err
	}
	if p.TopP, err = shareParameter("top_p", r.Parameters.TopP); err != nil {
		return p, err
	}
	if len(r.Schema) > 0 && !json.Valid(r.Schema) {
		return p, errors.New("the schema of the answer is not JSON")
	}
	if p.MaxTokens == 0 {
		p.MaxTokens = defaultMaxTokens + max(budgets[r.Parameters.ReasoningEffort], r.Parameters.Thinking)
	}
	return p, setThinking(&p, r.Parameters)
}

// Check refuses parameters that no request can be made with.
func (c *client) Check(p model.Parameters) error {
	_, err := c.newQuestion(model.Probe(p))
	return err
}

// shareParameter returns a parameter from 0 to 1; other services take more.
func shareParameter(name string, v *float64) (*float64, error) {
	if v == nil || *v >= 0 && *v <= 1 { // not so NaN
		return v, nil
	}
	return nil, fmt.Errorf("%s is %v; Anthropic takes 0 to 1", name, *v)
}

// splitMessages splits messages into the system's and those of the conversation, whose
// turns alternate: neighbours of one role become one message of several
// blocks. Blank messages say nothing, and the service refuses them.
func splitMessages(in []model.Message) (system []block, turns []turn, _ error) {
	parts := model.SplitAtEnds(in)
	for i, m := range in {
		switch {
		case m.Role != "system" && m.Role != "user" && m.Role != "assistant":
			return nil, nil, fmt.Errorf("message %d has the role %q; roles are system, user and assistant", i+1, m.Role)
		case strings.TrimSpace(m.Content) == "":
		case m.Role == "system":
			system = append(system, textBlocks(parts[i])...)
		case len(turns) > 0 && turns[len(turns)-1].Role == m.Role:
			last := &turns[len(turns)-1]
			last.Content = append(last.Content, textBlocks(parts[i])...)
		default:
			turns = append(turns, turn{Role: m.Role, Content: textBlocks(parts[i])})
		}
	}
	if len(turns) == 0 || turns[0].Role != "user" {
		return nil, nil, errors.New("the first message after those of the system must be the user's, and not blank")
	}
	return system, turns, nil
}

// enforceSchema makes the service answer by a schema. The configuration is copied: a
// question that is asked again without the schema must not hold it.
func (q *question) enforceSchema(schema json.RawMessage) {
	config := outputConfig{}
	if q.OutputConfig != nil {
		config = *q.OutputConfig
	}
	config.Format = &format{"json_schema", wire.Without(schema, wire.Bounds()...)}
	q.OutputConfig = &config
}
