module roundtable/ci/mutation

go 1.26
