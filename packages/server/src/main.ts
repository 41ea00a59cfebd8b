#!/usr/bin/env node
/**
 * The program `dockline-server`. An older Node cannot load all modules of the server, so the version of Node is checked before any of them
 * is imported.
 */
import { setFlagsFromString } from "node:v8"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`Dockline needs Node 22.19 or newer; this is ${process.versions.node}`)
  process.exit(1)
}

// Many objects that are made at the start survive. V8 would conclude that similar objects should be allocated in the old generation: the
// contexts of requests, each of which would keep its whole request until the next full collection (ADR 7).
setFlagsFromString("--no-allocation-site-pretenuring")
// Under little load V8 would collect the whole heap whenever it has grown by a tenth, which is every 125 documents. Under high load it
// would keep three times the memory that is in use (ADR 7).
setFlagsFromString("--heap-growing-percent=100")

await import("./ServerProgram.ts")
