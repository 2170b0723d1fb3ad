// Package codec makes the payloads that the SDK sends to a Temporal server: JSON,
// compressed from 1 KB on, and encrypted if there is a key. It promises that whatever
// was written earlier, without a key or with one that is still held, is read; that a
// process without the key loses nothing by trying; and that no error shows a part of a key.
//
// A Server opens encrypted histories for Temporal's own tools: the remote codec protocol of
// its UI and command line, over HTTP. Nothing is opened for a page of another origin, or
// without a token where tokens are given; no payload is written anywhere. A namespace guards
// against mistakes only: who asks names it.
package codec

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// KeyEnv is the environment variable with the keys that encrypt histories; see [ParseKeys].
const KeyEnv = "ROUNDTABLE_CODEC_KEY"

// Keys encrypt and decrypt what Temporal keeps of a campaign: inputs, results,
// failure messages and stacks. Names (workflow ids, activity types, task queues)
// stay readable. The zero value encrypts nothing.
type Keys struct {
	first string // encrypts; all decrypt
	ring  map[string]cipher.AEAD
}

// KeysFromEnv reads [KeyEnv]; without it, or with an empty one, nothing is encrypted.
func KeysFromEnv() (Keys, error) { return ParseKeys(os.Getenv(KeyEnv)) }

var keyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// ParseKeys reads keys of AES-128, -192 or -256: KEY, or ID:KEY,ID:KEY and so on,
// each in hexadecimal or base64. The first encrypts and all decrypt, so a key is
// replaced by putting a new one before it. A key without an ID is called by the
// first 8 hexadecimal digits of its SHA-256. Errors never show a part of a key.
func ParseKeys(text string) (Keys, error) {
	var k Keys
	if strings.TrimSpace(text) == "" {
		return k, nil
	}
	k.ring = map[string]cipher.AEAD{}
	for n, entry := range strings.Split(text, ",") {
		id, aead, err := parseKey(strings.TrimSpace(entry))
		if err == nil && k.ring[id] != nil {
			err = errors.New("its ID is that of an earlier one")
		}
		if err != nil {
			return Keys{}, fmt.Errorf("codec: %s: key %d: %w", KeyEnv, n+1, err)
		}
		k.ring[id] = aead
		if n == 0 {
			k.first = id
		}
	}
	return k, nil
}

func parseKey(entry string) (id string, aead cipher.AEAD, err error) {
	id, text, named := strings.Cut(entry, ":")
	if !named {
		text = entry
	}
	key, err := keyBytes(text)
	if err != nil {
		return "", nil, err
	}
	if !named {
		sum := sha256.Sum256(key)
		id = hex.EncodeToString(sum[:4])
	}
	if !keyID.MatchString(id) {
		return "", nil, errors.New("its ID is not 1 to 64 letters, digits, dots, hyphens or underscores")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", nil, err
	}
	aead, err = cipher.NewGCMWithRandomNonce(block)
	return id, aead, err
}

// keyBytes takes for hexadecimal what can be: 32 such digits are base64 of 24 bytes, too.
func keyBytes(text string) ([]byte, error) {
	decoders := []func(string) ([]byte, error){
		hex.DecodeString,
		base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	}
	length := -1
	for _, decode := range decoders {
		key, err := decode(text)
		if err != nil {
			continue
		}
		if n := len(key); n == 16 || n == 24 || n == 32 {
			return key, nil
		}
		if length < 0 {
			length = len(key)
		}
	}
	const want = "want 16, 24 or 32 bytes in hexadecimal or base64, for example from `openssl rand -base64 32`"
	if length < 0 {
		return nil, errors.New("it is neither hexadecimal nor base64; " + want)
	}
	return nil, fmt.Errorf("it has %d bytes; %s", length, want)
}
