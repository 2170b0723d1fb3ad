package consensus

import (
	"slices"

	"roundtable/envs"
	"roundtable/envs/jsonschema"
)

// ProposalForm is a list of one number a dimension.
func (g *gathering) ProposalForm() envs.Form {
	low, high := -largest, largest
	example := g.params.Low + (g.params.High-g.params.Low)*0.377
	if b := g.params.Bounds; b != nil {
		low, high = b[0], b[1]
		example = low + (high-low)*0.377
	}
	n := g.params.Dimension
	return envs.Form{
		Schema:  jsonschema.Array(jsonschema.Number(low, high), n, n),
		Example: string(formatPosition(slices.Repeat([]float64{roundTo12(example)}, n))),
	}
}
