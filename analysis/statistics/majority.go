package statistics

// Plurality returns the share of the most frequent answers that are right: 1 or 0, and of
// tied answers what a fair draw among them is worth. Answers that could not be read
// do not count; without any it is 0.
func (r Replies) Plurality() float64 {
	votes, most := map[string]int{}, 0
	for _, a := range r {
		if a.Key != "" {
			votes[a.Key]++
			most = max(most, votes[a.Key])
		}
	}
	right, tied := 0.0, 0.0
	for _, a := range r {
		if a.Key == "" || votes[a.Key] != most {
			continue
		}
		votes[a.Key] = 0 // each answer once
		tied++
		if a.Right {
			right++
		}
	}
	if tied == 0 {
		return 0
	}
	return right / tied
}

// Read returns the answers that could be read.
func (r Replies) Read() Replies {
	var read Replies
	for _, a := range r {
		if a.Key != "" {
			read = append(read, a)
		}
	}
	return read
}
