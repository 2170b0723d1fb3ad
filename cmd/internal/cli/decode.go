package cli

import (
	"bytes"
	"encoding/json"

	"roundtable/envs"
)

// DecodeStrict returns a decoder of JSON whose unknown keys are errors.
func DecodeStrict(data json.RawMessage) envs.Decode {
	return func(v any) error {
		if len(data) == 0 {
			return nil
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		return dec.Decode(v)
	}
}
