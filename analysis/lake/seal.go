// Package lake reads what campaigns wrote to a store.Store: the committed
// Parquet rows and what names them. Writing is in activities/commits. Readers see
// only committed data.
package lake

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"roundtable/analysis/lake/store"
)

// sealVersion is the version of the envelope and of what is in it.
const sealVersion = 1

// Seal returns the JSON of body in an envelope with a version and the body's
// checksum: {"version":1,"sha256":"…","body":…} and a newline.
func Seal(body any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		return nil, err
	}
	return sealEnvelope(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// sealEnd follows the body.
const sealEnd = "}\n"

func sealEnvelope(body []byte) []byte {
	sum := sha256.Sum256(body)
	out := make([]byte, 0, len(body)+110)
	out = fmt.Appendf(out, `{"version":%d,"sha256":"`, sealVersion)
	out = hex.AppendEncode(out, sum[:])
	out = append(out, `","body":`...)
	out = append(out, body...)
	return append(out, sealEnd...)
}

// Unseal decodes what Seal made. Anything that Seal did not write byte for
// byte is an error that names the key and wraps ErrCorrupt.
func Unseal(key string, data []byte, body any) error {
	if sealed := sealedBody(data); sealed != nil && bytes.Equal(sealEnvelope(sealed), data) {
		return decodeBody(key, sealed, body)
	}
	return explainUnsealed(key, data)
}

// sealedBody returns what stands where Seal puts the body; nil if there is nothing.
func sealedBody(data []byte) []byte {
	from, end := len(sealEnvelope(nil))-len(sealEnd), len(data)-len(sealEnd)
	if end <= from {
		return nil
	}
	return data[from:end]
}

func decodeBody(key string, sealed []byte, body any) error {
	if err := json.Unmarshal(sealed, body); err != nil {
		return fmt.Errorf("%s: %w: %w", key, store.ErrCorrupt, err)
	}
	return nil
}

// explainUnsealed returns what is wrong with data.
func explainUnsealed(key string, data []byte) error {
	var e struct {
		Version int             `json:"version"`
		SHA256  string          `json:"sha256"`
		Body    json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("%s: %w: %d bytes that are not whole JSON document (%w)", key, store.ErrCorrupt, len(data), err)
	}
	if e.Version > sealVersion && bytes.HasPrefix(data, fmt.Appendf(nil, `{"version":%d,`, e.Version)) {
		return fmt.Errorf("%s: %w, or written by a later version of this program: version %d, this one reads up to %d", key, store.ErrCorrupt, e.Version, sealVersion)
	}
	return fmt.Errorf("%s: %w: its content does not match its checksum", key, store.ErrCorrupt)
}
