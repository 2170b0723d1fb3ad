package anthropic

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// details are the parts of an error body.
type details struct{ message, kind, code string }

// readDetails takes {"type": "error", "error": {"type": …, "message": …, "details": {"error_code": …}}}.
func readDetails(body []byte) details {
	var outer struct {
		Error jsontext.Value `json:"error"`
	}
	if json.Unmarshal(body, &outer, wire.Lenient) != nil || !wire.Present(outer.Error) {
		return details{message: string(body)}
	}
	var e struct {
		Type    jsontext.Value `json:"type"`
		Message jsontext.Value `json:"message"`
		Details jsontext.Value `json:"details"`
	}
	if outer.Error.Kind() != '{' || json.Unmarshal(outer.Error, &e, wire.Lenient) != nil {
		return details{message: wire.Scalar(outer.Error)}
	}
	var more struct {
		Code jsontext.Value `json:"error_code"`
	}
	if e.Details.Kind() == '{' {
		_ = json.Unmarshal(e.Details, &more, wire.Lenient) // what could be read is read
	}
	return details{
		message: cmp.Or(wire.Scalar(e.Message), string(outer.Error)),
		kind:    wire.Scalar(e.Type), code: wire.Scalar(more.Code),
	}
}

// classifyRefusal classifies a response that is no answer.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *wire.CallError) {
	d := readDetails(f.Body)
	err := c.Report.Refused(f, d.classify(f.Status), d.errorName(f.Status), d.message)
	err.Unbilled = f.Unbilled() && !d.isBlocked()
	return model.Response{}, &wire.CallError{Err: err, RefusesSchema: f.Status == http.StatusBadRequest && err.Class == model.Fail && d.namesFormat()}
}

// bodyError returns an error that came with a status 2xx: nothing useful arrived,
// so it is tried again unless its type says that this is in vain.
func (c *client) bodyError(body []byte) *wire.CallError {
	d := readDetails(body)
	class := model.Retry
	if known, ok := d.classOf(); ok {
		class = known
	} else if d.kind == "invalid_request_error" {
		class = d.classify(http.StatusBadRequest)
	}
	return &wire.CallError{Err: c.Report.InBody(class, d.errorName(http.StatusOK), d.message)}
}

// errorName returns what the error is called in a report.
func (d details) errorName(status int) string {
	if d.isBlocked() {
		return "content_filter"
	}
	if name := cmp.Or(d.code, d.kind); name != "" {
		return name
	}
	return wire.Unnamed(status)
}

// namesFormat finds the parameter's name, which stands in the message only. It
// decides about a capability of the model, not about the class of an error.
func (d details) namesFormat() bool {
	for _, name := range []string{"output_config.format", "output_format", "output format", "structured output"} {
		if strings.Contains(d.message, name) {
			return true
		}
	}
	return false
}

// classOf returns what a type means whatever the status.
func (d details) classOf() (model.Class, bool) {
	switch {
	case strings.HasSuffix(d.code, "spend_limit_reached"): // its type is rate_limit_error
		return model.Pause, true
	case d.kind == "authentication_error", d.kind == "billing_error", d.kind == "permission_error", d.kind == "not_found_error":
		return model.Pause, true // not found is the model: every call would end like this one
	case d.kind == "rate_limit_error", d.kind == "overloaded_error", d.kind == "api_error", d.kind == "timeout_error", d.kind == "conflict_error":
		return model.Retry, true
	case d.kind == "request_too_large":
		return model.Fail, true
	}
	return "", false
}

// classify uses the type, then the status: invalid_request_error comes with several.
func (d details) classify(status int) model.Class {
	if class, known := d.classOf(); known {
		return class
	}
	if status == http.StatusBadRequest && d.isUnpaid() {
		return model.Pause
	}
	return wire.Classify(status)
}

// isUnpaid finds the account that is empty or at its limit, to which Anthropic
// says invalid_request_error like to any bad request: only the words differ.
func (d details) isUnpaid() bool {
	return strings.Contains(d.message, "credit balance is too low") || strings.Contains(d.message, "API usage limits")
}

// isBlocked finds the answer that was written and then held back, to which
// Anthropic says invalid_request_error too. It decides about money, not the class.
func (d details) isBlocked() bool {
	return d.kind == "invalid_request_error" && strings.Contains(d.message, "blocked by content filtering policy")
}
