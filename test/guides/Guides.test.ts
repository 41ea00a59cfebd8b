/** The guides, the README and the READMEs of packages are correct, block by block. */
import { Effect, Exit, Scope } from "effect"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Block from "./Block.ts"
import * as Names from "./Names.ts"
import * as Places from "./Places.ts"
import * as Project from "./Project.ts"
import { run } from "./Run.ts"
import type { Terminal } from "./Terminal.ts"

const guidePages = globSync("docs/guides/*.md", { cwd: Project.root }).toSorted()

/**
 * The pages whose blocks are run here, in an order in which they can be read: some share one server, one after another. READMEs with other
 * blocks have tests of their own, beside them.
 */
const files = [
  "docs/guides/first-document.md",
  "README.md",
  ...guidePages.filter((file) => file !== "docs/guides/first-document.md"),
  "docs/README.md",
  "packages/core/README.md",
  "packages/sql-storage/README.md",
  "packages/http-adapter/README.md",
  "packages/client/README.md",
  "packages/server/README.md"
]

/** The pages for readers. */
const pages = [
  ...globSync("{packages,examples}/*/README.md", { cwd: Project.root }),
  ...globSync("docs/**/*.md", {
    cwd: Project.root,
    exclude: ["docs/node_modules", "docs/api", "docs/site", "docs/reference"]
  }),
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "lab/README.md",
  "test/README.md"
].toSorted()

const textOf = (file: string): string => readFileSync(join(Project.root, file), "utf8")

const guides = files.map((file) => Block.read(file, textOf(file)))

const scope = Scope.makeUnsafe()
const places = new Map<string, Places.Place>()
const printed = new Map<string, string>()
const servers = new Map<number, Terminal>()
let projects: Project.Projects

beforeAll(async () => {
  const shared: Places.Shared = { databases: new Map(), server: undefined }
  for (const guide of guides) {
    if (guide.blocks.length > 0) {
      places.set(guide.name, await Effect.runPromise(Scope.provide(Places.make(guide, shared), scope)))
    }
  }
  projects = Project.make(guides, ({ name }) => places.get(name)?.substitute ?? ((text) => text))
})

afterAll(async () => {
  for (const server of servers.values()) await server.close()
  projects.remove()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

describe("the guides", () => {
  it("have programs whose types are right", async () => {
    assert.deepStrictEqual(await Project.typeErrors(projects), [])
  }, 240_000)

  for (const guide of guides.filter(({ blocks }) => blocks.length > 0)) {
    it(`${guide.name} does what it says`, async () => {
      await run(guide, { folder: projects.folderOf(guide), printed, servers, ...places.get(guide.name)! })
    }, 600_000)
  }
})

/** The anchors of a page's headings, as links name them. */
const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set(
    Array.from(textOf(file).matchAll(/^#+ (.*)$/gm), ([, heading]) =>
      heading!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"))
  )

/** The reason why a link leads nowhere, if it does. */
const brokenLink = (file: string, link: string): string | undefined => {
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? file : join(dirname(file), path)
  if (!existsSync(join(Project.root, target))) return `${file}: ${link} is not there`
  if (anchor === undefined || anchorsOf(target).has(anchor)) return undefined
  return `${file}: ${link} has no such heading`
}

describe("the pages", () => {
  it("have links that lead somewhere", () => {
    const links = pages.flatMap((file) =>
      Array.from(textOf(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, link]) => brokenLink(file, link!))
    )
    assert.isAbove(links.length, 60)
    assert.deepStrictEqual(links.filter((link) => link !== undefined), [])
  })

  it("name what there is: modules and their exports, files, commands, settings, codes", () => {
    // The contract and the decisions also name things of others, or of the future.
    const named = pages.filter((file) => !/^docs\/(?:WIRE|adr|wire)/.test(file))
    const unknown = named.flatMap((file) => Names.unknown(textOf(file)).map((name) => `${file}: ${name}`))
    assert.deepStrictEqual(unknown, [])
  })

  it("are all found from the index", () => {
    const index = textOf("docs/README.md")
    for (const file of guidePages) assert.include(index, `(${file.replace("docs/", "")})`)
  })
})
