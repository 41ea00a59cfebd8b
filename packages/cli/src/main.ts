#!/usr/bin/env node
/**
 * The program `dockline`. Ctrl-C ends it with 130.
 *
 * Compiled code is kept in the user's own cache folder, which halves the time that a command takes to start. It is not
 * kept in the system's temporary folder, where others could put code in its place.
 */
import * as modules from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

// Nothing above is missing from a Node that is too old, so that this is the first thing that it runs.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`Dockline needs Node 22.19 or newer; this is ${process.versions.node}`)
  process.exit(1)
}

modules.enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "dockline"))

await import("./Program.ts")
