package statistics

import "gonum.org/v1/gonum/stat"

// MeanOfRuns returns the mean and the sample standard deviation (n-1) of repeated runs of
// one experiment, which paper 2 prints as 53.3 ± 1.8 over three runs. One run
// has no deviation (nil). Undefined without any.
func MeanOfRuns(values []float64) (mean float64, sd *float64, ok bool) {
	switch len(values) {
	case 0:
		return 0, nil, false
	case 1:
		return values[0], nil, true
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	return mean, &deviation, true
}
