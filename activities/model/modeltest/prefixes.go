package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Prefixes is a service over HTTP with the Messages and Chat Completions interfaces that reads the
// beginnings of prompts from a cache, by one of the documented rules. What a call wrote can be read once
// Settle was called: a service has it when an answer begins, which calls made at once cannot wait for.
type Prefixes struct {
	Least int // tokens that a cached beginning has at least
	// Step is in tokens: beginnings are cached in steps of it, unmarked. 0 caches those that end at a mark.
	Step int
	// Back is how many blocks before a mark are looked at for what an earlier request marked.
	Back int
	// Say is the text that answers a request; "hi" if nil.
	Say func(body []byte) string
	// Takes is how long an answer takes, after which what was written until then can be read without Settle;
	// 0 leaves that to Settle.
	Takes time.Duration

	mu          sync.Mutex
	kept, fresh map[string]bool
}

// TokenBytes is what the service takes for a token.
const TokenBytes = 4

// Settle makes what was written until now readable.
func (p *Prefixes) Settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept = map[string]bool{}
	}
	for text := range p.fresh {
		p.kept[text] = true
	}
	p.fresh = nil
}

// promptBlock is a part of a prompt; Marked says that a cached beginning may end after it.
type promptBlock struct {
	Text       string          `json:"text"`
	Anthropic  json.RawMessage `json:"cache_control"`
	Breakpoint json.RawMessage `json:"prompt_cache_breakpoint"`
}

func (b promptBlock) isMarked() bool { return b.Anthropic != nil || b.Breakpoint != nil }

// blocksOf returns the blocks of a prompt in the order in which they are read.
func blocksOf(body []byte) (all []promptBlock, _ error) {
	var q struct {
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	add := func(role string, content json.RawMessage) error {
		var text string
		var blocks []promptBlock
		if json.Unmarshal(content, &text) == nil {
			blocks = []promptBlock{{Text: text}}
		} else if err := json.Unmarshal(content, &blocks); err != nil {
			return err
		}
		if len(blocks) > 0 {
			blocks[0].Text = "\n<" + role + ">\n" + blocks[0].Text
		}
		all = append(all, blocks...)
		return nil
	}
	if q.System != nil {
		if err := add("system", q.System); err != nil {
			return nil, err
		}
	}
	for _, m := range q.Messages {
		if err := add(m.Role, m.Content); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// count returns how many tokens of a prompt are read from the cache and written to it.
func (p *Prefixes) count(blocks []promptBlock) (input, read, written int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fresh == nil {
		p.fresh = map[string]bool{}
	}
	var ends []int // of blocks, in bytes
	var text strings.Builder
	last := -1
	for i, b := range blocks {
		text.WriteString(b.Text)
		ends = append(ends, text.Len())
		if b.isMarked() {
			last = i
		}
	}
	all := text.String()
	input = len(all) / TokenBytes
	if p.Step > 0 {
		for n := p.Least; n <= input; n += p.Step {
			beginning := all[:n*TokenBytes]
			if p.kept[beginning] {
				read = n
			}
			p.fresh[beginning] = true
		}
		return input, read, 0
	}
	for i, b := range blocks {
		if !b.isMarked() || ends[i]/TokenBytes < p.Least {
			continue
		}
		for k := i; k >= max(0, i-p.Back); k-- {
			if p.kept[all[:ends[k]]] {
				read = max(read, ends[k]/TokenBytes)
			}
		}
		p.fresh[all[:ends[i]]] = true
	}
	if last >= 0 && ends[last]/TokenBytes >= p.Least {
		written = ends[last]/TokenBytes - read
	}
	return input, read, written
}

// ServeHTTP answers each question and says how its prompt was read.
func (p *Prefixes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	blocks, err := blocksOf(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	input, read, written := p.count(blocks)
	text := "hi"
	if p.Say != nil {
		text = p.Say(body)
	}
	if p.Takes > 0 {
		time.Sleep(p.Takes)
		p.Settle()
	}
	output := len(text)/TokenBytes + 1
	if strings.HasSuffix(r.URL.Path, "/messages") {
		fmt.Fprintf(w, `{"type": "message", "model": "m", "content": [{"type": "text", "text": %q}],
			"stop_reason": "end_turn", "usage": {"input_tokens": %d, "cache_read_input_tokens": %d,
			"cache_creation_input_tokens": %d, "output_tokens": %d}}`, text, input-read-written, read, written, output)
		return
	}
	fmt.Fprintf(w, `{"model": "m", "choices": [{"message": {"content": %q}, "finish_reason": "stop"}], "usage":
		{"prompt_tokens": %d, "completion_tokens": %d, "prompt_tokens_details": {"cached_tokens": %d,
		"cache_write_tokens": %d}}}`, text, input, output, read, written)
}
