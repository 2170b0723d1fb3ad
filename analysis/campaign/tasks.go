package campaign

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Tasks are the names of what conditions are about, by environment and data file.
type Tasks map[[2]string]string

// TaskNames names the tasks of conditions so that people recognize them: by the
// format where it is that of one data set (math500), else by the file (orders),
// with its format or folder where the file's name says nothing (test, dev).
// Conditions without a file are named by their environment.
func TaskNames(groups []Group) Tasks {
	files := map[string][]string{} // by format
	for _, g := range groups {
		file, format := g.Settings["env.file"], g.Settings["env.format"]
		if !slices.Contains(files[format], file) {
			files[format] = append(files[format], file)
		}
	}
	t := Tasks{}
	for _, g := range groups {
		file, format := g.Settings["env.file"], g.Settings["env.format"]
		base := strings.TrimSuffix(path.Base(file), path.Ext(file))
		own := !slices.Contains([]string{"", "bbh", "csv", "jsonl"}, format) // the format is that of one data set
		vague := slices.Contains([]string{"test", "train", "dev", "val", "valid", "validation", "data", "questions", "all"}, strings.ToLower(base))
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
		t[[2]string{g.Settings["env"], file}] = name
	}
	return t
}

// Of a condition; the label that the campaign's file gives it comes first.
func (t Tasks) Of(g Group) string {
	return cmp.Or(g.Labels["env"], g.Labels["env.file"], t[[2]string{g.Settings["env"], g.Settings["env.file"]}])
}

// BeyondTasks returns the settings that distinguish conditions, apart from what they are
// about: one of the environment that only follows the task, such as the number
// of questions that a data set has, does not.
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
