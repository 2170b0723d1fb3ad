package wire

import (
	"bytes"
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
)

// Statuses of Cloudflare's gateways, which net/http does not name.
const (
	unknownError  = 520 // something strange came from behind it
	originTooSlow = 524 // no answer from behind it in time
)

var namesUsage = regexp.MustCompile(`"usage(?:Metadata|_metadata)?"\s*:\s*\{`)

// IsUnbilled reports whether a response with an error status is assumed to have cost nothing:
// services bill tokens and state usage next to an answer, so an error without usage counts as no
// answer. Of the live services only Google documents it (docs/guides/operating.md, "Budgets"). Not
// assumed are a deadline that passed after the request was sent, the words of a gateway about a
// service behind it that may have answered, and a proxy that names a cost.
func (f *Failure) IsUnbilled() bool {
	switch f.Status {
	case http.StatusRequestTimeout, ClientClosed, http.StatusGatewayTimeout, originTooSlow:
		return false
	case http.StatusBadGateway, unknownError:
		if !jsontext.Value(bytes.TrimSpace(f.Body)).IsValid() {
			return false
		}
	}
	if parseDollars(f.Header.Get("X-Litellm-Response-Cost")) > 0 {
		return false
	}
	return !namesUsage.Match(f.Body)
}

// mostBilled bounds what one call can cost, in US dollars: more is of another unit.
const mostBilled = 100

// costNames are the members with the cost of a call in US dollars, without _ and in lower case; some
// services (Perplexity) have an object there, with one of these members.
var costNames = []string{"cost", "totalcost", "estimatedcost", "costusd", "usdcost", "totalcostusd", "costusdtotal",
	"responsecost", "usdspent"}

// BilledUSD returns the cost of a call that a service states in the usage, elsewhere in the body or in a
// header, in US dollars; 0 if it states none. It includes fees for requests and searches, which no price
// of tokens covers.
func BilledUSD(body []byte, h http.Header) float64 {
	whole := countsOf(body)
	usage := whole.membersOf("usage")
	billed := parseDollars(h.Get("X-Litellm-Response-Cost"))
	gateway := whole.membersOf("providermetadata").membersOf("gateway") // Vercel
	if len(gateway) == 0 && bytes.Contains(body, []byte(`"provider_metadata"`)) {
		gateway = firstChoice(body).membersOf("message").membersOf("providermetadata").membersOf("gateway")
	}
	for _, place := range []counts{
		usage, whole, gateway, whole.membersOf("hiddenparams"), whole.membersOf("xnanogptpricing"),
		whole.membersOf("meta").membersOf("usage"), usage.membersOf("costdetails"),
	} {
		if currency := place["currency"]; len(currency) == 0 || strings.EqualFold(Scalar(currency[0]), "USD") {
			billed = max(billed, place.largestDollars(costNames...), place.membersOf("cost").largestDollars(costNames...))
		}
	}
	billed = max(billed, usage.largestDollars("costinusdticks")/1e10) // xAI
	if own := usage["isbyok"]; len(own) > 0 && own[0].Kind() == 't' { // OpenRouter: the service behind it bills, too
		billed += usage.membersOf("costdetails").largestDollars("upstreaminferencecost")
	}
	if billed > mostBilled {
		return 0
	}
	return billed
}

// firstChoice returns the members of the first choice in a body.
func firstChoice(body []byte) counts {
	var e struct {
		Choices []jsontext.Value `json:"choices"`
	}
	ReadObject(body, &e)
	if len(e.Choices) == 0 {
		return nil
	}
	return countsOf(e.Choices[0])
}

// largestDollars returns the largest of the named sums; 0 if there is none.
func (c counts) largestDollars(names ...string) (usd float64) {
	for _, name := range names {
		for _, v := range c[name] {
			usd = max(usd, parseDollars(Scalar(v)))
		}
	}
	return usd
}

// parseDollars reads a number; 0 if it is none or not positive.
func parseDollars(text string) float64 {
	usd, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(usd > 0) { // NaN is none either
		return 0
	}
	return usd
}

// Limits returns the account's limits from a response's headers, in the dialects of OpenAI (and
// Azure, Groq, Together, vLLM proxies) and Anthropic.
func Limits(h http.Header, now time.Time) model.Limits {
	return model.Limits{
		Requests: cmp.Or(openaiLimit(h, "Requests", now), anthropicLimit(h, "Requests", now)),
		Tokens: cmp.Or(openaiLimit(h, "Tokens", now), tighterOf(
			anthropicLimit(h, "Tokens", now), anthropicLimit(h, "Input-Tokens", now),
			anthropicLimit(h, "Output-Tokens", now))),
	}
}

func openaiLimit(h http.Header, what string, now time.Time) model.Allowance {
	return allowanceIn(h, "X-Ratelimit-Limit-"+what, "X-Ratelimit-Remaining-"+what, "X-Ratelimit-Reset-"+what, now)
}

func anthropicLimit(h http.Header, what string, now time.Time) model.Allowance {
	prefix := "Anthropic-Ratelimit-" + what
	return allowanceIn(h, prefix+"-Limit", prefix+"-Remaining", prefix+"-Reset", now)
}

// allowanceIn returns a limit and what is left of it; empty unless the headers give both.
func allowanceIn(h http.Header, limit, remaining, resets string, now time.Time) model.Allowance {
	l, err := strconv.ParseInt(strings.TrimSpace(h.Get(limit)), 10, 64)
	left, err2 := strconv.ParseInt(strings.TrimSpace(h.Get(remaining)), 10, 64)
	if err != nil || err2 != nil || l <= 0 || left < 0 {
		return model.Allowance{}
	}
	a := model.Allowance{Limit: l, Remaining: left}
	a.Reset, _ = waitOf(h.Get(resets), serverTime(h, now))
	return a
}

// tighterOf returns the allowance of which the smallest part is left.
func tighterOf(all ...model.Allowance) model.Allowance {
	var least model.Allowance
	for _, a := range all {
		if a.Limit > 0 && (least.Limit == 0 || a.Remaining*least.Limit < least.Remaining*a.Limit) {
			least = a
		}
	}
	return least
}
