package codec

import (
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

const (
	aesEncoding = "binary/aes-gcm"
	// metadataKeyID names the key that a payload is encrypted with.
	metadataKeyID = "key-id"
)

// errSealed marks payloads that the present keys do not open.
var errSealed = errors.New("encrypted")

// Encode puts each payload whole, metadata and all, into an encrypted one.
func (k Keys) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if k.first == "" {
		return payloads, nil
	}
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		whole, err := proto.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("codec: encrypting a payload: %w", err)
		}
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{
				converter.MetadataEncoding: []byte(aesEncoding),
				metadataKeyID:              []byte(k.first),
			},
			Data: k.ring[k.first].Seal(nil, nil, whole, boundMetadata(k.first)),
		}
	}
	return out, nil
}

// Decode opens encrypted payloads and leaves others as they are, so that a
// campaign may begin without a key and go on with one.
func (k Keys) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		plain, err := k.openPayload(p)
		if err != nil {
			return nil, err
		}
		out[i] = plain
	}
	return out, nil
}

func (k Keys) openPayload(p *commonpb.Payload) (*commonpb.Payload, error) {
	if string(p.GetMetadata()[converter.MetadataEncoding]) != aesEncoding {
		return p, nil
	}
	id := string(p.GetMetadata()[metadataKeyID])
	aead := k.ring[id]
	if aead == nil {
		return nil, sealed{fmt.Sprintf("this campaign's histories are encrypted with key %q, which %s does not hold", id, KeyEnv)}
	}
	whole, err := aead.Open(nil, nil, p.GetData(), boundMetadata(id))
	if err != nil {
		return nil, sealed{fmt.Sprintf("this campaign's histories are encrypted with another key %q than the one in %s, or were changed", id, KeyEnv)}
	}
	plain := &commonpb.Payload{}
	return plain, proto.Unmarshal(whole, plain)
}

// CanOpen says why these keys do not open a payload; nil if they do, or if it is not encrypted.
func (k Keys) CanOpen(p *commonpb.Payload) error {
	_, err := k.openPayload(p)
	return err
}

// Match says why the process that made a payload may be unable to read what these keys
// encrypt: it has another key. Every process reads what is not encrypted.
func (k Keys) Match(p *commonpb.Payload) error {
	if k.first == "" {
		return nil
	}
	if _, err := k.openPayload(p); err != nil {
		return err
	}
	if theirs := string(p.GetMetadata()[metadataKeyID]); theirs != k.first {
		if theirs == "" {
			return fmt.Errorf("the campaign's worker has no key in %s, this command has", KeyEnv)
		}
		return fmt.Errorf("the campaign's worker encrypts with key %q, this command with %q; the first key in %s must be the same", theirs, k.first, KeyEnv)
	}
	return nil
}

// boundMetadata returns the metadata that is authenticated along with the data.
func boundMetadata(id string) []byte { return []byte(aesEncoding + "\x00" + id) }

// sealed is an errSealed that is a sentence for the operator and nothing else.
type sealed struct{ says string }

func (s sealed) Error() string { return s.says }
func (s sealed) Unwrap() error { return errSealed }
