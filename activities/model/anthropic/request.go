package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
	"roundtable/envs/wording"
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

// textBlocks returns a message as the service takes it: whole, or with marks in blocks, which a
// server that knows none may join with newlines.
func (c *client) textBlocks(content string, parts []model.Block) (blocks []block) {
	if !c.marks {
		return []block{{Text: content, Type: "text"}}
	}
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
	if err := errors.Join(r.Parameters.CheckNoExtra(), r.Parameters.CheckNoLogprobs("Anthropic")); err != nil {
		return p, err
	}
	var err error
	if p.System, p.Messages, err = c.splitMessages(r.Messages); err != nil {
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
	_, err := c.newQuestion(model.NewProbe(p))
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
func (c *client) splitMessages(in []model.Message) (system []block, turns []turn, _ error) {
	parts := model.SplitAtEnds(in)
	for i, m := range in {
		switch {
		case m.Role != "system" && m.Role != "user" && m.Role != "assistant":
			return nil, nil, fmt.Errorf("message %d has the role %q; roles are system, user and assistant", i+1, m.Role)
		case strings.TrimSpace(m.Content) == "":
		case m.Role == "system":
			system = append(system, c.textBlocks(m.Content, parts[i])...)
		case len(turns) > 0 && turns[len(turns)-1].Role == m.Role:
			last := &turns[len(turns)-1]
			last.Content = append(last.Content, c.textBlocks(m.Content, parts[i])...)
		default:
			turns = append(turns, turn{Role: m.Role, Content: c.textBlocks(m.Content, parts[i])})
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

// CheckSampling returns an error if r sets what no Claude takes while it thinks: a temperature
// other than 1, or a top_p below 0.95.
func CheckSampling(r model.Parameters) error {
	if r.Temperature != nil && *r.Temperature != 1 {
		return errors.New("temperature is set, and the model is told to think; then it takes no temperature but 1: " +
			"leave one of them out")
	}
	if r.TopP != nil && *r.TopP < 0.95 {
		return fmt.Errorf("top_p is %g, and the model is told to think; then it takes a top_p from 0.95 to 1: leave "+
			"one of them out", *r.TopP)
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

// ThinkingOff returns the value of thinking.type that makes a model answer without thinking; the
// error says why there is none. The rules are those of the pages "Thinking" and "What's new in
// Claude Sonnet 5.5".
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

// AdaptiveEfforts returns the reasoning efforts that a model takes which is given no number of
// tokens to think, by its id: Claude 4.6 and later.
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

// BudgetOf returns the number of tokens to think that parameters r give a model that needs one; the
// error says why r does not fit.
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
