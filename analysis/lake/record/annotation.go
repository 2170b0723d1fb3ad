package record

import "roundtable/workflows/stopping"

// Acts are the dialogue acts of paper 1 (appendix D.5) in its order, and
// Others for a message that does none of them.
var Acts = stopping.ActNames

// Labels is the name of the table of labels. It is not part of a collaboration's
// commit: messages are labelled later, as often as there are labellers.
const Labels = "labels"

// Features is the name of the table of what is measured of messages, as often
// as there are embedders and rules.
const Features = "features"

// Gold is the name of the table of labels that people gave by hand to messages
// that were drawn for it.
const Gold = "gold"

// Annotations names the tables that are added to collaborations after they ended.
var Annotations = [...]string{Labels, Features, Gold}

// Label is what one message does, as one labeller sees it. Key: labeller, collaboration_id, generation, entry.
type Label struct {
	Key
	Labeller      string   `parquet:"labeller,dict"`            // id of model, settings and prompt: lake/_campaigns/<campaign>/labellers/<labeller>.json
	Model         string   `parquet:"model,dict"`               // provider/model
	Entry         int32    `parquet:"entry"`                    // the message's turn; -1 for a whole collaboration
	Round         int32    `parquet:"round"`                    // of the message, from 1; 0 for a whole collaboration
	Agent         int32    `parquet:"agent"`                    // who said it, from 0; -1 for a whole collaboration
	Status        string   `parquet:"status,dict"`              // labelled or invalid
	InvalidReason *string  `parquet:"invalid_reason"`           // as in turns
	Inform        bool     `parquet:"inform"`                   // shares something new; an invalid label has no act
	Request       bool     `parquet:"request"`                  // asks for something unknown to the speaker
	Confirm       bool     `parquet:"confirm"`                  // asks whether something shared is so
	Summarize     bool     `parquet:"summarize"`                // brings the main points together
	Evaluate      bool     `parquet:"evaluate"`                 // judges, or gives an opinion
	Propose       bool     `parquet:"propose"`                  // brings in a new solution
	Compromise    bool     `parquet:"compromise"`               // offers a solution between the wishes of several
	Defend        bool     `parquet:"defend"`                   // keeps to a doubted solution
	Accept        bool     `parquet:"accept"`                   // agrees
	Decline       bool     `parquet:"decline"`                  // refuses or disagrees
	Others        bool     `parquet:"others"`                   // does something else
	CodeBook      *string  `parquet:"code_book,dict"`           // id of the code book, if not acts; then all act columns are false
	LabelsJSON    *string  `parquet:"labels_json"`              // its labels, as a JSON list
	Asks          int32    `parquet:"asks"`                     // prompts sent, re-asks included
	PromptHash    string   `parquet:"prompt_hash"`              // as in turns
	AnswerHash    string   `parquet:"answer_hash"`              // SHA-256 of the last raw answer
	Simulated     bool     `parquet:"simulated"`                // labelled by rules
	InputTokens   int64    `parquet:"input_tokens" digest:"-"`  // of billed calls
	OutputTokens  int64    `parquet:"output_tokens" digest:"-"` // likewise
	CostUSD       *float64 `parquet:"cost_usd" digest:"-"`      // of billed calls; absent if a price is unknown
}

// Labelled is the status of a message whose label could be read.
const Labelled = "labelled"

// actColumns returns the columns of Acts, in their order.
func (l *Label) actColumns() [len(Acts)]*bool {
	return [...]*bool{&l.Inform, &l.Request, &l.Confirm, &l.Summarize, &l.Evaluate, &l.Propose, &l.Compromise, &l.Defend, &l.Accept, &l.Decline, &l.Others}
}

// Show marks the acts that the message shows; names that are none are passed over.
func (l *Label) Show(acts ...string) {
	for i, column := range l.actColumns() {
		for _, act := range acts {
			*column = *column || act == Acts[i]
		}
	}
}

// Shown returns the acts that the message shows, in order.
func (l Label) Shown() []string {
	var shown []string
	for i, column := range l.actColumns() {
		if *column {
			shown = append(shown, Acts[i])
		}
	}
	return shown
}

// Table returns the table's name.
func (Label) Table() string { return Labels }

func (l Label) sortKey() [3]int64 { return [3]int64{int64(l.Entry)} }

// Feature is what is measured of one message. Key: embedder, rule, collaboration_id, generation, entry.
type Feature struct {
	Key
	Embedder  string   `parquet:"embedder,dict"`       // distances of different embedders are not comparable
	Rule      string   `parquet:"rule,dict"`           // counts sentences and syllables: portable or textstat
	Entry     int32    `parquet:"entry"`               // the message's turn
	Round     int32    `parquet:"round"`               // of the message, from 1
	Agent     int32    `parquet:"agent"`               // who said it, from 0
	Simulated bool     `parquet:"simulated"`           // said by a scripted agent
	TextHash  string   `parquet:"text_hash"`           // SHA-256 of the message
	Words     int32    `parquet:"words"`               // separated by spaces, with a letter or digit; Unicode segments in scripts without spaces
	Sentences int32    `parquet:"sentences"`           // by the rule
	Syllables int32    `parquet:"syllables"`           // by the rule
	Grade     *float64 `parquet:"grade"`               // Flesch-Kincaid grade level; 0 without words, absent where messages are not English
	Distance  *float64 `parquet:"distance" digest:"-"` // 1 - cosine with the mean of the round before; absent in round 1, after a round without messages, and for texts without a direction
}

// Table returns the table's name.
func (Feature) Table() string { return Features }

func (f Feature) sortKey() [3]int64 { return [3]int64{int64(f.Entry)} }

// GoldLabel is one coder's labels of one message, or collaboration, that was drawn. Key: code_book, coder, draw, collaboration_id, generation, entry.
type GoldLabel struct {
	Key
	CodeBook string `parquet:"code_book,dict"` // id of a code book
	Coder    string `parquet:"coder,dict"`     // who coded it; adjudicated replaces all
	Draw     int32  `parquet:"draw"`           // from 1: lake/_campaigns/<campaign>/gold/<code_book>/draw-<draw>.json
	Entry    int32  `parquet:"entry"`          // the message's turn; -1 for a whole collaboration
	Round    int32  `parquet:"round"`          // of the message, from 1; 0 for a whole collaboration
	Agent    int32  `parquet:"agent"`          // who said it, from 0; -1 for a whole collaboration
	Labels   string `parquet:"labels_json"`    // a JSON list
	TextHash string `parquet:"text_hash"`      // SHA-256 of what was coded
}

// Table returns the table's name.
func (GoldLabel) Table() string { return Gold }

func (g GoldLabel) sortKey() [3]int64 { return [3]int64{int64(g.Entry)} }

// SortedAnnotations returns a copy of what one labeller or embedder says of one
// generation of a collaboration, by entry. It fails if a message has two rows,
// or if they are not all of the same collaboration.
func SortedAnnotations[T Row](rows []T) ([]T, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	return sortRows(rows[0].Identity(), rows)
}

// IsMessage reports whether a turn is something that an agent said to others: what
// is labelled and measured.
func (t Turn) IsMessage() bool {
	return t.Kind == "ask" && t.Role == "" && (t.Format == "message" || t.Format == "text") && t.Status == "said" && t.Agent != nil && t.Text != nil
}
