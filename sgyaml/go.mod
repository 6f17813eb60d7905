module github.com/switchgear-go/switchgear/sgyaml

go 1.26

require (
	github.com/switchgear-go/switchgear v0.0.0
	go.yaml.in/yaml/v4 v4.0.0
)

replace github.com/switchgear-go/switchgear => ../
