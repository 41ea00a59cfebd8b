/**
 * The data of the embedded PostgreSQL: `postgres/` and `postgres.password` in the data folder.
 *
 * Guarantee: `postgres/` is absent or a complete cluster, even after a power failure or a kill, because it gets its name only when all its
 * content is on disk.
 *
 * The role `dockline` owns the database `dockline`, may create databases and read statistics, and is no superuser; the only superuser
 * cannot log in. A login needs the password, which only the owner of the folder can read.
 */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync
} from "node:fs"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Package } from "./EmbeddedBinaries.ts"
import { attempt, EmbeddedPostgresError } from "./EmbeddedError.ts"
import { give, run, type Runner } from "./EmbeddedUser.ts"

/** The name of the role and of the database. */
export const name = "dockline"

/** The folder of PostgreSQL in the data folder. */
export const dataOf = (directory: string): string => join(directory, "postgres")

/** Fails unless `postgres/` is absent or a cluster of this major version. */
export const check = Effect.fnUntraced(function*(directory: string, source: Package) {
  const data = dataOf(directory)
  if (yield* attempt(directory, () => isAbsent(data))) return
  const version = join(data, "PG_VERSION")
  if (!existsSync(version)) {
    return yield* new EmbeddedPostgresError({
      reason: "folder",
      directory,
      message: `${data} is not the data of a PostgreSQL, and is left as it is. `
        + `Move it away, or name another folder in DATA_DIR.`
    })
  }
  const major = (yield* attempt(directory, () => readFileSync(version, "utf8"))).trim()
  if (major !== source.major) {
    return yield* new EmbeddedPostgresError({
      reason: "version",
      directory,
      message:
        `${data} was made by PostgreSQL ${major}, but this Dockline comes with PostgreSQL ${source.major}. `
        + `Start the Dockline that made it, or move its data over: dump it with PostgreSQL ${major} and restore it `
        + `into a new folder; or run PostgreSQL ${major} on it yourself and set DATABASE_URL.`
    })
  }
})

/** Makes the cluster if it is absent, and returns the password of the role. */
export const prepare = Effect.fnUntraced(function*(directory: string, runner: Runner) {
  const data = dataOf(directory)
  const secret = join(directory, "postgres.password")
  yield* sweep(directory)
  if (yield* attempt(directory, () => isAbsent(data))) return yield* create(directory, runner, secret)
  yield* give(directory, data, runner)
  const present = yield* attempt(
    directory,
    () => existsSync(secret) ? readFileSync(secret, "utf8").trim() : ""
  )
  if (present !== "") return present
  // A lost password is replaced, because a user who can delete the password can change the data too.
  const password = newPassword()
  yield* alone(directory, runner, data, [`ALTER ROLE ${name} PASSWORD '${password}'`])
  yield* attempt(directory, () => keep(secret, password))
  return password
})

const create = Effect.fnUntraced(function*(directory: string, runner: Runner, secret: string) {
  const data = dataOf(directory)
  const temporary = `${data}.new-${randomBytes(6).toString("hex")}`
  const password = newPassword()
  yield* attempt(directory, () => mkdirSync(temporary, { mode: 0o700 }))
  yield* give(directory, temporary, runner)
  const { code, output } = yield* run(runner, join(runner.binaries.native, "bin", "initdb"), [
    `--pgdata=${temporary}`,
    "--username=postgres",
    "--auth=reject",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions"
  ])
  if (code !== 0) return yield* failureOf(directory, "initdb", output)
  yield* alone(directory, runner, temporary, [
    `CREATE ROLE ${name} LOGIN CREATEDB PASSWORD '${password}'`,
    `GRANT pg_monitor TO ${name}`,
    `CREATE DATABASE ${name} OWNER ${name}`
  ])
  yield* attempt(directory, () => {
    // The file is overwritten in place to keep its owner.
    writeFileSync(join(temporary, "pg_hba.conf"), access, { flush: true })
    keep(secret, password)
    renameSync(temporary, data)
    sync(directory)
  })
  return password
})

const access = `# Written by Dockline. One role, from this machine, with its password; nobody else.
host  all  ${name}  127.0.0.1/32  scram-sha-256
`

/** The settings of single-user mode. Failed statements are not logged, because they may hold the password. */
const settings = [
  "log_min_error_statement=panic",
  "log_checkpoints=off",
  // The password needs no stretching, which would cost time at each connection, because it has 192 random bits.
  "scram_iterations=1"
].flatMap((setting) => ["-c", setting])

/** Runs statements in single-user mode: no socket is open, and no password is needed. */
const alone = Effect.fnUntraced(
  function*(directory: string, runner: Runner, data: string, statements: ReadonlyArray<string>) {
    const { code, output } = yield* run(
      runner,
      join(runner.binaries.native, "bin", "postgres"),
      ["--single", "-D", data, ...settings, "postgres"],
      statements.map((statement) => `${statement};\n`).join("")
    )
    if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output)) {
      return yield* failureOf(directory, "postgres --single", output)
    }
  }
)

const failureOf = (directory: string, program: string, output: string) =>
  new EmbeddedPostgresError({
    reason: "start",
    directory,
    message: `PostgreSQL's ${program} failed on ${directory}. ${advice(directory, output)} It said:\n`
      + output.trim().split("\n").slice(-10).join("\n")
  })

/** The remedies for known problems, by patterns of the output of PostgreSQL. */
const remedies: ReadonlyArray<readonly [said: RegExp, remedy: (directory: string) => string]> = [
  [
    /No space left on device|Disk quota exceeded/,
    (directory) => `Free some space on the disk of ${directory}.`
  ],
  [
    /could not look up effective user ID/,
    () =>
      "This user number has no name here, which PostgreSQL insists on: add it to /etc/passwd, or set DATABASE_URL."
  ],
  [
    /unrecognized configuration parameter|invalid value for parameter|outside the valid range/,
    () => "Correct the setting it names."
  ],
  [
    /Permission denied|wrong ownership/,
    (directory) => `Start as the user who owns ${directory}, or give it to this user with chown -R.`
  ],
  [
    /loading shared libraries|ENOENT/,
    () => "Its binaries do not run on this system (they need glibc): set DATABASE_URL to a PostgreSQL server."
  ]
]

/** The remedy for an output of PostgreSQL. */
export const advice = (directory: string, output: string): string =>
  remedies.find(([pattern]) => pattern.test(output))?.[1](directory)
    ?? `Restore ${directory} from a backup if its files are damaged, or set DATABASE_URL to another PostgreSQL.`

/** Removes the files of a killed initdb. Its processes may still write there for a moment, and then fail. */
const sweep = (directory: string) =>
  attempt(directory, async () => {
    for (const name of readdirSync(directory)) {
      if (!name.startsWith("postgres.new-")) continue
      await rm(join(directory, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    }
  })

const isAbsent = (data: string) =>
  !existsSync(data) || (lstatSync(data).isDirectory() && readdirSync(data).length === 0)

const newPassword = () => randomBytes(24).toString("hex")

const keep = (path: string, password: string) => {
  const temporary = `${path}.new`
  writeFileSync(temporary, `${password}\n`, { mode: 0o600, flush: true })
  renameSync(temporary, path)
  sync(dirname(path))
}

const sync = (directory: string) => {
  const descriptor = openSync(directory, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
