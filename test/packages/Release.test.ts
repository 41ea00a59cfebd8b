/** `npm run release`, up to the packages that would be published. */
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { ends } from "./Commands.ts"
import { copy } from "./PackedSetup.ts"
import { packages, readJson } from "./Workspace.ts"

interface Component {
  readonly name: string
  readonly version: string
  readonly hashes?: ReadonlyArray<{ readonly alg: string }>
}

// A separate copy: while a package is packed, its manifest is the published one, which does not lead to the sources.
const directory = mkdtempSync(join(tmpdir(), "dockline-release-"))
const checkout = join(directory, "checkout")

beforeAll(() => copy(checkout))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const release = (...args: ReadonlyArray<string>) =>
  ends(process.execPath, ["programs/release.ts", ...args], { cwd: checkout })

it("packs what would be published, lists what that brings, and publishes nothing", async () => {
  const { code, stderr, stdout } = await release("--dry-run")
  expect(code, stderr).toBe(0)
  expect(stdout).toContain("Nothing was published.")

  const folder = join(checkout, "release")
  const tarballs = inject("tarballs").map(({ path }) => path.split("/").at(-1))
  expect(readdirSync(folder).toSorted()).toEqual(["SHA256SUMS", ...tarballs, "sbom.cdx.json"].toSorted())
  for (const line of readFileSync(join(folder, "SHA256SUMS"), "utf8").trimEnd().split("\n")) {
    const [sum, name] = line.split("  ") as [string, string]
    expect(createHash("sha256").update(readFileSync(join(folder, name))).digest("hex")).toBe(sum)
  }

  const bom = readJson<{ readonly components: ReadonlyArray<Component> }>(join(folder, "sbom.cdx.json"))
  const named = new Map(bom.components.map((each) => [each.name, each]))
  for (const { manifest } of packages) expect(named.get(manifest.name)?.version).toBe(manifest.version)
  expect(named.get("effect")?.hashes?.map(({ alg }) => alg)).toEqual(["SHA-512"])
  expect(named.has("vitest")).toBe(false)
  expect(JSON.stringify(bom)).not.toContain("file:")
})

it("publishes nothing where something is missing, and says what", async () => {
  const { code, stdout } = await release()
  expect(code).toBe(1)
  expect(stdout).toMatch(/^Before it can be published there must be:\n {2}- a commit with nothing beside it/)
  expect(stdout).toMatch(/- a job of dockline\/dockline with id-token: write, whose identity npm trusts/)
})

it("knows no other argument", async () => {
  expect(await release("--now")).toMatchObject({ code: 2, stderr: "release: only --dry-run is known\n" })
})
