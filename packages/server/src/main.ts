#!/usr/bin/env node
/**
 * The program `dockline-server`. An older Node cannot read all that the server imports, so its version is checked before
 * anything is imported.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`Dockline needs Node 22.19 or newer; this is ${process.versions.node}`)
  process.exit(1)
}

await import("./ServerProgram.ts")
