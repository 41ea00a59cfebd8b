/**
 * The bundled server under faults as one file, made once for all runs; it starts in some 0.3 s. A sabotage changes its
 * sources on the way, to show that the checker notices.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Bundle from "../../../../programs/Bundle.mjs"
import type { Replacement } from "../../../../programs/Bundle.mjs"

/** A server that can be started. */
export interface Program {
  /** The file that Node runs. */
  readonly file: string
  /** Where Node keeps what it has compiled of it. */
  readonly cache: string
}

/** Makes the file in a folder, with or without a sabotage. */
export const make = async (
  folder: string,
  replacements: ReadonlyArray<Replacement> = []
): Promise<Program> => {
  const file = join(folder, "instance.mjs")
  const cache = join(folder, "compiled")
  mkdirSync(cache, { recursive: true })
  await Bundle.bundle({
    entry: fileURLToPath(new URL("InstanceMain.ts", import.meta.url)),
    outfile: file,
    replacements
  })
  return { file, cache }
}
