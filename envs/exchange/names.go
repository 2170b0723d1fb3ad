package exchange

import "strconv"

// Names are short, one word each, and say nothing about preferences.
var (
	agentNames = [...]string{"Alex", "Blake", "Casey", "Drew", "Ellis", "Flynn", "Gray", "Harper", "Indigo", "Jordan",
		"Kai", "Logan", "Morgan",
		"Noel", "Oakley", "Parker", "Quinn", "Riley", "Sage", "Taylor", "Umber", "Val", "Wren", "Xen", "Yael", "Zion"}
	goodNames = [...]string{"apples", "bread", "cloth", "dates", "eggs", "flour", "grapes", "honey", "ink", "jam",
		"kale", "linen", "milk",
		"nuts", "olives", "paper", "quilts", "rice", "salt", "tea", "urns", "vinegar", "wool", "xylitol",
		"yarn", "zinc"}
)

// firstNames returns the first n names; when they run out they come again with a number.
func firstNames(names [26]string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = names[i%len(names)]
		if lap := i / len(names); lap > 0 {
			list[i] += strconv.Itoa(lap + 1)
		}
	}
	return list
}
