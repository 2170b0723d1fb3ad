package statistics

// Plurality returns whether the most frequent answer is right, as 1 or 0; of tied answers, the share that is
// right. Unparsed answers do not count; without others it is 0.
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

// Read returns the replies whose answer could be parsed.
func (r Replies) Read() Replies {
	var read Replies
	for _, a := range r {
		if a.Key != "" {
			read = append(read, a)
		}
	}
	return read
}
