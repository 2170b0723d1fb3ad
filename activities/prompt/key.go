package prompt

import (
	"crypto/sha256"
	"encoding/hex"

	"roundtable/envs"
)

// Key returns the identity of a proposal in transcripts: a short hash, since workflow histories
// hold it.
func Key(p envs.Proposal) string {
	sum := sha256.Sum256([]byte(p))
	return hex.EncodeToString(sum[:6])
}
