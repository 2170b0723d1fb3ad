// Package codec makes the payloads that the SDK sends to a Temporal server: JSON, compressed from
// 1 KB on, and encrypted if there is a key. Payloads written earlier, without a key or with one
// still held, stay readable; a process without the key loses nothing by trying; no error shows a
// part of a key.
//
// A Server decrypts histories for Temporal's own tools by the remote codec protocol of its UI and
// command line, over HTTP. It decrypts nothing for a page of another origin, or without a token
// where tokens are set, and writes no payload anywhere. The namespace guards against mistakes
// only: the caller names it.
package codec

import (
	"context"
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
	"sync"

	"github.com/klauspost/compress/zstd"
	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
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

// ParseKeys reads keys of AES-128, -192 or -256: KEY, or ID:KEY,ID:KEY and so on, each in
// hexadecimal or base64. The first encrypts and all decrypt, so a key is replaced by putting a
// new one before it. The ID of a key without one is the first 8 hexadecimal digits of its
// SHA-256. Errors never show a part of a key.
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

const (
	aesEncoding = "binary/aes-gcm"
	// metadataKeyID names the key that a payload is encrypted with.
	metadataKeyID = "key-id"
)

// errSealed marks payloads that the present keys do not open.
var errSealed = errors.New("encrypted")

// Encode encrypts each payload as a whole, metadata included.
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

// Decode decrypts encrypted payloads and leaves others as they are, so a campaign may start
// without a key and continue with one.
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
		return nil, sealed{fmt.Sprintf("this campaign's histories are encrypted with key %q, which %s does not hold",
			id, KeyEnv)}
	}
	whole, err := aead.Open(nil, nil, p.GetData(), boundMetadata(id))
	if err != nil {
		return nil, sealed{fmt.Sprintf("this campaign's histories are encrypted with another key %q than the one "+
			"in %s, or were changed", id, KeyEnv)}
	}
	plain := &commonpb.Payload{}
	return plain, proto.Unmarshal(whole, plain)
}

// CanOpen returns why these keys cannot decrypt p; nil if they can, or if p is not encrypted.
func (k Keys) CanOpen(p *commonpb.Payload) error {
	_, err := k.openPayload(p)
	return err
}

// Match returns an error if the process that made p, having another first key, may be unable to
// read what these keys encrypt; nil if there is no key here.
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
		return fmt.Errorf("the campaign's worker encrypts with key %q, this command with %q; the first key in %s "+
			"must be the same", theirs, k.first, KeyEnv)
	}
	return nil
}

// boundMetadata returns the metadata that is authenticated along with the data.
func boundMetadata(id string) []byte { return []byte(aesEncoding + "\x00" + id) }

// sealed is an errSealed that is a sentence for the operator and nothing else.
type sealed struct{ says string }

func (s sealed) Error() string { return s.says }
func (s sealed) Unwrap() error { return errSealed }

// DataConverter returns the SDK's JSON, compressed by zstd from 1 KB on and then
// encrypted, if there is a key.
func (k Keys) DataConverter() converter.DataConverter {
	return dataConverter{converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), k.codecs()...)}
}

// codecs returns the codecs that decode payloads from the server, in this order: the first
// decrypts, the second decompresses.
func (k Keys) codecs() []converter.PayloadCodec { return []converter.PayloadCodec{k, zstdCodec{}} }

// AreEmpty reports whether there is no key.
func (k Keys) AreEmpty() bool { return len(k.ring) == 0 }

// FailureConverter returns the converter that also encrypts messages and stacks of failures, if
// there is a key. A failure that cannot be decrypted says so in place of its message.
func (k Keys) FailureConverter() converter.FailureConverter {
	return failureConverter{&k, temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
		DataConverter:          k.DataConverter(),
		EncodeCommonAttributes: len(k.ring) > 0,
	})}
}

type failureConverter struct {
	keys *Keys
	converter.FailureConverter
}

func (c failureConverter) FailureToError(failure *failurepb.Failure) error {
	for f := failure; f != nil; f = f.GetCause() {
		if p := f.GetEncodedAttributes(); p != nil {
			if _, err := c.keys.openPayload(p); err != nil {
				f.Message = err.Error()
			}
		}
	}
	return c.FailureConverter.FailureToError(failure)
}

// dataConverter is stricter inside of workflows.
type dataConverter struct{ converter.DataConverter }

func (c dataConverter) WithContext(context.Context) converter.DataConverter { return c }

func (c dataConverter) WithWorkflowContext(converter.WorkflowContext) converter.DataConverter {
	return workflowConverter(c)
}

// workflowConverter panics when a key is missing: the SDK then tries the
// workflow's task again, until a worker with the key comes. An error would end
// the workflow, and cells that were begun as failed.
type workflowConverter struct{ converter.DataConverter }

func (c workflowConverter) FromPayload(p *commonpb.Payload, value any) error {
	return unsealError(c.DataConverter.FromPayload(p, value))
}

func (c workflowConverter) FromPayloads(p *commonpb.Payloads, values ...any) error {
	return unsealError(c.DataConverter.FromPayloads(p, values...))
}

func unsealError(err error) error {
	if errors.Is(err, errSealed) {
		panic(err.Error())
	}
	return err
}

const (
	zstdEncoding = "binary/zstd"
	// zstdFrom is where compression pays: smaller payloads gain less than the
	// wrapping costs.
	zstdFrom = 1 << 10
	// zstdMost bounds what a payload may unpack to; Temporal takes 2 MB of it packed.
	zstdMost = 64 << 20
)

// Encoder and decoder are made once (a few MB) and are safe for concurrent use.
var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderMaxMemory(zstdMost), zstd.WithDecoderConcurrency(0))
	})
)

// zstdCodec packs a whole payload, metadata and all, into one of its encoding.
type zstdCodec struct{}

func (zstdCodec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		packed, err := packPayload(p)
		if err != nil {
			return nil, fmt.Errorf("codec: compressing a payload: %w", err)
		}
		out[i] = packed
	}
	return out, nil
}

func (zstdCodec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		plain, err := unpackPayload(p)
		if err != nil {
			return nil, fmt.Errorf("codec: decompressing a payload: %w", err)
		}
		out[i] = plain
	}
	return out, nil
}

func packPayload(p *commonpb.Payload) (*commonpb.Payload, error) {
	if len(p.GetData()) < zstdFrom {
		return p, nil
	}
	whole, err := proto.Marshal(p)
	if err != nil {
		return nil, err
	}
	enc, err := encoder()
	if err != nil {
		return nil, err
	}
	packed := enc.EncodeAll(whole, nil)
	if len(packed) >= len(whole) {
		return p, nil
	}
	return &commonpb.Payload{
		Metadata: map[string][]byte{converter.MetadataEncoding: []byte(zstdEncoding)},
		Data:     packed,
	}, nil
}

func unpackPayload(p *commonpb.Payload) (*commonpb.Payload, error) {
	if string(p.GetMetadata()[converter.MetadataEncoding]) != zstdEncoding {
		return p, nil
	}
	dec, err := decoder()
	if err != nil {
		return nil, err
	}
	whole, err := dec.DecodeAll(p.GetData(), nil)
	if err != nil {
		return nil, err
	}
	plain := &commonpb.Payload{}
	return plain, proto.Unmarshal(whole, plain)
}
