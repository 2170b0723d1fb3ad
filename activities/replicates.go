package activities

import (
	"io/fs"
	"math"
	"slices"

	"roundtable/activities/answers"
	"roundtable/workflows/protocol"
)

// SamePrompts says whether the prompts of a condition are the same in every
// replicate as long as the answers are: nothing in them is drawn by replicate.
// Two rehearsals with the same answers show it.
func SamePrompts(p Plan, i int, data func(string) (fs.FS, error), models Models) (bool, error) {
	var asked [2][]string
	for replicate := range asked {
		c, err := rehearsal(p, i, replicate, data, models)
		if err != nil {
			return false, err
		}
		c.ref.Cell.Replicate = 0 // the protocol has drawn for the replicate, its agents draw alike
		err = c.rehearse(math.MaxInt, func(_ protocol.Pending, q question, _ answers.Turn) {
			asked[replicate] = append(asked[replicate], q.hash)
		})
		if err != nil {
			return false, err
		}
	}
	return slices.Equal(asked[0], asked[1]), nil
}
