package random

import "testing"

// The values are CPython's: random.Random(seed), getrandbits(32) three times, the
// 1248th of those, which is the last of the second block, and random() after it.
func TestTwisterIsThatOfCPython(t *testing.T) {
	for _, tt := range []struct {
		seed  uint64
		first [3]uint32
		last  uint32
		next  float64
	}{
		{0, [3]uint32{3626764237, 1654615998, 3255389356}, 577331751, 0x1.25e0f16179d09p-1},
		{1, [3]uint32{577090037, 2444712010, 3639700191}, 1721233950, 0x1.ec87e91da77d8p-3},
		{42, [3]uint32{2746317213, 478163327, 107420369}, 3190649866, 0x1.125cc2fcdb2d8p-1},
		{4294967295, [3]uint32{2728839433, 2661025012, 872737089}, 3603081785, 0x1.ad99331d90998p-3},
		{4294967296, [3]uint32{485306839, 1508871100, 1794561286}, 1684584400, 0x1.295f294dcf6f0p-3},
		{18446744073709551615, [3]uint32{93740670, 1068495656, 1452108352}, 1341629042, 0x1.31d851da18f90p-3},
		{12345678901234567, [3]uint32{416727885, 2561263422, 4242510269}, 201076861, 0x1.c0430e3116bc6p-2},
	} {
		g := NewTwister(twisterKey(tt.seed)...)
		for _, want := range tt.first {
			equal(t, "word", g.Uint32(), want)
		}
		for range 1244 {
			g.Uint32()
		}
		equal(t, "word 1248", g.Uint32(), tt.last)
		equal(t, "Float64", g.Float64(), tt.next)
	}
}

// The first outputs of mt19937ar.c by its authors, for the key they print.
func TestTwisterIsThatOfItsAuthors(t *testing.T) {
	g := NewTwister(0x123, 0x234, 0x345, 0x456)
	for i, want := range []uint32{1067595299, 955945823, 477289528, 4107218783, 4228976476} {
		if got := g.Uint32(); got != want {
			t.Errorf("output %d: got %d, want %d", i, got, want)
		}
	}
}

func TestTwister(t *testing.T) {
	t.Run("a number takes two words, also across blocks", func(t *testing.T) {
		a, b := NewTwister(7), NewTwister(7)
		a.Uint32()
		b.Uint32()
		for range 2000 {
			x, y := b.Uint32(), b.Uint32()
			equal(t, "Float64", a.Float64(), fraction(x, y))
		}
	})
	t.Run("an empty key is the key 0", func(t *testing.T) {
		equal(t, "word", NewTwister().Uint32(), NewTwister(0).Uint32())
	})
	t.Run("a key longer than the state", func(t *testing.T) {
		key := make([]uint32, 1000)
		a := NewTwister(key...)
		key[999] = 1
		if a.Uint32() == NewTwister(key...).Uint32() {
			t.Error("the last word of the key makes no difference")
		}
	})
	t.Run("Seed starts anew", func(t *testing.T) {
		g := NewTwister(1)
		g.Uint32()
		g.Seed(42)
		equal(t, "word", g.Uint32(), 2746317213)
	})
}
