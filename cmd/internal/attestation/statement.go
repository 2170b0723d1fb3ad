// Package attestation says in one file what a campaign's lake holds, with a signature
// if a key is given, and compares a lake with such a file. The file is a DSSE envelope
// (github.com/secure-systems-lab/dsse), so the signature is over exact bytes.
package attestation

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// format is the version of Statement.
const format = 1

// Statement says what the lake held of a campaign. It has no time: the same lake gives
// the same statement.
type Statement struct {
	Format   int      `json:"format"`
	Campaign string   `json:"campaign"`
	Program  string   `json:"program"` // version that made it
	Commit   string   `json:"commit,omitempty"`
	Digest   string   `json:"digest"`  // of the rows, see lake.Digest
	Objects  []Object `json:"objects"` // sorted by key
}

// Object is one of the campaign's objects.
type Object struct {
	Key    string `json:"key"` // relative to the lake, wherever that is
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// New returns the statement of a campaign with a digest as it is in the lake now.
func New(ctx context.Context, objects store.Store, campaign, digest string) (Statement, error) {
	listed, _, err := lake.Objects(ctx, objects, campaign)
	if err != nil {
		return Statement{}, err
	}
	s := Statement{Format: format, Campaign: campaign, Digest: digest, Objects: make([]Object, len(listed))}
	err = lake.Each(ctx, len(listed), func(ctx context.Context, i int) error {
		size, sum, err := store.Hash(ctx, objects, listed[i].Key)
		s.Objects[i] = Object{listed[i].Key, size, sum}
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s was deleted meanwhile; attest the campaign when nothing works on it", listed[i].Key)
		}
		return err
	})
	return s, err
}

// Size returns the number of bytes of all objects.
func (s Statement) Size() (bytes int64) {
	for _, o := range s.Objects {
		bytes += o.Size
	}
	return bytes
}

func (s Statement) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return b.Bytes(), err
}

// parseStatement accepts what encode writes and nothing that could be read in two ways.
func parseStatement(data []byte) (Statement, error) {
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return Statement{}, err
	}
	if version.Format != format {
		return Statement{}, fmt.Errorf("its statement has format %d; this program reads format %d",
			version.Format, format)
	}
	var s Statement
	if err := json.Unmarshal(data, &s); err != nil {
		return Statement{}, err
	}
	if again, err := s.encode(); err != nil || !bytes.Equal(again, data) { // a key twice, or in other letters
		return Statement{}, errors.New("its statement is not written as `roundtable attest` writes it")
	}
	return s, s.check()
}

func (s Statement) check() error {
	if s.Campaign == "" {
		return errors.New("its statement names no campaign")
	}
	if !isSHA256(s.Digest) {
		return fmt.Errorf("the digest %.70q is not 64 hexadecimal digits", s.Digest)
	}
	before := ""
	for _, o := range s.Objects {
		switch {
		case o.Key <= before:
			return fmt.Errorf("object %.80q stands after %.80q; objects are sorted by key, each once", o.Key, before)
		case o.Size < 0:
			return fmt.Errorf("object %.80q has %d bytes", o.Key, o.Size)
		case !isSHA256(o.SHA256):
			return fmt.Errorf("the SHA-256 of object %.80q is not 64 hexadecimal digits", o.Key)
		}
		before = o.Key
	}
	return nil
}

func isSHA256(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == 32 && s == strings.ToLower(s)
}
