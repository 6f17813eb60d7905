package random

// A Twister is the 32-bit Mersenne Twister MT19937 of Matsumoto and Nishimura
// ("Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random
// number generator", 1998), with the seeding and the 53-bit numbers of their
// revised version of 2002. CPython's random.Random is the same generator. It is
// here to reproduce what others have published; [NewStream] offers a better one.
//
// Use [NewTwister].
type Twister struct {
	state [twisterWords]uint32
	next  int
}

const (
	twisterWords  = 624
	twisterMiddle = 397
)

// plain is the state that the authors' init_genrand makes of the fixed number from
// which seeding by array begins.
var plain = func() (s [twisterWords]uint32) {
	s[0] = 19650218
	for i := uint32(1); i < twisterWords; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + i
	}
	return s
}()

// NewTwister returns a generator seeded by array: key is what the authors call
// init_key. CPython's Random(n) has the 32-bit words of n as key, lowest first,
// and one word for zero. An empty key is taken for the key 0.
func NewTwister(key ...uint32) *Twister {
	t := new(Twister)
	t.Seed(key...)
	return t
}

// Seed starts the generator anew, as [NewTwister] does.
func (t *Twister) Seed(key ...uint32) {
	if len(key) == 0 {
		key = []uint32{0}
	}
	s := &t.state
	*s = plain
	i, j := 1, 0
	for range max(twisterWords, len(key)) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		i = t.wrap(i + 1)
		if j++; j == len(key) {
			j = 0
		}
	}
	for range twisterWords - 1 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		i = t.wrap(i + 1)
	}
	s[0] = 0x80000000
	t.next = twisterWords
}

// wrap takes the index beyond the last word back to the second.
func (t *Twister) wrap(i int) int {
	if i < twisterWords {
		return i
	}
	t.state[0] = t.state[twisterWords-1]
	return 1
}

// Uint32 returns the next 32 bits.
func (t *Twister) Uint32() uint32 {
	if t.next >= twisterWords {
		t.generate()
	}
	y := t.state[t.next]
	t.next++
	return temper(y)
}

func temper(y uint32) uint32 {
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Float64 returns a number from 0 up to but not including 1, in steps of 2⁻⁵³. It
// takes two times 32 bits.
func (t *Twister) Float64() float64 {
	i := t.next
	if i > twisterWords-2 {
		return fraction(t.Uint32(), t.Uint32())
	}
	t.next = i + 2
	return fraction(temper(t.state[i]), temper(t.state[i+1]))
}

// fraction is the authors' genrand_res53. All steps are exact.
func fraction(a, b uint32) float64 {
	return (float64(a>>5)*67108864 + float64(b>>6)) / 9007199254740992
}

// generate makes the next block of words. The three loops are one, cut where an
// index would wrap.
func (t *Twister) generate() {
	s := &t.state
	for i := range twisterWords - twisterMiddle {
		s[i] = s[i+twisterMiddle] ^ twist(s[i], s[i+1])
	}
	for i := twisterWords - twisterMiddle; i < twisterWords-1; i++ {
		s[i] = s[i+twisterMiddle-twisterWords] ^ twist(s[i], s[i+1])
	}
	s[twisterWords-1] = s[twisterMiddle-1] ^ twist(s[twisterWords-1], s[0])
	t.next = 0
}

func twist(u, v uint32) uint32 {
	return (u&0x80000000|v&0x7fffffff)>>1 ^ -(v&1)&0x9908b0df
}
