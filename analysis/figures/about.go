package figures

// About says in a few words what a figure shows; empty if there is no such figure.
func About(name string) string {
	if k, ok := kinds[name]; ok {
		return k.title
	}
	if d, ok := ofDiscussions[name]; ok {
		return d.title
	}
	return map[string]string{
		"4.1":          "Debates: accuracy by strategy and task (paper 4, Figure 1)",
		"4.3":          "Debates: accuracy, log-likelihood, entropy over repetitions (paper 4, Figures 3 to 5)",
		viewpoints:     "Viewpoints of a pool: answers by question and model (paper 4, Figure 8)",
		"4.7":          "Debates by round: accuracy, log-likelihood, entropy (paper 4, Figures 3 to 5 and 7)",
		"4.9":          "Debates of fixed viewpoints by number of agents (paper 4, Figure 9)",
		"bias":         "Final value minus mean of the starts, by number of agents (paper 5, Figure 4)",
		"variance":     "Variance of final values, by number of agents (paper 5, Figure 4)",
		"trajectories": "States of agents by round (paper 5, Figures 2, 3 and 6 to 9)",
		"paths":        "Planned and actual positions in the plane (paper 5, Figure 10)",
		"22":           "Transitions between dialogue acts (Figure 22)",
		"23":           "Transitions between dialogue acts (Figure 23)",
		"24":           "Transitions between dialogue acts (Figure 24)",
	}[name]
}
