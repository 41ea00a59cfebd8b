#!/usr/bin/env node
/**
 * The program `dockline-server`. An older Node cannot read all that the server imports, so its version is checked before
 * anything is imported.
 */
import { setFlagsFromString } from "node:v8"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`Dockline needs Node 22.19 or newer; this is ${process.versions.node}`)
  process.exit(1)
}

// What the start makes is kept, so V8 would make objects like it as old ones from then on: the contexts of requests, each of which would keep
// all of its request until the next collection of the whole heap (ADR 7).
setFlagsFromString("--no-allocation-site-pretenuring")

await import("./ServerProgram.ts")
