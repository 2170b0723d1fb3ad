package wire

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
)

// ReadUsage reads what was billed; what is missing or makes no sense counts as 0.
// Services name the same things differently, and servers, gateways and converters of other
// interfaces add names of their own, in snake_case, camelCase and PascalCase.
func ReadUsage(v jsontext.Value) model.Usage { return countsOf(v).usageOf() }

// ReadUsageApart is ReadUsage of services that count the tokens of their cache beside the input, as
// Anthropic's do; a converter that counts as OpenAI does counts them within it.
func ReadUsageApart(v jsontext.Value) model.Usage {
	c := countsOf(v)
	if c.largestOf("inputtokens") == 0 && c.largestOf("prompttokens") > 0 {
		return c.usageOf()
	}
	if c.membersOf(ofInput...).largestOf("cachedtokens") > 0 && c.largestOf("cachereadinputtokens") == 0 {
		return c.usageOf() // only OpenAI's has them there
	}
	counted, beside, total := c.billedTokens()
	counted.Input += counted.CachedInput + counted.CacheWrite
	return WithTotal(counted, beside, total)
}

func (c counts) usageOf() model.Usage {
	counted, beside, total := c.billedTokens()
	return WithTotal(withCachedInput(counted, total), beside, total)
}

// billedTokens returns the counts as stated, the tokens read in addition to the input, and the total.
func (c counts) billedTokens() (counted model.Usage, beside, total int64) {
	if c.inputTokens()+c.outputTokens() == 0 { // Cohere
		if billed := c.membersOf("billedunits"); billed.largestOf("inputtokens", "outputtokens") > 0 {
			c = billed
		} else if tokens := c.membersOf("tokens"); len(tokens) > 0 {
			c = tokens
		}
	}
	in, out, creation := c.membersOf(ofInput...), c.membersOf(ofOutput...), c.membersOf("cachecreation")
	cached := []string{
		"cachedtokens", "cacheread", "cachereadtokens", "cachereadinputtokens", "cachereadinputtokencount",
		"cachedinputtokens", "promptcachehittokens", "cachedcontenttokencount",
	}
	written := []string{
		"cachewritetokens", "cachewrite", "cachewriteinputtokens", "cachewriteinputtokencount",
		"cachecreationtokens", "cachecreation", "cachecreationinputtokens",
	}
	reasoning := []string{"reasoningtokens", "reasoning", "thinkingtokens", "reasoningtokencount", "thoughtstokencount",
		"thoughttokens", "thoughtstokens", "reasoningoutputtokens"}
	counted = model.Usage{
		Input:       c.inputTokens(),
		CachedInput: max(c.largestOf(cached...), in.largestOf(cached...)),
		CacheWrite: max(c.largestOf(written...), in.largestOf(written...),
			creation.largestOf("ephemeral5minputtokens")+creation.largestOf("ephemeral1hinputtokens")),
		Output:    c.outputTokens(),
		Reasoning: max(c.largestOf(reasoning...), out.largestOf(reasoning...)),
	}
	counted.Output = max(counted.Output, out.modalTokens(out.largestOf(reasoning...)))
	return counted, c.largestOf("citationtokens") + c.largestOf("tooluseprompttokencount"), // Perplexity, Gemini
		c.largestOf("totaltokens", "totaltokencount")
}

// modalTokens returns the sum of what is counted by kind, with others; 0 if nothing is.
func (c counts) modalTokens(others int64) int64 {
	said := c.largestOf("texttokens") + c.largestOf("audiotokens") + c.largestOf("imagetokens")
	if said == 0 {
		return 0
	}
	return said + others
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
		in.modalTokens(0), in.largestOf("total"),
		in.largestOf("nocache")+in.largestOf("cacheread")+in.largestOf("cachewrite"))
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

// UsageOf reads what was billed from the part of a body that is called usage, or else from
// wherever a server tells of it.
func UsageOf(usage jsontext.Value, body []byte) model.Usage {
	got := ReadUsage(usage)
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
	first := firstChoice(body)
	for _, c := range []counts{first.membersOf("usage"), first.membersOf("message").membersOf("usage")} { // Moonshot
		if got = c.usageOf(); hasTokens(got) {
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
		if v.Kind() != '{' || json.Unmarshal(v, &members, Lenient) != nil {
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
	var n Tokens
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
