package model

// Moded is a Model that can ask for JSON in several ways: in its words alone, with a
// schema, or as its service has it.
type Moded interface {
	// ModeOf returns how a request is sent now.
	ModeOf(Request) string
}

// SchemaMode is the mode in which the request's schema is sent.
const SchemaMode = "schema"

// ModeOf returns how the model is sent a request now; empty if it always sends it in one way.
func (p Provider) ModeOf(r Request) string {
	if m, ok := p.Model.(Moded); ok {
		return m.ModeOf(r)
	}
	return ""
}
