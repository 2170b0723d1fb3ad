package openai

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// details are the parts of an error body that servers agree on, and what some add.
type details struct {
	message, kind, code, param string
	limit                      string         // OpenRouter: which of its limits was met
	flagged                    bool           // OpenRouter: moderation or a guardrail refused the prompt
	generated                  jsontext.Value // Groq: the answer that was no JSON
}

// readDetails takes {"error": {…}}, {"error": "…"}, {"detail": …} and vLLM's bare {"object": "error", …}.
func readDetails(body []byte) details {
	var outer struct {
		Error  jsontext.Value `json:"error"`
		Detail jsontext.Value `json:"detail"`
		Type   jsontext.Value `json:"error_type"` // OpenRouter's Responses: more exact than the error's code
	}
	if json.Unmarshal(body, &outer, wire.Lenient) != nil {
		return details{message: string(body)}
	}
	inner := jsontext.Value(body)
	switch {
	case outer.Error.Kind() == '{':
		inner = outer.Error
	case wire.Present(outer.Error):
		return details{message: wire.Scalar(outer.Error)}
	case wire.Present(outer.Detail):
		return details{message: wire.Scalar(outer.Detail)}
	}
	d := readError(inner, body)
	d.code = cmp.Or(wordOf(outer.Type), d.code)
	return d
}

func readError(inner jsontext.Value, body []byte) details {
	var e struct {
		Message   jsontext.Value `json:"message"`
		Type      jsontext.Value `json:"type"`
		ErrorType jsontext.Value `json:"error_type"`
		Code      jsontext.Value `json:"code"`
		Param     jsontext.Value `json:"param"`
		Generated jsontext.Value `json:"failed_generation"`
		Metadata  jsontext.Value `json:"metadata"`
	}
	if json.Unmarshal(inner, &e, wire.Lenient) != nil {
		return details{message: string(body)}
	}
	var m struct {
		Type    jsontext.Value `json:"error_type"`
		Limit   jsontext.Value `json:"limit_source"`
		Reasons jsontext.Value `json:"reasons"`
		Flagged jsontext.Value `json:"flagged_input"`
		Pattern jsontext.Value `json:"patterns"`
	}
	if e.Metadata.Kind() == '{' {
		_ = json.Unmarshal(e.Metadata, &m, wire.Lenient) // what could be read is read
	}
	d := details{
		message: wire.Scalar(e.Message), code: wordOf(e.Code), param: wordOf(e.Param),
		kind:  cmp.Or(wordOf(m.Type), wordOf(e.Type), wordOf(e.ErrorType)),
		limit: wire.Scalar(m.Limit), flagged: wire.Present(m.Reasons) || wire.Present(m.Flagged) || wire.Present(m.Pattern),
		generated: e.Generated,
	}
	if d.message == "" {
		d.message = string(inner)
	}
	return d
}

// wordOf returns a code or a type; LiteLLM's None is none.
func wordOf(v jsontext.Value) string {
	if s := wire.Scalar(v); s != "None" {
		return s
	}
	return ""
}

// classifyRefusal returns a response that is no answer, unless it holds one: Groq says 400
// to an answer that is not the JSON that was asked for, and quotes it.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *wire.CallError) {
	if d := readDetails(f.Body); f.Status == http.StatusBadRequest && d.code == "json_validate_failed" && d.generated.Kind() == '"' {
		return c.newAnswer(wire.Unquote(d.generated), d.code, f.Header, nil, nil, model.Usage{}), nil
	}
	return model.Response{}, c.statusError(f)
}

// statusError classifies a response that is no answer.
func (c *client) statusError(f *wire.Failure) *wire.CallError {
	d := readDetails(f.Body)
	err := c.Report.Refused(f, c.host.classify(f.Status, d), d.errorName(f.Status), d.errorText())
	err.Unbilled = c.host.isUnbilled(f, d)
	bad := f.Status == http.StatusBadRequest || f.Status == http.StatusUnprocessableEntity
	return &wire.CallError{Err: err, RefusesSchema: bad && err.Class == model.Fail && d.namesFormat()}
}

// bodyError returns an error that came with a status 2xx: nothing useful arrived,
// so it is tried again unless its code says that this is in vain. Routers put
// the status that they could not send any more into the code.
func (c *client) bodyError(body []byte) *wire.CallError {
	d := readDetails(body)
	err := c.Report.InBody(model.Retry, d.errorName(http.StatusOK), d.errorText())
	if status, e := strconv.Atoi(d.code); e == nil && status >= 400 && status < 600 {
		err.Class = c.host.classify(status, d)
	} else if class, known := d.classOf(); known {
		err.Class = class
	}
	return &wire.CallError{Err: err}
}

// errorName returns what the error is called in a report: a word rather than a number.
func (d details) errorName(status int) string {
	if _, err := strconv.Atoi(d.code); err != nil || d.kind == "" {
		if d.code != "" {
			return d.code
		}
	}
	if d.kind != "" {
		return d.kind
	}
	return wire.Unnamed(status)
}

// errorText returns the message, which names the parameter that was refused.
func (d details) errorText() string {
	if d.param == "" || strings.Contains(d.message, d.param) {
		return d.message
	}
	return d.message + " (parameter " + d.param + ")"
}

// namesFormat finds the parameter's name anywhere: servers put it in param, or only in the message.
// It decides about a capability of the server, not about the class of an error.
func (d details) namesFormat() bool {
	for _, name := range []string{"response_format", "json_schema", "text.format"} {
		if strings.Contains(d.param+d.message, name) {
			return true
		}
	}
	return false
}
