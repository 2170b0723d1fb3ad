package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decompressBody returns a body as it was before a server compressed it, which nobody has asked
// it to do; errTooLarge if it grows beyond maxBody.
func decompressBody(body []byte, h http.Header) ([]byte, error) {
	var from io.Reader
	var err error
	switch encoding := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding"))); {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		from, err = gzip.NewReader(bytes.NewReader(body))
	case encoding == "deflate":
		from, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return body, nil
	}
	if err != nil {
		return body, nil //nolint:nilerror // it is what it says it is not: read as it came
	}
	plain, err := io.ReadAll(io.LimitReader(from, maxBody+1))
	if len(plain) > maxBody {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return plain, nil
}

// unwrapJSON returns the JSON of an answer from what servers put around it though they were not
// asked to: a byte order mark, a stream of events, and numbers that JSON does not have.
// Anything else stays as it is.
func unwrapJSON(body []byte) []byte {
	body = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf")))
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
		if cleaned := withoutNaN(body); isValid(cleaned) {
			return cleaned
		}
	}
	return body
}

func isValid(v jsontext.Value) bool { return v.IsValid(Lenient) }

// withoutNaN puts null in place of NaN and Infinity outside of strings.
func withoutNaN(body []byte) []byte {
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
			out, i = append(out, body[i:end]...), end
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

// readEvents returns the data of a stream of server-sent events, and whether it says that it
// is whole; none if the body is not a stream.
func readEvents(body []byte) (events []jsontext.Value, whole bool) {
	isStream := false
	for _, start := range []string{"data:", "event:", "id:", "retry:", ":"} {
		isStream = isStream || bytes.HasPrefix(body, []byte(start))
	}
	if !isStream {
		return nil, false
	}
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		if data = bytes.TrimSpace(data); !ok || len(data) == 0 {
			continue
		}
		if string(data) == "[DONE]" {
			whole = true
			continue
		}
		if !isValid(data) {
			data = withoutNaN(data)
		}
		if isValid(data) {
			events = append(events, data)
		}
	}
	return events, whole
}

// event is one part of a streamed answer, in the form of any of the services.
type event struct {
	Type    jsontext.Value `json:"type"`
	Error   jsontext.Value `json:"error"`
	ID      jsontext.Value `json:"id"`
	Model   jsontext.Value `json:"model"`
	Usage   jsontext.Value `json:"usage"`
	Choices []struct {
		Delta   *delta         `json:"delta"`
		Message jsontext.Value `json:"message"`
		Finish  jsontext.Value `json:"finish_reason"`
	} `json:"choices"`
	Response jsontext.Value `json:"response"` // Responses
	Message  jsontext.Value `json:"message"`  // Anthropic, at the start
	Delta    *delta         `json:"delta"`    // Anthropic
	Content  jsontext.Value `json:"content"`  // Anthropic, whole
	Output   jsontext.Value `json:"output"`   // Responses, whole
	// Google
	Candidates []struct {
		Content struct {
			Parts []jsontext.Value `json:"parts"`
		} `json:"content"`
		Finish jsontext.Value `json:"finishReason"`
	} `json:"candidates"`
	GoogleUsage jsontext.Value `json:"usageMetadata"`
}

type delta struct {
	Content   jsontext.Value `json:"content"`
	Reasoning jsontext.Value `json:"reasoning_content"`
	Text      jsontext.Value `json:"text"`
	Stop      jsontext.Value `json:"stop_reason"`
}

// unfinished is the end of a stream that breaks off.
const unfinished = `"incomplete"`

// joinEvents makes one answer of a stream's parts, in the form in which its service answers
// without one; nil if they are of no service that is known. The bytes of texts are kept.
func joinEvents(events []jsontext.Value, whole bool) jsontext.Value {
	var text, reasoning []byte // inside of the quotes
	var id, name, usage, finish, started, stop, googleUsage, googleEnd jsontext.Value
	var parts []jsontext.Value
	chat, messages, google := false, false, false
	for _, data := range events {
		var e event
		if data.Kind() != '{' || json.Unmarshal(data, &e, Lenient) != nil {
			continue
		}
		switch kind := String(e.Type); {
		case IsPresent(e.Error):
			return data
		case strings.HasPrefix(kind, "response.") && IsPresent(e.Response):
			if kind != "response.created" && kind != "response.in_progress" && kind != "response.queued" {
				return e.Response
			}
		case len(e.Choices) > 0 && IsPresent(e.Choices[0].Message), IsPresent(e.Content), IsPresent(e.Output):
			return data // it is whole
		case len(e.Choices) > 0:
			chat = true
			if d := e.Choices[0].Delta; d != nil {
				text, reasoning = appendInner(text, d.Content), appendInner(reasoning, d.Reasoning)
			}
			finish = latestPresent(finish, e.Choices[0].Finish)
		case kind == "message_start":
			messages, started = true, e.Message
		case kind == "content_block_delta" && e.Delta != nil:
			messages, text = true, appendInner(text, e.Delta.Text)
		case kind == "message_delta" && e.Delta != nil:
			stop = latestPresent(stop, e.Delta.Stop)
		case len(e.Candidates) > 0:
			google = true
			parts, googleEnd = append(parts, e.Candidates[0].Content.Parts...),
				latestPresent(googleEnd, e.Candidates[0].Finish)
		}
		id, name, usage, googleUsage = latestPresent(id, e.ID), latestPresent(name, e.Model),
			latestPresent(usage, e.Usage), latestPresent(googleUsage, e.GoogleUsage)
	}
	end := func(v jsontext.Value) string {
		if !IsPresent(v) && !whole {
			return unfinished
		}
		return orNull(v)
	}
	switch {
	case chat:
		return jsontext.Value(`{"id":` + orNull(id) + `,"model":` + orNull(name) +
			`,"choices":[{"message":{"content":"` + string(text) + `","reasoning_content":"` + string(reasoning) +
			`"},"finish_reason":` + end(finish) + `}],"usage":` + orNull(usage) + `}`)
	case messages:
		return joinMessage(started, text, end(stop), usage)
	case google:
		all, _ := json.Marshal(parts, Lenient)
		return jsontext.Value(`{"candidates":[{"content":{"parts":` + string(all) + `},"finishReason":` +
			end(googleEnd) + `}],"usageMetadata":` + orNull(googleUsage) + `}`)
	}
	return nil
}

// joinMessage makes an answer of Anthropic's Messages: the input was counted at its start, the
// output at its end.
func joinMessage(started jsontext.Value, text []byte, stop string, last jsontext.Value) jsontext.Value {
	var first struct {
		ID    jsontext.Value            `json:"id"`
		Model jsontext.Value            `json:"model"`
		Usage map[string]jsontext.Value `json:"usage"`
	}
	_ = json.Unmarshal(started, &first, Lenient) // what could be read is read
	used := first.Usage
	if used == nil {
		used = map[string]jsontext.Value{}
	}
	_ = json.Unmarshal(last, &used, Lenient)
	counted, err := json.Marshal(used, Lenient)
	if err != nil {
		counted = []byte("null")
	}
	return jsontext.Value(`{"id":` + orNull(first.ID) + `,"model":` + orNull(first.Model) +
		`,"content":[{"type":"text","text":"` + string(text) + `"}],"stop_reason":` + stop + `,"usage":` +
		string(counted) + `}`)
}

// appendInner appends what is between the quotes of a JSON string.
func appendInner(out []byte, v jsontext.Value) []byte {
	if v.Kind() != '"' {
		return out
	}
	return append(out, v[1:len(v)-1]...)
}

func latestPresent(before, now jsontext.Value) jsontext.Value {
	if IsPresent(now) {
		return now
	}
	return before
}

func orNull(v jsontext.Value) string {
	if !IsPresent(v) {
		return "null"
	}
	return string(v)
}

// Part is one part of an answer.
type Part struct {
	IsText   bool           // the answer has its text
	Text     jsontext.Value // of the answer, if IsText
	Thinking jsontext.Value // what the model thought; absent if nothing
}

// ReadParts reads an answer that is a list of parts of type P: it joins the texts, and puts
// thoughts on lines of their own. ok is false if list is no such list, or a text is no string.
func ReadParts[P any](list jsontext.Value, read func(P) Part) (text []byte, thinking string, ok bool) {
	var parts []P
	if IsPresent(list) && json.Unmarshal(list, &parts, Lenient) != nil {
		return nil, "", false
	}
	var thoughts []string
	for _, p := range parts {
		part := read(p)
		if thought := String(part.Thinking); thought != "" {
			thoughts = append(thoughts, thought)
		}
		if !part.IsText {
			continue
		}
		if part.Text.Kind() != '"' {
			return nil, "", false
		}
		text = append(text, Unquote(part.Text)...)
	}
	return text, strings.Join(thoughts, "\n"), true
}

// ReadObject decodes object into v as far as it can. If it is no JSON object, v stays as it is.
func ReadObject(object jsontext.Value, v any) {
	if object.Kind() == '{' {
		_ = json.Unmarshal(object, v, Lenient)
	}
}
