#!/usr/bin/env node
/**
 * The program `dockline`. Ctrl-C ends it with exit code 130.
 *
 * Compiled code is cached in the user's own cache folder, which halves the start time of a command. The system's
 * temporary folder is not used, because others could place code there.
 */
import * as modules from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

// All imports above exist in older versions of Node, so this check runs first.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`Dockline needs Node 22.19 or newer; this is ${process.versions.node}`)
  process.exit(1)
}

modules.enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "dockline"))

await import("./Program.ts")
