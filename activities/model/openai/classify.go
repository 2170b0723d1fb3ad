package openai

import (
	"net/http"
	"strings"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// meanings are what codes and types say whatever the status.
var meanings = map[string]model.Class{
	"insufficient_quota":                model.Pause,
	"credit_balance_exhausted":          model.Pause,
	"organization_usage_limit_exceeded": model.Pause,
	"billing_hard_limit_reached":        model.Pause,
	"billing_not_active":                model.Pause,
	"account_deactivated":               model.Pause,
	"invalid_api_key":                   model.Pause,
	"budget_exceeded":                   model.Pause, // LiteLLM, with 400 or 429
	"model_decommissioned":              model.Pause, // Groq, with 400
	"authentication":                    model.Pause, // OpenRouter, this one and the next two
	"payment_required":                  model.Pause,
	"permission_denied":                 model.Pause,
	"context_length_exceeded":           model.Fail,
	"content_filter":                    model.Fail,
	"content_policy_violation":          model.Fail,
	"invalid_prompt":                    model.Fail,
	"bio_policy":                        model.Fail,
	"misalignment_policy_violation":     model.Fail,
}

// classOf returns what the code means, or else the type.
func (d details) classOf() (model.Class, bool) {
	for _, word := range []string{d.code, d.kind} {
		if class, known := meanings[word]; known {
			return class, true
		}
		if strings.HasSuffix(word, "_spend_limit_exceeded") {
			return model.Pause, true
		}
	}
	return "", false
}

func (h host) classify(status int, d details) model.Class {
	switch {
	case d.limit == "openrouter_in_flight_budget":
		return model.Retry // the credit is held by the calls in flight
	case d.flagged:
		return model.Fail
	}
	if class, known := d.classOf(); known {
		return class
	}
	switch {
	case status == http.StatusForbidden && h.isTogether():
		return model.Fail // there it means that the context is too long
	case status == flexFull:
		return model.Retry
	}
	return wire.Classify(status)
}

const flexFull = 498 // Groq has no capacity left for its tier flex

// isUnbilled reports what is certain only. Azure charges for prompts that it filters or finds too long.
func (h host) isUnbilled(f *wire.Failure, d details) bool {
	if d.code == "content_filter" || f.Status == http.StatusBadRequest && h.isAzure() {
		return false
	}
	return f.Unbilled()
}
