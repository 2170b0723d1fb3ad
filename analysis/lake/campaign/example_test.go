package campaign_test

import (
	"fmt"

	"roundtable/analysis/lake/campaign"
)

// A code book says what labels coders choose from. All that is wrong with one is said at once.
func ExampleParseBook() {
	book, err := campaign.ParseBook("stance.yaml", []byte(`
name: stance
unit: message
choice: one
labels:
  - {name: agree, definition: The speaker takes the view of somebody else.}
  - {name: object, definition: The speaker gives a reason against a view.}
`))
	fmt.Println(book.ID(), book.Names(), err)
	_, err = campaign.ParseBook("bad.yaml", []byte("name: bad\nunit: word\nlabels: []\n"))
	fmt.Println(err)
	// Output:
	// stance-574a7d0e [agree object] <nil>
	// bad.yaml, line 2: unit is "word"; expected message or collaboration
	// bad.yaml, line 3: labels is a list of 1 to 100 labels, each with a name and a definition
}
