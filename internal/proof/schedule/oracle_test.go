package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/switchgear-go/switchgear/internal/proof/schedule"
)

// An instruction of a random program: on one of two variables or one of two locks.
type instruction struct {
	op string // load, guarded load, store, add, cas, lock, unlock
	on int
}

// A random program is two or three threads. What a thread does depends on what it has
// loaded: each load adds to a sum that is part of the outcome and of what is stored.
type random [][]instruction

func randomProgram(seed uint64) random {
	r := rand.New(rand.NewPCG(seed, 11))
	p := make(random, 2+r.IntN(2))
	for i := range p {
		held := -1
		for range 1 + r.IntN(7-2*len(p)) {
			in := instruction{[]string{"load", "store", "add", "cas"}[r.IntN(4)], r.IntN(2)}
			switch n := r.IntN(5); {
			case n < 3 && held < 0:
				held = r.IntN(4) / 3
				p[i] = append(p[i], instruction{"lock", held})
			case n == 0 && held >= 0:
				p[i] = append(p[i], instruction{"unlock", held})
				held = -1
			}
			if held >= 0 && r.IntN(2) == 0 { // a variable of the lock, loaded and stored under it only
				in.op, in.on = []string{"guarded load", "guarded store"}[r.IntN(2)], held
			}
			p[i] = append(p[i], in)
		}
		if held >= 0 {
			p[i] = append(p[i], instruction{"unlock", held})
		}
	}
	return p
}

// real is the program on the types of the package. It notes its outcome.
func (p random) real(outcomes map[string]bool) schedule.Program {
	var vars [2]schedule.Uint64
	var guarded [2]schedule.Int64
	var locks [2]schedule.Mutex
	sums := make([]uint64, len(p))
	var program schedule.Program
	for i := range p {
		program.Threads = append(program.Threads, func() {
			for _, in := range p[i] {
				v := &vars[in.on]
				switch in.op {
				case "load":
					sums[i] = sums[i]*3 + v.Load()
				case "store":
					v.Store(sums[i] + uint64(i) + 1)
				case "add":
					sums[i] += v.Add(1)
				case "cas":
					if v.CompareAndSwap(0, 7) {
						sums[i]++
					}
				case "guarded load":
					sums[i] = sums[i]*3 + uint64(guarded[in.on].Load())
				case "guarded store":
					guarded[in.on].Store(int64(sums[i]) + int64(i) + 1)
				case "lock":
					locks[in.on].Lock()
				case "unlock":
					locks[in.on].Unlock()
				}
			}
		})
	}
	program.After = func() error {
		outcomes[fmt.Sprint(sums, vars[0].Load(), vars[1].Load(), guarded[0].Load(), guarded[1].Load())] = true
		return nil
	}
	return program
}

// interpreter is the state of a program that is interpreted.
type interpreter struct {
	at, sums [3]int
	vars     [4]int
	held     [2]bool
}

// all interprets the program in every order and notes the outcomes.
func (p random) all(outcomes map[string]bool) {
	var walk func(interpreter)
	walk = func(s interpreter) {
		ended := true
		for i := range p {
			if s.at[i] == len(p[i]) {
				continue
			}
			ended = false
			if in := p[i][s.at[i]]; in.op != "lock" || !s.held[in.on] {
				walk(s.after(i, in))
			}
		}
		if ended {
			outcomes[fmt.Sprint(s.sums[:len(p)], s.vars[0], s.vars[1], s.vars[2], s.vars[3])] = true
		}
	}
	walk(interpreter{})
}

func (s interpreter) after(i int, in instruction) interpreter {
	s.at[i]++
	v := &s.vars[in.on]
	if strings.HasPrefix(in.op, "guarded") {
		v = &s.vars[2+in.on]
	}
	switch in.op {
	case "load", "guarded load":
		s.sums[i] = s.sums[i]*3 + *v
	case "store", "guarded store":
		*v = s.sums[i] + i + 1
	case "add":
		*v++
		s.sums[i] += *v
	case "cas":
		if *v == 0 {
			*v = 7
			s.sums[i]++
		}
	case "lock":
		s.held[in.on] = true
	case "unlock":
		s.held[in.on] = false
	}
	return s
}
