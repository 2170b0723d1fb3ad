package sentence

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// bert is the engine that is computed here, from safetensors.
type bert struct {
	config    config
	embedding embeddings
	layers    []layer
}

// embeddings are what a token, its place and its sentence (there is one) bring.
type embeddings struct {
	words, places, first []float32
	norm                 norming
}

// layer is one encoder layer (Devlin et al. 2019; Vaswani et al. 2017).
type layer struct {
	query, key, value, joined dense
	attended                  norming
	wide, narrow              dense
	done                      norming
}

// dense is x·Wᵀ + b, W of out rows and in columns.
type dense struct {
	in, out int
	w, b    []float32
}

// norming is a layer norm.
type norming struct {
	w, b    []float32
	epsilon float64
}

// newBERT takes all weights that are needed.
func newBERT(c config, w weights) (*bert, error) {
	m, r := &bert{config: c}, reader{weights: w, epsilon: c.Epsilon}
	m.embedding = embeddings{
		r.takeTensor("embeddings.word_embeddings.weight", c.Words, c.Hidden),
		r.takeTensor("embeddings.position_embeddings.weight", c.Positions, c.Hidden),
		r.takeTensor("embeddings.token_type_embeddings.weight", 2, c.Hidden),
		r.readNorming("embeddings.LayerNorm", c.Hidden),
	}
	for i := range c.Layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		m.layers = append(m.layers, layer{
			query:    r.readDense(at+"attention.self.query", c.Hidden, c.Hidden),
			key:      r.readDense(at+"attention.self.key", c.Hidden, c.Hidden),
			value:    r.readDense(at+"attention.self.value", c.Hidden, c.Hidden),
			joined:   r.readDense(at+"attention.output.dense", c.Hidden, c.Hidden),
			attended: r.readNorming(at+"attention.output.LayerNorm", c.Hidden),
			wide:     r.readDense(at+"intermediate.dense", c.Hidden, c.Intermediate),
			narrow:   r.readDense(at+"output.dense", c.Intermediate, c.Hidden),
			done:     r.readNorming(at+"output.LayerNorm", c.Hidden),
		})
	}
	return m, r.err
}

// reader remembers the first error.
type reader struct {
	weights
	epsilon float64
	err     error
}

func (r *reader) takeTensor(name string, shape ...int) []float32 {
	if r.err != nil {
		return nil
	}
	var values []float32
	values, r.err = r.weights.takeTensor(name, shape...)
	return values
}

func (r *reader) readDense(name string, in, out int) dense {
	return dense{in, out, r.takeTensor(name+".weight", out, in), r.takeTensor(name+".bias", out)}
}

func (r *reader) readNorming(name string, size int) norming {
	return norming{r.takeTensor(name+".weight", size), r.takeTensor(name+".bias", size), r.epsilon}
}

func (m *bert) hiddenStates(ids []int) ([]float32, error) {
	hidden := m.config.Hidden
	x := make([]float32, len(ids)*hidden)
	for i, id := range ids {
		for j := range hidden {
			x[i*hidden+j] = m.embedding.words[id*hidden+j] + m.embedding.places[i*hidden+j] + m.embedding.first[j]
		}
	}
	m.embedding.norm.applyNorming(x)
	for _, l := range m.layers {
		x = l.applyLayer(x, m.config.Heads)
	}
	return x, nil
}

func (l layer) applyLayer(x []float32, heads int) []float32 {
	attended := l.joined.applyDense(attendHeads(l.query.applyDense(x), l.key.applyDense(x), l.value.applyDense(x),
		l.query.out, heads))
	addTo(attended, x)
	l.attended.applyNorming(attended)
	wide := l.wide.applyDense(attended)
	for i, v := range wide {
		wide[i] = float32(.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2)))
	}
	y := l.narrow.applyDense(wide)
	addTo(y, attended)
	l.done.applyNorming(y)
	return y
}

func (d dense) applyDense(x []float32) []float32 {
	n := len(x) / d.in
	y := make([]float32, n*d.out)
	for i := range n {
		copy(y[i*d.out:], d.b)
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, newMatrix(n, d.in, d.in, x), newMatrix(d.out, d.in, d.in, d.w), 1,
		newMatrix(n, d.out, d.out, y))
	return y
}

func newMatrix(rows, columns, stride int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: stride, Data: data}
}

// attendHeads returns softmax(QKᵀ/√d)V for each head, side by side.
func attendHeads(q, k, v []float32, hidden, heads int) []float32 {
	n, size := len(q)/hidden, hidden/heads
	out, scores := make([]float32, len(q)), make([]float32, n*n)
	scale := float32(1 / math.Sqrt(float64(size)))
	for h := range heads {
		at := h * size
		s := newMatrix(n, n, n, scores)
		blas32.Gemm(blas.NoTrans, blas.Trans, scale, newMatrix(n, size, hidden, q[at:]),
			newMatrix(n, size, hidden, k[at:]), 0, s)
		for i := range n {
			softmaxRow(scores[i*n : (i+1)*n])
		}
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, s, newMatrix(n, size, hidden, v[at:]), 0,
			newMatrix(n, size, hidden, out[at:]))
	}
	return out
}

func softmaxRow(row []float32) {
	most, sum := row[0], 0.
	for _, v := range row {
		most = max(most, v)
	}
	for i, v := range row {
		e := math.Exp(float64(v - most))
		row[i], sum = float32(e), sum+e
	}
	for i := range row {
		row[i] = float32(float64(row[i]) / sum)
	}
}

func addTo(y, x []float32) {
	for i, v := range x {
		y[i] += v
	}
}

func (l norming) applyNorming(x []float32) {
	n := len(l.w)
	for ; len(x) > 0; x = x[n:] {
		mean, squares := 0., 0.
		for _, v := range x[:n] {
			mean += float64(v) / float64(n)
		}
		for _, v := range x[:n] {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
		scale := 1 / math.Sqrt(squares/float64(n)+l.epsilon)
		for i, v := range x[:n] {
			x[i] = float32((float64(v)-mean)*scale)*l.w[i] + l.b[i]
		}
	}
}
