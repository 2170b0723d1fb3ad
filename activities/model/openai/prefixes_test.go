package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"roundtable/activities/model"
)

// OpenAI's models from GPT-5.6 on are told where beginnings end that are said again; requests of one
// collaboration go to one machine. Form and field names are those of its guide "Prompt caching" and of
// langchain4j's PromptCacheBreakpoint, looked up on 28 November 2026.
func TestMarks(t *testing.T) {
	asked := model.Request{Messages: []model.Message{{Role: "system", Content: "rules", Ends: []int{5}},
		{Role: "user", Content: "one two three four now", Ends: []int{3, 7, 13, 18}}},
		Scene: &model.Scene{Turn: model.Turn{Campaign: "c", Collaboration: "x"}}}
	for name, c := range map[string]struct {
		model, url string
		api        API
		ends       bool
		want       string // of the messages
		key, mode  bool
	}{
		"marked":    {"gpt-6-luna", "https://api.openai.com/v1", Chat, true, `[{"role":"system","content":[{"type":"text","text":"rules","prompt_cache_breakpoint":{"mode":"explicit"}}]},{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":" two","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":" three","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":" four","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":" now"}]}]`, true, true},
		"responses": {"gpt-5.6-sol", "https://api.openai.com/v1", Responses, true, `"type":"input_text"`, true, true},
		"earlier":   {"gpt-5.4", "https://api.openai.com/v1", Chat, true, `[{"role":"system","content":"rules"},{"role":"user","content":"one two three four now"}]`, true, false},
		"once only": {"gpt-6-luna", "https://api.openai.com/v1", Chat, false, `[{"role":"system","content":"rules"},{"role":"user","content":"one two three four now"}]`, false, true},
		"elsewhere": {"gpt-6-luna", "http://127.0.0.1:1/v1", Chat, true, `[{"role":"system","content":"rules"},{"role":"user","content":"one two three four now"}]`, false, false},
	} {
		r := asked
		if !c.ends {
			r.Messages = []model.Message{{Role: "system", Content: "rules"}, {Role: "user", Content: "one two three four now"}}
		}
		_, body, err := at(t, c.url, func(o *Config) { o.Model, o.API = c.model, c.api }).requestBody(r, Plain)
		var sent struct {
			Messages, Input json.RawMessage
			Key             string                 `json:"prompt_cache_key"`
			Options         *struct{ Mode string } `json:"prompt_cache_options"`
		}
		if err != nil || json.Unmarshal(body, &sent) != nil {
			t.Fatal(err, string(body))
		}
		if !strings.Contains(string(sent.Messages)+string(sent.Input), c.want) || (len(sent.Key) == 32) != c.key ||
			(sent.Options != nil && sent.Options.Mode == "explicit") != c.mode {
			t.Errorf("%s: sent %s", name, body)
		}
	}
}
