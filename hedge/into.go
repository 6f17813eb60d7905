package hedge

import "time"

// BeginInto is [Hedge.Begin] for a race that lies where it is needed, such as in what
// its owner keeps about a call anyway, and is used for one call after another: it
// spares an allocation. What was in the race is forgotten, so all its attempts must
// have ended.
func (h *Hedge) BeginInto(race *Race, now time.Duration, safe bool) {
	spare := race.withdrawals[:0]
	h.begin(race, now, safe && h.possible())
	race.withdrawals = spare
}
