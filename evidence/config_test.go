package evidence

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/switchgear-go/switchgear"
)

func TestDefaults(t *testing.T) {
	t.Run("Z1: a zero field means its default", func(t *testing.T) {
		want := Config{Healthy: 0.01, Sick: 0.30, CallsPerFalseTrip: 1e8, Burst: 1.1, Memory: 30 * time.Minute}
		equal(t, "failures", Config{}.WithDefaults(), want)
		want.Healthy, want.Sick = 0.05, 0.50
		equal(t, "slow calls", Config{}.WithSlowDefaults(), want)
	})
	t.Run("Z1: the rise window has a default only where there is a rise limit", func(t *testing.T) {
		equal(t, "without", Config{}.WithDefaults().MaxRiseWindow, 0)
		equal(t, "with", Config{MaxRise: 2}.WithDefaults().MaxRiseWindow, 50*time.Millisecond)
	})
	t.Run("Z1: a given field stays, off too", func(t *testing.T) {
		given := Config{Healthy: 0.02, Sick: 0.4, CallsPerFalseTrip: 1e6, Burst: 1, Memory: switchgear.Off, MaxRise: 3, MaxRiseWindow: time.Second}
		equal(t, "failures", given.WithDefaults(), given)
		equal(t, "slow calls", given.WithSlowDefaults(), given)
	})
	t.Run("T6: both sets of defaults are valid and without warnings", func(t *testing.T) {
		for _, c := range []Config{{}, Config{}.WithSlowDefaults(), {MaxRise: 2}, {Memory: switchgear.Off}} {
			equal(t, fmt.Sprintf("problems of %+v", c), len(c.Problems("")), 0)
			equal(t, fmt.Sprintf("warnings of %+v", c), len(c.Warnings("")), 0)
		}
	})
}

func TestProblems(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		cfg  Config
		want string // the first problem
	}{
		{Config{Healthy: -0.1}, "E.Healthy = -0.1: must be at least 1e-09 and below 1"},
		{Config{Healthy: 1}, "E.Healthy = 1: must be at least 1e-09 and below 1"},
		{Config{Healthy: 1e-10}, "E.Healthy = 1e-10: must be at least 1e-09 and below 1"},
		{Config{Healthy: nan}, "E.Healthy = NaN: must be at least 1e-09 and below 1"},
		{Config{Healthy: inf}, "E.Healthy = +Inf: must be at least 1e-09 and below 1"},
		{Config{Healthy: 0.4}, "E.Sick = 0.3: must be above Healthy (0.4) and below 1"},
		{Config{Sick: 0.005}, "E.Sick = 0.005: must be above Healthy (0.01) and below 1"},
		{Config{Sick: 0.01}, "E.Sick = 0.01: must be above Healthy (0.01) and below 1"},
		{Config{Sick: 1}, "E.Sick = 1: must be above Healthy (0.01) and below 1"},
		{Config{Sick: 30}, "E.Sick = 30: must be above Healthy (0.01) and below 1"},
		{Config{Sick: nan}, "E.Sick = NaN: must be above Healthy (0.01) and below 1"},
		{Config{Sick: -inf}, "E.Sick = -Inf: must be above Healthy (0.01) and below 1"},
		{Config{CallsPerFalseTrip: 0.5}, "E.CallsPerFalseTrip = 0.5: must be from 1 to 1e+15"},
		{Config{CallsPerFalseTrip: 2e15}, "E.CallsPerFalseTrip = 2e+15: must be from 1 to 1e+15"},
		{Config{CallsPerFalseTrip: -1}, "E.CallsPerFalseTrip = -1: must be from 1 to 1e+15"},
		{Config{CallsPerFalseTrip: nan}, "E.CallsPerFalseTrip = NaN: must be from 1 to 1e+15"},
		{Config{CallsPerFalseTrip: inf}, "E.CallsPerFalseTrip = +Inf: must be from 1 to 1e+15"},
		{Config{Burst: 0.9}, "E.Burst = 0.9: must be from 1 to 4"},
		{Config{Burst: 4.1}, "E.Burst = 4.1: must be from 1 to 4"},
		{Config{Burst: nan}, "E.Burst = NaN: must be from 1 to 4"},
		{Config{Burst: inf}, "E.Burst = +Inf: must be from 1 to 4"},
		{Config{Healthy: 0.5, Sick: 0.9}, "E.Healthy = 0.5: must be below 0.5"},
		{Config{Healthy: 0.4, Sick: 0.45}, "E.Sick = 0.45: must be so far above Healthy (0.4) that 1/(m+1) = 0.5 lies between them, m = 1 being the points per bad outcome"},
		{Config{Healthy: 0.35, Sick: 0.4}, "E.Sick = 0.4: must be so far above Healthy (0.35) that 1/(m+1) = 0.3333 lies between them, m = 2 being the points per bad outcome"},
		{Config{Healthy: 0.001, Sick: 0.00102}, "E.Sick = 0.00102: must be so far above Healthy (0.001) that the threshold stays within 100000 points"},
		{Config{Healthy: 0.001, Sick: 0.002, Burst: 4, CallsPerFalseTrip: 1e15}, "E.Burst = 4: must be so close to 1 that the threshold stays within 100000 points"},
		{Config{Memory: -1}, "E.Memory = -1ns: must be off or at least 79ns, a nanosecond per point of the threshold"},
		{Config{Memory: 78}, "E.Memory = 78ns: must be off or at least 79ns, a nanosecond per point of the threshold"},
		{Config{MaxRise: -1}, "E.MaxRise = -1: must be 0 (no limit) or more"},
		{Config{MaxRise: switchgear.Off}, "E.MaxRise = -2147483648: must be 0 (no limit) or more"},
		{Config{MaxRiseWindow: time.Second}, "E.MaxRiseWindow = 1s: must be 0 unless MaxRise is given"},
		{Config{MaxRise: 1, MaxRiseWindow: -1}, "E.MaxRiseWindow = -1ns: must be above 0"},
		{Config{MaxRise: 1, MaxRiseWindow: switchgear.Off}, "E.MaxRiseWindow = -2.147483648s: must be above 0"},
	} {
		found := c.cfg.Problems("E")
		if len(found) == 0 {
			t.Errorf("%+v was accepted, want %s", c.cfg, c.want)
			continue
		}
		equal(t, fmt.Sprintf("%+v", c.cfg), found[0].String(), c.want)
		if test, err := NewTest(c.cfg, 1); err == nil || test != nil {
			t.Errorf("NewTest accepted %+v", c.cfg)
		}
	}

	t.Run("the least that is allowed", func(t *testing.T) {
		for _, c := range []Config{
			{Healthy: 1e-9}, {CallsPerFalseTrip: 1}, {CallsPerFalseTrip: 1e15}, {Burst: 4}, {Memory: 79},
			{MaxRise: math.MaxInt, MaxRiseWindow: 1}, {Healthy: 0.49, Sick: 0.99},
			{Healthy: 1e-9, Sick: 2e-9, Burst: 1, CallsPerFalseTrip: 4e8},
		} {
			equal(t, fmt.Sprintf("%+v", c), fmt.Sprint(c.Problems("")), "[]")
		}
	})
	t.Run("every problem at once, in the order of the fields", func(t *testing.T) {
		var paths []string
		for _, p := range (Config{Healthy: 7, CallsPerFalseTrip: -1, Burst: nan, Memory: -1, MaxRise: -1, MaxRiseWindow: -1}).Problems("") {
			paths = append(paths, p.Path)
		}
		equal(t, "paths", strings.Join(paths, " "), "Healthy CallsPerFalseTrip Burst Memory MaxRise MaxRiseWindow")
	})
	t.Run("slow calls are judged by their own defaults", func(t *testing.T) {
		found := Config{Healthy: 0.6}.WithSlowDefaults().Problems("")
		equal(t, "problems", fmt.Sprint(found), "[Sick = 0.5: must be above Healthy (0.6) and below 1]")
	})
}

func TestWarnings(t *testing.T) {
	equal(t, "close", fmt.Sprint(Config{Healthy: 0.1, Sick: 0.19}.Warnings("Evidence")),
		"[Evidence.Sick = 0.19: is less than twice Healthy (0.1): it will take very many calls to trip]")
	equal(t, "twice", len(Config{Healthy: 0.1, Sick: 0.2}.Warnings("")), 0)
	equal(t, "a default counts", len(Config{Healthy: 0.2}.Warnings("")), 1)
}

// The package imports nothing of the project, yet must speak its language.
func TestAgreesWithRootPackage(t *testing.T) {
	equal(t, "off", off, switchgear.Off)
	p := Problem{"Evidence.Burst", 9.0, "must be from 1 to 4"}
	equal(t, "problem", switchgear.Problem(p).String(), p.String())
}

func TestCallsPerFalseTrip(t *testing.T) {
	near(t, "30 days at 100/s", CallsPerFalseTrip(30*24*time.Hour, 100), 2.592e8, 1e-12)
}
