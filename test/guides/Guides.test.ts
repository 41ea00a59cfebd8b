/** The guides, the README and the READMEs that show code do what they say, block by block. */
import { Effect, Exit, Scope } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Block from "./Block.ts"
import * as Places from "./Places.ts"
import * as Project from "./Project.ts"
import { run } from "./Run.ts"

const files = [
  ...readdirSync(join(Project.root, "docs/guides")).filter((file) => file.endsWith(".md")).map((file) =>
    `docs/guides/${file}`
  ),
  "docs/README.md",
  "README.md",
  "packages/core/README.md",
  "packages/sql-storage/README.md"
]

const textOf = (file: string): string => readFileSync(join(Project.root, file), "utf8")

const guides = files.map((file) => Block.read(file, textOf(file)))

const scope = Scope.makeUnsafe()
const places = new Map<string, Places.Place>()
let projects: Project.Projects

beforeAll(async () => {
  for (const guide of guides) {
    if (guide.blocks.length > 0) {
      places.set(guide.name, await Effect.runPromise(Scope.provide(Places.make(guide), scope)))
    }
  }
  projects = Project.make(guides, ({ name }) => places.get(name)?.substitute ?? ((text) => text))
})

afterAll(async () => {
  projects.remove()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

describe("the guides", () => {
  it("have programs whose types are right", async () => {
    assert.deepStrictEqual(await Project.typeErrors(projects), [])
  }, 240_000)

  for (const guide of guides.filter(({ blocks }) => blocks.length > 0)) {
    it(`${guide.name} does what it says`, async () => {
      await run(guide, { folder: projects.folderOf(guide), ...places.get(guide.name)! })
    }, 240_000)
  }
})

/** The names that a page gives its headings, as links have them. */
const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set(
    Array.from(textOf(file).matchAll(/^#+ (.*)$/gm), ([, heading]) =>
      heading!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"))
  )

/** Why a link leads nowhere, if it does. */
const brokenLink = (file: string, link: string): string | undefined => {
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? file : join(dirname(file), path)
  if (!existsSync(join(Project.root, target))) return `${file}: ${link} is not there`
  if (anchor === undefined || anchorsOf(target).has(anchor)) return undefined
  return `${file}: ${link} has no such heading`
}

describe("the pages", () => {
  it("have links that lead somewhere", () => {
    const links = files.flatMap((file) =>
      Array.from(textOf(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, link]) => brokenLink(file, link!))
    )
    assert.isAbove(links.length, 20)
    assert.deepStrictEqual(links.filter((link) => link !== undefined), [])
  })

  it("are all found from the index", () => {
    const index = textOf("docs/README.md")
    for (const file of files.filter((file) => file.startsWith("docs/guides/"))) {
      assert.include(index, `(${file.replace("docs/", "")})`)
    }
  })
})
