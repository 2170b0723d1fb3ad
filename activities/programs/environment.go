package programs

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// PassEnv names further variables that programs are given, with commas between.
const PassEnv = "ROUNDTABLE_PROGRAMS_ENV"

// passed matches the names of the variables that a program is given: what says where things are
// and how to write them. Whatever else is set, keys under any name among it, is none of its business:
// a program of a campaign is shown texts of models, and pays for nothing.
var passed = regexp.MustCompile(`^(PATH|HOME|USER|LOGNAME|SHELL|PWD|TERM|NO_COLOR|TZ|LANG|LANGUAGE|LC_[A-Z]+|TMPDIR|TMP|TEMP|SYSTEMROOT|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|SSL_CERT_(FILE|DIR)|` +
	`PYTHON(PATH|HOME|HASHSEED|UNBUFFERED|IOENCODING|UTF8)|VIRTUAL_ENV|CONDA_(PREFIX|DEFAULT_ENV)|NODE_PATH|JAVA_HOME|R_(HOME|LIBS|LIBS_USER|LIBS_SITE)|JULIA_(DEPOT_PATH|PROJECT)|GO(PATH|ROOT|CACHE|MODCACHE)|` +
	`(OMP|MKL|OPENBLAS)_NUM_THREADS|CUDA_VISIBLE_DEVICES)$`)

// passedOn returns the variables of an environment that a program is given.
func passedOn(environment []string) []string {
	more := strings.Split(os.Getenv(PassEnv), ",")
	for i := range more {
		more[i] = strings.TrimSpace(more[i])
	}
	return slices.DeleteFunc(slices.Clone(environment), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !passed.MatchString(name) && !slices.Contains(more, name)
	})
}
