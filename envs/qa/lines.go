package qa

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// eachLine decodes one JSON value a line, empty lines aside; errors say on which line.
func eachLine[T any](data []byte, take func(line int, v T) error) error {
	n := 0
	for line := range strings.Lines(string(bytes.TrimPrefix(data, []byte("\ufeff")))) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		var v T
		err := json.Unmarshal([]byte(line), &v)
		var syntax *json.SyntaxError
		var mismatch *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			return fmt.Errorf("line %d: this is not JSON: %w", n, err)
		case errors.As(err, &mismatch):
			where := "the text"
			if mismatch.Field != "" {
				where = strings.ToLower(mismatch.Field) // as the formats write it
			}
			return fmt.Errorf("line %d: %s is of the type %s; %s is expected", n, where, mismatch.Value,
				expectedType(mismatch.Type))
		case err == nil:
			err = take(n, v)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

func expectedType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	}
	return "an object"
}
