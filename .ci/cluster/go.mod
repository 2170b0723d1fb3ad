// The tests of a whole cluster are a module of their own, because they need
// servers that `go test ./...` must do without. They need no other module.
module roundtable/.ci/cluster

go 1.26
