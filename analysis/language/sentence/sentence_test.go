package sentence

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gonum.org/v1/gonum/floats"
)

// compare holds a folder to the reference of testdata/reference.py: tokens
// exactly, vectors and cosines to what numbers of 32 bits can be.
func compare(t *testing.T, folder, library, path string) {
	t.Helper()
	m, err := Open(folder, library)
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Texts []struct {
			Text   string
			Tokens []int
			Begins []float64
		}
		Cosine [][]float64
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil || len(want.Texts) < 10 {
		t.Fatalf("%d texts, error %v", len(want.Texts), err)
	}
	var texts []string
	for _, row := range want.Texts {
		texts = append(texts, row.Text)
		if got := m.tokens.splitTokens(row.Text); !slices.Equal(got, row.Tokens) {
			t.Errorf("%.40q has the tokens %v, want %v", row.Text, got, row.Tokens)
		}
	}
	vectors, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	const tolerance = 2e-6
	for i, v := range vectors {
		if !floats.EqualApprox(v[:4], want.Texts[i].Begins, tolerance) {
			t.Errorf("%.40q is %v…, want %v…", texts[i], v[:4], want.Texts[i].Begins)
		}
		for j, w := range vectors {
			if got := floats.Dot(v, w); math.Abs(got-want.Cosine[i][j]) > tolerance {
				t.Errorf("texts %d and %d have the cosine %v, want %v", i, j, got, want.Cosine[i][j])
			}
		}
	}
}

func TestTiny(t *testing.T) { compare(t, "testdata/tiny", "", "testdata/tiny.json") }

// folderEnv names the folder of all-MiniLM-L6-v2; see testdata/reference.py.
const folderEnv = "ROUNDTABLE_MINILM"

func TestMiniLM(t *testing.T) { compare(t, miniLM(t), "", "testdata/minilm.json") }

func miniLM(t testing.TB) string {
	t.Helper()
	folder := os.Getenv(folderEnv)
	if folder == "" {
		t.Skip(folderEnv + " does not name the folder of all-MiniLM-L6-v2 (90 MB); the tests with tiny compute the same with a small model")
	}
	return folder
}

func tiny(t testing.TB) *Model {
	t.Helper()
	m, err := Open("testdata/tiny", "")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnyText(t *testing.T) {
	m := tiny(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[aipbexs' ,.!]*`)).Draw(t, "text")
		ids := m.tokens.splitTokens(text)
		if len(ids) < 2 || len(ids) > 10 || ids[0] != m.tokens.begin || ids[len(ids)-1] != m.tokens.end {
			t.Fatalf("tokens %v", ids)
		}
		v, err := m.Embed(t.Context(), []string{text})
		if err != nil || math.Abs(floats.Norm(v[0], 2)-1) > 1e-9 {
			t.Fatalf("vector %v, error %v", v, err)
		}
	})
}

// spoiler changes a copy of testdata/tiny.
type spoiler func(folder string) error

func change(name, from, to string) spoiler {
	return func(folder string) error {
		path := filepath.Join(folder, name)
		data, err := os.ReadFile(path)
		if err == nil && !bytes.Contains(data, []byte(from)) {
			err = errors.New("nothing to change in " + name)
		}
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(data, []byte(from), []byte(to)), 0o600)
	}
}

func remove(name string) spoiler {
	return func(folder string) error { return os.Remove(filepath.Join(folder, name)) }
}

// mpnet makes of the folder one of that family: other marks around a text.
func mpnet(folder string) error {
	return errors.Join(change("config.json", `"bert"`, `"mpnet"`)(folder), change("vocab.txt", "[CLS]", "<s>")(folder), change("vocab.txt", "[SEP]", "</s>")(folder))
}

// spoiled is a copy of testdata/tiny that was changed.
func spoiled(t *testing.T, spoilers ...spoiler) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/tiny")); err != nil {
		t.Fatal(err)
	}
	for _, spoil := range spoilers {
		if err := spoil(folder); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestWrongFolders: each thing that a folder can lack or have is named.
func TestWrongFolders(t *testing.T) {
	alone := remove("onnx/model.onnx")
	for says, spoil := range map[string]spoiler{
		"config.json":                remove("config.json"),
		"modules.json":               remove("modules.json"),
		"tokenizer.json":             remove("vocab.txt"),
		"model.safetensors":          remove("model.safetensors"),
		"model_type \"xlm-roberta\"": change("config.json", `"bert"`, `"xlm-roberta"`),
		"model_type \"mpnet\", which is computed from onnx": mpnet,
		"model_type \"distilbert\"":                         change("config.json", `"bert"`, `"distilbert"`),
		"hidden_act \"relu\"":                               change("config.json", `"gelu"`, `"relu"`),
		"impossible layer sizes":                            change("config.json", `"num_attention_heads": 2`, `"num_attention_heads": 3`),
		"has the shape [22 8]":                              change("config.json", `"hidden_size": 8`, `"hidden_size": 16`),
		"config.json: ":                                     change("config.json", `{`, `[`),
		"module sentence_transformers":                      change("modules.json", `models.Normalize`, `models.Dense`),
		"neither by the mean":                               change("1_Pooling/config.json", `true`, `false`),
		"tokenizer BertJapaneseTokenizer":                   tokenizing(`{"tokenizer_class": "BertJapaneseTokenizer"}`),
		"accents and case apart":                            tokenizing(`{"tokenizer_class": "BertTokenizerFast", "strip_accents": false}`),
		"no [SEP]":                                          change("vocab.txt", `[SEP]`, `[SAP]`),
		"config.json knows 22":                              change("vocab.txt", "b\n", "b\nc\n"),
		"it has no embeddings.LayerNorm":                    change("model.safetensors", "embeddings.LayerNorm.weight", "embeddings.LayerNorm.wrecks"),
		"is of type F16":                                    change("model.safetensors", `"F32"`, `"F16"`),
		"not where its header says":                         change("model.safetensors", `[704, 1216]`, `[704, 9999]`),
		"not a file of safetensors":                         change("model.safetensors", string([]byte{0, 0, 0, 0, '{'}), string([]byte{0, 0, 9, 0, '{'})),
	} {
		folder := spoiled(t, alone, spoil)
		if _, err := Open(folder, ""); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), folder) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "nowhere"), ""); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Error(err)
	}
}

func tokenizing(config string) spoiler {
	return func(folder string) error {
		return os.WriteFile(filepath.Join(folder, "tokenizer_config.json"), []byte(config), 0o600)
	}
}

// TestLongest: what a model reads at most, as sentence-transformers has it.
func TestLongest(t *testing.T) {
	none := remove("sentence_bert_config.json")
	tokens := func(limit string) spoiler { return tokenizing(`{"model_max_length": ` + limit + `}`) }
	for want, spoilers := range map[int][]spoiler{
		10: {tokens("8")},
		8:  {none, tokens("8")},
		16: {none, tokens("1000000000000000019884624838656")},
	} {
		m, err := Open(spoiled(t, spoilers...), "")
		if err != nil || m.tokens.longest != want || len(m.tokens.splitTokens(strings.Repeat("bread ", 99))) != want {
			t.Errorf("%+v, want %d: %v", m, want, err)
		}
	}
}

// TestNames: other weights or settings, another name; another place, the same.
// Vectors in lakes lie under these names, so they stay what they were.
func TestNames(t *testing.T) {
	first := tiny(t)
	folder := spoiled(t)
	moved, err := Open(folder, "")
	if err != nil || moved.Name() != first.Name() || first.Name() != "sentence transformer tiny (bbda2354)" {
		t.Errorf("%s and %s: %v", first.Name(), moved.Name(), err)
	}
	path := filepath.Join(folder, "model.safetensors")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(data[len(data)-4:], math.Float32bits(.125))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if other, err := Open(folder, ""); err != nil || other.Name() == first.Name() {
		t.Errorf("other weights, the same name %s: %v", first.Name(), err)
	}
}

func BenchmarkEmbed(b *testing.B) { benchmark(b, "") }

func benchmark(b *testing.B, library string) {
	m, err := Open(miniLM(b), library)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("I propose an allocation that gives 40 units of apples to each. ", 2)
	for b.Loop() {
		if _, err := m.Embed(b.Context(), []string{text}); err != nil {
			b.Fatal(err)
		}
	}
}
