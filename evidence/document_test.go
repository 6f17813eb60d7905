package evidence

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// figure rounds a number and writes it as the document does: 383, 15500, 1.12e8.
func figure(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'g', digits, 64)
	if rounded, _ := strconv.ParseFloat(s, 64); rounded >= 1e-4 && rounded < 1e6 {
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(s)
}

// TestDocument computes the tables of the specification and looks for them in
// it, row by row.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/spec/evidence-rule.md")
	if err != nil {
		t.Fatal(err)
	}
	// Lines of prose break anywhere.
	document := strings.Join(strings.Fields(string(text)), " ")
	says := func(format string, args ...any) {
		t.Helper()
		if want := fmt.Sprintf(format, args...); !strings.Contains(document, want) {
			t.Errorf("T6: the document does not say %q", want)
		}
	}
	row := func(name string, rates []float64, digits int, value func(rate float64) float64) string {
		cells := []string{name}
		for _, rate := range rates {
			cells = append(cells, figure(value(rate), digits))
		}
		return "| " + strings.Join(cells, " | ") + " |"
	}

	defaults := mustTest(t, Config{}, 1)
	independent := mustTest(t, Config{Burst: 1}, 1)
	onset := []float64{0.10, 0.15, 0.20, 0.30, 0.40, 0.50, 0.75, 1}

	says("%s %s in bursts, %s if independent |",
		row(fmt.Sprintf("defaults (m %d, H %d)", defaults.Points(), defaults.Threshold()), onset, 3, defaults.CallsToTrip),
		figure(defaults.FalseTripCalls(0.01), 3), figure(defaults.CallsToTrip(0.01), 3))
	says("%s %s |",
		row(fmt.Sprintf("burst 1 (m %d, H %d)", independent.Points(), independent.Threshold()), onset, 3, independent.CallsToTrip),
		figure(independent.FalseTripCalls(0.01), 3))
	inARow := func(rate float64) float64 {
		sum := 0.0
		for k := 1.0; k <= 5; k++ {
			sum += math.Pow(rate, -k)
		}
		return sum
	}
	says("%s %s |", row("5 failures in a row", onset, 3, inARow), figure(inARow(0.01), 3))

	healthy := []float64{0.005, 0.01, 0.015, 0.02, 0.03, 0.05}
	says("%s", row("in bursts as configured", healthy, 2, defaults.FalseTripCalls))
	says("%s", row("independent", healthy, 2, defaults.CallsToTrip))

	for _, mean := range []float64{1e6, 1e8, 1e10, 1e12} {
		cells := []string{figure(mean, 2)}
		for _, callsPerSecond := range []float64{1, 10, 100, 1000} {
			cells = append(cells, figure(100*dailyChance(mean, callsPerSecond), 2)+" %")
		}
		says("| %s |", strings.Join(cells, " | "))
	}

	cfg := defaults.Config()
	kl := cfg.Sick*math.Log(cfg.Sick/cfg.Healthy) + (1-cfg.Sick)*math.Log((1-cfg.Sick)/(1-cfg.Healthy))
	says("is %.3f nats with the defaults: %.0f calls", kl, math.Ln10/kl)
	price := func(burst float64) float64 {
		dear := mustTest(t, Config{Burst: burst, CallsPerFalseTrip: 1e9}, 1)
		return dear.CallsToTrip(0.30) - mustTest(t, Config{Burst: burst}, 1).CallsToTrip(0.30)
	}
	near(t, "T6: price of a tenth of the false trips", price(1), math.Ln10/kl, 0.02)
	says("With burst 1.1 it is %.0f.", price(1.1))

	failures, slow := mustTest(t, Config{}, 2), mustTest(t, Config{}.WithSlowDefaults(), 2)
	says("failures m = %d, H = %d; slow calls m = %d, H = %d, which takes %.0f calls if all are slow, %.0f at 50 %% and %.0f at 30 %%",
		failures.Points(), failures.Threshold(), slow.Points(), slow.Threshold(),
		slow.CallsToTrip(1), slow.CallsToTrip(0.5), slow.CallsToTrip(0.3))

	says("With the defaults `m` = %d and `H` = %d.", defaults.Points(), defaults.Threshold())
	says("1/(m+1) = %.1f %%", 100/float64(defaults.Points()+1))
	says("is %s calls (`evidence.CallsPerFalseTrip`)", figure(CallsPerFalseTrip(30*24*3600e9, 100), 4))
	says("`H` would be above %s", "100 000")
}
