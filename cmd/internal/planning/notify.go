package planning

import (
	"errors"
	"fmt"

	"roundtable/activities/programs"
	"roundtable/workflows/plan"
)

// checkNotify returns an error if word of a campaign could not be sent from here: its
// command is not trusted, or the address is not set or not trusted. A file that is only
// looked at (dial is false) needs neither.
func checkNotify(n *plan.Notify, folder string, dial bool) error {
	if n == nil || !dial {
		return nil
	}
	var found error
	if len(n.Command) > 0 {
		if err := programs.CheckTrusted(folder, n.Command); err != nil {
			found = fmt.Errorf("notify.command: %w", err)
		}
	}
	if n.Webhook != "" || n.WebhookEnv != "" {
		_, err := programs.WebhookAddress(*n)
		found = errors.Join(found, err)
	}
	return found
}
