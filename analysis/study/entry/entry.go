// Package entry defines how a study appears in the list of studies: its tables and figures, each with its
// name, what it shows, its numbers in the papers, what it needs and what it is made from; and what the study
// keeps of each run.
package entry

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// Study is the entry of one study in the list.
type Study struct {
	Title   string            // above its tables and figures on a page
	Readers []campaign.Reader // keep what its tables need of a run's rows
	Tables  []Table           // in the order in which they are printed
}

// Values of Study.Title.
const (
	Overview        = "All conditions"
	Worth           = "Talking, in detail"
	Exchange        = "Exchange economy"
	Recommendations = "Recommendations"
	Debates         = "Debates"
	Discussions     = "Discussions"
	Deliberations   = "Deliberations"
	Consensus       = "Numeric consensus"
	Messages        = "Messages"
	Stopping        = "Early stopping"
	DialogueActs    = "Dialogue acts"
	Judges          = "Judges"
	Forks           = "Forks"
)

// Table is a table that can be requested by name.
type Table struct {
	Named
	// Build returns false if the campaign has no data for it. It is nil if From is Labels or HandScores.
	Build func(campaign.Campaign) (table.Table, bool)
	Shown Shown
	From  Source
	// Redundant reports whether another table has all that this one would show of
	// a campaign, so that it is printed by name only; nil is never.
	Redundant func(campaign.Campaign) bool
	// Apart tables show each condition by itself with what its campaign alone has. Of several
	// campaigns they are made one by one, and stacked.
	Apart bool
	// Last tables are about any campaign: they come after those of all studies.
	Last bool
}

// Shown says when a table is printed that was not requested by name.
type Shown int

// When a table is printed.
const (
	InAll  Shown = iota // with all others
	Always              // with all others, and at the end of a run
	Never               // by name only: the data of a figure, or the details of another table
)

// Source is what a table is made from.
type Source int

// Sources of tables: what the campaign holds once it is loaded, or what is added to it.
const (
	Rows         Source = iota
	Trajectories        // each collaboration round by round, labelled and measured
	Measures            // of messages
	Vectors             // of answers, unless the table compares them by their words
	Labels              // of messages, which are not part of a campaign: Build is nil
	HandScores          // of decisions, in a file of the user's: Build is nil
)

// Values of Named.Needs that several studies use.
const (
	NeedRecsys = "the environment recsys"
	NeedEnded  = "collaborations that have ended"
	NeedLabels = "labels of messages (roundtable label)"
)
