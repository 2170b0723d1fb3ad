package attestation

import (
	"crypto/ed25519"
	"fmt"
	"io"
	"os"
)

// Bounds of files that somebody else may have written.
const (
	maxKeyFile = 64 << 10
	maxFile    = 1 << 30 // some five million objects
)

// Read reads an attestation from a file.
func Read(file string) (Attestation, error) { return readAs(file, maxFile, Parse) }

// ReadPrivateKey reads a key from a PEM file; none if no file is named.
func ReadPrivateKey(file string) (ed25519.PrivateKey, error) {
	return readAs(file, maxKeyFile, ParsePrivateKey)
}

// ReadPublicKey reads a key from a PEM file; none if no file is named.
func ReadPublicKey(file string) (ed25519.PublicKey, error) {
	return readAs(file, maxKeyFile, ParsePublicKey)
}

// readAs parses a file; its name stands before what is wrong with it.
func readAs[T any](file string, limit int64, parse func([]byte) (T, error)) (t T, err error) {
	if file == "" {
		return t, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return t, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return t, err
	}
	if int64(len(data)) > limit {
		return t, fmt.Errorf("%s has more than %d bytes, which is too large", file, limit)
	}
	if t, err = parse(data); err != nil {
		return t, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}
