package statistics

import "math"

// RatingErrors are absolute errors in stars; len is the n to report.
type RatingErrors []float64

// MAE returns the mean absolute error. Undefined without errors.
func (e RatingErrors) MAE() (mae float64, ok bool) {
	sum := 0.0
	for _, v := range e {
		sum += v
	}
	return sum / float64(len(e)), len(e) > 0
}

// RMSE returns the root of the mean squared error. Undefined without errors.
func (e RatingErrors) RMSE() (rmse float64, ok bool) {
	mse, ok := e.squaredErrors().MAE()
	return math.Sqrt(mse), ok
}

// SE returns the standard error of MAE, the sample standard deviation over √n. Undefined below two errors.
func (e RatingErrors) SE() (se float64, ok bool) {
	mean, _ := e.MAE()
	sum := 0.0
	for _, v := range e {
		sum += (v - mean) * (v - mean)
	}
	n := float64(len(e))
	return math.Sqrt(sum / (n - 1) / n), len(e) > 1
}

// RMSESE returns the standard error of RMSE by the delta method: that of the mean
// squared error over 2·RMSE. Undefined below two errors, and if all are 0.
func (e RatingErrors) RMSESE() (se float64, ok bool) {
	rmse, _ := e.RMSE()
	se, ok = e.squaredErrors().SE()
	return se / (2 * rmse), ok && rmse > 0
}

// squaredErrors returns the squared errors.
func (e RatingErrors) squaredErrors() RatingErrors {
	squares := make(RatingErrors, len(e))
	for i, v := range e {
		squares[i] = v * v
	}
	return squares
}
