package campaign

// Parts hold what studies keep of a run, or of a campaign: one value of a type.
type Parts struct{ all []any }

// Part returns what is kept of a type; its zero value if nothing is.
func Part[T any](p Parts) T {
	for _, part := range p.all {
		if found, ok := part.(T); ok {
			return found
		}
	}
	var none T
	return none
}

// Keep keeps a part, in place of the one of its type.
func Keep[T any](p *Parts, part T) {
	all := []any{part}
	for _, other := range p.all {
		if _, same := other.(T); !same {
			all = append(all, other)
		}
	}
	p.all = all
}
