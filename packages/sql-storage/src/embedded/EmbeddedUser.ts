/**
 * As whom PostgreSQL runs. It refuses root, and whoever it runs as has to own the data and reach the programs,
 * which may both lie below a folder that only root can enter. The guarantee: a way is only chosen after the
 * programs have run that way from the data folder, and the data belongs to the chosen user before it starts.
 *
 * As root, in this order:
 *
 * 1. The owner of the data, when that is not root: a folder goes on belonging to whom it belonged.
 * 2. A user namespace in which root has another number. It keeps root's access, and the files stay root's, out of
 *    the reach of other daemons that run as nobody. Most containers forbid it.
 * 3. The user nobody, where it reaches both folders.
 * 4. The user nobody with the one capability to pass by the permissions of folders, through setpriv.
 * 5. The user nobody with a copy of the programs below the data folder.
 */
import { Effect } from "effect"
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { existsSync, lstatSync, readFileSync } from "node:fs"
import { lchown, readdir } from "node:fs/promises"
import { userInfo } from "node:os"
import { join } from "node:path"
import { type Binaries, copied, linked, type Package } from "./EmbeddedBinaries.ts"
import { attempt, EmbeddedPostgresError } from "./EmbeddedError.ts"

/** A user and group as numbers. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A way to start a program as a user PostgreSQL accepts. */
export interface User {
  /** For people who read why it did not work. */
  readonly title: string
  /** What stands before the program on the command line; it replaces itself by the program. */
  readonly prefix: ReadonlyArray<string>
  /** Whom Node switches to before the program starts. */
  readonly switchTo: Owner | undefined
  /** Who has to own the data; `undefined` when we are nobody special and everything is ours. */
  readonly owner: Owner | undefined
}

/** Everything needed to start a PostgreSQL program. */
export interface Runner {
  readonly user: User
  readonly binaries: Binaries
}

/** Chooses how to run PostgreSQL on the folder `data` below `directory`, or fails with `user`. */
export const choose = Effect.fnUntraced(
  function*(
    directory: string,
    data: string,
    source: Package
  ): Effect.fn.Return<Runner, EmbeddedPostgresError> {
    const installed = yield* linked(directory, source)
    const users = candidates(directory, data)
    const refusals: Array<string> = []
    const find = Effect.fnUntraced(function*(users: ReadonlyArray<User>, binaries: Binaries) {
      for (const user of users) {
        const { code, output } = yield* probe({ user, binaries }, directory)
        if (code === 0) return { user, binaries }
        refusals.push(`${user.title}: ${output.trim() || `exit ${code}`}`)
      }
      return undefined
    })
    const found = yield* find(users, installed)
    if (found !== undefined) return found
    // Only now, because the copy takes 60 MB.
    const plain = users.filter((user) => user.switchTo !== undefined)
    const last = plain.length === 0 ? undefined : yield* find(plain, yield* copied(directory, source))
    if (last !== undefined) return last
    return yield* new EmbeddedPostgresError({
      reason: "user",
      directory,
      message: `PostgreSQL cannot be run on ${directory}: tried ${refusals.join("; ")}. `
        + `Start as a user other than root who can read ${source.native}, `
        + `or use a data folder that other users can enter (chmod o+x on it and its parents), or set DATABASE_URL.`
    })
  }
)

/** Starts a program. The environment is built from nothing: ours holds secrets that PostgreSQL has no need of. */
export const start = (
  { binaries, user }: Runner,
  program: string,
  args: ReadonlyArray<string>,
  options: SpawnOptions
): ChildProcess => {
  const [command, ...rest] = [...user.prefix, program, ...args]
  return spawn(command!, rest, {
    cwd: "/",
    ...options,
    ...user.switchTo,
    env: { PATH: process.env["PATH"], LC_ALL: "C", ...binaries.environment, ...options.env }
  })
}

/** Runs a program to its end. Interruption kills it. */
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
    // A program that fails early does not read; its exit says more than the broken pipe.
    child.stdin?.on("error", () => {}).end(input)
    child.once("error", (cause) => resume(Effect.succeed({ code: 127, output: cause.message })))
    child.once("close", (code) => resume(Effect.succeed({ code: code ?? 128, output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Gives a folder to the user that is to work in it. The folder itself comes last: it says that all is done. */
export const give = Effect.fnUntraced(
  function*(directory: string, path: string, { user: { owner } }: Runner) {
    if (owner === undefined || !existsSync(path) || lstatSync(path).uid === owner.uid) return
    yield* attempt(directory, async () => {
      for (const name of await readdir(path, { recursive: true })) {
        await lchown(join(path, name), owner.uid, owner.gid)
      }
      await lchown(path, owner.uid, owner.gid)
    })
  }
)

/** What root wrote into a folder of somebody else is given to them, so that they can start here without root. */
export const handOver = Effect.fnUntraced(function*(directory: string) {
  const owner = yield* attempt(directory, () => lstatSync(directory))
  if (process.getuid?.() !== 0 || owner.uid === 0) return
  yield* attempt(directory, async () => {
    for (const name of await readdir(directory)) {
      // The data has an owner that fits how PostgreSQL runs.
      if (name === "postgres") continue
      const path = join(directory, name)
      const inside = lstatSync(path).isDirectory() ? await readdir(path, { recursive: true }) : []
      for (const child of inside) await lchown(join(path, child), owner.uid, owner.gid)
      await lchown(path, owner.uid, owner.gid)
    }
  })
})

/** `access` is what PostgreSQL finds its own files with; unlike opening, it forgets capabilities. */
const probe = (runner: Runner, directory: string) =>
  run(runner, "/bin/sh", [
    "-c",
    `cd -- "$1" && test -x "$2/bin/initdb" && test -r "$2/share" && exec "$2/bin/postgres" --version`,
    "sh",
    directory,
    runner.binaries.native
  ])

const candidates = (directory: string, data: string): ReadonlyArray<User> => {
  const self = process.getuid?.() ?? -1
  const accounts = readAccounts()
  const nobody = accounts.find(({ name }) => name === "nobody") ?? { uid: 65534, gid: 65534 }
  // The namespace also serves a container that runs under a number without an account: initdb insists on a name.
  if (self !== 0) {
    return hasName()
      ? [{ title: "as we are", prefix: [], ...unchanged }]
      : [namespace(nobody, undefined)]
  }
  const { gid, uid } = lstatSync(existsSync(data) ? data : directory)
  const usable = uid !== 0 && (existsSync(data) || accounts.some((account) => account.uid === uid))
  return [
    ...(usable ? [switched({ uid, gid }), capable({ uid, gid })] : []),
    namespace(nobody, { uid: 0, gid: 0 }),
    switched(nobody),
    capable(nobody)
  ]
}

const unchanged = { switchTo: undefined, owner: undefined }

const namespace = ({ gid, uid }: Owner, owner: Owner | undefined): User => ({
  title: `in a user namespace (unshare)`,
  prefix: ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"],
  switchTo: undefined,
  owner
})

const switched = ({ gid, uid }: Owner): User => ({
  title: `as user ${uid}`,
  prefix: [],
  switchTo: { uid, gid },
  owner: { uid, gid }
})

const capable = ({ gid, uid }: Owner): User => ({
  title: `as user ${uid} with the capability to pass by permissions (setpriv)`,
  // Without no_setuid_fixup the kernel forgets capabilities in access(2), and PostgreSQL does not find itself.
  prefix: [
    "setpriv",
    "--securebits=+no_setuid_fixup",
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    "--inh-caps=-all,+dac_override",
    "--ambient-caps=+dac_override",
    "--bounding-set=-all,+dac_override",
    "--"
  ],
  switchTo: undefined,
  owner: { uid, gid }
})

const hasName = () => {
  try {
    return userInfo().username !== ""
  } catch {
    return false
  }
}

const readAccounts = (): ReadonlyArray<Owner & { readonly name: string }> => {
  try {
    return readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":")).filter((fields) =>
      fields.length > 3
    ).map(([name, , uid, gid]) => ({ name: name!, uid: Number(uid), gid: Number(gid) }))
  } catch {
    return []
  }
}
