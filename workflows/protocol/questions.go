package protocol

import (
	"io/fs"

	"roundtable/workflows/transcript"
)

// Reasoning is how agents are asked about a question: in the words that all protocols
// share, so that these are compared and not their words, or in a protocol's own.
type Reasoning string

// Values of Reasoning. The zero value means ReasoningPaper.
const (
	ReasoningFirst Reasoning = "first" // reasons, then the answer
	ReasoningNone  Reasoning = "none"  // the answer alone
	ReasoningPaper Reasoning = "paper" // as each protocol's own prompts have it
)

// QuestionPrompts returns the templates that replace a protocol's own where questions are asked
// in the words that all protocols share; nil if it has none. Later folders override earlier ones.
func QuestionPrompts(protocol string) []fs.FS {
	own, err := fs.Sub(Prompts, "prompts/questions/"+protocol)
	if err != nil {
		return nil
	}
	//workflowcheck:ignore the folder is embedded
	if _, err := fs.Stat(own, "."); err != nil {
		return nil
	}
	shared, err := fs.Sub(Prompts, "prompts/questions/all")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return []fs.FS{shared, own}
}

// withReasons returns a step as it is asked: with reasons or without, if the setting says so.
func (s Setting) withReasons(step transcript.Step) transcript.Step {
	if step.Kind == transcript.Ask {
		switch s.Reasoning {
		case ReasoningFirst:
			step.Payload.Bare = false
		case ReasoningNone:
			step.Payload.Bare = true
		}
	}
	return step
}
