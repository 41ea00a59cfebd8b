/**
 * Chooses the user that runs PostgreSQL. PostgreSQL refuses root. Its user must own the data and reach the programs, and both may be in a
 * folder that only root can enter.
 *
 * Guarantee: a user is chosen only after the programs have run as that user from the data folder, and the user owns the data before
 * PostgreSQL starts.
 *
 * As root, the first of these users that works:
 *
 * 1. The owner of the data, if that is not root.
 * 2. Root in a user namespace, where root has another number: root still owns the files. Most containers forbid it.
 * 3. The user nobody.
 *
 * If the owner or nobody cannot reach a folder, the user gets, through setpriv, the one capability that ignores permissions.
 */
import { Effect } from "effect"
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { existsSync, lstatSync, readFileSync } from "node:fs"
import { lchown, readdir } from "node:fs/promises"
import { userInfo } from "node:os"
import { join } from "node:path"
import { type Binaries, linkBinaries, type Package } from "./EmbeddedBinaries.ts"
import { attempt, attemptOf, EmbeddedPostgresError } from "./EmbeddedError.ts"

interface Owner {
  readonly uid: number
  readonly gid: number
}

interface User {
  /** The name of the user in the error. */
  readonly title: string
  /** A command that runs the program in its own process. */
  readonly prefix: ReadonlyArray<string>
  readonly switchTo: Owner | undefined
  /** The required owner of the data; `undefined` if the user of this process already owns it. */
  readonly owner: Owner | undefined
}

/** The user and the programs of PostgreSQL. */
export interface Runner {
  readonly user: User
  readonly binaries: Binaries
}

/** Chooses how to run PostgreSQL on the folder `data` below `directory`, or fails with `user`. */
export const choose = Effect.fnUntraced(function*(directory: string, data: string, source: Package) {
  const binaries = yield* linkBinaries(directory, source)
  const refusals: Array<string> = []
  for (const user of candidates(directory, data)) {
    const { code, output } = yield* probe({ user, binaries }, directory)
    if (code === 0) return { user, binaries }
    refusals.push(`${user.title}: ${output.trim() || `exit ${code}`}`)
  }
  return yield* new EmbeddedPostgresError({
    reason: "user",
    directory,
    message: `PostgreSQL cannot be run on ${directory}: tried ${refusals.join("; ")}. `
      + `Start as a user other than root who can read ${source.native}, `
      + `or use a data folder that other users can enter (chmod o+x on it and its parents), or set DATABASE_URL.`
  })
})

/** Starts a program without the environment of this process, which holds secrets. */
export const start = (
  { binaries, user }: Runner,
  program: string,
  args: ReadonlyArray<string>,
  options: SpawnOptions
): ChildProcess => {
  const [command = program, ...rest] = [...user.prefix, program, ...args]
  return spawn(command, rest, {
    cwd: "/",
    ...options,
    ...user.switchTo,
    env: { PATH: process.env["PATH"], LC_ALL: "C", ...binaries.environment, ...options.env }
  })
}

/** Runs a program to its end; an interruption kills the program. */
export const run = (
  runner: Runner,
  program: string,
  args: ReadonlyArray<string>,
  input = ""
): Effect.Effect<{ readonly code: number; readonly output: string }> =>
  Effect.callback((resume) => {
    let output = ""
    const child = start(runner, program, args, { stdio: "pipe" })
    const collect = (chunk: string) => {
      output = (output + chunk).slice(-8192)
    }
    child.stdout?.setEncoding("utf8").on("data", collect)
    child.stderr?.setEncoding("utf8").on("data", collect)
    // A program that fails early does not read its input; the output gives the reason.
    child.stdin?.on("error", () => {}).end(input)
    child.once("error", (cause) => resume(Effect.succeed({ code: 127, output: cause.message })))
    child.once("close", (code) => resume(Effect.succeed({ code: code ?? 128, output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/**
 * Changes the owner of a file, or of a folder with its contents. The folder itself is changed last, so that its owner shows that the change
 * is complete.
 */
const giveTo = async (path: string, { gid, uid }: Owner) => {
  const inside = lstatSync(path).isDirectory() ? await readdir(path, { recursive: true }) : []
  for (const name of inside) await lchown(join(path, name), uid, gid)
  await lchown(path, uid, gid)
}

/** Gives a folder to the user of the programs. */
export const give = Effect.fnUntraced(
  function*(directory: string, path: string, { user: { owner } }: Runner) {
    if (owner === undefined || !existsSync(path) || lstatSync(path).uid === owner.uid) return
    yield* attempt(directory, () => giveTo(path, owner))
  }
)

/** Gives files that root wrote into the folder of another user to that user, who can then start without root. */
export const handOver = Effect.fnUntraced(function*(directory: string) {
  const owner = yield* attempt(directory, () => lstatSync(directory))
  if (process.getuid?.() !== 0 || owner.uid === 0) return
  yield* attempt(directory, async () => {
    for (const name of await readdir(directory)) {
      if (name !== "postgres") await giveTo(join(directory, name), owner)
    }
  })
})

/**
 * Tests whether the user can run the programs. PostgreSQL finds its own files by access(2), which, unlike open(2), ignores capabilities by
 * default.
 */
const probe = (runner: Runner, directory: string) =>
  run(runner, "/bin/sh", [
    "-c",
    `cd -- "$1" && test -x "$2/bin/initdb" && test -r "$2/share" && exec "$2/bin/postgres" --version`,
    "sh",
    directory,
    runner.binaries.native
  ])

const candidates = (directory: string, data: string): ReadonlyArray<User> => {
  const accounts = readAccounts()
  const { gid, uid } = accounts.find(({ name }) => name === "nobody") ?? { uid: 65534, gid: 65534 }
  const nobody = { uid, gid }
  // initdb needs a user name. In a container whose user has no name, the namespace provides one.
  if (process.getuid?.() !== 0) {
    return hasName()
      ? [{ title: "as we are", prefix: [], switchTo: undefined, owner: undefined }]
      : [namespace(nobody, undefined)]
  }
  const stats = lstatSync(existsSync(data) ? data : directory)
  const owner = { uid: stats.uid, gid: stats.gid }
  const usable = owner.uid !== 0 && (existsSync(data) || accounts.some((each) => each.uid === owner.uid))
  return [
    ...(usable ? [userOf(owner), capable(owner)] : []),
    namespace(nobody, { uid: 0, gid: 0 }),
    userOf(nobody),
    capable(nobody)
  ]
}

const namespace = ({ gid, uid }: Owner, owner: Owner | undefined): User => ({
  title: `in a user namespace (unshare)`,
  prefix: ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"],
  switchTo: undefined,
  owner
})

const userOf = (owner: Owner): User => ({
  title: `as user ${owner.uid}`,
  prefix: [],
  switchTo: owner,
  owner
})

const capable = (owner: Owner): User => ({
  title: `as user ${owner.uid} with the capability to pass by permissions (setpriv)`,
  // Without no_setuid_fixup, access(2) ignores the capability.
  prefix: [
    "setpriv",
    "--securebits=+no_setuid_fixup",
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    "--clear-groups",
    "--inh-caps=-all,+dac_override",
    "--ambient-caps=+dac_override",
    "--bounding-set=-all,+dac_override",
    "--"
  ],
  switchTo: undefined,
  owner
})

const hasName = () => (attemptOf(() => userInfo().username) ?? "") !== ""

const readAccounts = (): ReadonlyArray<Owner & { readonly name: string }> =>
  (attemptOf(() => readFileSync("/etc/passwd", "utf8")) ?? "").split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length > 3)
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
