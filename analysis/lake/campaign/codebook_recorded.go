package campaign

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"roundtable/analysis/lake"
)

// BookHash returns the hash of a recorded code book. Draws store that of the book that their coders
// were shown.
func BookHash(recorded []byte) string {
	sum := sha256.Sum256(recorded)
	return hex.EncodeToString(sum[:])
}

// BooksFolder returns the folder of a campaign's recorded code books.
func BooksFolder(campaign string) string { return lake.AboutKey(campaign, "codebooks/") }

// BookKey returns the key under which a code book is recorded with a campaign.
func BookKey(campaign, id string) string { return BooksFolder(campaign) + id + ".json" }

// Encode returns the book as JSON, as it is recorded with a campaign.
func (b Book) Encode() []byte {
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		panic("codebook: " + err.Error()) // texts always marshal
	}
	return append(data, '\n')
}

// DecodeBook decodes a book recorded under id; the error says that it was changed.
func DecodeBook(id string, data []byte) (b Book, err error) {
	if err := json.Unmarshal(data, &b); err != nil {
		return b, fmt.Errorf("it is not as it was recorded: %w", err)
	}
	if b.ID() != id || !bytes.Equal(b.Encode(), data) {
		return b, errors.New("it is not as it was recorded")
	}
	return b, nil
}
