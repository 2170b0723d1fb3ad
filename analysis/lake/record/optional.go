package record

// Optional returns a text for a column that has none where it is empty.
func Optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
