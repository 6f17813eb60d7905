module github.com/switchgear-go/switchgear/cmd/switchgear

go 1.26

require (
	github.com/switchgear-go/switchgear v0.0.0
	github.com/switchgear-go/switchgear/sim v0.0.0
)

replace (
	github.com/switchgear-go/switchgear => ../..
	github.com/switchgear-go/switchgear/sim => ../../sim
)
