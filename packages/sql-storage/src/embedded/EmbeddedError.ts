/**
 * The error of the embedded PostgreSQL. Its `message` is for the person who started the server: it names the folder and a remedy.
 */
import { Effect, Predicate, Schema } from "effect"

/**
 * The embedded PostgreSQL cannot be used.
 *
 * - `unsupported`: no PostgreSQL binaries for this platform are installed
 * - `locked`: another server uses the folder; `pid` is its process, if it is known
 * - `version`: another major version of PostgreSQL made the folder
 * - `folder`: the data folder cannot be used (permissions, foreign content)
 * - `user`: PostgreSQL refuses root, and cannot be run as another user here
 * - `start`: PostgreSQL failed; the message has the end of its output
 */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()(
  "EmbeddedPostgresError",
  {
    reason: Schema.Literals(["unsupported", "locked", "version", "folder", "user", "start"]),
    directory: Schema.String,
    message: Schema.String,
    pid: Schema.optionalKey(Schema.Int),
    cause: Schema.optionalKey(Schema.Defect())
  }
) {}

/** Works on files in the data folder; an exception becomes a `folder` error. */
export const attempt = <A>(
  directory: string,
  work: () => A | Promise<A>
): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => work(),
    catch: (cause) =>
      new EmbeddedPostgresError({
        reason: "folder",
        directory,
        message:
          `The data folder ${directory} cannot be used: ${cause instanceof Error ? cause.message : cause}. `
          + (["ENOSPC", "EDQUOT"].includes(codeOf(cause))
            ? `Free some space on its disk.`
            : `Start as the user who owns it, give it to this user with chown -R, or name another one in DATA_DIR.`),
        cause
      })
  })

/** The error code of Node. */
export const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") ? String(cause.code) : ""

/** The result of a function; `undefined` if the function throws. */
export const attemptOf = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Waits in real time, because a wait for a real process would never end under a test clock. */
export const pause = (milliseconds: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), milliseconds)
    return Effect.sync(() => clearTimeout(timer))
  })
