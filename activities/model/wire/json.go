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

// IsPresent reports whether a value exists and is not null.
func IsPresent(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// String returns the content of a JSON string; "" for anything else.
func String(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return string(Unquote(v))
}

// Scalar returns the content of a JSON string, and the JSON of any other value; "" for null.
func Scalar(v jsontext.Value) string {
	switch {
	case !IsPresent(v):
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

// untold is what OpenAI's interface has in place of the log-probability of a very unlikely token.
const untold = -9999

// LogprobOf returns the mean log-probability of an answer's tokens: list names the field of v that
// holds the tokens, name the field of a token that holds its log-probability. It is nil if there is
// no token, or a token has no value.
func LogprobOf(v jsontext.Value, list, name string) *model.Logprob {
	var lists map[string]jsontext.Value
	var tokens []map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &lists, Lenient) != nil ||
		!IsPresent(lists[list]) || json.Unmarshal(lists[list], &tokens, Lenient) != nil {
		return nil
	}
	sum, n := 0.0, int64(0)
	for _, t := range tokens {
		v, err := strconv.ParseFloat(string(t[name]), 64)
		switch {
		case err != nil:
		case v <= untold:
			return nil
		default:
			sum, n = sum+min(v, 0), n+1
		}
	}
	if n == 0 {
		return nil
	}
	return &model.Logprob{Mean: sum / float64(n), Tokens: n}
}

// WithTotal returns u with beside, input that was counted apart, added to its input, and what total
// then has beyond input and output added to the output: it was billed, and thought beside the
// answer. Reasoning that exceeds the output was counted apart from it and is added too. A total of
// 0 means none is stated.
func WithTotal(u model.Usage, beside, total int64) model.Usage {
	if u.Reasoning > u.Output {
		u.Output += u.Reasoning
	}
	u.Input += beside
	u.Output += max(total-u.Input-u.Output, 0)
	return u
}
