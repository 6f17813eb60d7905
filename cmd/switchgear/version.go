package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

var versionCommand = command{
	name:    "version",
	summary: "print the version",
	help: `One line: the version of the module, or "devel" for a build from a working
tree, then Go and the platform it was built for.

Examples:
  switchgear version
`,
}

func init() { versionCommand.run = runVersion }

func runVersion(_ context.Context, args []string, std streams) int {
	if code, done := versionCommand.parse(new(flag.FlagSet), args, std); done {
		return code
	}
	fmt.Fprintf(std.out, "switchgear %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}

// version is that of the main module as the linker knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
