package bedrock

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// classifyFailure classifies a response that is no answer.
func classifyFailure(f *wire.Failure, report wire.Reporter) *model.Error {
	w := wire.ReadWords(f.Body, f.Header)
	if clock := wrongClock(f, w); clock != "" {
		w.Message = clock + ": " + w.Message
	}
	err := report.Refused(f, w)
	err.Unbilled = isUnbilled(f, w)
	return err
}

// isUnbilled is only what is certain: in the others the model may have begun.
func isUnbilled(f *wire.Failure, w wire.Words) bool {
	for _, begun := range []string{"ModelTimeoutException", "ModelErrorException", "ModelStreamErrorException",
		"RequestAbortedException"} {
		if slices.Contains(w.Codes, begun) {
			return false
		}
	}
	return f.Status != http.StatusFailedDependency && f.Unbilled()
}

// wrongClock says how far this machine's clock is off, if a signature was
// refused and that may be why: AWS takes five minutes.
func wrongClock(f *wire.Failure, w wire.Words) string {
	if !slices.ContainsFunc(w.Codes, func(code string) bool {
		return code == "InvalidSignatureException" || code == "SignatureDoesNotMatch" || code == "RequestExpired" ||
			code == "RequestTimeTooSkewed"
	}) {
		return ""
	}
	server, err := http.ParseTime(f.Header.Get("Date"))
	if off := f.At.Sub(server).Round(time.Second); err == nil && off.Abs() > 4*time.Minute {
		return fmt.Sprintf("the clock of this machine is %v off that of AWS; set it", off)
	}
	return ""
}
