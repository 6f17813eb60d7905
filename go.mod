module github.com/switchgear-go/switchgear

go 1.26
