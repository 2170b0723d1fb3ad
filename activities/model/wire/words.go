package wire

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Words are what the body of a failed response says, whatever form its service writes errors in.
type Words struct {
	Message string
	Codes   []string // codes, types and reasons, the most exact first; numbers last
	Param   string   // the parameter that was refused
	Limit   string   // OpenRouter: which of its limits was met
	Flagged bool     // OpenRouter: moderation or a guardrail refused the prompt
	Daily   bool     // Google: a quota of a day is used up
	// RetryAfter is when to come back; 0 if the body does not say.
	RetryAfter time.Duration
	// Generated is what the model wrote and the service could not parse; nil if it is not quoted.
	Generated jsontext.Value
}

// errorFields are the members in which services describe errors. Each may be of any form.
type errorFields struct {
	Error      jsontext.Value `json:"error"`
	Errors     jsontext.Value `json:"errors"` // Cloudflare, watsonx
	Detail     jsontext.Value `json:"detail"`
	Message    jsontext.Value `json:"message"`
	Capital    jsontext.Value `json:"Message"` // AWS
	Msg        jsontext.Value `json:"msg"`
	ErrorMsg   jsontext.Value `json:"error_msg"`
	Base       jsontext.Value `json:"base_resp"` // MiniMax
	StatusMsg  jsontext.Value `json:"status_msg"`
	StatusCode jsontext.Value `json:"status_code"`
	ErrorType  jsontext.Value `json:"error_type"`
	ErrorCode  jsontext.Value `json:"error_code"`
	Exception  jsontext.Value `json:"__type"` // AWS
	Code       jsontext.Value `json:"code"`
	Type       jsontext.Value `json:"type"`
	Status     jsontext.Value `json:"status"`
	Reason     jsontext.Value `json:"reason"`
	Param      jsontext.Value `json:"param"`
	Generated  jsontext.Value `json:"failed_generation"`
	Metadata   jsontext.Value `json:"metadata"` // OpenRouter
	Details    jsontext.Value `json:"details"`  // Anthropic: an object; Google: a list
	Headers    jsontext.Value `json:"headers"`  // OpenRouter: those of the service behind it
	retryFields
	Violations jsontext.Value `json:"violations"`
	Limit      jsontext.Value `json:"limit_source"`
	Reasons    jsontext.Value `json:"reasons"`
	Flagged    jsontext.Value `json:"flagged_input"`
	Pattern    jsontext.Value `json:"patterns"`
	Raw        jsontext.Value `json:"raw"` // OpenRouter: what the service behind it said
}

// deepest is how many levels of a body are looked at.
const deepest = 5

// ReadWords reads the body of a failed response; h may be nil.
func ReadWords(body []byte, h http.Header) Words {
	var w Words
	if name := exceptionName(h.Get("X-Amzn-Errortype")); name != "" {
		w.Codes = append(w.Codes, name)
	}
	w.read(bytes.TrimSpace(body), deepest)
	if w.Message == "" {
		w.Message = string(body)
	}
	slices.SortStableFunc(w.Codes, func(a, b string) int { return isNumber(a) - isNumber(b) })
	w.Codes = slices.Compact(w.Codes)
	return w
}

func isNumber(code string) int {
	if _, err := strconv.Atoi(code); err == nil {
		return 1
	}
	return 0
}

// read adds what one value says: the innermost first, which is the most exact.
func (w *Words) read(v jsontext.Value, depth int) {
	if depth == 0 || !IsPresent(v) {
		return
	}
	switch v.Kind() {
	case '[':
		var all []jsontext.Value
		if json.Unmarshal(v, &all, Lenient) == nil {
			for _, one := range all[:min(len(all), 20)] {
				if one.Kind() == '{' {
					w.read(one, depth-1)
				}
			}
		}
	case '{':
		var e errorFields
		if json.Unmarshal(v, &e, Lenient) == nil {
			w.readObject(e, depth)
		}
	}
}

func (w *Words) readObject(e errorFields, depth int) {
	w.addCode(e.ErrorType, e.ErrorCode)
	if e.Error.Kind() == '{' || e.Error.Kind() == '[' {
		w.read(e.Error, depth-1)
	}
	for _, text := range []jsontext.Value{e.Error, e.Message, e.Capital, e.Msg, e.ErrorMsg, e.StatusMsg, e.Detail} {
		w.addMessage(Scalar(text))
	}
	for _, inner := range []jsontext.Value{e.Errors, e.Details, e.Metadata, e.Base, e.Detail} {
		w.read(inner, depth-1)
	}
	w.addCode(e.Reason)
	if text := exceptionName(String(e.Exception)); text != "" {
		w.Codes = append(w.Codes, text)
	}
	w.addCode(e.Code, e.StatusCode)
	if kind := Scalar(e.Type); kind != "error" { // Anthropic's {"type": "error", "error": {…}}
		w.addCode(e.Type)
	}
	if e.Status.Kind() == '"' {
		w.addCode(e.Status)
	}
	w.addRaw(e.Raw, depth)
	if text := Scalar(e.Param); w.Param == "" && text != "None" {
		w.Param = text
	}
	if w.Limit == "" {
		w.Limit = Scalar(e.Limit)
	}
	if w.Generated == nil && IsPresent(e.Generated) {
		w.Generated = e.Generated
	}
	w.Flagged = w.Flagged || IsPresent(e.Reasons) || IsPresent(e.Flagged) || IsPresent(e.Pattern)
	w.Daily = w.Daily || e.Violations.Kind() == '[' && bytes.Contains(e.Violations, []byte("PerDay"))
	if w.RetryAfter == 0 {
		w.RetryAfter = e.wait()
	}
	if w.RetryAfter == 0 && IsPresent(e.Headers) {
		w.RetryAfter = RetryAfter(readHeaders(e.Headers), time.Now())
	}
}

// addMessage takes the first text that there is; LiteLLM's None is none.
func (w *Words) addMessage(text string) {
	if w.Message == "" && text != "None" {
		w.Message = text
	}
}

func (w *Words) addCode(values ...jsontext.Value) {
	for _, v := range values {
		if s := Scalar(v); s != "" && s != "None" && s != "about:blank" && v.Kind() != '{' && v.Kind() != '[' {
			w.Codes = append(w.Codes, s)
		}
	}
}

// addRaw adds what a service behind a router said to the router's own words.
func (w *Words) addRaw(raw jsontext.Value, depth int) {
	text := Scalar(raw)
	if text == "" {
		return
	}
	var behind Words
	behind.read(jsontext.Value(strings.TrimSpace(text)), depth-1)
	if behind.Message == "" {
		behind.Message = text
	}
	w.Codes = append(w.Codes, behind.Codes...)
	if w.Message == "" {
		w.Message = behind.Message
	} else if !strings.Contains(w.Message, behind.Message) {
		w.Message += ": " + behind.Message
	}
}

// exceptionName returns an exception of AWS without the namespace before it and the address
// behind it.
func exceptionName(s string) string {
	s, _, _ = strings.Cut(s, ":")
	return s[strings.LastIndexByte(s, '#')+1:]
}

// Name returns what to call the error in a report: its most exact code, or else a name made from
// the status.
func (w Words) Name(status int) string {
	if len(w.Codes) > 0 {
		return w.Codes[0]
	}
	return Unnamed(status)
}

// Text returns the message, followed by the refused parameter if it does not name that.
func (w Words) Text() string {
	if w.Param == "" || strings.Contains(w.Message, w.Param) {
		return w.Message
	}
	return w.Message + " (parameter " + w.Param + ")"
}
