/**
 * The packages of the workspace in their sources: their manifests, and their public modules.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The target of a path of a package, by condition. `@dockline/source` is only for this workspace. */
export type Target = string | Readonly<Record<string, string>>

/** The fields of a package.json that these tests read. */
export interface Manifest {
  readonly [field: string]: unknown
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, Target>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** A package of the workspace that is published. */
export interface Package {
  /** The name of its folder in `packages`. */
  readonly folder: string
  readonly directory: string
  readonly manifest: Manifest
}

/** A JSON file. */
export const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8"))

/** All published packages, in the order of their folders. */
export const packages: ReadonlyArray<Package> = readdirSync(join(root, "packages")).toSorted().map(
  (folder) => {
    const directory = join(root, "packages", folder)
    return { folder, directory, manifest: readJson<Manifest>(join(directory, "package.json")) }
  }
)

/** A package with those of ours on which it depends, which the registry does not have. */
export const withOurs = (name: string): ReadonlyArray<string> => {
  const { dependencies = {} } = packages.find(({ manifest }) => manifest.name === name)!.manifest
  const ours = Object.keys(dependencies).filter((each) => each.startsWith("@dockline/")).flatMap(withOurs)
  return [...new Set([name, ...ours])]
}

/** The files in a folder and below it, as paths in it. */
export const filesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted()

/** The source of a public path; `undefined` if it is public only in this workspace, or no module. */
export const sourceOf = (target: Target): string | undefined =>
  typeof target === "object" && "default" in target ? target["@dockline/source"] : undefined

/** The modules of a package that a pattern of `exports` makes public: all in its folder, except those in folders `internal`. */
const matched = (directory: string, pattern: string): ReadonlyArray<string> =>
  filesIn(join(directory, "src", pattern.slice(0, -"/*".length)))
    .filter((file) => file.endsWith(".ts") && file !== "index.ts" && !file.includes("internal/"))
    .map((file) => `${pattern.slice(1, -1)}${file.replace(/\.ts$/, "")}`)

/** The names by which the public modules of a package are imported: `@dockline/core/document/Plan`. */
export const publicModules = ({ directory, manifest }: Package): ReadonlyArray<string> =>
  Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (sourceOf(target) === undefined) return []
    const modules = path.endsWith("/*") ? matched(directory, path) : [path.slice(1)]
    return modules.map((module) => `${manifest.name}${module}`)
  })
