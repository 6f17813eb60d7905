module github.com/switchgear-go/switchgear/sim

go 1.26

require github.com/switchgear-go/switchgear v0.0.0

replace github.com/switchgear-go/switchgear => ../
