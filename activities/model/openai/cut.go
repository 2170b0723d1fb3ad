package openai

import (
	"net/url"
	"strings"

	"roundtable/activities/model"
)

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
