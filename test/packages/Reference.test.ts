/** The site of the documentation: it is made without a warning, and has a page for every error and public module. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { ends } from "./Commands.ts"
import type { Ended } from "./Commands.ts"
import { packages, publicModules } from "./Workspace.ts"

const docs = join(inject("checkout"), "docs")

/** `@dockline/core/Plan` has the page `_dockline_core_Plan.html`. */
const pageOf = (module: string): string => `${module.replaceAll(/[@/]/g, "_")}.html`

describe("the site of the documentation", () => {
  let ended: Ended

  beforeAll(async () => {
    ended = await ends("npm", ["run", "site"], { cwd: docs, timeout: 500_000 })
  })

  it("is made: every public export has a doc comment, every link leads somewhere", () => {
    expect(ended.code, `${ended.stdout}\n${ended.stderr}`).toBe(0)
  })

  it.each(packages.map((each) => [each.manifest.name, each] as const))(
    "has a page for each module of %s",
    (_, each) => {
      const pages = publicModules(each).map(pageOf)
      expect(pages.filter((page) => !existsSync(join(docs, "site/api/modules", page)))).toEqual([])
      const shown = readdirSync(join(docs, "site/api/modules")).filter((page) =>
        page.startsWith(`${pageOf(each.manifest.name).replace(".html", "")}_`)
      )
      expect(shown.filter((page) => page.includes("_internal_"))).toEqual([])
    }
  )

  it("has a page for each code, with its example", () => {
    const values = join(inject("checkout"), "packages/core/src/values")
    const codes = readdirSync(values).flatMap((file) =>
      Array.from(
        readFileSync(join(values, file), "utf8").matchAll(/extends CatalogueError\("([A-Z_]+)"/g),
        ([, code]) => code!
      )
    )
    expect(codes.length).toBeGreaterThan(40)
    for (const code of codes) {
      const page = readFileSync(
        join(docs, `site/reference/errors/${code.toLowerCase().replaceAll("_", "-")}.html`),
        "utf8"
      )
      expect(page).toContain(code)
    }
  })

  it("loads nothing from another host", () => {
    const pages = readdirSync(join(docs, "site"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".html") && !file.startsWith("api/"))
    expect(pages.length).toBeGreaterThan(100)
    const loaded = pages.flatMap((file) =>
      Array.from(
        readFileSync(join(docs, "site", file), "utf8").matchAll(
          /<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)"|@import url/g
        ),
        ([tag]) => `${file}: ${tag}`
      )
    )
    expect(loaded).toEqual([])
  })
})
