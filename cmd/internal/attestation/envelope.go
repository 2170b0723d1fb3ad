package attestation

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

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

// Attestation is a statement with what is known of its signature.
type Attestation struct {
	Statement
	payload []byte
	sig     []byte            // none if it is not signed
	key     ed25519.PublicKey // that came with the signature
}

// Signed says that there is a signature, of whatever worth.
func (a Attestation) Signed() bool { return len(a.sig) > 0 }

// Write writes a statement as a file, signed if there is a key.
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

// Parse reads a file. That it can be read says nothing about who wrote it.
func Parse(data []byte) (Attestation, error) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return Attestation{}, fmt.Errorf("it is not an attestation, which `roundtable attest` writes: %w", err)
	}
	if e.PayloadType != payloadType {
		return Attestation{}, fmt.Errorf("it is not an attestation, which `roundtable attest` writes: its payloadType is %.80q, not %q", e.PayloadType, payloadType)
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

// signedBy reports whether the signature is that of a key.
func (a Attestation) signedBy(key ed25519.PublicKey) bool {
	return a.Signed() && ed25519.Verify(key, preAuthentication(payloadType, a.payload), a.sig)
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
