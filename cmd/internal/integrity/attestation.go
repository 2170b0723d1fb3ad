package integrity

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// format is the version of Statement.
const format = 1

// Statement lists what the lake holds of a campaign. It has no time: the same lake gives the same statement.
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

// NewStatement returns the statement of a campaign as it is in the lake now; digest is that of its rows.
func NewStatement(ctx context.Context, objects store.Store, campaign, digest string) (Statement, error) {
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

// Size returns the total size of the objects in bytes.
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

// payloadType says what an envelope holds.
const payloadType = "application/vnd.roundtable.attestation+json"

// envelope is the file: DSSE, with the public key next to a signature.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     []byte      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID     string `json:"keyid"` // Fingerprint; a hint
	Sig       []byte `json:"sig"`
	PublicKey []byte `json:"publicKey"` // as DER; it proves nothing by itself
}

// Attestation is a statement as read from a file, with its signature if there is one.
type Attestation struct {
	Statement
	payload []byte
	sig     []byte            // none if it is not signed
	key     ed25519.PublicKey // that came with the signature
}

// IsSigned reports whether there is a signature, valid or not.
func (a Attestation) IsSigned() bool { return len(a.sig) > 0 }

// Write writes the statement as an attestation, signed if key is not nil.
func (s Statement) Write(w io.Writer, key ed25519.PrivateKey) error {
	payload, err := s.encode()
	if err != nil {
		return err
	}
	e := envelope{PayloadType: payloadType, Payload: payload, Signatures: []signature{}}
	if key != nil {
		public := key.Public().(ed25519.PublicKey)
		e.Signatures = append(e.Signatures,
			signature{Fingerprint(public), ed25519.Sign(key, preAuthentication(payloadType, payload)), derOf(public)})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(e)
}

// preAuthentication returns what is signed: DSSE's encoding of type and payload, in which
// no two pairs look alike.
func preAuthentication(kind string, payload []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "DSSEv1 %d %s %d ", len(kind), kind, len(payload))
	b.Write(payload)
	return b.Bytes()
}

// ParseAttestation reads an attestation. It does not check who signed it.
func ParseAttestation(data []byte) (Attestation, error) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return Attestation{}, fmt.Errorf("it is not an attestation, which `roundtable attest` writes: %w", err)
	}
	if e.PayloadType != payloadType {
		return Attestation{}, fmt.Errorf("it is not an attestation, which `roundtable attest` writes: its "+
			"payloadType is %.80q, not %q", e.PayloadType, payloadType)
	}
	s, err := parseStatement(e.Payload)
	if err != nil {
		return Attestation{}, err
	}
	a := Attestation{Statement: s, payload: e.Payload}
	switch len(e.Signatures) {
	case 0:
		return a, nil
	case 1:
	default:
		return Attestation{}, fmt.Errorf("it has %d signatures; this program reads one", len(e.Signatures))
	}
	a.sig = e.Signatures[0].Sig
	if len(a.sig) != ed25519.SignatureSize {
		return Attestation{}, fmt.Errorf("its signature has %d bytes; one of Ed25519 has %d", len(a.sig),
			ed25519.SignatureSize)
	}
	if a.key, err = parsePublic(e.Signatures[0].PublicKey); err != nil {
		return Attestation{}, fmt.Errorf("its public key: %w", err)
	}
	return a, nil
}

// isSignedBy reports whether the signature is that of a key.
func (a Attestation) isSignedBy(key ed25519.PublicKey) bool {
	return a.IsSigned() && ed25519.Verify(key, preAuthentication(payloadType, a.payload), a.sig)
}

var errNotEd25519 = errors.New("it is not an Ed25519 key")

func parsePublic(der []byte) (ed25519.PublicKey, error) {
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%w but %s", errNotEd25519, kindOf(parsed))
	}
	return key, nil
}

// Bounds of files that somebody else may have written.
const (
	maxKeyFile = 64 << 10
	maxFile    = 1 << 30 // some five million objects
)

// ReadAttestation reads an attestation from a file, as ParseAttestation does.
func ReadAttestation(file string) (Attestation, error) {
	return readAs(file, maxFile, ParseAttestation)
}

// ReadPrivateKey reads a key from a PEM file; nil if file is "".
func ReadPrivateKey(file string) (ed25519.PrivateKey, error) {
	return readAs(file, maxKeyFile, ParsePrivateKey)
}

// ReadPublicKey reads a key from a PEM file; nil if file is "".
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

// PublicPEM returns a key in PEM, as ParsePublicKey reads it.
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
