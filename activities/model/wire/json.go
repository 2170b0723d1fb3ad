package wire

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
)

// Lenient keeps raw bytes: invalid UTF-8 in an answer is data, not an error.
var Lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Present says that a value is there and is not null.
func Present(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// String returns the content of a JSON string; "" for anything else.
func String(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return string(Unquote(v))
}

// Scalar returns a string's content, or the JSON of anything else but null.
func Scalar(v jsontext.Value) string {
	switch {
	case !Present(v):
		return ""
	case v.Kind() == '"':
		return string(Unquote(v))
	}
	return string(v)
}

// Unquote returns the bytes that a JSON string holds, nothing replaced: what is not
// UTF-8 stays, and half a surrogate pair becomes its three bytes (WTF-8)
// where decoders silently write U+FFFD. The string must be valid JSON.
func Unquote(v []byte) []byte {
	s := v[1 : len(v)-1]
	out := make([]byte, 0, len(s))
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(out, s...)
		}
		out, s = append(out, s[:i]...), s[i+1:]
		if s[0] != 'u' {
			out, s = append(out, escaped[s[0]]), s[1:]
			continue
		}
		r := parseHex4(s[1:])
		s = s[5:]
		if 0xD800 <= r && r < 0xDC00 && len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
			if low := parseHex4(s[2:]); 0xDC00 <= low && low < 0xE000 {
				r, s = (r-0xD800)<<10|(low-0xDC00)+0x10000, s[6:]
			}
		}
		out = appendRune(out, r)
	}
}

var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func parseHex4(s []byte) rune {
	n, _ := strconv.ParseUint(string(s[:4]), 16, 16)
	return rune(n)
}

func appendRune(out []byte, r rune) []byte {
	if 0xD800 <= r && r < 0xE000 {
		return append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(out, r)
}

// Tokens is a count that forgives its writer: 12.0 and "12" are 12, null and "x" are 0.
type Tokens int64

// UnmarshalJSON never fails.
func (t *Tokens) UnmarshalJSON(v []byte) error {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(string(v), `"`)), 64)
	if err == nil && n > 0 && n < 1<<53 {
		*t = Tokens(n)
	}
	return nil
}

// WithTotal returns usage with what its total has more than its parts, if there is a total:
// it was billed, and is output that a service thought beside its answer. So is reasoning of
// which there is more than output. beside is input that is counted apart from it.
func WithTotal(u model.Usage, beside, total int64) model.Usage {
	if u.Reasoning > u.Output {
		u.Output += u.Reasoning
	}
	u.Input += beside
	u.Output += max(total-u.Input-u.Output, 0)
	return u
}
