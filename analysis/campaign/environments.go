package campaign

// Environments whose goodness tables name by their own words.
const (
	Exchange = "exchange"
	Recsys   = "recsys"
)
