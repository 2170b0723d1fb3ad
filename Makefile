# make release builds the program for every platform and packs dist/: archives, Debian and RPM
# packages, Python wheels, bills of materials, checksums. The same commit gives the same bytes.
# Without cgo: no C compiler for another system is needed, and one program for Linux serves glibc
# and musl; DuckDB is one found beside it (docs/guides/sql.md), and ONNX Runtime is left out.
# `roundtable version` tells the commit: Go records it in the binary.
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
VERSION = 0.1.0
FORMATS = archive,wheel,deb,rpm
DIST = $(CURDIR)/dist

.PHONY: build test check fuzz seeds kills cluster limits release module image manifests sbom upgrade-fixture $(PLATFORMS)

build:
	go build -o roundtable ./cmd/roundtable

test:
	go test ./...

check:
	bash .ci/run

# make fuzz TIME=1h runs every Fuzz function for an hour, one after another.
TIME = 3m
fuzz:
	bash .ci/fuzz $(TIME)

# make seeds SEEDS=1000000 plays campaigns under all faults on all processors; pieces that
# have passed are in dist/seeds.txt, and the same commit does not play them again.
SEEDS = 10000
seeds:
	mkdir -p dist
	bash .ci/seeds $(SEEDS) dist/seeds.txt

# make kills N=1000 kills every command that writes at random moments, also in batches, and at every
# durable write; with ROUNDTABLE_S3_SERVER (docs/guides/s3.md) on a bucket as well.
N = 1000
kills:
	go test ./cmd/roundtable -count=1 -run 'TestRandomKills|TestAimedKills|TestBatchKills' -v -timeout 6h -kills $(N)

# make cluster kills every part of a cluster in turn, with 200 collaborations and outages
# of half a minute; .ci/run cluster builds what it needs.
cluster:
	ROUNDTABLE_CLUSTER=-long bash .ci/run cluster

# make limits runs campaigns of the sizes that docs/reliability.md states, and of the sizes at
# which what was planted is found.
limits:
	go test ./cmd/roundtable -count=1 -run 'TestPlanMillion|TestManyCells|TestManyCampaigns|TestReplicate|TestWorthIsRecovered|TestPlayedEffectsAreFound' -v -timeout 3h -long -limits
	go test ./activities/prompt -count=1 -run TestOrdersAreRecovered -v -orders

# make upgrade-fixture NAME=0.1 keeps what this version leaves, for later ones to
# go on with; BY=/path/to/roundtable has another version make it.
upgrade-fixture:
	go test ./cmd/roundtable -count=1 -run TestMakeUpgradeFixture -v -fixture $(NAME) -by "$(BY)"

# make module MODULE=example.org/roundtable gives the module another path, everywhere: go.mod is the one
# place that says it. Plug-ins in other modules then need no replace.
module:
	go run ./.ci/module "$(MODULE)"

# make sbom writes the bill of materials of the program built here, in CycloneDX.
sbom: build
	mkdir -p dist
	cd .ci/security && go tool cyclonedx-gomod bin -json -std -version "$$(git describe --tags --always --dirty)" \
		-output "$(CURDIR)/dist/sbom.cdx.json" "$(CURDIR)/roundtable"

# make image builds the container image of infra/deploy/Dockerfile from the program of a release,
# for ARCH: amd64 or arm64.
IMAGE = roundtable:0.1
ARCH = $(shell go env GOARCH)
image: linux/$(ARCH)
	docker build --platform linux/$(ARCH) -f infra/deploy/Dockerfile -t $(IMAGE) .

# make manifests writes infra/deploy/manifests from infra/deploy/chart.
manifests:
	cd .ci/deploy && go test . -run TestManifests -update

release: $(PLATFORMS)
	cd .ci/release && go run . -dist "$(DIST)" -version $(VERSION) -time "$$(git log -1 --format=%ct)" -formats $(FORMATS) $(PLATFORMS)

$(PLATFORMS):
	mkdir -p "$(DIST)/programs"
	CGO_ENABLED=0 GOOS=$(@D) GOARCH=$(@F) go build -trimpath -ldflags="-s -w" -o "$(DIST)/programs/roundtable_$(@D)_$(@F)" ./cmd/roundtable
	cd .ci/security && go tool cyclonedx-gomod bin -json -std -noserial -notimestamp -version $(VERSION) \
		-output "$(DIST)/roundtable_$(VERSION)_$(@D)_$(@F).cdx.json" "$(DIST)/programs/roundtable_$(@D)_$(@F)"
