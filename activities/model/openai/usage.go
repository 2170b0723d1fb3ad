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
// Chat Completions and Responses name the same things differently, and servers, gateways and
// converters of other interfaces add names of their own, in snake_case, camelCase and PascalCase.
func readUsage(v jsontext.Value) model.Usage {
	u := countsOf(v)
	if billed := u.within("billedunits"); billed.most("inputtokens", "outputtokens") > 0 { // Cohere
		u = billed
	} else if tokens := u.within("tokens"); len(tokens) > 0 { // Cohere
		u = tokens
	}
	in := u.within("prompttokensdetails", "inputtokensdetails", "inputtokendetails", "inputtokens")
	out := u.within("completiontokensdetails", "outputtokensdetails", "outputtokendetails", "outputtokens")
	cached := []string{
		"cachedtokens", "cacheread", "cachereadtokens", "cachereadinputtokens", "cachereadinputtokencount", "cachedinputtokens",
		"promptcachehittokens", "cachedcontenttokencount",
	}
	written := []string{
		"cachewritetokens", "cachewrite", "cachewriteinputtokens", "cachewriteinputtokencount", "cachecreationtokens", "cachecreation",
		"cachecreationinputtokens",
	}
	reasoning := []string{"reasoningtokens", "reasoning", "thinkingtokens", "reasoningtokencount"}
	thoughts := u.most("thoughtstokencount") // Gemini: beside the candidates
	counted := model.Usage{
		Input: max(u.most("prompttokens", "inputtokens", "prompttokencount", "inputtokencount", "inputtexttokens", "inputtexttokencount",
			"promptevalcount", "tokensevaluated", "tokensprompt", "numtokensprompttotal"),
			in.most("total"), in.most("nocache")+in.most("cacheread")+in.most("cachewrite")),
		CachedInput: max(u.most(cached...), in.most(cached...)),
		CacheWrite:  max(u.most(written...), in.most(written...)),
		Output: thoughts + max(u.most("completiontokens", "outputtokens", "candidatestokencount", "outputtokencount", "responsetokencount",
			"generationtokencount", "generatedtokencount", "generatedtokens", "evalcount", "tokenspredicted", "tokenscompletion",
			"numtokensgenerated"), out.most("total")),
		Reasoning: max(u.most(reasoning...), out.most(reasoning...), thoughts),
	}
	if said := out.most("texttokens") + out.most("audiotokens") + out.most("imagetokens"); said > 0 {
		counted.Output = max(counted.Output, said+out.most(reasoning...))
	}
	total := u.most("totaltokens", "totaltokencount")
	beside := u.most("citationtokens") + u.most("tooluseprompttokencount") // Perplexity, Gemini
	return wire.WithTotal(withCachedInput(counted, total), beside, total)
}

// usageOf reads what was billed from the part of a body that is called usage, or else from
// wherever a server tells of it.
func usageOf(usage jsontext.Value, body []byte) model.Usage {
	got := readUsage(usage)
	if tells(got) {
		return got
	}
	whole := countsOf(body)
	for _, name := range []string{
		"usage", "usagemetadata", "tokenusage", "responsemetadata", "meta", "metadata", "xgroq", "metrics", "amazonbedrockinvocationmetrics",
	} {
		part := whole.within(name)
		for _, v := range []jsontext.Value{whole[name], part["usage"], part["tokenusage"], part["usagemetadata"]} {
			if got = readUsage(v); tells(got) {
				return got
			}
		}
	}
	var e struct {
		Choices []struct {
			Usage jsontext.Value `json:"usage"` // Moonshot
		} `json:"choices"`
	}
	if json.Unmarshal(body, &e, wire.Lenient) == nil && len(e.Choices) > 0 {
		if got = readUsage(e.Choices[0].Usage); tells(got) {
			return got
		}
	}
	return readUsage(body) // Ollama
}

func tells(u model.Usage) bool { return u.Input > 0 || u.Output > 0 }

// counts are the members of an object, by their names in small letters without _ and -.
type counts map[string]jsontext.Value

// countsOf returns the members of an object; none of anything else. Of a name in two spellings,
// the larger count is kept.
func countsOf(v jsontext.Value) counts {
	var members map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &members, wire.Lenient) != nil {
		return nil
	}
	c := counts{}
	for name, v := range members {
		folded := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
		if before, twice := c[folded]; !twice || tokensIn(v) > tokensIn(before) {
			c[folded] = v
		}
	}
	return c
}

// most returns the largest of the named counts; 0 if there is none.
func (c counts) most(names ...string) (n int64) {
	for _, name := range names {
		n = max(n, tokensIn(c[name]))
	}
	return n
}

// within returns the first of the named members that is an object.
func (c counts) within(names ...string) counts {
	for _, name := range names {
		if inner := countsOf(c[name]); len(inner) > 0 {
			return inner
		}
	}
	return nil
}

// tokensIn reads a count; 0 of anything else.
func tokensIn(v jsontext.Value) int64 {
	var n wire.Tokens
	_ = n.UnmarshalJSON(v) // never fails
	return int64(n)
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
