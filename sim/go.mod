module github.com/switchgear-go/switchgear/sim

go 1.26

require (
	github.com/switchgear-go/switchgear v0.0.0
	github.com/switchgear-go/switchgear/sgyaml v0.0.0
)

require go.yaml.in/yaml/v4 v4.0.0 // indirect

replace (
	github.com/switchgear-go/switchgear => ../
	github.com/switchgear-go/switchgear/sgyaml => ../sgyaml
)
