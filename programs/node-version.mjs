/**
 * Preloaded by the npm scripts that run a program: says in one line that Node is too old, where Node itself would say that
 * it knows no `.ts`. So this file is plain JavaScript, which every Node reads.
 */
import { readFileSync } from "node:fs"

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const [major = 0, minor = 0] = engines.node.replace(/^>=/, "").split(".").map(Number)
const [itsMajor = 0, itsMinor = 0] = process.versions.node.split(".").map(Number)

if (itsMajor < major || (itsMajor === major && itsMinor < minor)) {
  console.error(`Dockline needs Node ${major}.${minor} or newer; this is ${process.versions.node}`)
  process.exit(1)
}
