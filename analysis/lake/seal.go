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

// Seal returns the JSON of body in an envelope with a version, the key that it is stored under
// and the checksum of both: {"version":1,"key":"…","sha256":"…","body":…} and a newline.
func Seal(key string, body any) ([]byte, error) {
	sealed, err := encodeJSON(body)
	if err != nil {
		return nil, err
	}
	name, err := encodeJSON(key)
	return sealEnvelope(name, sealed), err
}

// encodeJSON returns the JSON of a value on one line, without its newline.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Around the key in an envelope, and after the body.
const (
	sealKey = `"key":`
	sealSum = `"sha256":"`
	sealEnd = "}\n"
)

// sealEnvelope returns the envelope of a body and of the JSON of its key.
func sealEnvelope(key, body []byte) []byte {
	h := sha256.New()
	h.Write(key)
	h.Write(body)
	sum := h.Sum(nil)
	out := make([]byte, 0, len(key)+len(body)+120)
	out = fmt.Appendf(out, `{"version":%d,`, sealVersion)
	out = append(append(append(out, sealKey...), key...), ',')
	out = hex.AppendEncode(append(out, sealSum...), sum)
	out = append(out, `","body":`...)
	out = append(out, body...)
	return append(out, sealEnd...)
}

// Unseal decodes into body what Seal returned for key. Anything else, also an object sealed for
// another key, is an error that names the key and wraps store.ErrCorrupt.
func Unseal(key string, data []byte, body any) error {
	of, err := UnsealAny(key, data, body)
	if err == nil && of != key {
		err = fmt.Errorf("%s: %w: it is in another one's place: it was written as %s", key, store.ErrCorrupt, of)
	}
	return err
}

// UnsealAny is Unseal for an object that may be linked under several keys; it returns the key that
// it was sealed for.
func UnsealAny(key string, data []byte, body any) (of string, err error) {
	name := keyIn(data)
	sealed := sealedBody(name, data)
	if !bytes.Equal(sealEnvelope(name, sealed), data) {
		return "", explainUnsealed(key, data)
	}
	if err := decodeBody(key, name, &of); err != nil {
		return "", err
	}
	return of, decodeBody(key, sealed, body)
}

// keyIn returns the JSON of the key that an envelope says it is of; nil if it does not.
func keyIn(data []byte) []byte {
	_, rest, found := bytes.Cut(data[:min(len(data), mostSealKey)], []byte(sealKey))
	name, _, whole := bytes.Cut(rest, []byte(","+sealSum))
	if !found || !whole || !bytes.HasPrefix(data, fmt.Appendf(nil, `{"version":%d,%s`, sealVersion, sealKey)) {
		return nil
	}
	return name
}

// mostSealKey bounds the bytes up to the checksum. Object stores allow keys of 1,024.
const mostSealKey = 8 << 10

// sealedBody returns what stands where Seal puts the body; nil if there is nothing.
func sealedBody(key, data []byte) []byte {
	from, end := len(sealEnvelope(key, nil))-len(sealEnd), len(data)-len(sealEnd)
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
		return fmt.Errorf("%s: %w: %d bytes that are not whole JSON document (%w)", key, store.ErrCorrupt,
			len(data), err)
	}
	if e.Version > sealVersion && bytes.HasPrefix(data, fmt.Appendf(nil, `{"version":%d,`, e.Version)) {
		return fmt.Errorf("%s: %w, or written by a later version of this program: version %d, this one reads up to %d",
			key, store.ErrCorrupt, e.Version, sealVersion)
	}
	return fmt.Errorf("%s: %w: its content does not match its checksum", key, store.ErrCorrupt)
}
