package proof

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
)

// serverEnv makes this program a server at the address that it holds, in place of tests:
// see TestMain.
const serverEnv = "PROOF_SERVER"

// serve answers until its standard input ends, which it does with the program that
// started it, whatever becomes of that.
func serve(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Printf("serving %s\n", listener.Addr())
	var seen atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/stock", func(w http.ResponseWriter, _ *http.Request) {
		seen.Add(1)
		io.WriteString(w, "seven")
	})
	mux.HandleFunc("/seen", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strconv.FormatInt(seen.Load(), 10))
	})
	return http.Serve(listener, mux)
}
