package bedrock

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// classes are the exceptions that mean the same with any status; AWS gives
// several of them with different ones. From the list of errors of Converse,
// "Troubleshooting Amazon Bedrock API error codes" and "Common errors".
var classes = map[string]model.Class{
	"ThrottlingException":         model.Retry,
	"ThrottledException":          model.Retry,
	"TooManyRequestsException":    model.Retry,
	"ModelNotReadyException":      model.Retry,
	"ModelTimeoutException":       model.Retry,
	"ModelErrorException":         model.Retry,
	"ModelStreamErrorException":   model.Retry,
	"InternalServerException":     model.Retry,
	"InternalFailure":             model.Retry,
	"ServiceUnavailableException": model.Retry,
	"ServiceUnavailable":          model.Retry,
	"RequestAbortedException":     model.Retry,

	"AccessDeniedException":               model.Pause,
	"BadCScoreException":                  model.Pause,
	"NotAuthorized":                       model.Pause,
	"OptInRequired":                       model.Pause,
	"UnrecognizedClientException":         model.Pause,
	"InvalidClientTokenId":                model.Pause,
	"ExpiredTokenException":               model.Pause,
	"ExpiredToken":                        model.Pause,
	"InvalidSignatureException":           model.Pause,
	"SignatureDoesNotMatch":               model.Pause,
	"IncompleteSignature":                 model.Pause,
	"IncompleteSignatureException":        model.Pause,
	"MissingAuthenticationToken":          model.Pause,
	"MissingAuthenticationTokenException": model.Pause,
	"RequestExpired":                      model.Pause,
	"RequestTimeTooSkewed":                model.Pause,
	"ServiceQuotaExceededException":       model.Pause,
	"FTUFormNotFilled":                    model.Pause,
	"ResourceNotFoundException":           model.Pause,
	"ResourceNotFound":                    model.Pause,
	"UnknownOperationException":           model.Pause,
	"InvalidAction":                       model.Pause,

	"ValidationException":    model.Fail,
	"ValidationError":        model.Fail,
	"SerializationException": model.Fail,
}

// classifyFailure classifies a response that is no answer.
func classifyFailure(f *wire.Failure, report wire.Reporter) *model.Error {
	name, message := describeException(f)
	class, known := classes[name]
	if !known {
		class = classOfStatus(f.Status)
	}
	if clock := wrongClock(f, name); clock != "" {
		message = clock + ": " + message
	}
	if f.Status/100 == 3 {
		message = "the server redirects, which is not followed; set base_url to the final address"
	}
	if name == "" {
		name = wire.Unnamed(f.Status)
	}
	out := report.Failed(class, name, message)
	out.Status = f.Status
	out.Unbilled = isUnbilled(f, name)
	if class == model.Retry {
		out.RetryAfter = wire.RetryAfter(f.Header, f.At)
	}
	return out
}

// describeException finds the exception's name, which stands in a header, or in the
// body as __type or code, and may have a namespace before it or an address behind.
func describeException(f *wire.Failure) (name, message string) {
	var e struct {
		Type    jsontext.Value `json:"__type"`
		Code    jsontext.Value `json:"code"`
		Message jsontext.Value `json:"message"`
		Old     jsontext.Value `json:"Message"`
	}
	if json.Unmarshal(f.Body, &e, wire.Lenient) != nil {
		return exceptionName(f.Header.Get("X-Amzn-Errortype")), string(f.Body)
	}
	name = cmp.Or(f.Header.Get("X-Amzn-Errortype"), wire.String(e.Type), wire.Scalar(e.Code))
	return exceptionName(name), cmp.Or(wire.Scalar(e.Message), wire.Scalar(e.Old), string(f.Body))
}

func exceptionName(s string) string {
	s, _, _ = strings.Cut(s, ":")
	return s[strings.LastIndexByte(s, '#')+1:]
}

// classOfStatus classifies by the status, where no name or an unknown one is given.
func classOfStatus(status int) model.Class {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout,
		status == http.StatusFailedDependency, status == http.StatusConflict, status >= 500:
		return model.Retry
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden,
		status == http.StatusNotFound, status == http.StatusProxyAuthRequired, status/100 == 3:
		return model.Pause
	}
	return model.Fail
}

// isUnbilled is only what is certain: in the others the model may have begun.
func isUnbilled(f *wire.Failure, name string) bool {
	switch name {
	case "ModelTimeoutException", "ModelErrorException", "ModelStreamErrorException", "RequestAbortedException":
		return false
	}
	return f.Status != http.StatusFailedDependency && f.Unbilled()
}

// wrongClock says how far this machine's clock is off, if a signature was
// refused and that may be why: AWS takes five minutes.
func wrongClock(f *wire.Failure, name string) string {
	switch name {
	case "InvalidSignatureException", "SignatureDoesNotMatch", "RequestExpired", "RequestTimeTooSkewed":
	default:
		return ""
	}
	server, err := http.ParseTime(f.Header.Get("Date"))
	if off := f.At.Sub(server).Round(time.Second); err == nil && off.Abs() > 4*time.Minute {
		return fmt.Sprintf("the clock of this machine is %v off that of AWS; set it", off)
	}
	return ""
}
