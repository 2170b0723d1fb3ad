package task

// Names under which the workflow and the activities of labels are registered.
const (
	LabelsWorkflow = "Labels"

	SurveyLabels = "SurveyLabels" // LabelPage → Unlabelled
	LabelMessage = "LabelMessage" // LabelTurn → nothing: the label is stored
	LabelTalk    = "LabelTalk"    // LabelRef → nothing: likewise, all of a collaboration at once
	RecordLabels = "RecordLabels" // LabelRef → LabelResult
)

// LabelRef names the messages of one collaboration, and who labels them.
type LabelRef struct {
	Campaign      string `json:"campaign"`
	Labeller      string `json:"labeller"` // its id
	Collaboration string `json:"collaboration"`
	Generation    int    `json:"gen,omitempty"`
}

// LabelTurn asks for the label of one message.
type LabelTurn struct {
	LabelRef
	Entry int `json:"entry"`
}

// LabelPage asks for the next collaborations whose messages are not labelled.
type LabelPage struct {
	Campaign string `json:"campaign"`
	Labeller string `json:"labeller"`
	After    string `json:"after,omitempty"` // collaboration; "" begins
	Messages int    `json:"messages"`        // about how many make a page
}

// Unlabelled is a page of collaborations.
type Unlabelled struct {
	Talks   []LabelJob `json:"talks,omitempty"`
	Next    string     `json:"next,omitempty"`  // where the next page begins; "" if there is none
	Total   int        `json:"total"`           // collaborations of the campaign that have ended
	Done    int        `json:"done"`            // of these, labelled
	Instant bool       `json:"instant"`         // labels take no time and cost nothing
	Queue   string     `json:"queue,omitempty"` // task queue of the labeller, if it has one of its own
}

// LabelJob is one collaboration with the entries that are its messages.
type LabelJob struct {
	LabelRef
	Entries []int `json:"entries,omitempty"`
}

// LabelResult is what came of the labels of one collaboration.
type LabelResult struct {
	Messages int    `json:"messages"`
	Invalid  int    `json:"invalid,omitempty"` // that have no label
	Spent    Result `json:"spent"`
}
