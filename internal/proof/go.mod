module github.com/switchgear-go/switchgear/internal/proof

go 1.26

require (
	github.com/switchgear-go/switchgear v0.0.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/cenkalti/backoff/v5 v5.0.3
	golang.org/x/sync v0.22.0
	golang.org/x/time v0.15.0
)

replace github.com/switchgear-go/switchgear => ../..
