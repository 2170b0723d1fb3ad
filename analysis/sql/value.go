package sql

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"roundtable/envs/wording"
)

// Text returns a value as text: "" for nil, strings as they are, timestamps as RFC 3339, floats with all their
// digits, lists and structures as JSON on one line.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case []any, map[string]any:
		data, err := encodeJSON(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		return string(data)
	}
	return fmt.Sprint(v)
}

// encodeJSON returns the JSON of a value. Control and bidirectional characters are
// escaped, also where JSON does not ask for it: the text may end on a terminal.
// Numbers that JSON does not know are the texts NaN, Infinity and -Infinity.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(finiteOr(v)); err != nil {
		return nil, err
	}
	return wording.EscapeJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// finiteOr replaces floats that JSON has no words for.
func finiteOr(v any) any {
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 0):
			return strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+") + "inity"
		}
	case float32:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return finiteOr(f)
		}
	case []any:
		all := make([]any, len(v))
		for i, x := range v {
			all[i] = finiteOr(x)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for k, x := range v {
			all[k] = finiteOr(x)
		}
		return all
	}
	return v
}
