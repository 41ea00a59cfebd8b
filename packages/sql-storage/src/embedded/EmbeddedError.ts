/**
 * The one error of the embedded PostgreSQL. Its guarantee: `message` is written for the person who started the
 * server, names the folder, and ends with what to do.
 */
import { Effect, Schema } from "effect"

/**
 * Why an embedded PostgreSQL could not be had.
 *
 * - `unsupported`: no PostgreSQL binaries for this platform are installed
 * - `locked`: a live server already works on this folder; `pid` is its process, when it is known
 * - `version`: the folder was made by another major version of PostgreSQL
 * - `folder`: the data folder cannot be used (permissions, foreign content)
 * - `user`: PostgreSQL refuses root, and no way to run it as somebody else works here
 * - `start`: PostgreSQL itself gave up; the message carries the end of its log
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

/** Runs file work below the data folder; what it throws becomes a `folder` error that names the folder. */
export const attempt = <A>(
  directory: string,
  work: () => A | Promise<A>
): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => work(),
    catch: (cause) => {
      const code = (cause as NodeJS.ErrnoException).code
      return new EmbeddedPostgresError({
        reason: "folder",
        directory,
        message:
          `The data folder ${directory} cannot be used: ${cause instanceof Error ? cause.message : cause}. `
          + (code === "ENOSPC" || code === "EDQUOT"
            ? `Free some space on its disk.`
            : `Start as the user who owns it, give it to this user with chown -R, or name another one in DATA_DIR.`),
        cause
      })
    }
  })

/**
 * Waits in real time. Effect's clock may be a test clock, under which a wait for a real process would never end.
 */
export const pause = (milliseconds: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), milliseconds)
    return Effect.sync(() => clearTimeout(timer))
  })
