package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

// heavy are modules of which a build must not compile anything: all that the program needs of them is
// small. What they take of a build is in docs/decisions/README.md; CI's step build looks for what is heavy
// in modules that are needed.
var heavy = []string{
	"github.com/openai/openai-go/",
	"github.com/anthropics/anthropic-sdk-go/",
	"google.golang.org/genai/",
	"k8s.io/",
	"cloud.google.com/go/run/",
	"github.com/aws/aws-sdk-go-v2/service/bedrockagentcore/",
	"github.com/aws/aws-sdk-go-v2/service/ecs/",
	"github.com/aws/aws-sdk-go-v2/service/lambda/",
}

// The build of these tests has all that the program's has.
func TestProgramLinksNothingHeavyForNothing(t *testing.T) {
	t.Parallel()
	build, ok := debug.ReadBuildInfo()
	if !ok || len(build.Deps) < 50 {
		t.Fatal("the program does not say what it was built of")
	}
	for _, module := range build.Deps {
		for _, h := range heavy {
			if strings.HasPrefix(module.Path+"/", h) {
				t.Errorf("the program links %s", module.Path)
			}
		}
	}
}
