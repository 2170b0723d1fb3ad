package language

import (
	"slices"
	"testing"
)

// A stored vector is the one that was encoded, or damage.
func FuzzVector(f *testing.F) {
	f.Add(encode([]float64{1, -0.5}))
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := decode(data); err == nil && !slices.Equal(encode(v), data) {
			t.Errorf("%x is %v, which is encoded as %x", data, v, encode(v))
		}
	})
}
