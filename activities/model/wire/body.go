package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decompressBody returns a body as it was before a server compressed it, which nobody has asked
// it to do; errTooLarge if it grows beyond maxBody.
func decompressBody(body []byte, h http.Header) ([]byte, error) {
	var from io.Reader
	var err error
	bare := false // deflate without a header, which any bytes may look like
	switch encoding := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding"))); {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		from, err = gzip.NewReader(bytes.NewReader(body))
	case encoding == "deflate":
		if from, err = zlib.NewReader(bytes.NewReader(body)); err != nil { // without the header that it must have
			from, err, bare = flate.NewReader(bytes.NewReader(body)), nil, true
		}
	default:
		return body, nil
	}
	if err != nil {
		return body, nil //nolint:nilerror // it is what it says it is not: read as it came
	}
	plain, err := io.ReadAll(io.LimitReader(from, maxBody+1))
	if err != nil && bare { // it is what it says it is not: read as it came
		return body, nil
	}
	if len(plain) > maxBody {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return plain, nil
}

// unwrapJSON returns the JSON of an answer from what servers put around it though they were not
// asked to: a byte order mark, quotes, a stream of events, an enclosing object. Numbers and line breaks
// that JSON does not allow are repaired. Anything else stays as it is.
func unwrapJSON(body []byte) []byte {
	body = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf")))
	if len(body) > 0 && body[0] == '"' && isValid(body) { // JSON as a text
		if inner := bytes.TrimSpace(Unquote(body)); len(inner) > 0 && inner[0] == '{' && isValid(inner) {
			body = inner
		}
	}
	for len(body) > 0 && body[0] == ':' { // comments of a stream, with which routers keep a connection open
		_, rest, _ := bytes.Cut(body, []byte("\n"))
		body = bytes.TrimSpace(rest)
	}
	if before, ended := bytes.CutSuffix(body, []byte("data: [DONE]")); ended && isValid(bytes.TrimSpace(before)) {
		return bytes.TrimSpace(before) // a whole answer that ends as a stream does
	}
	if events, whole := readEvents(body); len(events) > 0 {
		if joined := joinEvents(events, whole); joined != nil {
			body = joined
		}
	}
	if len(body) > 0 && (body[0] == '{' || body[0] == '[') && !isValid(body) {
		if repaired := repairJSON(body); isValid(repaired) {
			body = repaired
		}
	}
	return unwrapAnswer(body)
}

// answerFields are the members that tell an answer from an object around it.
type answerFields struct {
	Choices    jsontext.Value `json:"choices"`
	Candidates jsontext.Value `json:"candidates"`
	Content    jsontext.Value `json:"content"`
	Stop       jsontext.Value `json:"stop_reason"`
}

func (f answerFields) areThere() bool {
	return IsPresent(f.Choices) || IsPresent(f.Candidates) || IsPresent(f.Content) && f.Stop != nil
}

// unwrapAnswer returns the answer that a gateway wrapped into an object, with the usage of that object if it
// has none of its own; else the body.
func unwrapAnswer(body jsontext.Value) jsontext.Value {
	var outer struct {
		answerFields
		Data     jsontext.Value `json:"data"`
		Result   jsontext.Value `json:"result"`
		Response jsontext.Value `json:"response"` // Google's Code Assist
		Output   jsontext.Value `json:"output"`   // DashScope's own interface
		Body     jsontext.Value `json:"body"`
		Usage    jsontext.Value `json:"usage"`
		Error    jsontext.Value `json:"error"`
	}
	if body.Kind() != '{' || json.Unmarshal(body, &outer, Lenient) != nil || outer.areThere() || HasError(outer.Error) {
		return body
	}
	for _, inner := range []jsontext.Value{outer.Data, outer.Result, outer.Response, outer.Output, outer.Body} {
		var found answerFields
		if ReadObject(inner, &found); !found.areThere() {
			continue
		}
		if IsPresent(outer.Usage) && !namesUsage.Match(inner) {
			return slices.Concat(inner[:len(inner)-1], []byte(`,"usage":`), outer.Usage, []byte("}"))
		}
		return inner
	}
	return body
}

func isValid(v jsontext.Value) bool { return v.IsValid(Lenient) }

// repairJSON puts null in place of NaN and Infinity outside of strings, and escapes what must be
// escaped within them.
func repairJSON(body []byte) []byte {
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		if body[i] == '"' {
			end := i + 1
			for end < len(body) && body[end] != '"' {
				if body[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(body))
			for _, b := range body[i:end] {
				if b < ' ' {
					out = fmt.Appendf(out, `\u%04x`, b)
				} else {
					out = append(out, b)
				}
			}
			i = end
			continue
		}
		found := ""
		for _, name := range []string{"-Infinity", "Infinity", "NaN"} {
			if bytes.HasPrefix(body[i:], []byte(name)) {
				found = name
				break
			}
		}
		if found == "" {
			out, i = append(out, body[i]), i+1
			continue
		}
		out, i = append(out, "null"...), i+len(found)
	}
	return out
}

// ReadObject decodes object into v as far as it can. If it is no JSON object, v stays as it is.
func ReadObject(object jsontext.Value, v any) {
	if object.Kind() == '{' {
		_ = json.Unmarshal(object, v, Lenient)
	}
}
