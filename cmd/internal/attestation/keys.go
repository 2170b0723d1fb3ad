package attestation

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// How keys are made is said where one is refused.
const (
	wantsPrivate = "expected an Ed25519 private key in PEM, as `openssl genpkey -algorithm ed25519` writes it"
	wantsPublic  = "expected an Ed25519 public key in PEM, as `openssl pkey -in KEY -pubout` writes it"
)

// ParsePrivateKey reads an Ed25519 key from PKCS#8 in PEM. No error quotes the file.
func ParsePrivateKey(file []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(file)
	if block == nil {
		return nil, errors.New("it is not PEM; " + wantsPrivate)
	}
	if block.Type != "PRIVATE KEY" {
		return nil, errors.New(explainType(block.Type) + "; " + wantsPrivate)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("its content is damaged; " + wantsPrivate)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("it is %s; %s", kindOf(parsed), wantsPrivate)
	}
	return key, nil
}

// ParsePublicKey reads an Ed25519 key from a SubjectPublicKeyInfo in PEM.
func ParsePublicKey(file []byte) (ed25519.PublicKey, error) {
	block, _ := pem.Decode(file)
	if block == nil {
		return nil, errors.New("it is not PEM; " + wantsPublic)
	}
	if block.Type != "PUBLIC KEY" {
		return nil, errors.New(explainType(block.Type) + "; " + wantsPublic)
	}
	key, err := parsePublic(block.Bytes)
	switch {
	case errors.Is(err, errNotEd25519):
		return nil, fmt.Errorf("%w; %s", err, wantsPublic)
	case err != nil:
		return nil, errors.New("its content is damaged; " + wantsPublic)
	}
	return key, nil
}

// explainType says what another kind of PEM is.
func explainType(kind string) string {
	switch {
	case kind == "PUBLIC KEY":
		return "it is a public key"
	case kind == "ENCRYPTED PRIVATE KEY":
		return "it is encrypted, which `openssl pkey -in KEY` undoes"
	case kind == "OPENSSH PRIVATE KEY":
		return "it is a key of OpenSSH"
	case strings.HasSuffix(kind, "PRIVATE KEY"):
		return "it is a private key"
	}
	return fmt.Sprintf("it is PEM of %.40q", kind)
}

func kindOf(key any) string {
	switch key.(type) {
	case *rsa.PrivateKey, *rsa.PublicKey:
		return "an RSA key"
	case *ecdsa.PrivateKey, *ecdsa.PublicKey:
		return "an ECDSA key"
	case *ecdh.PrivateKey, *ecdh.PublicKey:
		return "an X25519 key, which cannot sign"
	}
	return "a key of another kind"
}

// PublicPEM returns a key as others read it.
func PublicPEM(key ed25519.PublicKey) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: derOf(key)}))
}

// Fingerprint returns the SHA-256 of a public key in DER, in hexadecimal.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(derOf(key))
	return hex.EncodeToString(sum[:])
}

func derOf(key ed25519.PublicKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		panic(err) // an Ed25519 key can always be written
	}
	return der
}
