package codec

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

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
