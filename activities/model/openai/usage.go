package openai

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// readUsage reads what was billed; what is missing or makes no sense counts as 0.
// Chat Completions and Responses name the same things differently, and servers
// add names of their own.
func readUsage(v jsontext.Value) model.Usage {
	type inputDetails struct {
		Cached  wire.Tokens `json:"cached_tokens"`
		Written wire.Tokens `json:"cache_write_tokens"`          // OpenAI, OpenRouter
		Created wire.Tokens `json:"cache_creation_tokens"`       // LiteLLM
		Marked  wire.Tokens `json:"cache_creation_input_tokens"` // DashScope
	}
	type outputDetails struct {
		Reasoning wire.Tokens `json:"reasoning_tokens"`
		Text      wire.Tokens `json:"text_tokens"`
		Audio     wire.Tokens `json:"audio_tokens"`
		Image     wire.Tokens `json:"image_tokens"`
	}
	var u struct {
		Prompt       wire.Tokens   `json:"prompt_tokens"`
		Completion   wire.Tokens   `json:"completion_tokens"`
		PromptOf     inputDetails  `json:"prompt_tokens_details"`
		CompletionOf outputDetails `json:"completion_tokens_details"`

		Input    wire.Tokens   `json:"input_tokens"`
		Output   wire.Tokens   `json:"output_tokens"`
		InputOf  inputDetails  `json:"input_tokens_details"`
		OutputOf outputDetails `json:"output_tokens_details"`

		Cached  wire.Tokens `json:"cached_tokens"`               // Together
		Hit     wire.Tokens `json:"prompt_cache_hit_tokens"`     // DeepSeek
		Read    wire.Tokens `json:"cache_read_input_tokens"`     // LiteLLM, as Anthropic says it
		Created wire.Tokens `json:"cache_creation_input_tokens"` // LiteLLM, as Anthropic says it
		Total   wire.Tokens `json:"total_tokens"`

		Reasoning wire.Tokens `json:"reasoning_tokens"` // Perplexity
		Citation  wire.Tokens `json:"citation_tokens"`  // Perplexity, beside the prompt
	}
	if v.Kind() == '{' {
		_ = json.Unmarshal(v, &u, wire.Lenient) // what could be read is read
	}
	counted := model.Usage{
		Input:       int64(max(u.Prompt, u.Input)),
		CachedInput: int64(max(u.PromptOf.Cached, u.InputOf.Cached, u.Cached, u.Hit, u.Read)),
		CacheWrite:  int64(max(u.PromptOf.Written, u.PromptOf.Created, u.PromptOf.Marked, u.InputOf.Written, u.InputOf.Marked, u.Created)),
		Output:      int64(max(u.Completion, u.Output)),
		Reasoning:   int64(max(u.CompletionOf.Reasoning, u.OutputOf.Reasoning, u.Reasoning)),
	}
	for _, d := range []outputDetails{u.CompletionOf, u.OutputOf} {
		if written := d.Text + d.Audio + d.Image; written > 0 {
			counted.Output = max(counted.Output, int64(written+d.Reasoning))
		}
	}
	return wire.WithTotal(withCachedInput(counted, int64(u.Total)), int64(u.Citation), int64(u.Total))
}

// withCachedInput adds to the input what a server had in its cache or wrote there and
// left out of it: there is more of that than input, or only with it do the
// parts come to the total. Else it would be charged as if it were no input.
func withCachedInput(u model.Usage, total int64) model.Usage {
	apart := u.CachedInput + u.CacheWrite
	if apart > u.Input || apart > 0 && total == u.Input+apart+u.Output {
		u.Input += apart
	}
	return u
}

// cutsPrompts reports whether a server is known to cut prompts that are longer
// than its context without a word: Ollama, by its port or name.
func cutsPrompts(base *url.URL) bool {
	return base.Port() == "11434" || strings.Contains(strings.ToLower(base.Hostname()), "ollama")
}

const (
	fewBytes = 2000 // of a prompt so short that no server has to cut it
	// leastKept tokens stay of a prompt that is cut: servers keep half of their context.
	// Where fewer are counted, the rest was in a cache, perhaps of an earlier run.
	leastKept = 512
)

// isPromptCut reports whether fewer tokens were read than the messages have words.
// Tokenizers split a text at its white space first, so that a word is one
// token or several, and a chat template only adds more: an uncut prompt never
// looks like this. A prompt of which a small part was cut may pass. So does one that
// is shorter than another that was read whole: servers that count only what they have
// not in their cache say less of it.
func (c *client) isPromptCut(messages []model.Message, u model.Usage) bool {
	// Small parts of a cache may be left out of the input unnoticed.
	read := u.Input + u.CachedInput + u.CacheWrite
	if read < leastKept {
		return false // also if the server counts nothing
	}
	size, words := 0, int64(0)
	for _, m := range messages {
		size += len(m.Content)
		for range strings.FieldsSeq(m.Content) {
			words++
		}
	}
	if read >= words {
		for old := c.longest.Load(); read > old && !c.longest.CompareAndSwap(old, read); old = c.longest.Load() {
		}
		return false
	}
	return size > fewBytes && words > c.longest.Load()
}
