/**
 * The packages of the workspace as they are written: their manifests, and which of their modules are public.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Where a path of a package leads, by condition. `@dockline/source` is for this workspace alone. */
export type Target = string | Readonly<Record<string, string>>

/** What these tests read of a package.json. */
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

/** All that are published, in the order of their folders. */
export const packages: ReadonlyArray<Package> = readdirSync(join(root, "packages")).toSorted().map(
  (folder) => {
    const directory = join(root, "packages", folder)
    return { folder, directory, manifest: readJson<Manifest>(join(directory, "package.json")) }
  }
)

/** A package with those of ours that it depends on, which the registry does not have. */
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

/** The source of a public path, or undefined for one that is public in this workspace alone, or no module. */
export const sourceOf = (target: Target): string | undefined =>
  typeof target === "object" && "default" in target ? target["@dockline/source"] : undefined

/** The modules of a package that a pattern of `exports` makes public: all in its folder that no folder `internal` holds. */
const matched = (directory: string, pattern: string): ReadonlyArray<string> =>
  filesIn(join(directory, "src", pattern.slice(0, -"/*".length)))
    .filter((file) => file.endsWith(".ts") && file !== "index.ts" && !file.includes("internal/"))
    .map((file) => `${pattern.slice(1, -1)}${file.replace(/\.ts$/, "")}`)

/** The names of the public modules of a package, as they are imported: `@dockline/core/document/Plan`. */
export const publicModules = ({ directory, manifest }: Package): ReadonlyArray<string> =>
  Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (sourceOf(target) === undefined) return []
    const modules = path.endsWith("/*") ? matched(directory, path) : [path.slice(1)]
    return modules.map((module) => `${manifest.name}${module}`)
  })
