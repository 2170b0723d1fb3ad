package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"

	"roundtable/activities/model"
)

// cacheRequest is what OpenAI is told of the beginnings of prompts that are said again; other servers
// may not know these fields. From its guide "Prompt caching", looked up on 28 November 2026.
type cacheRequest struct {
	Key     string        `json:"prompt_cache_key,omitempty"` // requests of one key go to one machine
	Options *cacheOptions `json:"prompt_cache_options,omitempty"`
}

type cacheOptions struct {
	Mode string `json:"mode"`
}

// explicit keeps what is marked, and nothing else: to write costs 1.25 times the price of a token in.
var explicit = &cacheOptions{"explicit"}

// chatMessage is a message whose content is a text, or parts of it.
type chatMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// textPart is a part of a content; the service keeps what was said up to the end of a marked one.
type textPart struct {
	Type       string        `json:"type"`
	Text       string        `json:"text"`
	Breakpoint *cacheOptions `json:"prompt_cache_breakpoint,omitempty"`
}

// takesMarks finds OpenAI's models that keep beginnings at marks: GPT-5.6 and later. Earlier ones keep all,
// in steps of 128 tokens from 1,024 on.
var takesMarks = regexp.MustCompile(`^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)`)

func (c *client) takesMarks() bool {
	return c.host == officialHost && takesMarks.MatchString(c.config.Model)
}

// areRepeated reports whether a later prompt begins as these messages do.
func areRepeated(messages []model.Message) bool {
	return slices.ContainsFunc(messages, func(m model.Message) bool { return len(m.Ends) > 0 })
}

func (c *client) cacheRequest(r model.Request) (q cacheRequest) {
	if c.host == officialHost && r.Scene != nil && areRepeated(r.Messages) {
		sum := sha256.Sum256([]byte(r.Scene.Campaign + "/" + r.Scene.Collaboration))
		q.Key = hex.EncodeToString(sum[:16])
	}
	if c.takesMarks() { // also without marks: else it keeps all, at its price
		q.Options = explicit
	}
	return q
}

// markedMessages returns messages as the service takes them; kind is what it calls a text.
func (c *client) markedMessages(messages []model.Message, kind string) []chatMessage {
	marks, parts := c.takesMarks() && areRepeated(messages), model.SplitAtEnds(messages)
	all := make([]chatMessage, len(messages))
	for i, m := range messages {
		all[i] = chatMessage{m.Role, m.Content}
		if !marks || len(m.Ends) == 0 {
			continue
		}
		var content []textPart
		for _, b := range parts[i] {
			part := textPart{Type: kind, Text: b.Text}
			if b.Marked {
				part.Breakpoint = explicit
			}
			content = append(content, part)
		}
		all[i].Content = content
	}
	return all
}
