module github.com/switchgear-go/switchgear/internal/proof

go 1.26

require (
	github.com/switchgear-go/switchgear v0.0.0
	pgregory.net/rapid v1.3.0
)

require github.com/anishathalye/porcupine v1.3.1

replace github.com/switchgear-go/switchgear => ../..
