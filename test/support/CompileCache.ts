/**
 * Node's compile cache for the processes that tests start: they load the same modules again and again.
 */
import { fileURLToPath } from "node:url"

/** The environment of a process that uses the cache. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url))
}
