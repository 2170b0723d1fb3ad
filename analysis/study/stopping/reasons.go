package stopping

import "strings"

// reasons are what is to be noted, once for all conditions that it is about.
type reasons struct {
	order []string
	about map[string][]string
}

func (r *reasons) add(reason, condition string) {
	if r.about == nil {
		r.about = map[string][]string{}
	}
	if r.about[reason] == nil {
		r.order = append(r.order, reason)
	}
	r.about[reason] = append(r.about[reason], condition)
}

// explainReasons name the conditions, unless it is all of them.
func (r *reasons) explainReasons(conditions int) []string {
	var list []string
	for _, reason := range r.order {
		where := ""
		if about := r.about[reason]; len(about) < conditions {
			where = " (" + strings.Join(about, ", ") + ")"
		}
		list = append(list, reason+where+".")
	}
	return list
}
