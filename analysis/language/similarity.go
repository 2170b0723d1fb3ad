package language

import "gonum.org/v1/gonum/floats"

// Similarity returns the mean cosine over all pairs of vectors, from -1 to 1: the lower, the more
// diverse (paper 2, Table 1). Zero vectors have no direction and are left out; ok is false if no
// pair remains.
func Similarity(vectors [][]float64) (cosine float64, ok bool) {
	pairs := 0
	for i, a := range vectors {
		for _, b := range vectors[:i] {
			if lengths := floats.Norm(a, 2) * floats.Norm(b, 2); lengths > 0 {
				cosine += floats.Dot(a, b) / lengths
				pairs++
			}
		}
	}
	return cosine / float64(max(1, pairs)), pairs > 0
}
