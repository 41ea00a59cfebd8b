/**
 * Settings of programs that a test starts: a free port, and Node's compile cache.
 *
 * The system itself assigns none of these ports (Linux begins at 32768), so that no socket of another test takes a port between its choice
 * and the start of the program. Nor does another worker of Vitest: each has ports of its own.
 */
import { once } from "node:events"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"

const worker = Number(process.env["VITEST_POOL_ID"] ?? process.pid) % 20

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    server.listen(port)
    await once(server, "listening")
    server.close()
    await once(server, "close")
    return true
  } catch {
    return false
  }
}

/** Chooses the ports of this worker one after another, from 20 ranges of `size` ports that begin at `first`. */
const chooser = (first: number, size: number) => {
  let next = Math.floor(Math.random() * size)
  return async (): Promise<number> => {
    for (let attempt = 0; attempt < size; attempt++) {
      const port = first + worker * size + (next++ % size)
      if (await isFree(port)) return port
    }
    throw new Error(`No port is free of ${size} from ${first + worker * size}`)
  }
}

/** A TCP port that is free now, and that `fetch` does not refuse (it refuses some up to 10080). */
export const freePort = chooser(11_000, 1000)

/** The same with four digits, so that tables are as wide as in the guides. */
export const freePortOfFourDigits = chooser(7000, 150)

/** The environment of a process that uses the compile cache, since tests load the same modules again and again. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url))
}
