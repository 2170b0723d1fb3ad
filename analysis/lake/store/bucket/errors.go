package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// s3Error is a failed request in words. It keeps what the SDK said for
// errors.Is, not for people: that text repeats itself and names the SDK.
type s3Error struct {
	text string
	is   []error
}

func (e *s3Error) Error() string   { return e.text }
func (e *s3Error) Unwrap() []error { return e.is }

func (s *S3) explainError(doing, key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lake %s: %s %s: %w", s, doing, key, reasonOf(err))
}

const (
	elsewhere   = "the bucket is in another region"
	missingCode = "NoSuchKey"
)

// faults are the answers of servers that the operator can do something about.
// Source: the S3 API reference, "Error responses".
var faults = []struct {
	codes []string
	text  string
	is    error
}{
	{[]string{missingCode}, "there is no such object", fs.ErrNotExist},
	{[]string{"NoSuchBucket"}, "there is no such bucket; a lake does not make one", nil},
	{[]string{"AccessDenied", "Forbidden", "AllAccessDisabled", "AccountProblem"},
		"permission denied; what is needed: s3:ListBucket on the bucket, s3:GetObject, s3:PutObject, s3:DeleteObject " +
			"and s3:AbortMultipartUpload on what is below the prefix", fs.ErrPermission},
	{[]string{"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "InvalidClientTokenId",
		"XAmzContentSHA256Mismatch"},
		"the server does not accept the credentials", fs.ErrPermission},
	{[]string{"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"},
		"the credentials have expired; log in again", fs.ErrPermission},
	{[]string{"PermanentRedirect", "MovedPermanently", "TemporaryRedirect", "AuthorizationHeaderMalformed",
		"IllegalLocationConstraintException"},
		elsewhere + "; set AWS_REGION, or add ?region=… to the location", nil},
	{[]string{"RequestTimeTooSkewed"}, "this computer's clock and the server's differ by too much", nil},
	{[]string{"InvalidObjectState"}, "the object was moved to an archive and cannot be read from there", nil},
	{[]string{"SlowDown", "ServiceUnavailable", "InternalError", "InternalServerError"},
		"the server is not able to serve just now", nil},
	{[]string{"NotImplemented"}, "the server cannot do what a lake needs", nil},
	{[]string{"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "507"}, "the server has no room left",
		syscall.ENOSPC},
}

// reasonOf says in words what the operator can do, or what the server said.
func reasonOf(err error) error {
	api, answered := errors.AsType[smithy.APIError](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &s3Error{"gave up waiting for the server", []error{err}}
	case answered:
		return ofAnswer(err, api)
	}
	if sent, ok := errors.AsType[*url.Error](err); ok {
		return &s3Error{fmt.Sprintf("the server cannot be reached: %v", sent.Err), []error{err}}
	}
	if garbled, ok := errors.AsType[*smithy.DeserializationError](err); ok {
		return &s3Error{fmt.Sprintf("that is not an answer of an S3 server: %v", garbled.Err), []error{err}}
	}
	return err
}

func ofAnswer(err error, api smithy.APIError) error {
	text, is := fmt.Sprintf("the server says %.200q", api.ErrorMessage()), []error{err}
	if api.ErrorMessage() == "" {
		text = "the server does not say why"
	}
	for _, f := range faults {
		for _, c := range f.codes {
			if c != codeOf(err) {
				continue
			}
			text = f.text
			if f.is != nil {
				is = append(is, f.is)
			}
		}
	}
	if strings.HasPrefix(text, elsewhere) { // where, in either way of saying it
		text += ": " + cmp.Or(headerOf(err, "X-Amz-Bucket-Region"), api.ErrorMessage())
	}
	if n := statusOf(err); n != 0 {
		return &s3Error{fmt.Sprintf("%s (%s, status %d)", text, codeOf(err), n), is}
	}
	return &s3Error{fmt.Sprintf("%s (%s)", text, codeOf(err)), is}
}

// codeOf returns the server's word for what went wrong, "" for errors that are not its
// answer. Answers to HEAD have no words; to anything else a bare 404 comes from
// something in between, and does not say that an object is missing.
func codeOf(err error) string {
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return ""
	}
	of, ok := errors.AsType[*smithy.OperationError](err)
	if ok && of.OperationName == "HeadObject" && statusOf(err) == http.StatusNotFound {
		return missingCode
	}
	return api.ErrorCode()
}

func statusOf(err error) int {
	response, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if !ok {
		return 0
	}
	return response.HTTPStatusCode()
}

func headerOf(err error, name string) string {
	response, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if !ok || response.Response == nil {
		return ""
	}
	return response.Response.Header.Get(name)
}

// isRejected reports whether the server has answered and done nothing. An answer of
// 5xx may come from something in between.
func isRejected(err error) bool {
	n := statusOf(err)
	return n >= http.StatusBadRequest && n < http.StatusInternalServerError && n != http.StatusRequestTimeout
}
