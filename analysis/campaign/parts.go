package campaign

import "slices"

// Parts hold what studies keep of a run or of a campaign: at most one value of each type.
type Parts struct{ all []any }

// Part returns the part of type T in p; its zero value if there is none.
func Part[T any](p Parts) T {
	for _, part := range p.all {
		if found, ok := part.(T); ok {
			return found
		}
	}
	var none T
	return none
}

// Keep stores part in p, in place of an earlier one of type T.
func Keep[T any](p *Parts, part T) {
	all := []any{part}
	for _, other := range p.all {
		if _, same := other.(T); !same {
			all = append(all, other)
		}
	}
	p.all = all
}

// Take removes the part of type T from p and returns it; its zero value if there is none.
func Take[T any](p *Parts) T {
	part := Part[T](*p)
	p.all = slices.DeleteFunc(slices.Clone(p.all), func(other any) bool { _, same := other.(T); return same })
	return part
}

// add adds a part of a type that p does not have; nil is none.
func (p *Parts) add(part any) {
	if part != nil {
		p.all = append(p.all, part)
	}
}
