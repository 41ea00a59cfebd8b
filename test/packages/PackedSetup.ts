/**
 * Packs every package once, for all tests: from a built copy of the checkout, so that no output stays in the checkout.
 *
 * `npm pack` runs `prepack`, as `npm publish` does: the tests check exactly what would be published.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, relative } from "node:path"
import type { TestProject } from "vitest/node"
import { run } from "./Commands.ts"
import { packages, root } from "./Workspace.ts"

/** One packed package, from the report of `npm pack --json`. */
export interface Tarball {
  readonly name: string
  readonly version: string
  /** Its path. */
  readonly path: string
  /** Its own size in bytes. */
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number; readonly mode: number }>
}

declare module "vitest" {
  interface ProvidedContext {
    /** The built copy of the checkout. */
    readonly checkout: string
    readonly tarballs: ReadonlyArray<Tarball>
  }
}

const left = new Set(["node_modules", ".git", "dist", "data", "coverage"])

/** Makes a copy with node_modules of its own, in which the packages of the workspace are those of the copy. */
export const copy = (checkout: string): void => {
  cpSync(root, checkout, {
    recursive: true,
    filter: (source) =>
      !left.has(basename(source)) && !/^(?:(?:bench|examples)\/|docs\/api$)/.test(relative(root, source))
  })
  mkdirSync(join(checkout, "node_modules/@dockline"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name === "@dockline" || name === ".cache") continue
    symlinkSync(join(root, "node_modules", name), join(checkout, "node_modules", name))
  }
  for (const { folder } of packages) {
    symlinkSync(join(checkout, "packages", folder), join(checkout, "node_modules/@dockline", folder))
  }
  for (const folder of ["docs", ...packages.map((each) => `packages/${each.folder}`)]) {
    const modules = join(root, folder, "node_modules")
    if (existsSync(modules)) symlinkSync(modules, join(checkout, folder, "node_modules"))
  }
}

/** Packs packages, by default all, into a folder that `remove` removes. */
export const pack = async (
  names: ReadonlyArray<string> = packages.map(({ manifest }) => manifest.name)
): Promise<{
  readonly checkout: string
  readonly folder: string
  readonly tarballs: ReadonlyArray<Tarball>
  readonly remove: () => void
}> => {
  const directory = mkdtempSync(join(tmpdir(), "dockline-packages-"))
  const checkout = join(directory, "checkout")
  const packed = join(directory, "tarballs")
  copy(checkout)
  // The output of a module that no longer exists: `prepack` has to remove it.
  for (const { folder } of packages) {
    mkdirSync(join(checkout, "packages", folder, "dist"))
    writeFileSync(join(checkout, "packages", folder, "dist/Gone.js"), "")
  }
  mkdirSync(packed)
  const workspaces = names.map((name) => `--workspace=${name}`)
  const report = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts=false", `--pack-destination=${packed}`, ...workspaces],
    { cwd: checkout }
  )
  // The output of the scripts comes before the report.
  const listed: ReadonlyArray<Omit<Tarball, "path"> & { readonly filename: string }> = Object.values(
    JSON.parse(report.slice(report.search(/^[[{]$/m)))
  )
  const tarballs = listed.map(({ name, version, filename, size, files }) => ({
    name,
    version,
    size,
    files,
    path: join(packed, filename)
  }))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  return { checkout, folder: packed, tarballs, remove }
}

/** Vitest calls this before the first test, and the returned function after the last. */
export default async (project: TestProject): Promise<() => void> => {
  const { checkout, remove, tarballs } = await pack()
  project.provide("checkout", checkout)
  project.provide("tarballs", tarballs)
  return remove
}
