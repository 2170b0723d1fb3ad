package money

// IsOver is isOver.
var IsOver = isOver
