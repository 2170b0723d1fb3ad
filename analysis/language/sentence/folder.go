// Package sentence embeds texts with a sentence transformer (Reimers and Gurevych 2019), read from a folder as
// the library sentence-transformers saves it: a model of the family BERT with its weights as safetensors, such
// as all-MiniLM-L6-v2, or paraphrase-MiniLM-L6-v2, which paper 1 used. These models run in pure Go. Other
// models run on ONNX Runtime, if the folder has them as ONNX and the library is installed; tokenization and
// pooling are the same code. The same weights give the same vectors to about six digits on every machine and
// with both engines.
package sentence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"roundtable/analysis/lake/store"
)

// Model embeds texts; it is safe for concurrent use.
type Model struct {
	name    string
	pooling pooling
	unit    bool // vectors are brought to length 1
	tokens  tokenizer
	engine  engine
}

// config is config.json, as far as it decides what is computed.
type config struct {
	Name         string  `json:"_name_or_path"`
	Type         string  `json:"model_type"`
	Activation   string  `json:"hidden_act"`
	Position     string  `json:"position_embedding_type"`
	Hidden       int     `json:"hidden_size"`
	Intermediate int     `json:"intermediate_size"`
	Heads        int     `json:"num_attention_heads"`
	Layers       int     `json:"num_hidden_layers"`
	Positions    int     `json:"max_position_embeddings"`
	Words        int     `json:"vocab_size"`
	Epsilon      float64 `json:"layer_norm_eps"`
}

// Open reads the model in a folder. library is the path of ONNX Runtime's shared library. If it is "", the
// library is looked for in the system's folders, but only for a model that pure Go cannot run: so a folder
// keeps its engine, and its Name, until a library is named. The error says what the folder lacks or what is
// not supported.
func Open(folder, library string) (*Model, error) {
	m, err := openModel(folder, library)
	if err != nil {
		return nil, fmt.Errorf("the folder %s is not a sentence transformer that can be used: %w", folder, err)
	}
	return m, nil
}

func openModel(folder, library string) (*Model, error) {
	m, c := &Model{}, config{}
	if err := readJSON(folder, "config.json", &c); err != nil {
		return nil, err
	}
	if err := m.readModules(folder); err != nil {
		return nil, err
	}
	var err error
	if m.tokens, err = readTokenizer(folder, c); err != nil {
		return nil, err
	}
	w, err := chooseEngine(folder, library, c)
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal([]any{c, m.pooling, m.unit, m.tokens.longest, m.tokens.lower, len(m.tokens.ids)})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append(settings, w.sum...))
	m.engine = w.engine
	m.name = strings.TrimSpace("sentence transformer "+strings.TrimPrefix(path.Base(c.Name), ".")) + w.by + " (" +
		hex.EncodeToString(sum[:4]) + ")"
	return m, nil
}

// Name returns a name with a hash that identifies the model's weights and settings.
func (m *Model) Name() string { return m.name }

// Embed returns one vector per text. Texts longer than the model's limit are cut, as in sentence-transformers.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ids := m.tokens.splitTokens(text)
		states, err := m.engine.hiddenStates(ids)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		vectors[i] = m.poolTokens(states, len(ids))
	}
	return vectors, nil
}

// maxJSON is how many bytes a file next to the weights has at most; vocabularies have some 20 MB.
const maxJSON = 256 << 20

// readJSON reads a file of the folder; a path in it cannot leave the folder.
func readJSON(folder, name string, v any) error {
	if !filepath.IsLocal(name) {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	data, err := store.ReadFile(filepath.Join(folder, name), maxJSON)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
