package wire

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Statuses of Cloudflare's gateways, which net/http does not name.
const (
	unknownError  = 520 // something strange came from behind it
	originTooSlow = 524 // no answer from behind it in time
)

var namesUsage = regexp.MustCompile(`"usage(?:Metadata|_metadata)?"\s*:\s*\{`)

// Unbilled reports whether a response with an error status is taken to have
// cost nothing. This is an assumption: services bill tokens and say what an
// answer has used next to it, so an error without usage is taken for no answer.
// Of the live services Google alone documents it (docs/guides/operating.md, "Budgets").
// Not assumed are a deadline that passed
// after the request was sent, the words of a gateway about a service behind it
// that may have answered, and a proxy that names a cost.
func (f *Failure) Unbilled() bool {
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

// BilledUSD returns what a service says that a call has cost, in its usage or a header; 0 if it
// does not say. Fees for requests and searches are part of it, which no price of tokens has.
func BilledUSD(usage jsontext.Value, h http.Header) float64 {
	var u struct {
		Cost      jsontext.Value `json:"cost"`              // OpenRouter: a number; Perplexity: an object
		Estimated jsontext.Value `json:"estimated_cost"`    // DeepInfra
		Ticks     jsontext.Value `json:"cost_in_usd_ticks"` // xAI: 1e-10
		OwnKey    jsontext.Value `json:"is_byok"`           // OpenRouter: the service behind it bills, too
		Details   jsontext.Value `json:"cost_details"`
	}
	var parts struct {
		Total    jsontext.Value `json:"total_cost"`
		Upstream jsontext.Value `json:"upstream_inference_cost"`
	}
	if usage.Kind() == '{' {
		_ = json.Unmarshal(usage, &u, Lenient) // what could be read is read
	}
	for _, v := range []jsontext.Value{u.Cost, u.Details} {
		if v.Kind() == '{' {
			_ = json.Unmarshal(v, &parts, Lenient) // what could be read is read
		}
	}
	billed := max(parseDollars(Scalar(u.Cost)), parseDollars(Scalar(parts.Total)), parseDollars(Scalar(u.Estimated)),
		parseDollars(Scalar(u.Ticks))/1e10)
	if u.OwnKey.Kind() == 't' {
		billed += parseDollars(Scalar(parts.Upstream))
	}
	if billed = max(billed, parseDollars(h.Get("X-Litellm-Response-Cost"))); billed > mostBilled {
		return 0
	}
	return billed
}

// parseDollars reads a sum; 0 if it is none.
func parseDollars(text string) float64 {
	usd, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(usd > 0) { // NaN is none either
		return 0
	}
	return usd
}
