package openai

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// readUsage reads what was billed; what is missing or makes no sense counts as 0.
// Chat Completions and Responses name the same things differently, and servers, gateways and
// converters of other interfaces add names of their own, in snake_case, camelCase and PascalCase.
func readUsage(v jsontext.Value) model.Usage { return countsOf(v).usageOf() }

func (c counts) usageOf() model.Usage {
	if c.inputTokens()+c.outputTokens() == 0 { // Cohere
		if billed := c.membersOf("billedunits"); billed.largestOf("inputtokens", "outputtokens") > 0 {
			c = billed
		} else if tokens := c.membersOf("tokens"); len(tokens) > 0 {
			c = tokens
		}
	}
	in, out := c.membersOf(ofInput...), c.membersOf(ofOutput...)
	cached := []string{
		"cachedtokens", "cacheread", "cachereadtokens", "cachereadinputtokens", "cachereadinputtokencount",
		"cachedinputtokens", "promptcachehittokens", "cachedcontenttokencount",
	}
	written := []string{
		"cachewritetokens", "cachewrite", "cachewriteinputtokens", "cachewriteinputtokencount",
		"cachecreationtokens", "cachecreation", "cachecreationinputtokens",
	}
	reasoning := []string{"reasoningtokens", "reasoning", "thinkingtokens", "reasoningtokencount"}
	counted := model.Usage{
		Input:       c.inputTokens(),
		CachedInput: max(c.largestOf(cached...), in.largestOf(cached...)),
		CacheWrite:  max(c.largestOf(written...), in.largestOf(written...)),
		Output:      c.outputTokens(),
		Reasoning:   max(c.largestOf(reasoning...), out.largestOf(reasoning...), c.largestOf("thoughtstokencount")),
	}
	if said := out.largestOf("texttokens") + out.largestOf("audiotokens") + out.largestOf("imagetokens"); said > 0 {
		counted.Output = max(counted.Output, said+out.largestOf(reasoning...))
	}
	total := c.largestOf("totaltokens", "totaltokencount")
	extra := c.largestOf("citationtokens") + c.largestOf("tooluseprompttokencount") // Perplexity, Gemini
	return wire.WithTotal(withCachedInput(counted, total), extra, total)
}

// What holds the parts of the input and the output.
var (
	ofInput  = []string{"prompttokensdetails", "inputtokensdetails", "inputtokendetails", "inputtokens"}
	ofOutput = []string{"completiontokensdetails", "outputtokensdetails", "outputtokendetails", "outputtokens"}
)

func (c counts) inputTokens() int64 {
	in := c.membersOf(ofInput...)
	return max(c.largestOf("prompttokens", "inputtokens", "prompttokencount", "inputtokencount", "inputtexttokens",
		"inputtexttokencount", "promptevalcount", "tokensevaluated", "tokensprompt", "numtokensprompttotal"),
		in.largestOf("total"), in.largestOf("nocache")+in.largestOf("cacheread")+in.largestOf("cachewrite"))
}

func (c counts) outputTokens() int64 {
	n := max(c.largestOf("completiontokens", "outputtokens", "outputtokencount", "generationtokencount",
		"generatedtokencount",
		"generatedtokens", "evalcount", "tokenspredicted", "tokenscompletion", "numtokensgenerated"),
		c.membersOf(ofOutput...).largestOf("total"))
	// Gemini counts thoughts apart from its candidates; converters include them.
	if said := c.largestOf("candidatestokencount", "responsetokencount"); said > 0 || n == 0 {
		n = max(n, said+c.largestOf("thoughtstokencount"))
	}
	return n
}

// usageOf reads what was billed from the part of a body that is called usage, or else from
// wherever a server tells of it.
func usageOf(usage jsontext.Value, body []byte) model.Usage {
	got := readUsage(usage)
	if hasTokens(got) {
		return got
	}
	whole := countsOf(body)
	for _, name := range []string{
		"usage", "usagemetadata", "tokenusage", "responsemetadata", "meta", "metadata", "xgroq", "metrics",
		"amazonbedrockinvocationmetrics",
	} {
		part := whole.membersOf(name)
		for _, c := range []counts{part, part.membersOf("usage"), part.membersOf("tokenusage"),
			part.membersOf("usagemetadata")} {
			if got = c.usageOf(); hasTokens(got) {
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
		if got = readUsage(e.Choices[0].Usage); hasTokens(got) {
			return got
		}
	}
	return whole.usageOf() // Ollama
}

// hasTokens reports whether a usage says anything.
func hasTokens(u model.Usage) bool { return u.Input > 0 || u.Output > 0 }

// counts are the members of objects, by their names in small letters without _ and -: all of
// them, where a name has several spellings.
type counts map[string][]jsontext.Value

// countsOf returns the members of all objects among the values.
func countsOf(values ...jsontext.Value) counts {
	c := counts{}
	for _, v := range values {
		var members map[string]jsontext.Value
		if v.Kind() != '{' || json.Unmarshal(v, &members, wire.Lenient) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			folded := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
			c[folded] = append(c[folded], members[name])
		}
	}
	return c
}

// largestOf returns the largest of the named counts; 0 if there is none.
func (c counts) largestOf(names ...string) (n int64) {
	for _, name := range names {
		for _, v := range c[name] {
			n = max(n, tokensIn(v))
		}
	}
	return n
}

// membersOf returns what is in the named members that are objects.
func (c counts) membersOf(names ...string) counts {
	var values []jsontext.Value
	for _, name := range names {
		values = append(values, c[name]...)
	}
	return countsOf(values...)
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
