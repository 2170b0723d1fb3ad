package google

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// details are the parts of an error body (google.rpc.Status).
type details struct {
	message, status string
	reason          string        // of an ErrorInfo
	retryDelay      time.Duration // of a RetryInfo
	daily           bool          // a QuotaFailure names a quota of a day
}

// detail is one of the several messages that an error is described with; each
// has its own members. All are optional and may be of any form.
type detail struct {
	Reason     jsontext.Value `json:"reason"`
	RetryDelay jsontext.Value `json:"retryDelay"`
	Violations jsontext.Value `json:"violations"`
}

// readDetails takes {"error": {"code": 429, "message": …, "status": "RESOURCE_EXHAUSTED", "details": […]}}.
func readDetails(body []byte) details {
	var outer struct {
		Error jsontext.Value `json:"error"`
	}
	if json.Unmarshal(body, &outer, wire.Lenient) != nil || !wire.Present(outer.Error) {
		return details{message: string(body)}
	}
	var e struct {
		Message jsontext.Value `json:"message"`
		Status  jsontext.Value `json:"status"`
		Details jsontext.Value `json:"details"`
	}
	if outer.Error.Kind() != '{' || json.Unmarshal(outer.Error, &e, wire.Lenient) != nil {
		return details{message: wire.Scalar(outer.Error)}
	}
	d := details{message: cmp.Or(wire.Scalar(e.Message), string(outer.Error)), status: wire.Scalar(e.Status)}
	var all []jsontext.Value
	if e.Details.Kind() == '[' {
		_ = json.Unmarshal(e.Details, &all, wire.Lenient) // what could be read is read
	}
	for _, v := range all {
		d.addDetail(v)
	}
	return d
}

func (d *details) addDetail(v jsontext.Value) {
	var one detail
	if v.Kind() != '{' || json.Unmarshal(v, &one, wire.Lenient) != nil {
		return
	}
	d.reason = cmp.Or(d.reason, wire.String(one.Reason))
	if delay, err := time.ParseDuration(wire.String(one.RetryDelay)); err == nil {
		d.retryDelay = min(max(delay, 0), 24*time.Hour)
	}
	var violations []struct {
		QuotaID jsontext.Value `json:"quotaId"`
	}
	if one.Violations.Kind() == '[' {
		_ = json.Unmarshal(one.Violations, &violations, wire.Lenient) // what could be read is read
	}
	for _, q := range violations {
		d.daily = d.daily || strings.Contains(wire.String(q.QuotaID), "PerDay")
	}
}

// classifyRefusal classifies a response that is no answer.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *wire.CallError) {
	d := readDetails(f.Body)
	err := c.Report.Refused(f, d.classify(f.Status), d.errorName(f.Status), d.message)
	// https://ai.google.dev/gemini-api/docs/billing ("Am I charged for failed requests?", read on 2026-11-22)
	// excludes tokens of requests that fail with 400 or 500; of other statuses it is assumed.
	err.Unbilled = f.Unbilled()
	if err.Class == model.Retry {
		err.RetryAfter = cmp.Or(d.retryDelay, err.RetryAfter)
	}
	return model.Response{}, &wire.CallError{Err: err, RefusesSchema: f.Status == http.StatusBadRequest && err.Class == model.Fail && d.namesFormat()}
}

// bodyError returns an error that came with a status 2xx: nothing useful arrived,
// so it is tried again unless its code says that this is in vain.
func (c *client) bodyError(body []byte) *wire.CallError {
	d := readDetails(body)
	class, known := d.classOf()
	if !known {
		class = model.Retry
	}
	return &wire.CallError{Err: c.Report.InBody(class, d.errorName(http.StatusOK), d.message)}
}

// errorName returns what the error is called in a report.
func (d details) errorName(status int) string {
	if name := cmp.Or(d.reason, d.status); name != "" {
		return name
	}
	return wire.Unnamed(status)
}

// namesFormat finds what was refused, which stands in the message only. It
// decides about a capability of the model, not about the class of an error.
func (d details) namesFormat() bool {
	text := strings.ToLower(d.message)
	for _, name := range []string{"schema", "json mode", "response_mime_type", "responsemimetype"} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// classOf returns what a code means whatever the status.
func (d details) classOf() (model.Class, bool) {
	if d.daily || strings.HasPrefix(d.reason, "API_KEY_") {
		return model.Pause, true
	}
	switch d.status {
	case "RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED", "UNKNOWN":
		return model.Retry, true
	case "UNAUTHENTICATED", "PERMISSION_DENIED",
		"FAILED_PRECONDITION", // billing is off, or the country is not served
		"NOT_FOUND":           // the model: every call would end like this one
		return model.Pause, true
	case "INVALID_ARGUMENT", "OUT_OF_RANGE", "UNIMPLEMENTED":
		return model.Fail, true
	}
	return "", false
}

// classify uses the code, then the status: what stands before the service knows no codes.
func (d details) classify(status int) model.Class {
	if class, known := d.classOf(); known {
		return class
	}
	return wire.Classify(status)
}
