package sentence

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
)

// pooling is 1_Pooling/config.json.
type pooling struct {
	First bool `json:"pooling_mode_cls_token"`
	Mean  bool `json:"pooling_mode_mean_tokens"`
	Max   bool `json:"pooling_mode_max_tokens"`
	Root  bool `json:"pooling_mode_mean_sqrt_len_tokens"`
}

// readModules reads what follows the transformer.
func (m *Model) readModules(folder string) error {
	var modules []struct{ Path, Type string }
	if err := readJSON(folder, "modules.json", &modules); err != nil {
		return err
	}
	pooled := false
	for _, module := range modules {
		switch module.Type[strings.LastIndexByte(module.Type, '.')+1:] {
		case "Transformer":
		case "Normalize":
			m.unit = true
		case "Pooling":
			pooled = true
			if err := readJSON(folder, path.Join(module.Path, "config.json"), &m.pooling); err != nil {
				return err
			}
		default:
			return fmt.Errorf("modules.json names a module %s; Transformer, Pooling and Normalize are computed", module.Type)
		}
	}
	if p := m.pooling; !pooled || p.First == p.Mean || p.Max || p.Root {
		return errors.New("the pooling is neither by the mean of the tokens nor by the first token")
	}
	return nil
}

// poolTokens returns the mean of the tokens or the first one, of length 1 if the model says so.
func (m *Model) poolTokens(x []float32, tokens int) []float64 {
	hidden := len(x) / tokens
	if m.pooling.First {
		x = x[:hidden]
	}
	vector := make([]float64, hidden)
	for i, v := range x {
		vector[i%hidden] += float64(v) * float64(hidden) / float64(len(x))
	}
	if !m.unit {
		return vector
	}
	length := 0.
	for _, v := range vector {
		length += v * v
	}
	for i := range vector {
		vector[i] /= math.Sqrt(length)
	}
	return vector
}
