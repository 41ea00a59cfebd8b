/** The API reference is generated from the doc comments, and has a page for every public module. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { ends } from "./Commands.ts"
import type { Ended } from "./Commands.ts"
import { packages, publicModules } from "./Workspace.ts"

const docs = join(inject("checkout"), "docs")

/** The page of a module: `_dockline_core_Plan.html` for `@dockline/core/document/Plan`. */
const pageOf = (module: string): string => `${module.replaceAll(/[@/]/g, "_")}.html`

describe("the API reference", () => {
  let ended: Ended

  beforeAll(async () => {
    ended = await ends("npm", ["run", "api"], { cwd: docs, timeout: 500_000 })
  })

  it("is made without a warning: every public export has a doc comment, every link leads somewhere", () => {
    expect(ended.code, `${ended.stdout}\n${ended.stderr}`).toBe(0)
  })

  it.each(packages.map((each) => [each.manifest.name, each] as const))(
    "has a page for each module of %s",
    (_, each) => {
      const pages = publicModules(each).map(pageOf)
      expect(pages.filter((page) => !existsSync(join(docs, "api/modules", page)))).toEqual([])
      const shown = readdirSync(join(docs, "api/modules")).filter((page) =>
        page.startsWith(`${pageOf(each.manifest.name).replace(".html", "")}_`)
      )
      expect(shown.filter((page) => page.includes("_internal_"))).toEqual([])
    }
  )
})
