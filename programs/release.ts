/**
 * `npm run release`: publishes what is packed here, with provenance; `npm run release -- --dry-run` does all but that.
 *
 * The folder `release` then holds each package as it is published, `SHA256SUMS` of them, and `sbom.cdx.json`: what an installation
 * of all of them brings, with versions, licences and hashes (CycloneDX).
 *
 * Guarantee: what is published is what was packed and listed; nothing is published while something named as missing is missing.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = join(root, "release")

const [argument, ...further] = process.argv.slice(2)
if (argument !== undefined && argument !== "--dry-run" || further.length > 0) {
  console.error("release: only --dry-run is known")
  process.exit(2)
}
const isDry = argument === "--dry-run"

const output = (cwd: string, program: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

const git = (...args: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .trim()
  } catch {
    return undefined
  }
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly repository: { readonly url: string }
}

const manifests = readdirSync(join(root, "packages")).map((each) =>
  JSON.parse(readFileSync(join(root, "packages", each, "package.json"), "utf8")) as Manifest
)

/** Those that others need come first, so that what is published can be installed at every moment. */
const inOrder = (left: ReadonlyArray<Manifest>): ReadonlyArray<Manifest> => {
  if (left.length === 0) return []
  const next = left.filter(({ dependencies = {} }) => !left.some(({ name }) => name in dependencies))
  if (next.length === 0) throw new Error("packages depend on each other in a circle")
  return [...next, ...inOrder(left.filter((each) => !next.includes(each)))]
}

/** What has to be mended before anything is published. */
const missing = (version: string, commit: string | undefined): ReadonlyArray<string> => {
  const repository = /github\.com\/(.+?)(?:\.git)?$/.exec(manifests[0]!.repository.url)?.[1]
  const waiting = readdirSync(join(root, ".changeset")).filter((name) => name.endsWith(".md"))
  const said = readFileSync(join(root, "CHANGELOG.md"), "utf8")
  const conditions: ReadonlyArray<readonly [is: boolean, otherwise: string]> = [
    [
      commit !== undefined && git("status", "--porcelain") === "",
      "a commit with nothing beside it: git status"
    ],
    [
      waiting.length === 0,
      `a version with the ${waiting.length} changesets that wait: npm run changeset -- version`
    ],
    [said.includes(`\n## ${version}\n`), `a section "## ${version}" in CHANGELOG.md`],
    [
      manifests.every((each) => each.version === version),
      "one version for all packages: npm run changeset -- version"
    ],
    [
      process.env["GITHUB_REPOSITORY"] === repository &&
      process.env["ACTIONS_ID_TOKEN_REQUEST_URL"] !== undefined,
      `a job of ${repository} with id-token: write, whose identity npm trusts: without it there is no provenance`
    ]
  ]
  return conditions.filter(([is]) => !is).map(([, otherwise]) => otherwise)
}

interface Packed {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly size: number
  readonly entryCount: number
}

const pack = (): ReadonlyArray<Packed> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  return inOrder(manifests).map(({ name }) => {
    const args = ["--json", "--ignore-scripts=false", `--workspace=${name}`, `--pack-destination=${folder}`]
    const [packed] = Object.values(JSON.parse(output(root, "npm", "pack", ...args)) as object) as [Packed]
    return packed
  })
}

const sums = (packed: ReadonlyArray<Packed>): string =>
  packed.map(({ filename }) =>
    `${createHash("sha256").update(readFileSync(join(folder, filename))).digest("hex")}  ${filename}\n`
  ).join("")

interface Bom {
  readonly components: Array<{ readonly name: string; externalReferences?: Array<{ readonly url: string }> }>
}

/** What an installation of all packages brings. */
const sbom = (version: string, packed: ReadonlyArray<Packed>): Bom => {
  const project = mkdtempSync(join(tmpdir(), "dockline-"))
  try {
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "dockline", version, private: true }))
    const tarballs = packed.map(({ filename }) => join(folder, filename))
    output(
      project,
      "npm",
      "install",
      "--package-lock-only",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      ...tarballs
    )
    const bom = JSON.parse(
      output(
        project,
        "npm",
        "sbom",
        "--package-lock-only",
        "--sbom-format=cyclonedx",
        "--sbom-type=application"
      )
    ) as Bom
    // Ours were installed from files of this machine, and others perhaps from a registry of its own.
    for (const component of bom.components) delete component.externalReferences
    return bom
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

// There are packages.
const version = manifests[0]!.version
const commit = git("rev-parse", "HEAD")
const lacks = missing(version, commit)
if (lacks.length > 0) {
  console.log(
    ["Before it can be published there must be:", ...lacks.map((each) => `  - ${each}`), ""].join("\n")
  )
  if (!isDry) process.exit(1)
}

const packed = pack()
const bom = sbom(version, packed)
writeFileSync(join(folder, "SHA256SUMS"), sums(packed))
writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(bom, undefined, 2)}\n`)

console.log(`Version ${version} of commit ${commit ?? "unknown"}, in the folder release:\n`)
for (const { entryCount, filename, size } of packed) {
  console.log(
    `  ${filename.padEnd(44)} ${String(entryCount).padStart(4)} files ${String(size).padStart(8)} bytes`
  )
}
console.log(`  ${"sbom.cdx.json".padEnd(44)} ${String(bom.components.length).padStart(4)} packages`)

if (isDry) console.log("\nNothing was published.")
else {
  for (const { filename } of packed) {
    output(root, "npm", "publish", join(folder, filename), "--provenance", "--access=public")
  }
  console.log(
    "\nPublished. Now: npm run changeset -- tag && git push --follow-tags, and add the folder release to the release."
  )
}
