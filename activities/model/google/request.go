package google

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// question is the body of a request. Its configuration is nil if nothing is set.
type question struct {
	Contents          []*turn     `json:"contents"`
	SystemInstruction *turn       `json:"systemInstruction,omitempty"`
	GenerationConfig  *generation `json:"generationConfig,omitempty"`
	ServiceTier       plan.Tier   `json:"serviceTier,omitempty"`
}

// turn is what one side of the conversation says.
type turn struct {
	Parts []part `json:"parts,omitempty"`
	Role  string `json:"role,omitempty"`
}

type part struct {
	Text string `json:"text,omitempty"`
}

// generation is how the service is to answer.
type generation struct {
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	MaxOutputTokens    int32           `json:"maxOutputTokens,omitempty"`
	ResponseMIMEType   string          `json:"responseMimeType,omitempty"`
	ResponseLogprobs   bool            `json:"responseLogprobs,omitempty"`
	Seed               *int32          `json:"seed,omitempty"`
	StopSequences      []string        `json:"stopSequences,omitempty"`
	Temperature        *float32        `json:"temperature,omitempty"`
	ThinkingConfig     *thinking       `json:"thinkingConfig,omitempty"`
	TopP               *float32        `json:"topP,omitempty"`
}

type thinking struct {
	Include bool   `json:"includeThoughts,omitempty"` // summed up, in parts of their own
	Budget  *int32 `json:"thinkingBudget,omitempty"`
	Level   string `json:"thinkingLevel,omitempty"`
}

// requestBody returns the address and the body of a request, or why it cannot be asked.
func (c *client) requestBody(r model.Request, mode JSONMode) (url string, body []byte, err error) {
	q := question{}
	if r.Tier != plan.Batch { // which is not a field of the request
		q.ServiceTier = r.Tier
	}
	if q.SystemInstruction, q.Contents, err = splitMessages(r.Messages); err != nil {
		return "", nil, err
	}
	config, err := c.generationConfig(r.Parameters)
	if err != nil {
		return "", nil, err
	}
	if mode == Schema {
		config.ResponseMIMEType, config.ResponseJSONSchema = "application/json", wire.Without(r.Schema, "uniqueItems")
	}
	if mode == Schema || !isZero(r.Parameters) {
		q.GenerationConfig = config
	}
	body, err = json.Marshal(q)
	return c.url, body, err
}

func isZero(p model.Parameters) bool {
	return p.Temperature == nil && p.TopP == nil && p.MaxTokens == 0 && p.Seed == nil && len(p.Stop) == 0 &&
		p.ReasoningAsked() == "" && !p.Logprobs
}

// splitMessages splits messages into the system's and those of the conversation:
// neighbours of one role become one content of several parts. Blank messages
// say nothing, and the service refuses empty parts.
func splitMessages(in []model.Message) (system *turn, turns []*turn, _ error) {
	roles := map[string]string{"system": "", "user": "user", "assistant": "model"}
	for i, m := range in {
		role, known := roles[m.Role]
		said := part{Text: m.Content}
		switch {
		case !known:
			return nil, nil, fmt.Errorf("message %d has the role %q; roles are system, user and assistant", i+1, m.Role)
		case strings.TrimSpace(m.Content) == "":
		case m.Role == "system" && system == nil:
			system = &turn{Parts: []part{said}}
		case m.Role == "system":
			system.Parts = append(system.Parts, said)
		case len(turns) > 0 && turns[len(turns)-1].Role == role:
			last := turns[len(turns)-1]
			last.Parts = append(last.Parts, said)
		default:
			turns = append(turns, &turn{Role: role, Parts: []part{said}})
		}
	}
	if len(turns) == 0 || turns[0].Role != "user" {
		return nil, nil, errors.New("the first message after those of the system must be the user's, and not blank")
	}
	return system, turns, nil
}

// Check refuses parameters that no request can be made with.
func (c *client) Check(p model.Parameters) error {
	_, err := c.generationConfig(p)
	return err
}

// generationConfig returns how the service is to answer, or why it cannot: it knows numbers of 32 bits only.
func (c *client) generationConfig(p model.Parameters) (*generation, error) {
	if p.MaxTokens > math.MaxInt32 {
		return nil, fmt.Errorf("max_tokens is %d; at most %d can be asked for", p.MaxTokens, math.MaxInt32)
	}
	out := &generation{
		Temperature: narrowFloat(p.Temperature), TopP: narrowFloat(p.TopP),
		MaxOutputTokens: int32(p.MaxTokens), StopSequences: p.Stop, ResponseLogprobs: p.Logprobs,
	}
	if p.Seed != nil {
		if *p.Seed < math.MinInt32 || *p.Seed > math.MaxInt32 {
			return nil, fmt.Errorf("seed is %d; Google takes seeds from %d to %d", *p.Seed, math.MinInt32,
				math.MaxInt32)
		}
		seed := int32(*p.Seed)
		out.Seed = &seed
	}
	if err := p.CheckNoExtra(); err != nil {
		return nil, err
	}
	var err error
	out.ThinkingConfig, err = c.thinkingConfig(p)
	return out, err
}

func narrowFloat(v *float64) *float32 {
	if v == nil {
		return nil
	}
	n := float32(*v)
	return &n
}

// budgets are the tokens that an effort is worth for Gemini 2.5, as in Google's
// own compatibility with OpenAI. Later models take the effort itself.
var budgets = map[string]int32{"none": 0, "low": 1024, "medium": 8192, "high": 24576}

// ranges are how many tokens models can be told to think for, from Google's page "Thinking".
var ranges = []struct {
	name        string
	least, most int
}{{"gemini-2.5-pro", 128, 32768}, {"gemini-2.5-flash-lite", 512, 24576}, {"gemini-2.5", 1, 24576}}

func (c *client) thinkingConfig(p model.Parameters) (*thinking, error) {
	if p.ReasoningAsked() == "" {
		return nil, nil
	}
	for _, r := range ranges {
		if strings.Contains(c.config.Model, r.name) {
			return c.thinkingBudget(p, r.least, r.most)
		}
	}
	levels := []string{"minimal", "low", "medium", "high"}
	for _, name := range []string{"pro", "gemini-3.7", "gemini-3.8"} {
		if strings.Contains(c.config.Model, name) {
			levels = levels[1:]
			break
		}
	}
	if err := p.CheckNoThinking(c.config.Model, "a reasoning_effort: "+wording.And(levels)); err != nil {
		return nil, err
	}
	if !slices.Contains(levels, p.ReasoningEffort) {
		return nil, fmt.Errorf("reasoning_effort is %q; %q takes %s", p.ReasoningEffort, c.config.Model,
			wording.And(levels))
	}
	return &thinking{Include: true, Level: strings.ToUpper(p.ReasoningEffort)}, nil
}

// thinkingBudget is of models that are told a number of tokens.
func (c *client) thinkingBudget(p model.Parameters, least, most int) (*thinking, error) {
	if p.Thinking > 0 {
		if p.Thinking < least || p.Thinking > most {
			return nil, fmt.Errorf("thinking is %d; %q takes %d to %d tokens", p.Thinking, c.config.Model, least, most)
		}
		budget := int32(p.Thinking)
		return &thinking{Include: true, Budget: &budget}, nil
	}
	budget, ok := budgets[p.ReasoningEffort]
	if always := strings.Contains(c.config.Model, "gemini-2.5-pro"); !ok || always && p.ReasoningEffort == "none" {
		accepted := "none, low, medium and high"
		if always {
			accepted = "low, medium and high; it always thinks"
		}
		return nil, fmt.Errorf("reasoning_effort is %q; %q takes %s", p.ReasoningEffort, c.config.Model, accepted)
	}
	return &thinking{Include: budget > 0, Budget: &budget}, nil
}
