package prompt

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// thoughtTags are the names of tags around thinking; <longcat_think>, <ifm|think_fast> and
// <think:opensource> are some, too.
const thoughtTags = `(?:[a-z]{1,16}[_:|])?(?:think(?:ing)?(?:[:_]\w{1,16})?|thoughts?|reasoning|reflection)|thought_?process|deep_?think(?:ing)?|` +
	`scratchpad|analysis|inner_?(?:thoughts?|monologue)|chain_?of_?thought|cot|antthinking`

// thoughts are the marks that models and services put around thinking, as they are
// published with the models; what stands between the two is private.
var thoughts = []struct{ open, close string }{
	{`<(?:` + thoughtTags + `)(?:\s[^<>]{0,80})?>|<\sthink(?:ing)?\s?>`, `<\s?/\s?(?:` + thoughtTags + `)\s*>`},
	{`(?:＜|&lt;)(?:` + thoughtTags + `)(?:＞|&gt;)`, `(?:＜|&lt;)/(?:` + thoughtTags + `)(?:＞|&gt;)`},
	{`<details type="reasoning"[^<>]*>`, `</details>`},
	{`\[think(?:ing)?\]`, `\[/think(?:ing)?\]`}, // Magistral
	{`◁think▷`, `◁/think▷`},                     // Kimi-VL
	{`<\|channel>thought`, `<channel\|>`},       // Gemma 4
	{`<unused94>(?:thought)?`, `<unused95>`},    // MedGemma
	{`<\|(?:begin|start)_of_(?:thought|think|thinking|reasoning)\|>`, // Sky-T1, OpenThinker
		`<\|end_of_(?:thought|think|thinking|reasoning)\|>`},
	{`<\|(?:thought|think|thinking|reasoning)_start\|>`, `<\|(?:thought|think|thinking|reasoning)_end\|>`},
	{`<\|start_thinking\|>`, `<\|end_thinking\|>`},                                                          // Command A
	{`<\|inner_prefix\|>`, `<\|inner_suffix\|>`},                                                            // Apertus
	{`<\|(?:think|thinking|thought|reasoning)\|>`, `<\|/(?:think|thinking|thought|reasoning)\|>|<\|end\|>`}, // Solar Open
}

// knownEnds are tokens that no text names; otherEnds are named in some, with a space, a quote or a
// backtick before them.
const (
	knownEnds = `<\|(?:im_end|im_start|eot_id|eom_id|eot|end_of_text|endoftext|end|return|call` +
		`|end_of_turn|end_of_turn_token|start_of_turn_token|start_header_id|start|user|system|assistant` +
		`|end_of_role|start_of_role|eos|end_turn|endofassistant|begin_of_text` +
		`|end_response|end_text|end_of_solution|end_of_box|flush)\|>` +
		`|</s>|</longcat_s>|\[\|endofturn\|\]|\[e~\[` +
		`|<(?:SPECIAL_12|seed:eos|end_of_turn|start_of_turn|eos|end_of_utterance|pad)>` +
		`|<turn\|>|<\|turn>|<｜(?:end▁of▁sentence|begin▁of▁sentence|User|Assistant)｜>|\[/?INST\]`
	otherEnds = `<\|/?[\w▁:-]{2,40}\|>` + // any token of a chat's template
		`|<\|(?:im_end|eot_id|endoftext|end)\|?$|</assistant>|\[EOS\]|\[UNUSED_TOKEN_\d+\]` +
		`|<(?:eot|eoa|eod|extra_id_\d+|reserved_\d+)>|<｜hy_\w+｜>` +
		`|<role>(?:human|assistant|system|user|observation)</role>`
	// partTokens stand before a part of an answer.
	partTokens = `begin_of_(?:box|solution|answer)|start_(?:text|response)|begin|content`
)

var (
	// ends are the marks at which a model's turn ends; what follows is not part of its answer.
	ends  = regexp.MustCompile(`(?i)` + knownEnds + `|` + otherEnds)
	known = regexp.MustCompile(`(?i)^(?:` + knownEnds + `)$`)
	// openers are template tokens before an answer, except those that match ending.
	openers = regexp.MustCompile(`(?i)^\s*<\|[\w▁:-]{2,40}\|>\s*(?:(?:assistant|model)\b\s*)?`)
	ending  = regexp.MustCompile(`(?i)end\b|end_of|_end|eo[mstd]\b|user|human|system|tool|observation|stop|flush|return|call`)
	begins  = regexp.MustCompile(`(?i)^<\|(?:` + partTokens + `)\|>$`)
	// heads may stand before an answer, as the template of the chat ends with them.
	heads = regexp.MustCompile(`(?i)^\s*(?:(?:<\|(?:im_start|start_header_id|start_of_role|start|assistant|begin_of_text` +
		`|start_of_turn_token|chatbot_token|think_on|` + partTokens + `)\|>|<(?:start_of_turn|bos|s)>` +
		`|<｜(?:Assistant|begin▁of▁sentence)｜>|<\|turn>)` +
		`\s*(?:(?:assistant|model)\b)?(?:<\|(?:end_header_id|end_of_role)\|>)?\s*)+`)

	// channels are those of harmony; only what is in final is said.
	channels     = regexp.MustCompile(`<\|channel\|>\s*(\w+)[^<\n]{0,120}(?:<\|constrain\|>\s*\w*)?\s*<\|message\|>`)
	channelEnds  = regexp.MustCompile(`<\|(?:end|return|call|start|channel)\|>`)
	unnamed      = regexp.MustCompile(`<\|start\|>assistant<\|message\|>`) // final, of some servers
	firstChannel = regexp.MustCompile(`^\s*(?:analysis|commentary|final)\s*<\|message\|>`)
	// wrappers are around what follows thinking.
	wrappers = regexp.MustCompile(`(?is)^<(?:response|output|final|conclusion)>(.*?)(?:</(?:response|output|final|conclusion)>)?$`)

	// inWords are forms in which words stand around thinking: harmony by a service that leaves its
	// marks out, Ollama's own program, and Granite 3.2.
	inWords = []struct{ open, close *regexp.Regexp }{
		{regexp.MustCompile(`^\s*(?:assistant)?(?:analysis|commentary)(?:\s|\p{Lu})`),
			regexp.MustCompile(`assistantfinal`)},
		{regexp.MustCompile(`^\s*Thinking(?:\.\.\.|…)\n`), regexp.MustCompile(`(?:\.\.\.|…)done thinking\.`)},
		{regexp.MustCompile(`(?i)^\s*here(?: is|['’]s) my thought process:`),
			regexp.MustCompile(`(?i)here(?: is|['’]s) my response:`)},
	}

	// leading forms stand before an answer: a fence, and the quotes of routers that show thinking.
	leading = []*regexp.Regexp{
		regexp.MustCompile("(?is)^\\s*```(?:think(?:ing)?|thoughts?|reasoning)[ \t]*\n(.*?)(?:\n```|$)"),
		regexp.MustCompile(`(?i)^\s*(?:>\s*)?\*thinking(?:\.\.\.|…)\*\s*\n((?:[ \t]*>[^\n]*(?:\n|$)|[ \t]*\n)+)`),
	}

	openings, closings, marks = markPatterns()
)

var errThinking = errors.New("its thinking never ends, so it holds no answer")

// markPatterns returns an expression for each opening and closing mark, and one for all.
func markPatterns() (opens, closes []*regexp.Regexp, all *regexp.Regexp) {
	var both []string
	for _, t := range thoughts {
		opens, closes = append(opens, regexp.MustCompile(`(?i)^(?:`+t.open+`)$`)),
			append(closes, regexp.MustCompile(`(?i)^(?:`+t.close+`)$`))
		both = append(both, t.open, t.close)
	}
	return opens, closes, regexp.MustCompile(`(?i)` + strings.Join(both, "|"))
}

// maxThoughts bounds the marks of thinking that are looked at.
const maxThoughts = 64

// HasThinking reports whether text contains thinking between marks, even without an end mark.
func HasThinking(text string) bool {
	_, thinking, err := splitThinking(text, false, func(string, int, int) bool { return false })
	return thinking != "" || err != nil
}

// splitThinking returns what a text says and what it thinks. inside reports whether a
// place is within the text's JSON object, where marks are part of a string.
func splitThinking(text string, cut bool, inside func(text string, from, to int) bool) (said,
	thinking string, err error) {
	for _, words := range inWords {
		if !words.open.MatchString(text) {
			continue
		}
		if all := words.close.FindAllStringIndex(text, -1); all != nil {
			last := all[len(all)-1]
			said, more, err := splitMarks(text[last[1]:], inside)
			return strings.TrimSpace(said), strings.TrimSpace(text[:last[0]] + "\n" + more), err
		}
		if cut {
			return "", strings.TrimSpace(text), errThinking
		}
	}
	for _, form := range leading {
		if m := form.FindStringSubmatch(text); m != nil {
			said, thinking, err = splitMarks(text[len(m[0]):], inside)
			if said = strings.TrimSpace(said); said == "" && err == nil {
				err = errThinking
			}
			return said, strings.TrimSpace(m[1] + "\n" + thinking), err
		}
	}
	return splitMarks(text, inside)
}

// splitMarks splits a text at the marks in it.
func splitMarks(text string, inside func(text string, from, to int) bool) (said, thinking string, err error) {
	if !strings.ContainsAny(text, "<◁[]＜&") {
		return text, "", nil // without marks
	}
	if firstChannel.MatchString(text) {
		text = "<|channel|>" + text
	}
	if at := channels.FindStringIndex(text); at != nil && !inside(text, at[0], at[1]) {
		text = unnamed.ReplaceAllString(text, "<|start|>assistant<|channel|>final<|message|>")
		said, thinking, err = splitChannels(text)
		return untilEnd(said, inside), thinking, err
	}
	var kept, private strings.Builder
	text = heads.ReplaceAllString(text, "")
	from, open, depth := 0, -1, 0
	seen := 0
	all := marks.FindAllStringIndex(text, maxThoughts)
	if len(all) == maxThoughts && !inside(text, all[0][0], all[0][1]) {
		return "", "", fmt.Errorf("it holds %d or more marks of thinking", maxThoughts)
	}
	lastEscaped := -1 // closing mark
	for _, m := range all {
		if opens, _ := kindOf(text[m[0]:m[1]]); !opens && isEscaped(text[m[0]:m[1]]) {
			lastEscaped = m[0]
		}
	}
	for _, m := range all {
		mark := text[m[0]:m[1]]
		opens, kind := kindOf(mark)
		switch {
		case opens && open < 0 && isEscaped(mark) && lastEscaped < m[0] && strings.TrimSpace(text[:m[0]]) != "":
			continue // the text only names the tag
		case open < 0 && inside(text[from:], m[0]-from, m[1]-from):
			continue
		case opens && open < 0:
			kept.WriteString(text[from:m[0]])
			open, depth, from = kind, 1, m[1]
		case opens && kind == open:
			depth++
		case !opens && open < 0: // the template of the chat has opened it
			private.WriteString(kept.String() + text[from:m[0]])
			kept.Reset()
			from = m[1]
		case !opens && kind == open:
			if depth--; depth == 0 {
				private.WriteString(text[from:m[0]])
				open, from = -1, m[1]
			}
		}
		seen++
	}
	if open >= 0 {
		return "", strings.TrimSpace(private.String() + text[from:]), errThinking
	}
	kept.WriteString(text[from:])
	said = untilEnd(kept.String(), inside)
	if seen > 0 {
		said = strings.TrimSpace(heads.ReplaceAllString(said, ""))
		if m := wrappers.FindStringSubmatch(said); m != nil {
			said = strings.TrimSpace(m[1])
		}
		if said == "" {
			err = errors.New("nothing follows its thinking")
		}
	}
	return said, strings.TrimSpace(private.String()), err
}

// isEscaped reports whether the brackets of a mark are escaped or full-width, as where a text names it.
func isEscaped(mark string) bool {
	return strings.HasPrefix(mark, "&") || strings.HasPrefix(mark, "＜")
}

// kindOf returns which mark it is, and whether it opens.
func kindOf(mark string) (opens bool, kind int) {
	for i := range openings {
		switch {
		case openings[i].MatchString(mark):
			return true, i
		case closings[i].MatchString(mark):
			return false, i
		}
	}
	return false, -1
}

// splitChannels returns what harmony's final channel says; the others are private.
func splitChannels(text string) (said, thinking string, err error) {
	final := false
	var private []string
	for rest := text; ; {
		m := channels.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		name := rest[m[2]:m[3]]
		rest = rest[m[1]:]
		body := rest
		if end := channelEnds.FindStringIndex(rest); end != nil {
			body = rest[:end[0]]
		}
		if name == "final" && !final {
			said, final = strings.TrimSpace(body), true
		} else if name != "final" {
			private = append(private, strings.TrimSpace(body))
		}
	}
	thinking = strings.Join(private, "\n")
	switch {
	case !final:
		err = errThinking
	case said == "":
		err = errors.New("nothing follows its thinking")
	}
	return said, thinking, err
}

// withoutOpeners returns a text without the template tokens at its start.
func withoutOpeners(text string) string {
	for range maxThoughts {
		opener := openers.FindString(text)
		token := strings.TrimSpace(opener)
		if token == "" || known.MatchString(token) ||
			ending.MatchString(token) && !strings.HasPrefix(token, "<|header_end|>") { // which ends the role's header
			return text
		}
		text = text[len(opener):]
	}
	return text
}

// untilEnd returns a text up to the mark of its end.
func untilEnd(text string, inside func(text string, from, to int) bool) string {
	text = withoutOpeners(text)
	for _, m := range ends.FindAllStringIndex(text, maxThoughts) {
		if !known.MatchString(text[m[0]:m[1]]) && m[0] > 0 && strings.ContainsRune(" `'\"", rune(text[m[0]-1])) {
			continue // the text only names the token
		}
		if begins.MatchString(text[m[0]:m[1]]) || inside(text, m[0], m[1]) ||
			text[m[0]:m[1]] == "</s>" && strings.Contains(text[:m[0]], "<s>") {
			continue
		}
		return strings.TrimSpace(text[:m[0]])
	}
	return text
}

// isNowhere is for texts that are not JSON.
func isNowhere(string, int, int) bool { return false }

// withinObject reports whether a place is within the first JSON object of a text.
func withinObject(text string, from, to int) bool {
	start, end, err := strictObject([]byte(text))
	return err == nil && start < from && to <= end
}
