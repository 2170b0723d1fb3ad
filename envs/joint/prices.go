package joint

import "slices"

// steps of the subgradient method: enough for a bound close to that of the
// linear relaxation, which is the least that such prices can give.
const steps = 120

// Prices returns prices of the resources, none negative, that make the Lagrangian bound low: the
// price of all capacity plus, for each item, the value of its best option beyond its price (Held,
// Wolfe and Crowder 1974).
func Prices(p Problem) []float64 {
	prices := make([]float64, len(p.Capacity))
	bound := upperBound(p, prices)
	best, least, target, scale := slices.Clone(prices), bound, greedyValue(p), 1.0
	slack := make([]float64, len(p.Capacity)) // gradient of the bound
	for range steps {
		copy(slack, p.Capacity)
		for _, options := range p.Items {
			if o := bestOption(options, prices); o >= 0 {
				for r, u := range options[o].Use {
					slack[r] -= u
				}
			}
		}
		norm := dotProduct(slack, slack)
		if norm == 0 {
			break
		}
		step := scale * max(bound-target, 0) / norm
		for r := range prices {
			prices[r] = max(0, prices[r]-step*slack[r])
		}
		if bound = upperBound(p, prices); bound < least {
			copy(best, prices)
			least = bound
		} else {
			scale *= 0.95
		}
	}
	return best
}

func upperBound(p Problem, prices []float64) float64 {
	b := dotProduct(p.Capacity, prices)
	for _, options := range p.Items {
		b += greatestGain(options, prices)
	}
	return b
}

// bestOption returns the option with the greatest reduced value above 0, or -1.
func bestOption(options []Option, prices []float64) int {
	at, most := -1, 0.0
	for o, option := range options {
		if v := option.reducedValue(prices); v > most {
			at, most = o, v
		}
	}
	return at
}

// greedyValue returns the value of a feasible choice: items in their order, each the best option that fits.
func greedyValue(p Problem) float64 {
	left, value := slices.Clone(p.Capacity), 0.0
	for _, options := range p.Items {
		at := -1
		for o, option := range options {
			if IsFeasible(option.Use, left) && option.Value > 0 && (at < 0 || option.Value > options[at].Value) {
				at = o
			}
		}
		if at >= 0 {
			value += options[at].Value
			for r, u := range options[at].Use {
				left[r] -= u
			}
		}
	}
	return value
}
