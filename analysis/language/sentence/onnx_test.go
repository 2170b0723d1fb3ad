//go:build cgo

package sentence

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	ort "github.com/yalue/onnxruntime_go"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// library is ONNX Runtime's, which is not part of this repository.
func library(t testing.TB) string {
	t.Helper()
	path := os.Getenv(LibraryVariable)
	if path == "" {
		t.Skip(LibraryVariable + " does not name ONNX Runtime's shared library; Python's package onnxruntime holds one")
	}
	return path
}

func TestONNX(t *testing.T) { compare(t, "testdata/tiny", library(t), "testdata/tiny.json") }

func TestONNXMiniLM(t *testing.T) {
	folder := miniLM(t)
	if findGraph(folder) == "" {
		t.Skip(folder + " holds no onnx/model.onnx; testdata/graph.py makes it")
	}
	compare(t, folder, library(t), "testdata/minilm.json")
}

// TestEnginesAgree: the same weights, the same vectors, and names that differ.
func TestEnginesAgree(t *testing.T) {
	path := library(t)
	own, onnx := tiny(t), opened(t, "testdata/tiny", path)
	if !strings.HasPrefix(onnx.Name(), "sentence transformer tiny by ONNX Runtime (") {
		t.Errorf("the name is %s", onnx.Name())
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := []string{rapid.OneOf(rapid.String(), rapid.StringMatching(`[aipbexs' ,.!]*`)).Draw(rt, "text")}
		want, err := own.Embed(t.Context(), text)
		got, failed := onnx.Embed(t.Context(), text)
		if err != nil || failed != nil || !floats.EqualApprox(got[0], want[0], 1e-5) {
			rt.Fatalf("%v and %v: %v, %v", got, want, err, failed)
		}
	})
}

// TestONNXOnly: folders without safetensors, of families that have other inputs
// or other marks around a text, give the same vectors from the same weights.
func TestONNXOnly(t *testing.T) {
	path := library(t)
	alone := remove("model.safetensors")
	distil := func(folder string) error {
		data, err := os.ReadFile("testdata/distil/model.onnx")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "model.onnx"), data, 0o600); err != nil {
			return err
		}
		return os.Remove(filepath.Join(folder, "onnx/model.onnx"))
	}
	for name, spoilers := range map[string][]spoiler{
		"bert":       {alone},
		"distilbert": {alone, distil, change("config.json", `"bert"`, `"distilbert"`)},
		"mpnet":      {alone, distil, mpnet},
		"other gelu": {alone, change("config.json", `"gelu"`, `"gelu_new"`)}, // what the graph does, it does
	} {
		t.Run(name, func(t *testing.T) { compare(t, spoiled(t, spoilers...), path, "testdata/tiny.json") })
	}
}

// TestDamagedGraphs end with a sentence, never the process.
func TestDamagedGraphs(t *testing.T) {
	path := library(t)
	graph := "onnx/model.onnx"
	data, err := os.ReadFile("testdata/tiny/onnx/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) spoiler {
		return func(folder string) error { return os.WriteFile(filepath.Join(folder, graph), data, 0o600) }
	}
	for says, spoil := range map[string]spoiler{
		"Protobuf parsing failed": write(data[:len(data)/2]),
		"No graph was found":      write(nil),
		"Protobuf parsing":        write([]byte("version https://git-lfs.github.com/spec/v1\n")),
		"token_type_idz":          change(graph, "token_type_ids", "token_type_idz"),
		"MatMol":                  change(graph, "MatMul", "MatMol"),
	} {
		for _, spoilers := range [][]spoiler{{spoil}, {spoil, remove("model.safetensors")}} {
			folder := spoiled(t, spoilers...)
			if _, err := Open(folder, path); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), folder) {
				t.Errorf("%v, want %q", err, says)
			}
		}
	}
}

// TestGraphsThatFail: a text that the graph cannot compute is an error of the
// call, and the next text is computed.
func TestGraphsThatFail(t *testing.T) {
	path := library(t)
	m := opened(t, spoiled(t, change("config.json", `"max_position_embeddings": 16`, `"max_position_embeddings": 64`), change("sentence_bert_config.json", "10", "64")), path)
	if _, err := m.Embed(t.Context(), []string{"bread", strings.Repeat("bread ", 40)}); err == nil || !strings.Contains(err.Error(), m.Name()) {
		t.Errorf("42 tokens in 16 places: %v", err)
	}
	if v, err := m.Embed(t.Context(), []string{"bread"}); err != nil || len(v) != 1 || len(v[0]) != 8 {
		t.Errorf("%v, error %v", v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Embed(ctx, []string{"bread"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestEnds: what a graph takes and gives is told before it is computed.
func TestEnds(t *testing.T) {
	tensor := func(name string, kind ort.TensorElementDataType, shape ...int64) ort.InputOutputInfo {
		return ort.InputOutputInfo{Name: name, OrtValueType: ort.ONNXTypeTensor, Dimensions: shape, DataType: kind}
	}
	ids := tensor("input_ids", ort.TensorElementDataTypeInt64, -1, -1)
	pooled := tensor("sentence_embedding", ort.TensorElementDataTypeFloat, -1, 8)
	half := tensor("last_hidden_state", ort.TensorElementDataTypeFloat16, -1, -1, 8)
	states := tensor("last_hidden_state", ort.TensorElementDataTypeFloat, -1, -1, 8)
	list := func(of ...ort.InputOutputInfo) []ort.InputOutputInfo { return of }
	for _, c := range []struct {
		ins, outs []ort.InputOutputInfo
		want      string
	}{
		{list(ids), list(pooled, states), ""},
		{list(ids), list(pooled), "sentence_embedding"},
		{list(ids), list(half), "last_hidden_state"},
		{list(ids), nil, "states of all tokens"},
		{nil, list(states), "does not take input_ids"},
		{list(ids, tensor("position_ids", ort.TensorElementDataTypeInt64, -1, -1)), list(states), "position_ids"},
		{list(tensor("input_ids", ort.TensorElementDataTypeInt32, -1, -1)), list(states), "64-bit integers"},
		{list(tensor("input_ids", ort.TensorElementDataTypeInt64, -1)), list(states), "texts × tokens"},
	} {
		inputs, output, err := modelEnds(c.ins, c.outs)
		switch {
		case c.want == "" && (err != nil || output != "last_hidden_state" || !slices.Equal(inputs, []string{"input_ids"})):
			t.Errorf("%v and %s: %v", inputs, output, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestGraphNames: other weights, another name, also if they lie apart.
func TestGraphNames(t *testing.T) {
	path := library(t)
	first := opened(t, "testdata/tiny", path).Name()
	folder := spoiled(t)
	if again := opened(t, folder, path).Name(); again != first {
		t.Errorf("%s elsewhere is %s", first, again)
	}
	if err := os.WriteFile(filepath.Join(folder, "onnx/model.onnx_data"), []byte{1}, 0o600); err != nil {
		t.Fatal(err)
	}
	if other := opened(t, folder, path).Name(); other == first {
		t.Errorf("other weights, the same name %s", other)
	}
}

// TestONNXAtOnce: several goroutines use one model.
func TestONNXAtOnce(t *testing.T) {
	m := opened(t, "testdata/tiny", library(t))
	texts := []string{"i propose forty apples", "bread for you!", ""}
	want, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				got, err := m.Embed(t.Context(), texts)
				for i := range got {
					if !floats.Equal(got[i], want[i]) {
						t.Errorf("%v, want %v", got[i], want[i])
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestNoLibrary needs no library: wrong ones are told with what is accepted.
// What was loaded once stays, so there is nothing to see where one is named.
func TestNoLibrary(t *testing.T) {
	if os.Getenv(LibraryVariable) != "" {
		t.Skip(LibraryVariable + " names a library")
	}
	junk := filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.WriteFile(junk, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{junk, filepath.Join(t.TempDir(), "nowhere.so"), t.TempDir()} {
		for _, folder := range []string{spoiled(t), spoiled(t, remove("model.safetensors"))} {
			_, err := Open(folder, path)
			for _, says := range []string{folder, "onnx/model.onnx", path, LibraryVariable, "1.24 or later"} {
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("%v, want %q", err, says)
				}
			}
		}
	}
	if m := opened(t, spoiled(t, remove("onnx/model.onnx")), junk); m.Name() != tiny(t).Name() {
		t.Errorf("a folder without ONNX needs no library, and is %s", m.Name())
	}
}

func opened(t *testing.T, folder, library string) *Model {
	t.Helper()
	m, err := Open(folder, library)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func BenchmarkONNX(b *testing.B) { benchmark(b, library(b)) }
