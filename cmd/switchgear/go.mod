module github.com/switchgear-go/switchgear/cmd/switchgear

go 1.26

require (
	github.com/switchgear-go/switchgear v0.0.0
	github.com/switchgear-go/switchgear/sim v0.0.0
	golang.org/x/term v0.42.0
)

require (
	github.com/switchgear-go/switchgear/sgyaml v0.0.0 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	golang.org/x/sys v0.43.0 // indirect
)

replace (
	github.com/switchgear-go/switchgear => ../..
	github.com/switchgear-go/switchgear/sgyaml => ../../sgyaml
	github.com/switchgear-go/switchgear/sim => ../../sim
)
