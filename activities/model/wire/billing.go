package wire

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"

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
	if cost, err := strconv.ParseFloat(f.Header.Get("X-Litellm-Response-Cost"), 64); err == nil && cost > 0 {
		return false
	}
	return !namesUsage.Match(f.Body)
}
