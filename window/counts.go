package window

// Counts says how many of the outcomes in a window were of which kind. A slow
// failure counts as both failed and slow (rule C3), so that Calls is not the sum of
// the others. A window never shows a negative number.
type Counts struct {
	Calls      int64 `json:"calls"`       // all outcomes
	Failed     int64 `json:"failed"`      // failures, slow or not
	Slow       int64 `json:"slow"`        // slow outcomes, failed or not
	SlowFailed int64 `json:"slow_failed"` // outcomes that were both
}

// consistent reports whether there is a list of outcomes that has these counts.
func (c Counts) consistent() bool {
	return 0 <= c.SlowFailed && c.SlowFailed <= c.Failed && c.SlowFailed <= c.Slow &&
		c.Failed <= c.Calls && c.Slow-c.SlowFailed <= c.Calls-c.Failed
}

// most is how many outcomes a Time window accepts by the lump. It leaves so much of
// an int64 that single ones never overflow it.
const most = 1 << 62

// fits reports whether other can be added to c without going beyond most. Looking at
// Calls will do, since no other count is larger.
func (c Counts) fits(other Counts) bool { return other.Calls <= most-c.Calls }

func (c *Counts) add(other Counts) {
	c.Calls += other.Calls
	c.Failed += other.Failed
	c.Slow += other.Slow
	c.SlowFailed += other.SlowFailed
}

func (c *Counts) subtract(other Counts) {
	c.Calls -= other.Calls
	c.Failed -= other.Failed
	c.Slow -= other.Slow
	c.SlowFailed -= other.SlowFailed
}
