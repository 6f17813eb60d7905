package sgotel_test

import (
	"fmt"
	"sync"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/switchgear-go/switchgear/sgotel"
)

// Two readers collect while entries come, go and count.
func TestCollectionsUnderChurn(t *testing.T) {
	var s source
	readers := []*sdk.ManualReader{sdk.NewManualReader(), sdk.NewManualReader()}
	provider := sdk.NewMeterProvider(sdk.WithReader(readers[0]), sdk.WithReader(readers[1]))
	stop, err := sgotel.Register(provider.Meter("test"), &s, sgotel.Config{MaxNames: 5})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 400
	if testing.Short() {
		rounds = 80
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for _, r := range readers {
		wg.Go(func() {
			for {
				var data metricdata.ResourceMetrics
				if err := r.Collect(background, &data); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range rounds {
		fail(s.add(fmt.Sprint("x", i%11)), 1)
		if i > 8 {
			s.remove(i % 8)
		}
	}
	close(done)
	wg.Wait()
	equal(t, "stop", stop(), nil)
}
