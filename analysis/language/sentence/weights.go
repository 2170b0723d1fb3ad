package sentence

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"roundtable/analysis/lake/store"
)

// weights are the tensors of a file of the format safetensors: 8 bytes with the
// length of a JSON header, the header, and the numbers, little-endian.
type weights struct {
	tensors map[string]tensor
	data    []byte
	sum     []byte // SHA-256 of the file
}

type tensor struct {
	Type  string   `json:"dtype"`
	Shape []int    `json:"shape"`
	At    [2]int64 `json:"data_offsets"`
}

const maxWeights = 4 << 30

func readWeights(path string) (weights, error) {
	w := weights{}
	f, err := store.OpenFile(path)
	if err != nil {
		return w, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return w, err
	}
	h := sha256.New()
	in := io.TeeReader(bufio.NewReaderSize(f, 1<<20), h)
	var size [8]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return w, fmt.Errorf("%s: %w", path, err)
	}
	n := binary.LittleEndian.Uint64(size[:])
	if info.Size() > maxWeights || n > uint64(info.Size()-8) {
		return w, fmt.Errorf("%s is not a file of safetensors", path)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(in, header); err != nil {
		return w, fmt.Errorf("%s: %w", path, err)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return w, fmt.Errorf("%s: %w", path, err)
	}
	if w.data, err = io.ReadAll(in); err != nil {
		return w, fmt.Errorf("%s: %w", path, err)
	}
	w.sum, w.tensors = h.Sum(nil), map[string]tensor{}
	for name, entry := range entries {
		var t tensor
		if name != "__metadata__" && json.Unmarshal(entry, &t) == nil {
			w.tensors[name] = t
		}
	}
	return w, nil
}

// takeTensor returns a tensor of 32-bit numbers, which must have the shape.
func (w weights) takeTensor(name string, shape ...int) ([]float32, error) {
	t, ok := w.tensors[name]
	if !ok {
		t, ok = w.tensors["bert."+name]
	}
	size := 1
	for _, n := range shape {
		size *= n
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("it has no %s", name)
	case t.Type != "F32":
		return nil, fmt.Errorf("%s is of type %s; F32 is read", name, t.Type)
	case fmt.Sprint(t.Shape) != fmt.Sprint(shape):
		return nil, fmt.Errorf("%s has the shape %v; config.json means %v", name, t.Shape, shape)
	case t.At[0] < 0 || t.At[1] > int64(len(w.data)) || t.At[1]-t.At[0] != int64(4*size):
		return nil, fmt.Errorf("%s is not where its header says", name)
	}
	values := make([]float32, size)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(w.data[t.At[0]+int64(4*i):]))
		if v := float64(values[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New(name + " holds what is not a number")
		}
	}
	return values, nil
}
