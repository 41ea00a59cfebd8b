/**
 * The bundled server as one file, which starts in a fraction of the time: most of what is done here is to start it.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Bundle from "../../../../programs/Bundle.mjs"

/** A server that can be started. */
export interface Program {
  /** The file that Node runs. */
  readonly file: string
  /** Where Node keeps what it has compiled of it. */
  readonly cache: string
}

/** Makes the file in a folder; with replacements, of a server that was broken by hand. */
export const make = async (
  folder: string,
  replacements: ReadonlyArray<Bundle.Replacement> = []
): Promise<Program> => {
  const cache = join(folder, "compiled")
  mkdirSync(cache, { recursive: true })
  const file = join(folder, "server.mjs")
  const entry = fileURLToPath(new URL("../../../../packages/server/src/main.ts", import.meta.url))
  await Bundle.bundle({ entry, outfile: file, replacements })
  return { file, cache }
}
