package activities_test

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they compute
		panic(err)
	}
	os.Exit(m.Run())
}
