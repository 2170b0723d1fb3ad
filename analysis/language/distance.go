package language

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Distances returns the distance of each message of a round from the round before: one minus the
// cosine between a message's embedding and the mean of the raw embeddings of that round (not of
// unit length). It is nil where it is not defined: without a round before, and for embeddings
// without a direction (no known word).
//
// All embeddings have the same number of dimensions.
func Distances(before, round [][]float64) []*float64 {
	distances := make([]*float64, len(round))
	if len(before) == 0 {
		return distances
	}
	centre := make([]float64, len(before[0]))
	for _, e := range before {
		floats.Add(centre, e)
	}
	floats.Scale(1/float64(len(before)), centre)
	length := floats.Norm(centre, 2)
	for i, e := range round {
		lengths := floats.Norm(e, 2) * length
		if lengths != 0 && !math.IsInf(lengths, 0) && !math.IsNaN(lengths) {
			distances[i] = new(1 - floats.Dot(e, centre)/lengths)
		}
	}
	return distances
}
