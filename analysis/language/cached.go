package language

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"regexp"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Cached asks an embedder once for each text and keeps the vector in a lake,
// under embeddings/<embedder>/<2 hex>/<SHA-256 of the text>: numbers of 32 bits
// and a checksum. The first vector stored under a text stays. It is for
// embedders whose vectors do not depend on the other texts of a call.
// Processes may share a lake; the folder embeddings/ may be deleted.
type Cached struct {
	Embedder
	Store store.Store
}

// Embed returns the vectors of texts; those not in the lake are requested, each once, and stored.
func (c Cached) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	different, place := distinctTexts(texts)
	vectors, err := c.knownVectors(ctx, different)
	if err != nil {
		return nil, err
	}
	if err := c.learn(ctx, different, vectors); err != nil {
		return nil, err
	}
	all := make([][]float64, len(texts))
	for i, text := range texts {
		all[i] = vectors[place[text]]
	}
	return all, nil
}

// Missing returns those of texts, each once, that have no vector in the lake.
func (c Cached) Missing(ctx context.Context, texts []string) ([]string, error) {
	different, _ := distinctTexts(texts)
	vectors, err := c.knownVectors(ctx, different)
	var missing []string
	for i, v := range vectors {
		if v == nil {
			missing = append(missing, different[i])
		}
	}
	return missing, err
}

// Keep stores the vectors of texts, one each, except where a vector is stored already.
func (c Cached) Keep(ctx context.Context, texts []string, vectors [][]float64) error {
	return lake.Each(ctx, len(texts), func(ctx context.Context, i int) error {
		_, err := c.storeVector(ctx, texts[i], vectors[i])
		return err
	})
}

// distinctTexts returns each different text, and where it is.
func distinctTexts(texts []string) (different []string, place map[string]int) {
	place = map[string]int{}
	for _, text := range texts {
		if _, known := place[text]; !known {
			place[text] = len(different)
			different = append(different, text)
		}
	}
	return different, place
}

// knownVectors returns the vectors in the lake; nil where there is none, or a damaged one.
func (c Cached) knownVectors(ctx context.Context, texts []string) ([][]float64, error) {
	vectors := make([][]float64, len(texts))
	return vectors, lake.Each(ctx, len(texts), func(ctx context.Context, i int) error {
		data, err := c.Store.Get(ctx, c.keyOf(texts[i]))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		vectors[i], _ = decode(data)
		return err
	})
}

// learn asks for the vectors that are missing, and stores them.
func (c Cached) learn(ctx context.Context, texts []string, vectors [][]float64) error {
	var missing []int
	var asked []string
	for i, v := range vectors {
		if v == nil {
			missing, asked = append(missing, i), append(asked, texts[i])
		}
	}
	if len(asked) == 0 {
		return nil
	}
	got, failed := c.Embedder.Embed(ctx, asked)
	if failed == nil && len(got) != len(asked) || len(got) > len(asked) {
		return fmt.Errorf("%s gave %d vectors for %d texts", c.Name(), len(got), len(asked))
	}
	if failed != nil { // what was paid for before it is kept, also after Ctrl-C
		ctx = context.WithoutCancel(ctx)
	}
	return errors.Join(failed, lake.Each(ctx, len(got), func(ctx context.Context, i int) (err error) {
		vectors[missing[i]], err = c.storeVector(ctx, asked[i], got[i])
		return err
	}))
}

// storeVector stores a vector and returns what is stored: that of the first caller.
func (c Cached) storeVector(ctx context.Context, text string, vector []float64) ([]float64, error) {
	key, data := c.keyOf(text), encode(vector)
	kept, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	err = c.Store.PutIfAbsent(ctx, key, data)
	if errors.Is(err, store.ErrExists) {
		stored, readable := c.Store.Get(ctx, key)
		if readable == nil {
			if first, readable := decode(stored); readable == nil {
				return first, nil
			}
		}
		err = c.Store.Replace(ctx, key, data, "")
	}
	if err != nil {
		return nil, fmt.Errorf("keeping an embedding in the lake: %w", err)
	}
	return kept, nil
}

func (c Cached) keyOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	name := hex.EncodeToString(sum[:])
	return "embeddings/" + EmbedderID(c.Name()) + "/" + name[:2] + "/" + name
}

func encode(vector []float64) []byte {
	data := make([]byte, 0, 4*len(vector)+4)
	for _, v := range vector {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
}

var errVector = errors.New("it is not a vector of finite numbers")

func decode(data []byte) ([]float64, error) {
	n := len(data)/4 - 1
	if n < 1 || len(data)%4 != 0 || crc32.ChecksumIEEE(data[:4*n]) != binary.LittleEndian.Uint32(data[4*n:]) {
		return nil, errVector
	}
	vector := make([]float64, n)
	for i := range vector {
		vector[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		if math.IsNaN(vector[i]) || math.IsInf(vector[i], 0) {
			return nil, errVector
		}
	}
	return vector, nil
}

var notInIDs = regexp.MustCompile(`[^a-z0-9]+`)

// EmbedderID returns an id fit for keys: the beginning of name, to be recognised, and a hash of
// name and more.
func EmbedderID(name string, more ...string) string {
	shown := strings.Trim(notInIDs.ReplaceAllString(strings.ToLower(name), "-"), "-")
	sum := sha256.Sum256([]byte(strings.Join(append([]string{name}, more...), "\n")))
	return strings.Trim(shown[:min(len(shown), 32)], "-") + "-" + hex.EncodeToString(sum[:4])
}
