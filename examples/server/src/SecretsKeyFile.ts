/**
 * The key of the embedded database: made at the first start and kept beside the data, readable by its owner only, so
 * that `npm start` needs no settings. Whoever copies the folder has both; a database of your own takes `SECRETS_KEY`.
 *
 * To be loaded while the embedded database runs, which lets one server at a time into the folder.
 */
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { open, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"

const read = async (path: string): Promise<Redacted.Redacted> =>
  Redacted.make((await readFile(path, "utf8")).trim())

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT"

/** The key is on disk, under its name, before anything is sealed with it. */
const make = async (directory: string, path: string): Promise<Redacted.Redacted> => {
  const draft = `${path}.new`
  await writeFile(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true })
  await rename(draft, path)
  const folder = await open(directory, "r")
  await folder.sync().finally(() => folder.close())
  return read(path)
}

/** The key in the folder, made if there is none. */
export const load = (directory: string): Effect.Effect<Redacted.Redacted> =>
  Effect.promise(() => {
    const path = join(directory, "secrets.key")
    return read(path).catch((error: unknown) => {
      if (isAbsent(error)) return make(directory, path)
      throw error
    })
  })
