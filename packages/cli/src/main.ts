#!/usr/bin/env node
/**
 * The program `dockline`. Ctrl-C ends it with 130.
 *
 * Compiled code is kept in the user's own cache folder, which halves the time that a command takes to start. It is not
 * kept in the system's temporary folder, where others could put code in its place.
 */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "dockline"))

await import("./Program.ts")
