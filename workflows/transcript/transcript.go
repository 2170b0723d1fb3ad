// Package transcript defines the types of the pure core: a collaboration is a Transcript of
// Entries, and a Step is an Entry that is still to be made. Everything that anyone sees is an
// entry with an index; visibility and order are data. Nothing here does I/O or reads a clock.
package transcript

import "slices"

// Kind says who or what makes an entry.
type Kind uint8

const (
	Ask      Kind = iota + 1 // a model answers
	Decide                   // a pure rule counts ballots
	Env                      // the environment moves on (dynamics, tools)
	Annotate                 // a model labels or embeds messages for a stopping rule
)

func (k Kind) String() string {
	return [...]string{"", "ask", "decide", "env", "annotate"}[k]
}

// Speaker is who acts: a voting agent (no role), or a role such as moderator or judge.
type Speaker struct {
	Role  string `json:"role,omitempty"`
	Index int    `json:"index"`
}

// Range is the entries with index From ≤ i < To.
type Range struct{ From, To int }

// Audience says who may see an entry. The zero value means nobody (a gold answer).
type Audience struct {
	Everybody bool
	Speakers  []Speaker
}

// Everybody is the audience of all speakers.
var Everybody = Audience{Everybody: true}

// Hears reports whether the speaker belongs to the audience.
func (a Audience) Hears(s Speaker) bool {
	if a.Everybody {
		return true
	}
	return slices.Contains(a.Speakers, s)
}

// Format is the form that an answer must have.
type Format string

const (
	FormatText     Format = "text"     // free text
	FormatMessage  Format = "message"  // {"target": [...], "message": "..."}
	FormatProposal Format = "proposal" // {"reason_for_decision": "...", "proposal": ... or null}
	FormatBallot   Format = "ballot"   // {"reason_for_decision": "...", "decision": ...}
	FormatEstimate Format = "estimate" // {"reason_for_decision": "...", "estimate": ...}
	FormatAnswer   Format = "answer"   // free text that ends with a proposal, in the environment's form
	FormatReply    Format = "reply"    // free text with [AGREE] or [DISAGREE], which may end with a proposal
	FormatPersona  Format = "persona"  // {"role": "...", "description": "..."}
	FormatActs     Format = "acts"     // Annotate: {"acts": [...]}, the dialogue acts of a message
	FormatDistance Format = "distance" // Annotate: {"distance": ...}, of a round's messages from the round before
)

// IsText reports whether answers of the format are free text; the others are one JSON object.
func (f Format) IsText() bool {
	return f == FormatText || f == FormatAnswer || f == FormatReply
}

// Candidate is one proposal that can be voted for. Equal proposals are one candidate.
type Candidate struct {
	Key      string // identity of the proposal
	Entry    int    // the earliest present entry that has its text
	Agents   []int  // agents whose latest proposal it is
	Standing bool   // whether it is the group's present decision
}

// Payload is what a step is about; which fields count depends on Kind and Format.
type Payload struct {
	Format     Format
	Prompt     string      // name of the prompt template; the phase's name if empty
	Candidates []Candidate // ballots and decisions
	MaxText    int         // length at which a message is cut; 0 means no limit
	Reasoned   bool        // the answer explains itself: a plan or a decision to others, a message to its author
	Required   bool        // null is not offered in place of a proposal, as there is none yet that could remain
	Standing   int         // entry of the standing decision; -1 if none
	Ballot     BallotSpec  // form of a ballot
	// Confidence asks how sure the speaker is of its answer; it goes into Act.Values, from 0 to 1.
	Confidence bool
	// Bare asks for an answer without reasons.
	Bare       bool
	Ballots    []Range  // Decide: the entries that hold the ballots
	Electorate int      // Decide: how many may vote; 0 is all agents
	Ties       TieBreak // Decide: what is done with several winners
	Data       any      // Env: an envs.Cue or nothing; else parameters of the protocol's own, JSON-encodable; []float64 of an Ask are weights by agent
}

// TieBreak says what a decision does with several winners. It is a factor of the experiment: a
// rule itself never breaks ties.
type TieBreak string

const (
	TiesKeep    TieBreak = "keep"    // none is selected, the standing decision stays
	TiesFirst   TieBreak = "first"   // the earliest candidate
	TiesLottery TieBreak = "lottery" // a seeded draw
	TiesSettle  TieBreak = "settle"  // the first of all candidates, even if none has won: there is no later vote
)

// Step is an entry that can be made now.
type Step struct {
	Kind     Kind
	Speaker  Speaker
	Round    int // from 1
	Phase    string
	Sees     []Range // earlier entries in the order in which the speaker sees them
	Audience Audience
	Payload  Payload
}

// Status is the status of an act.
type Status string

const (
	Said      Status = "said"
	Skipped   Status = "skipped"   // chose to make no proposal
	Abstained Status = "abstained" // chose to cast no ballot
	Invalid   Status = "invalid"   // no usable answer after all re-asks: counts as an abstention
)

// Act is the compact parsed content of an entry: all that protocols, rules and stopping rules may
// use, and all that enters a workflow's history.
type Act struct {
	Status   Status    `json:"s"`
	To       []int     `json:"to,omitempty"` // addressees of a message
	Key      string    `json:"k,omitempty"`  // identity of the proposal or answer
	Tags     []string  `json:"t,omitempty"`  // agreement tags, dialogue acts
	Values   []float64 `json:"v,omitempty"`  // states, distances, the confidence in an answer
	Ballot   *Ballot   `json:"b,omitempty"`  // a ballot that was cast
	Decision *Decision `json:"d,omitempty"`  // result of a Decide step
	Weight   int       `json:"w,omitempty"`  // of an answer that counts as a vote: see Ballot.Weight
}

// Weigh sets the weight of an act as a vote: that of its ballot, if it has one.
func (a *Act) Weigh(weight int) {
	if a.Ballot != nil {
		a.Ballot.Weight = weight
		return
	}
	a.Weight = weight
}

// Weighed returns the weight that Weigh set; 0 if it is not known.
func (a Act) Weighed() int {
	if a.Ballot != nil {
		return a.Ballot.Weight
	}
	return a.Weight
}

// Decision is the result of a Decide step.
type Decision struct {
	Winners  []int  // all tied winners as indices of the step's candidates; none if the threshold was not met
	Selected int    // the candidate that was selected; -1 if none
	Standing int    // entry whose proposal stands from now on; -1 if none
	Key      string // identity of the standing proposal
}

// Entry is a step with its act.
type Entry struct {
	Index int
	Step
	Act Act
}

// Transcript is a collaboration so far.
type Transcript struct {
	Agents  int
	Entries []Entry
	// Earlier is how many of the entries are from the collaboration that this one forks: another rule
	// may have decided then.
	Earlier int
}

// Append adds a step with its act and returns the entry's index.
func (t *Transcript) Append(s Step, a Act) int {
	i := len(t.Entries)
	t.Entries = append(t.Entries, Entry{Index: i, Step: s, Act: a})
	return i
}

// Last returns the latest entry for which match holds.
func (t *Transcript) Last(match func(Entry) bool) (Entry, bool) {
	for _, v := range slices.Backward(t.Entries) {
		if match(v) {
			return v, true
		}
	}
	return Entry{}, false
}
