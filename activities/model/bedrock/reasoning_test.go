package bedrock

import (
	"encoding/json"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
)

// The ids are those of AWS's user guide.
func TestReasoningEffort(t *testing.T) {
	const thinks = `{"thinking":{"budget_tokens":8192,"type":"enabled"}}`
	const adapts = `{"thinking":{"type":"adaptive"}}`
	for id, want := range map[string]struct{ fields, output string }{
		"anthropic.claude-3-7-sonnet-20250219-v1:0":      {thinks, ""},
		"us.anthropic.claude-sonnet-4-20250514-v1:0":     {thinks, ""},
		"us.anthropic.claude-opus-4-20250514-v1:0":       {thinks, ""},
		"us.anthropic.claude-opus-4-1-20250805-v1:0":     {thinks, ""},
		"global.anthropic.claude-opus-4-5-20251101-v1:0": {thinks, ""},
		"eu.anthropic.claude-haiku-4-5-20251001-v1:0":    {thinks, ""},
		claude: {thinks, ""},
		"arn:aws:bedrock:eu-west-1:1:inference-profile/" + claude: {thinks, ""},
		"anthropic.claude-sonnet-4-6":                             {adapts, `{"effort":"medium"}`},
		"us.anthropic.claude-opus-4-6-v1":                         {adapts, `{"effort":"medium"}`},
		"anthropic.claude-opus-4-7":                               {adapts, `{"effort":"medium"}`},
		"anthropic.claude-opus-5":                                 {adapts, `{"effort":"medium"}`},
		"openai.gpt-oss-120b-1:0":                                 {`{"reasoning_effort":"medium"}`, ""},
		"us.amazon.nova-2-lite-v1:0":                              {`{"reasoningConfig":{"maxReasoningEffort":"medium","type":"enabled"}}`, ""},
	} {
		q := modeltest.Question
		q.Parameters = model.Parameters{MaxTokens: 20000, ReasoningEffort: "medium"}
		_, sent, _, err := exchange(t, func(c *Config) { c.Model = id }, q, answered)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if got := encoded(sent["additionalModelRequestFields"]); got != want.fields {
			t.Errorf("%s: fields %s, want %s", id, got, want.fields)
		}
		if got := encoded(sent["outputConfig"]); got != want.output {
			t.Errorf("%s: output %s, want %s", id, got, want.output)
		}
	}
}

// Thinking can be switched off where a model can go without.
func TestNoReasoning(t *testing.T) {
	for id, want := range map[string]string{
		"anthropic.claude-opus-5":     `{"thinking":{"type":"disabled"}}`,
		claude:                        `{"thinking":{"type":"disabled"}}`,
		"anthropic.claude-sonnet-5-5": `{"thinking":{"type":"between_tools"}}`,
		"us.amazon.nova-2-lite-v1:0":  `{"reasoningConfig":{"type":"disabled"}}`,
	} {
		q := modeltest.Question
		q.Parameters = model.Parameters{ReasoningEffort: "none"}
		_, sent, _, err := exchange(t, func(c *Config) { c.Model = id }, q, answered)
		if got := encoded(sent["additionalModelRequestFields"]); err != nil || got != want {
			t.Errorf("%s: fields %s, want %s; %v", id, got, want, err)
		}
	}
}

func TestReasoningEffortIsNeverDropped(t *testing.T) {
	for id, effort := range map[string]string{
		"anthropic.claude-3-haiku-20240307-v1:0":                         "low",
		"anthropic.claude-3-5-sonnet-20240620-v1:0":                      "high",
		"anthropic.claude-v2:1":                                          "low",
		"anthropic.claude-instant-v1":                                    "low",
		"amazon.nova-lite-v1:0":                                          "low",
		"meta.llama3-70b-instruct-v1:0":                                  "low",
		"arn:aws:bedrock:eu-west-1:1:application-inference-profile/a1b2": "low",
		"anthropic.claude-opus-4-7":                                      "minimal",
		"anthropic.claude-opus-4-6-v1":                                   "xhigh",
		"anthropic.claude-opus-5-5":                                      "none",
		"openai.gpt-oss-20b-1:0":                                         "minimal",
		"amazon.nova-2-lite-v1:0":                                        "minimal",
	} {
		m := at(t, "http://localhost:1", func(c *Config) { c.Model = id })
		q := modeltest.Question
		q.Parameters = model.Parameters{ReasoningEffort: effort}
		_, err := m.Complete(t.Context(), q)
		if e := modeltest.Failure(t, err); e.Class != model.Fail || !e.Unbilled || !strings.Contains(e.Message, "reasoning_effort") {
			t.Errorf("%s: got %+v", id, *e)
		}
	}
}

func TestThinkingTokens(t *testing.T) {
	for id, want := range map[string]string{
		claude:                       `{"thinking":{"budget_tokens":3000,"type":"enabled"}}`,
		"anthropic.claude-opus-5":    "takes no number of tokens but a reasoning_effort: low, medium, high, xhigh and max",
		"us.amazon.nova-2-lite-v1:0": "takes no number of tokens but a reasoning_effort: none, low, medium and high",
		"amazon.nova-lite-v1:0":      "leave it out",
	} {
		q := modeltest.Question
		q.Parameters = model.Parameters{Thinking: 3000, MaxTokens: 4000}
		_, sent, _, err := exchange(t, func(c *Config) { c.Model = id }, q, answered)
		if got := encoded(sent["additionalModelRequestFields"]); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: fields %s, %v, want %s", id, got, err, want)
		}
	}
}

// encoded is "" for what was not sent.
func encoded(v any) string {
	if v == nil {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
