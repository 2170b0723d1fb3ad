package envs

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Stream returns the random number generator of (seed, purpose, parts): independent of every
// other one and the same on every machine. Parts are printed with %v.
func Stream(seed uint64, purpose string, parts ...any) *rand.Rand {
	h := sha256.New()
	fmt.Fprintf(h, "%d\x00%s", seed, purpose)
	for _, p := range parts {
		fmt.Fprintf(h, "\x00%v", p)
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}
