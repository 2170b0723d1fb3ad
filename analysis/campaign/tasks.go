package campaign

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// Tasks are the names of tasks, by environment and data file.
type Tasks map[[2]string]string

// TaskNames returns names for the tasks of groups that people recognize: the format if it is that
// of one data set (math500), else the file (orders), with its format or folder if the file's name
// says nothing (test, dev). Conditions without a file are named by their environment.
func TaskNames(groups []Group) Tasks {
	files := map[string][]string{} // by format
	for _, g := range groups {
		file, format := g.Settings["env.file"], g.Settings["env.format"]
		if !slices.Contains(files[format], file) {
			files[format] = append(files[format], file)
		}
	}
	t := Tasks{}
	labels := map[[2]string][]string{}
	for _, g := range groups {
		file, format := g.Settings["env.file"], g.Settings["env.format"]
		base := strings.TrimSuffix(path.Base(file), path.Ext(file))
		own := !slices.Contains([]string{"", "bbh", "csv", "jsonl"}, format) // the format is that of one data set
		vague := slices.Contains([]string{"test", "train", "dev", "val", "valid", "validation", "data", "questions",
			"all"}, strings.ToLower(base))
		name := base
		switch folder := path.Base(path.Dir(file)); {
		case file == "":
			name = g.Settings["env"]
		case own && len(files[format]) == 1:
			name = format
		case own:
			name = format + " " + base
		case vague && folder != "." && folder != "/":
			name = folder + " " + base
		}
		at := taskOf(g)
		t[at] = name
		if label := cmp.Or(g.Labels["env"], g.Labels["env.file"]); !slices.Contains(labels[at], label) {
			labels[at] = append(labels[at], label)
		}
	}
	for at, list := range labels { // the same label on all conditions of a task, and on no other's
		label := list[0]
		shared := slices.ContainsFunc(slices.Collect(maps.Keys(labels)),
			func(other [2]string) bool { return other != at && slices.Contains(labels[other], label) })
		if len(list) == 1 && label != "" && !shared {
			t[at] = label
		}
	}
	return t
}

// taskOf returns what a condition is about.
func taskOf(g Group) [2]string { return [2]string{g.Settings["env"], g.Settings["env.file"]} }

// Of returns the name of a group's task: the campaign file's label, if that belongs to one task
// only, else the name in t.
func (t Tasks) Of(g Group) string { return t[taskOf(g)] }

// BeyondTasks returns the settings that distinguish conditions, without named, the task, and
// settings of the environment that follow from the task, such as the number of questions in a data
// set.
func (v View) BeyondTasks(names Tasks, named ...string) []string {
	return slices.DeleteFunc(v.Varying(), func(key string) bool {
		if slices.Contains(named, key) {
			return true
		}
		first := map[string]string{}
		return strings.HasPrefix(key, "env.") && !slices.ContainsFunc(v.Groups, func(g Group) bool {
			task := names.Of(g)
			value, seen := first[task]
			first[task] = g.Settings[key]
			return seen && value != g.Settings[key]
		})
	})
}
