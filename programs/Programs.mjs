/**
 * The programs of this repository, bundled: a program that loads a thousand modules one by one needs two seconds and twice
 * the memory of the same program in one file. `run.mjs` runs them for the npm scripts; tests start them without it.
 *
 * They are made when they are first asked for, and again when a source has changed. These modules are plain JavaScript: a process
 * that has loaded one TypeScript module holds Node's compiler for it, 16 MB, as long as it runs.
 */
import { createHash } from "node:crypto"
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))

const folder = join(root, "node_modules/.cache/programs")

/** The programs, by their paths from the root of the repository. */
export const programs = /** @type {const} */ ([
  "packages/server/src/main.ts",
  "packages/cli/src/main.ts",
  "examples/demo/src/main.ts",
  "examples/customer/src/main.ts"
])

/** @typedef {typeof programs[number]} Program The path of a program that is bundled, from the root of the repository. */

/**
 * Whether a path in the repository is that of a program that is bundled.
 *
 * @param {string} path
 * @returns {path is Program}
 */
export const isBundled = (path) => programs.some((program) => program === path)

const sources = [
  "package-lock.json",
  "programs/Bundle.mjs",
  "{packages,examples}/*/src/**/*.ts",
  "{packages,examples}/*/package.json"
]

/** Long after the end of any run that uses what it was given. */
const agedMillis = 24 * 60 * 60_000

/**
 * Marks what is used, so that by its age is known what nobody needs any more.
 *
 * @param {string} path
 */
const touch = (path) => utimesSync(path, new Date(), new Date())

const removeAged = () => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (since !== undefined && Date.now() - since > agedMillis) rmSync(path, { recursive: true, force: true })
  }
}

/** @type {typeof import("./Bundle.mjs") | undefined} */
let bundler

/** The folder of bundles of the sources as they are now. Whoever makes the same one at the same time makes the same. */
const make = async () => {
  const hash = createHash("sha256")
  for (const file of globSync(sources, { cwd: root }).toSorted()) {
    hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  }
  const made = join(folder, hash.digest("hex").slice(0, 16))
  try {
    touch(made)
    return made
  } catch {
    // Not made yet.
  }
  mkdirSync(folder, { recursive: true })
  removeAged()
  const draft = `${made}-${process.pid}`
  bundler = await import("./Bundle.mjs")
  await bundler.bundleAll(
    programs.map((program) => ({ entry: join(root, program), name: nameOf(program) })),
    draft
  )
  try {
    renameSync(draft, made)
  } catch {
    // Somebody else was faster.
    rmSync(draft, { recursive: true, force: true })
  }
  return made
}

/** @param {Program} program */
const nameOf = (program) => program.replace(/\.ts$/, "").replaceAll("/", "-")

/** @type {Promise<string> | undefined} */
let making

/**
 * The path of a program as it is bundled.
 *
 * @param {Program} program
 */
export const bundled = async (program) => join(await (making ??= make()), `${nameOf(program)}.mjs`)

/** Ends the bundler where it was needed: for a process that goes on to be the program. */
export const endBundler = async () => bundler?.end()
