package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
)

// What servers put around an answer is taken off, and the bytes of texts stay.
func TestUnwrap(t *testing.T) {
	t.Parallel()
	const chunk = "data: {\"id\":\"x\",\"choices\":[{\"delta\":{\"content\":\"a\xff\\u00e9\"}}]}\n\n"
	for name, c := range map[string]struct{ body, want string }{
		"JSON":            {`{"a":"NaN"}`, `{"a":"NaN"}`},
		"byte order mark": {"\xef\xbb\xbf{}", "{}"},
		"blank lines":     {"\n \n{}\n", "{}"},
		"NaN":             {`{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \" Infinity"}`, `{"a":null,"b":[null,null],"c":"NaN \" Infinity"}`},
		"end of a stream": {"{}\n\ndata: [DONE]", "{}"},
		"HTML":            {"<html>NaN</html>", "<html>NaN</html>"},
		"half":            {`{"a":NaN`, `{"a":NaN`},
		"stream": {": hi\n\nevent: x\n" + chunk + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]\n",
			"{\"choices\":[{\"delta\":{\"content\":\"a\xff\\u00e9\"},\"finish_reason\":\"stop\"}],\"id\":\"x\",\"usage\":{\"prompt_tokens\":1}}"},
		"stream that ends early":   {chunk, "{\"choices\":[{\"delta\":{\"content\":\"a\xff\\u00e9\"},\"finish_reason\":\"incomplete\"}],\"id\":\"x\"}"},
		"whole answer in a stream": {"data: {\"choices\":[{\"message\":{\"content\":\"a\"}}]}\n\n", `{"choices":[{"message":{"content":"a"}}]}`},
		"error in a stream":        {chunk + "data: {\"error\":{\"message\":\"x\"}}\n\n", `{"error":{"message":"x"}}`},
		"Responses":                {"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\"}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n", `{"status":"completed"}`},
		"Messages": {"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"c\",\"usage\":{\"input_tokens\":3}}}\n\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n" +
			"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n",
			`{"content":[{"text":"ab"}],"id":"m","model":"c","stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`},
		"generateContent": {"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1}}\n\n",
			`{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}`},
	} {
		got := string(unwrapJSON([]byte(c.body)))
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// Bodies that a server compressed unasked are read; a bomb is not.
func TestCompressed(t *testing.T) {
	t.Parallel()
	pack := func(text string, to func(io.Writer) io.WriteCloser) []byte {
		var b bytes.Buffer
		w := to(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.Bytes()
	}
	gz := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	for name, c := range map[string]struct {
		encoding string
		body     []byte
		want     string
		err      error
	}{
		"gzip":             {"gzip", pack("{}", gz), "{}", nil},
		"gzip, not said":   {"", pack("{}", gz), "{}", nil},
		"gzip, cut":        {"gzip", pack(strings.Repeat("{}", 1000), gz)[:30], "", io.ErrUnexpectedEOF},
		"deflate":          {"deflate", pack("{}", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }), "{}", nil},
		"said, and is not": {"gzip", []byte("{}"), "{}", nil},
		"a bomb":           {"gzip", pack(strings.Repeat(" ", maxBody+1), gz), "", errTooLarge},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.encoding != "" {
				w.Header().Set("Content-Encoding", c.encoding)
			}
			_, _ = w.Write(c.body)
		}))
		ctx, call := Watch(t.Context(), "")
		err := Post(ctx, NewClient(), s.URL, []byte("{}"), nil)
		s.Close()
		if !errors.Is(err, c.err) || err == nil && string(call.Body) != c.want {
			t.Errorf("%s: %q, %v", name, call.Body, err)
		}
	}
}

// Bodies end at 16 MiB, headers at 256 KiB: whoever sends more is not listened to.
func TestEndsOfAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header, body int
		ok           bool
	}{
		"long headers": {200 << 10, 2, true}, "longer headers": {300 << 10, 2, false},
		"a long body": {0, 16 << 20, true}, "a longer body": {0, 16<<20 + 1, false},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", c.header))
			_, _ = w.Write(bytes.Repeat([]byte("1"), c.body))
		}))
		ctx, call := Watch(t.Context(), "")
		err := Post(ctx, NewClient(), s.URL, []byte("{}"), nil)
		s.Close()
		if (err == nil) != c.ok || c.ok && len(call.Body) != c.body {
			t.Errorf("%s: %d bytes, %v", name, len(call.Body), err)
		}
	}
}

// Hints in words are read, and numbers that are none are not.
func TestWaitInWords(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]time.Duration{
		"Rate limit reached. Please try again in 4s.": 4 * time.Second,
		"Please try again in 6m0s.":                   6 * time.Minute,
		"try again in 350ms":                          350 * time.Millisecond,
		"Please retry after 2 seconds.":               2 * time.Second,
		"Please retry in 34.07s.":                     34070 * time.Millisecond,
		"You can try again in 1 minute and 5 seconds": 65 * time.Second,
		"quota will reset after 12 h":                 12 * time.Hour,
		"wait 20 seconds":                             20 * time.Second,
		"Limit 60 requests per minute.":               0,
		"try again later":                             0,
		"The request took 4s":                         0,
		"":                                            0,
	} {
		if got := waitInWords(message); got != want {
			t.Errorf("%q: %v, want %v", message, got, want)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]"))
	f.Add([]byte(`[{"error":{"message":"x","metadata":{"raw":"{\"error\":1}"},"details":[{"retryDelay":"1s"}]}}]`))
	f.Add([]byte("\xef\xbb\xbf{\"a\":NaN,\"b\":\"\\"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, body []byte) {
		plain, err := decompressBody(body, http.Header{})
		if err != nil {
			return
		}
		unwrapped := unwrapJSON(plain)
		e := NewReporter("p").InBody(unwrapped)
		if e.Status != http.StatusOK || e.Fault == "" || len(e.Message) > 2048 || e.RetryAfter < 0 || e.RetryAfter > maxRetryAfter {
			t.Errorf("%+v", *e)
		}
		if e := NewReporter("p").Refused(&Failure{Status: 429, Header: http.Header{}, Body: unwrapped}, ReadWords(unwrapped, nil)); e.Class == "" {
			t.Errorf("%+v", *e)
		}
	})
}

// What is billed beside the output is output.
func TestWithTotal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		u             model.Usage
		beside, total int64
		want          model.Usage
	}{
		"no total":                  {model.Usage{Input: 100, Output: 20}, 0, 0, model.Usage{Input: 100, Output: 20}},
		"the sum":                   {model.Usage{Input: 100, Output: 20, Reasoning: 10}, 0, 120, model.Usage{Input: 100, Output: 20, Reasoning: 10}},
		"more in all":               {model.Usage{Input: 100, Output: 20}, 0, 1120, model.Usage{Input: 100, Output: 1020}},
		"reasoning beside":          {model.Usage{Input: 100, Output: 20, Reasoning: 1000}, 0, 1120, model.Usage{Input: 100, Output: 1020, Reasoning: 1000}},
		"reasoning, and no total":   {model.Usage{Input: 100, Output: 20, Reasoning: 1000}, 0, 0, model.Usage{Input: 100, Output: 1020, Reasoning: 1000}},
		"short reasoning beside":    {model.Usage{Input: 100, Output: 20, Reasoning: 5}, 0, 125, model.Usage{Input: 100, Output: 25, Reasoning: 5}},
		"a total that is too small": {model.Usage{Input: 100, Output: 20}, 0, 46, model.Usage{Input: 100, Output: 20}},
		"tools beside the prompt":   {model.Usage{Input: 100, Output: 20}, 30, 150, model.Usage{Input: 130, Output: 20}},
	} {
		if got := WithTotal(c.u, c.beside, c.total); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
