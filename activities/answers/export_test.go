package answers

import "time"

// WaitLong has the first intent of a plan wait for the others however long they take.
func (a *Answers) WaitLong() { a.runs.patience = time.Hour }
