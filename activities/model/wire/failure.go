package wire

import (
	"net/http"
	"strings"

	"roundtable/activities/model"
)

// ClientClosed is the status with which proxies say that they gave up waiting.
const ClientClosed = 499

// Classify uses the status alone where the service says nothing more exact.
func Classify(status int) model.Class {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status == http.StatusConflict,
		status == http.StatusTooEarly, status == ClientClosed, status >= 500:
		return model.Retry
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden,
		status == http.StatusProxyAuthRequired:
		return model.Pause
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status/100 == 3:
		return model.Pause // no such model or address: every call would end like this one
	}
	return model.Fail
}

// Unnamed returns what an error is called to which the service gives no name.
func Unnamed(status int) string {
	if status == http.StatusOK {
		return "error_in_body"
	}
	return strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
}

// Refused returns the error of a response that is no answer, with what its status and headers
// say. Whether it was billed is for the provider to say.
func (r Reporter) Refused(f *Failure, class model.Class, code, message string) *model.Error {
	err := r.Failed(class, code, message)
	err.Status = f.Status
	if class == model.Retry {
		err.RetryAfter = RetryAfter(f.Header, f.At)
	}
	err.Limits = Limits(f.Header, f.At)
	if f.Status/100 == 3 {
		err.Message = "the server redirects, which is not followed; set base_url to the final address"
	}
	return err
}

// Unasked returns the error of a request that was not sent, for what is wrong with it.
func (r Reporter) Unasked(fault error) *model.Error {
	err := r.Failed(model.Fail, "bad_request", fault.Error())
	err.Unbilled = true
	return err
}
