package figures

import (
	"slices"

	"roundtable/analysis/campaign"
	titles "roundtable/analysis/study/entry"
)

// Figures returns the names and titles of all figures, in the order of a report; those of dialogue
// acts (TransitionNames) come last.
func Figures() []titles.Named {
	return []titles.Named{
		{Name: "conditions", Shows: "each condition: its mean outcome with a 95 % interval",
			Needs: "collaborations that have ended"},
		{Name: "front", Shows: "outcome of each condition against tokens, money and time, with those that none dominates", Needs: "collaborations that have ended"},
		{Name: "utility-by-rule", Shows: "group total utility by round, by decision rule",
			Needs: "the environment exchange", Papers: titles.Numbers(1, "figure", 3)},
		{Name: "rating-errors", Shows: "mean absolute error by round, by decision rule",
			Needs: "the environment recsys", Papers: titles.Numbers(1, "figure", 4)},
		{Name: "message-length", Shows: "length of messages by round", Needs: "messages",
			Papers: titles.Numbers(1, "figure", 5)},
		{Name: distance, Shows: "information distance by round (paper 1, the other half of Figure 5)",
			Needs: "messages"},
		{Name: "utility-by-model", Shows: "group total utility by round, by model", Needs: "the environment exchange",
			Papers: titles.Numbers(1, "figure", 20)},
		{Name: "squared-rating-errors", Shows: "root mean squared error by round, by decision rule",
			Needs: "the environment recsys", Papers: titles.Numbers(1, "figure", 21)},
		{Name: "discussion-accuracy", Shows: "discussions by decision protocol",
			Needs: ofDiscussions["discussion-accuracy"].needs, Papers: titles.Numbers(2, "figure", 2, 11)},
		{Name: "answerable-questions", Shows: "F1 by whether the text answers the question",
			Needs: ofDiscussions["answerable-questions"].needs, Papers: titles.Numbers(2, "figure", 3)},
		{Name: "discussion-by-rounds", Shows: "accuracy by rounds before the vote",
			Needs: ofDiscussions["discussion-by-rounds"].needs, Papers: titles.Numbers(2, "figure", 4)},
		{Name: "discussion-by-agents", Shows: "accuracy by number of agents",
			Needs: ofDiscussions["discussion-by-agents"].needs, Papers: titles.Numbers(2, "figure", 5)},
		{Name: "challenges", Shows: "final answers that are challenged, by what is shown",
			Needs: ofDiscussions["challenges"].needs, Papers: titles.Numbers(2, "figure", 6)},
		{Name: "challenge-outcomes", Shows: "what becomes of challenged answers, by what is shown",
			Needs: ofDiscussions["challenge-outcomes"].needs, Papers: titles.Numbers(2, "figure", 7)},
		{Name: "all-agents-drafting", Shows: "all-agents drafting by decision protocol",
			Needs: ofDiscussions["all-agents-drafting"].needs, Papers: titles.Numbers(2, "figure", 8)},
		{Name: "collective-improvement", Shows: "collective improvement by decision protocol",
			Needs: ofDiscussions["collective-improvement"].needs, Papers: titles.Numbers(2, "figure", 9)},
		{Name: "response-generators", Shows: "response generators by decision protocol",
			Needs: ofDiscussions["response-generators"].needs, Papers: titles.Numbers(2, "figure", 10)},
		{Name: "debate-accuracy", Shows: "debates: accuracy by strategy and task",
			Needs: "debates under several strategies", Papers: titles.Numbers(4, "figure", 1)},
		{Name: "debate-repetitions", Shows: "debates: accuracy, log-likelihood, entropy over repetitions",
			Needs: "debates with several replicates", Papers: titles.Numbers(4, "figure", 3, 4, 5)},
		{Name: "debate-by-round", Shows: "debates by round: accuracy, log-likelihood, entropy",
			Needs: "debates with at least one round", Papers: titles.Numbers(4, "figure", 7)},
		{Name: "viewpoint-pool", Shows: "viewpoints of a pool: answers by question and model",
			Needs: "debates in which everyone answers alone (rounds: 0)", Papers: titles.Numbers(4, "figure", 8)},
		{Name: "viewpoints", Shows: "debates of fixed viewpoints by number of agents",
			Needs: "debates that begin with viewpoints of a pool", Papers: titles.Numbers(4, "figure", 9)},
		{Name: "bias", Shows: "final value minus mean of the starts, by number of agents",
			Needs: "groups that reach a consensus on a line", Papers: titles.Numbers(5, "figure", 4)},
		{Name: "variance", Shows: "variance of final values, by number of agents (paper 5, Figure 4)",
			Needs: "groups of different sizes that reach a consensus on a line"},
		{Name: "trajectories", Shows: "states of agents by round", Needs: "agents with numeric states",
			Papers: titles.Numbers(5, "figure", 2, 3, 6, 7, 8, 9, 11)},
		{Name: "paths", Shows: "planned and actual positions in the plane", Needs: "agents in two dimensions",
			Papers: titles.Numbers(5, "figure", 10)},
		{Name: "rounds", Shows: "score of the decision that stands, by round", Needs: "collaborations that have ended"},
		{Name: "transitions", Shows: "transitions between dialogue acts, by environment", Needs: needLabels,
			Papers: titles.Numbers(1, "figure", 22)},
		{Name: "exchange-transitions", Shows: "transitions between dialogue acts in the exchange economy, by condition",
			Needs: needLabels + " of the environment exchange", Papers: titles.Numbers(1, "figure", 23)},
		{Name: "recsys-transitions", Shows: "transitions between dialogue acts in the recommendation system, by condition", Needs: needLabels + " of the environment recsys", Papers: titles.Numbers(1, "figure", 24)},
	}
}

// StudyOf returns the title of the study that the figure of this name belongs to.
func StudyOf(name string) string {
	k := kinds[name]
	switch {
	case ofStates[name] != nil:
		return titles.Consensus
	case ofDebates[name] != nil:
		return titles.Debates
	case ofDiscussions[name].lines != nil:
		return titles.Discussions
	case k.environment == campaign.Exchange:
		return titles.Exchange
	case k.environment == campaign.Recsys:
		return titles.Recommendations
	case name == "message-length" || name == distance:
		return titles.Messages
	case slices.Contains(TransitionNames(), name):
		return titles.DialogueActs
	}
	return titles.Overview
}

const needLabels = "labels of messages (roundtable label)"

// Names returns the names of the figures that Make makes: all but TransitionNames.
func Names() []string {
	return slices.DeleteFunc(titles.Of(Figures()),
		func(name string) bool { return slices.Contains(TransitionNames(), name) })
}

// needsOf returns what a campaign must have for a figure.
func needsOf(name string) string {
	found, _ := titles.Find("figure", Figures(), name) // it is listed
	return found.Needs
}
