package sentence

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"roundtable/analysis/lake/store"
)

// LibraryVariable is the environment variable with the path of ONNX Runtime's shared library; other programs
// that load the library use it too.
const LibraryVariable = "ORT_DYLIB_PATH"

// engine is a transformer without what is before and after it. It may be used
// by several goroutines.
type engine interface {
	// states are what the last layer says of each token, one row after another.
	hiddenStates(ids []int) ([]float32, error)
}

// weighted is an engine, the hash of its weights, and what names tell of it.
type weighted struct {
	engine
	sum []byte
	by  string
}

// chooseEngine prefers what is computed here, unless a library is named.
func chooseEngine(folder, library string, c config) (weighted, error) {
	name := findGraph(folder)
	var own error
	if library == "" || name == "" {
		var w weighted
		if w, own = openBERT(folder, c); own == nil || name == "" {
			return w, own
		}
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	sum, err := graphSum(path)
	if err != nil {
		return weighted{}, err
	}
	e, err := openGraph(path, library)
	if err != nil {
		err = fmt.Errorf("%s by ONNX Runtime: %w", name, err)
		if own != nil {
			err = fmt.Errorf("%w; %w", own, err)
		}
		return weighted{}, err
	}
	return weighted{e, sum, " by ONNX Runtime"}, nil
}

func openBERT(folder string, c config) (weighted, error) {
	if err := c.checkComputable(); err != nil {
		return weighted{}, err
	}
	w, err := readWeights(filepath.Join(folder, "model.safetensors"))
	if err != nil {
		return weighted{}, err
	}
	m, err := newBERT(c, w)
	if err != nil {
		return weighted{}, fmt.Errorf("model.safetensors: %w", err)
	}
	return weighted{engine: m, sum: w.sum}, nil
}

// checkComputable says what of a model is not computed here.
func (c config) checkComputable() error {
	switch {
	case c.Type != "bert":
		return fmt.Errorf("config.json says model_type %q, which is computed from onnx/model.onnx only, by ONNX Runtime", c.Type)
	case c.Activation != "gelu":
		return fmt.Errorf("config.json says hidden_act %q; gelu is computed", c.Activation)
	case c.Position != "" && c.Position != "absolute":
		return fmt.Errorf("config.json says position_embedding_type %q; absolute is computed", c.Position)
	case c.Hidden < 1 || c.Heads < 1 || c.Hidden%c.Heads != 0 || c.Layers < 1 || c.Intermediate < 1 || c.Epsilon <= 0:
		return errImpossible
	}
	return nil
}

var errImpossible = errors.New("config.json: impossible layer sizes")

// findGraph returns where in a folder the model is as ONNX: sentence-transformers
// writes it to the first place, Optimum to the second. Empty if it is in neither.
func findGraph(folder string) string {
	for _, name := range []string{"onnx/model.onnx", "model.onnx"} {
		if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err == nil &&
			info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// graphSum returns the SHA-256 of a graph and of its weights, if they lie apart:
// Optimum and PyTorch call them model.onnx_data and model.onnx.data.
func graphSum(graph string) ([]byte, error) {
	folder, base := filepath.Split(graph)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, entry := range entries {
		name := entry.Name()
		if name != base && !strings.HasPrefix(name, base+"_data") && name != base+".data" {
			continue
		}
		if err := copyFile(h, folder+name); err != nil {
			return nil, err
		}
	}
	return h.Sum(nil), nil
}

func copyFile(to io.Writer, path string) error {
	f, err := store.OpenFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}
