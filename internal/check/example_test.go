package check_test

import (
	"fmt"
	"time"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/internal/check"
)

func Example() {
	cfg := struct {
		Limit    time.Duration
		Attempts int
		Share    switchgear.Percent
	}{Attempts: -1, Share: 0.5}

	var c check.Checker
	c.Duration("Limit", &cfg.Limit, time.Second, time.Millisecond, check.MaxDuration, false)
	c.Int("Attempts", &cfg.Attempts, 3, 1, 100, true)
	c.Percent("Share", &cfg.Share, 20)
	fmt.Println(cfg.Limit)
	fmt.Println(c.Err("retry", "stock"))
	// Output:
	// 1s
	// retry "stock": invalid configuration: Attempts = -1: must be from 1 to 100, or Off; Share = 0.5: must be in percent, from 1 to 100, or Off; did you mean 50 %?
}
