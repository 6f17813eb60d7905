package fallback_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/switchgear-go/switchgear"
	"github.com/switchgear-go/switchgear/fallback"
)

var (
	errDown     = errors.New("connection refused")
	errOther    = errors.New("disk full")
	errNotFound = errors.New("no such item")
)

// refusal is what a policy returns that did not let a call through.
type refusal struct{}

func (refusal) Error() string        { return `breaker "stock" is OPEN` }
func (refusal) Is(target error) bool { return target == switchgear.ErrRejected }

func equal[T any](t testing.TB, what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// fails is a call that returns err.
func fails(err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "partial", err }
}

// answers is a call that returns v.
func answers(v string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return v, nil }
}

// fn makes a handler function of a call.
func fn(call func(context.Context) (string, error)) func(context.Context, error) (string, error) {
	return func(ctx context.Context, _ error) (string, error) { return call(ctx) }
}

func provider(name string, call func(context.Context) (string, error)) fallback.Provider[string] {
	return fallback.Provider[string]{Name: name, Call: call}
}

// timeout is an error as package net has them.
type timeout bool

func (timeout) Error() string   { return "i/o timeout" }
func (t timeout) Timeout() bool { return bool(t) }

// scale bounds the work of a long test under -short.
func scale(n, short int) int {
	if testing.Short() {
		return short
	}
	return n
}
