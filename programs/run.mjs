/**
 * Runs a program of this repository: `node programs/run.mjs packages/server/src/main.ts [argument]…`.
 *
 * The program runs from its bundle, which is made in about a second when a source has changed. Where bundles cannot be made,
 * because the development dependencies are not installed or the folder cannot be written, it runs from its sources.
 *
 * Node keeps the compiled code of a bundle beside it: a program that has ended once starts with less work and less memory.
 *
 * The path of a program counts from the root of the repository, in whatever folder this is called.
 */
import * as modules from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const [node = "", , program = "", ...args] = process.argv

/** The errors of a production installation and of a checkout that belongs to somebody else. */
const cannotBundle = new Set(["ERR_MODULE_NOT_FOUND", "EACCES", "EPERM", "EROFS"])

const source = fileURLToPath(new URL(`../${program}`, import.meta.url))

const bundledOrSource = async () => {
  try {
    const Programs = await import("./Programs.mjs")
    const path = await Programs.bundled(/** @type {import("./Programs.mjs").Program} */ (program))
    await Programs.endBundler()
    return path
  } catch (error) {
    if (error instanceof Error && "code" in error && cannotBundle.has(String(error.code))) return source
    throw error
  }
}

const path = await bundledOrSource()
if (path !== source) modules.enableCompileCache(join(dirname(path), "compiled"))
process.argv = [node, path, ...args]
await import(pathToFileURL(path).href)
