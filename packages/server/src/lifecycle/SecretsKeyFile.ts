/**
 * The key of the embedded database, made at the first start and kept beside the data, readable by its owner only, so that
 * `npm start` needs no settings. A copy of the folder holds both; other databases take `SECRETS_KEY`.
 *
 * Load it while the embedded database runs, which lets one server at a time into the folder.
 */
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import { Data, Effect, Result } from "effect"
import type { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { open, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** The file holds no usable key. A new key would not open sealed secrets. */
export class KeyFileUnusable extends Data.TaggedError("KeyFileUnusable")<{
  readonly path: string
  readonly reason: string
}> {
  override get message(): string {
    return `The key in ${this.path} cannot be used: ${this.reason}. Bring the file back as it was; without it all ` +
      "stored passwords and signing secrets have to be given anew"
  }
}

const read = async (path: string): Promise<string> => (await readFile(path, "utf8")).trim()

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** Makes the key; it is on disk, under its name, before any secret is sealed. */
const make = async (directory: string, path: string): Promise<string> => {
  const draft = `${path}.new`
  await writeFile(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true })
  await rename(draft, path)
  const folder = await open(directory, "r")
  await folder.sync().finally(() => folder.close())
  return read(path)
}

/** Loads the keys in the folder, written as in `SECRETS_KEY`; makes one if there is no file. */
export const load = (
  directory: string
): Effect.Effect<ReadonlyArray<Redacted.Redacted>, KeyFileUnusable> => {
  const path = join(directory, "secrets.key")
  const unusable = (reason: string) => new KeyFileUnusable({ path, reason })
  return Effect.tryPromise({
    try: () =>
      read(path).catch((error: unknown) => {
        if (isAbsent(error)) return make(directory, path)
        throw error
      }),
    catch: (error) => unusable(error instanceof Error ? error.message : String(error))
  }).pipe(
    Effect.flatMap((text) =>
      Effect.fromResult(
        Result.mapError(SecretsKey.parse(text), () => unusable("it is not base64 of 32 bytes"))
      )
    )
  )
}
