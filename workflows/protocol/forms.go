package protocol

import (
	"encoding/json"
	"fmt"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// eitherForm reads a parameter that is written in short (a word, a number), or
// as a mapping, in which unknown keys are errors.
func eitherForm(data []byte, short, whole any) error {
	if json.Unmarshal(data, short) == nil {
		return nil
	}
	return envs.DecodeStrict(data)(whole)
}

func checkTies(t transcript.TieBreak) error {
	switch t {
	case transcript.TiesKeep, transcript.TiesFirst, transcript.TiesLottery:
		return nil
	}
	return fmt.Errorf("ties is %q; expected keep, first or lottery", t)
}
