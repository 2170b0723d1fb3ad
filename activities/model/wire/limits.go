package wire

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roundtable/activities/model"
)

// Limits returns what a response's headers say of the account's limits, in the
// dialects of OpenAI (and Azure, Groq, Together, vLLM proxies) and Anthropic.
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
