package window

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// W6: a window answers what a model answers that keeps every outcome and recounts.

func TestCountEqualsTheModel(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7, 63, 64, 65, 100, 127, 128, 129, 200, 1000} {
		t.Run(fmt.Sprint("W1, W6: size ", size), func(t *testing.T) {
			for seed := range uint64(12) {
				rng := rand.New(rand.NewPCG(uint64(size), seed))
				if driveCount(t, size, 300, rng.IntN); t.Failed() {
					t.Fatal("seed ", seed)
				}
			}
		})
	}
}

func TestTimeEqualsTheModel(t *testing.T) {
	for _, buckets := range []int{1, 2, 3, 10, 60, 200} {
		for _, width := range []time.Duration{1, 7, 1000} {
			t.Run(fmt.Sprint("W2, W6: buckets: ", buckets, " of ", width), func(t *testing.T) {
				for seed := range uint64(12) {
					rng := rand.New(rand.NewPCG(uint64(buckets), seed))
					if driveTime(t, width, buckets, 200, rng.IntN); t.Failed() {
						t.Fatal("seed ", seed)
					}
				}
			})
		}
	}
}

// driveCount takes a window and its model through the same steps. pick(n) chooses
// one of n.
func driveCount(t *testing.T, size, steps int, pick func(n int) int) {
	w, m := NewCount(size), &countModel{size: size}
	rarity := 2 // of what is bad; long good stretches take other paths than mixtures
	for range steps {
		switch pick(16) {
		default:
			failed, slow := pick(rarity) == 0, pick(rarity) == 0
			w.Record(0, failed, slow)
			m.Record(0, failed, slow)
		case 0, 1, 2:
			n := int64(pick(m.size+m.size/2+2) - 1)
			w.Good(0, n)
			m.Good(0, n)
		case 3:
			run := Run{N: int64(pick(m.size+2) - 1), Failed: pick(2) == 0, Slow: pick(2) == 0}
			w.Add(run)
			record(m, 0, int(max(run.N, 0)), run.Failed, run.Slow)
		case 4:
			rarity = 2 + pick(100)
		case 5:
			if pick(4) == 0 {
				w.Reset()
				m.Reset()
			}
		case 6:
			if pick(4) == 0 {
				size := 1 + pick(2*size)
				w, m = w.Resize(size), m.resize(size)
			}
		}
		if got, want := w.Counts(0), m.Counts(0); got != want {
			t.Errorf("size %d: got %+v, want %+v", m.size, got, want)
			return
		}
	}
	// The totals may be right and the order wrong: unroll what the window holds.
	var held []outcome
	for run := range w.Runs() {
		held = append(held, slices.Repeat([]outcome{{failed: run.Failed, slow: run.Slow}}, int(run.N))...)
	}
	if want := m.last(m.size); !slices.Equal(held, want) {
		t.Errorf("size %d: holds %v, want %v", m.size, held, want)
	}
}

// driveTime does the same for a Time window.
func driveTime(t *testing.T, width time.Duration, buckets, steps int, pick func(n int) int) {
	w := NewTime(width*time.Duration(buckets), buckets)
	m := &timeModel{width: width, buckets: int64(buckets)}
	// about returns a time in the region of so many bucket lengths from now.
	now := -width * time.Duration(pick(3*buckets)) // before the origin all is the same
	about := func(buckets int) time.Duration {
		return now + width*time.Duration(buckets) + time.Duration(pick(int(2*width))) - width
	}
	for range steps {
		n := int(m.buckets)
		switch pick(16) {
		default:
			now = max(now, about(pick(2)))
		case 0:
			now = about(pick(n + 1)) // perhaps slightly backwards
		case 1:
			now = about(pick(3*n + 1)) // idle
		case 2:
			now = about(-pick(2*n + 1)) // far backwards
		case 3:
			if pick(10) == 0 {
				now += time.Hour // idle for ages
			}
		case 4:
			if pick(4) == 0 {
				w.Reset()
				m.Reset()
			}
		case 5:
			if pick(4) == 0 {
				at, width := about(pick(3)-1), max(1, m.width*time.Duration(1+pick(4))/2)
				n := 1 + pick(2*n)
				w = w.Resize(at, width*time.Duration(n), n)
				m = m.resize(at, width, int64(n))
			}
		case 6:
			restored := NewTime(m.width*time.Duration(m.buckets), n)
			at := about(pick(2*n) - n)
			for start, c := range w.Buckets(at) {
				restored.Add(start, c)
			}
			w, m = restored, m.resize(at, m.width, m.buckets)
		}
		switch pick(4) {
		default:
			failed, slow := pick(3) == 0, pick(6) == 0
			w.Record(now, failed, slow)
			m.Record(now, failed, slow)
		case 0:
			n := int64(pick(10) - 1)
			w.Good(now, n)
			m.Good(now, n)
		case 1:
			// A question alone: at any time, ahead or back, without consequences.
		}
		for _, at := range []time.Duration{now, about(pick(2*n+1) - n), about(pick(3 * n)), now} {
			if got, want := w.Counts(at), m.Counts(at); got != want {
				t.Errorf("at %d, now %d: got %+v, want %+v", at, now, got, want)
				return
			}
			equal(t, "End", w.End(at), m.end(at))
		}
	}
}

// W6: after a reconfiguration the window holds what the smaller of the two held.
// Here the smaller one really exists, and was told the same.

func TestCountResizeKeepsWhatTheSmallerHeld(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		from, to := 1+rng.IntN(200), 1+rng.IntN(200)
		old, smaller := NewCount(from), NewCount(min(from, to))
		for range rng.IntN(400) {
			failed, slow := rng.IntN(3) == 0, rng.IntN(5) == 0
			old.Record(0, failed, slow)
			smaller.Record(0, failed, slow)
		}
		before := old.Counts(0)
		resized := old.Resize(to)
		name := fmt.Sprintf("W6: from %d to %d", from, to)
		equal(t, name, resized.Counts(0), smaller.Counts(0))
		equal(t, name+": runs", fmt.Sprint(slices.Collect(resized.Runs())), fmt.Sprint(slices.Collect(smaller.Runs())))
		equal(t, name+": the old one", old.Counts(0), before)
	}
}

func TestTimeResizeKeepsWhatTheSmallerHeld(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 2))
		const width = 100
		from, to := 1+rng.IntN(30), 1+rng.IntN(30)
		factor := 1 + rng.IntN(3) // by which the new buckets are longer

		old := NewTime(time.Duration(from*width), from)
		new := NewTime(time.Duration(to*width*factor), to)
		now := time.Duration(0)
		for range rng.IntN(200) {
			now += time.Duration(rng.IntN(2 * width))
			failed, slow := rng.IntN(3) == 0, rng.IntN(5) == 0
			old.Record(now, failed, slow)
			new.Record(now, failed, slow)
		}
		now += time.Duration(rng.IntN(10 * width))
		before := old.Counts(now)
		resized := old.Resize(now, time.Duration(to*width*factor), to)

		name := fmt.Sprintf("W6: from %d buckets to %d, %d times as long", from, to, factor)
		got, inOld, inNew := resized.Counts(now), old.Counts(now), new.Counts(now)
		equal(t, name+": the old one", inOld, before)
		// One of the two reaches further back, so what is in both is what is in the
		// other, which has the smaller number of every kind.
		equal(t, name, got, Counts{
			min(inOld.Calls, inNew.Calls), min(inOld.Failed, inNew.Failed),
			min(inOld.Slow, inNew.Slow), min(inOld.SlowFailed, inNew.SlowFailed),
		})
		// From now on it forgets as a window of its size does. If it has got larger,
		// what the old one had forgotten stays forgotten.
		for range 40 {
			now += time.Duration(rng.IntN(2 * width))
			got, inNew := resized.Counts(now), new.Counts(now)
			if to*factor <= from {
				equal(t, name+": later", got, inNew)
			} else if got.Calls > inNew.Calls || got.Failed > inNew.Failed || got.Slow > inNew.Slow {
				t.Errorf("%s: later holds %+v, more than %+v", name, got, inNew)
			}
		}
	}
}

// Where the new bucket length is not a multiple of the old, outcomes may go early,
// by less than an old bucket, and never late.
func TestTimeResizeToAnyBucketLength(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 3))
		width := time.Duration(1 + rng.IntN(100))
		from, to := 1+rng.IntN(30), 1+rng.IntN(30)
		length := time.Duration(1 + rng.IntN(5000))

		old, new, early := NewTime(width*time.Duration(from), from), NewTime(length, to), NewTime(length, to)
		now := time.Duration(0)
		for range rng.IntN(200) {
			now += time.Duration(rng.IntN(50))
			failed, slow := rng.IntN(3) == 0, rng.IntN(5) == 0
			old.Record(now, failed, slow)
			new.Record(now, failed, slow)
			early.Record(now-width+1, failed, slow)
		}
		resized := old.Resize(now, length, to)
		for range 40 {
			got, most, least := resized.Counts(now), new.Counts(now), early.Counts(now).Calls
			least = min(least, old.Counts(now).Calls) // what the old one still knew
			if got.Calls > most.Calls || got.Failed > most.Failed || got.Calls < least {
				t.Errorf("seed %d at %d: got %+v, want at most %+v and at least %d calls", seed, now, got, most, least)
			}
			now += time.Duration(rng.IntN(100))
		}
	}
}
