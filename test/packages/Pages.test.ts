/** The pages for browsers, in a separate project: from copies in the packages, without any library installed. */
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import * as Library from "../../packages/graphql-adapter/src/graphiql/Library.ts"
import * as SwaggerUi from "../../packages/http-adapter/src/reference/SwaggerUi.ts"
import { run } from "./Commands.ts"
import * as FreshProject from "./FreshProject.ts"

/** Requests both pages and all files that they load, and prints the statuses and the sizes by address. */
const program = `
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"

await using dockline = await Dockline.open({ storage: Memory.layer })
await using rest = await RestHandler.make(dockline.layer, { baseUrl: "http://localhost" })
await using graphql = await GraphqlHandler.make(rest.layer)

const answers: Record<string, readonly [number, number]> = {}
for (const [address, { handler }] of [["/v1/docs/", rest], ["/public_graphql", graphql]] as const) {
  const ask = async (url: URL) => {
    const response = await handler(new Request(url, { headers: { accept: "text/html" } }))
    const text = await response.text()
    answers[url.pathname] = [response.status, text.length]
    return text
  }
  const url = new URL(address, "http://localhost")
  const links = (await ask(url)).matchAll(/(?:src|href)="([^"]+\\?v=[^"]+)"/g)
  for (const [, link = ""] of links) await ask(new URL(link, url))
}
console.log(JSON.stringify(answers))
`

describe("the pages of installed packages", () => {
  let project: FreshProject.FreshProject

  const answers = async (): Promise<Readonly<Record<string, readonly [number, number]>>> =>
    JSON.parse(
      (await run(process.execPath, ["pages.ts"], { cwd: project.directory })).split("\n").find((line) =>
        line.startsWith("{\"/")
      )!
    )

  beforeAll(async () => {
    const tarballs = inject("tarballs").filter(({ name }) =>
      /core|wire|http-adapter|graphql-adapter/.test(name)
    )
    project = await FreshProject.make([...tarballs.map(({ path }) => path), "effect@4.1.0", "graphql@17.1.0"])
    project.write("pages.ts", program)
  })
  afterAll(() => rmSync(project.directory, { recursive: true, force: true }))

  const folders = [
    ["@dockline/http-adapter", SwaggerUi],
    ["@dockline/graphql-adapter", Library]
  ] as const
  const folderOf = (name: string, folder: string) => join(project.directory, "node_modules", name, folder)

  it("hold copies of the files of their libraries, with the licences", () => {
    for (const [name, { files, folder, textToServe }] of folders) {
      for (const [file, [library, path]] of Object.entries(files)) {
        expect(existsSync(join(project.directory, "node_modules", library))).toBe(false)
        const original = readFileSync(join(inject("checkout"), "node_modules", library, path), "utf8")
        const copy = readFileSync(join(folderOf(name, folder), file), "utf8")
        expect(copy === textToServe(original), file).toBe(true)
        expect(copy).not.toMatch(/@font-face|sourceMappingURL=/)
        const licences = readFileSync(join(folderOf(name, folder), "LICENSES.txt"), "utf8")
        expect(licences).toMatch(new RegExp(`^${library} \\d+\\.\\d+\\.\\d+ \\(`, "m"))
      }
    }
  })

  it("of the dashboard are built into its package, with the licences of what is in them", () => {
    const { files } = inject("tarballs").find(({ name }) => name === "@dockline/dashboard")!
    const sizes = Object.fromEntries(files.map(({ path, size }) => [path, size]))
    for (const name of ["app.js", "app.css", "icon.svg", "files.json", "LICENSES.txt"]) {
      expect(sizes[`dist/files/${name}`], name).toBeGreaterThan(0)
    }
    expect(sizes["dist/browser/main.js"]).toBeUndefined()
  })

  it("are served whole", async () => {
    const found = await answers()
    expect(Object.values(found).map(([status]) => status)).toEqual(Array.from({ length: 13 }, () => 200))
    expect(found["/v1/docs/swagger-ui-bundle.js"]?.[1]).toBeGreaterThan(1_000_000)
    expect(found["/public_graphql/graphiql/graphiql.js"]?.[1])
      .toBeGreaterThan(1_000_000)
  })

  it("are 404 where their files were taken away, and nothing else is", async () => {
    const places = folders.map(([name, { folder }]) => folderOf(name, folder))
    for (const place of places) renameSync(place, `${place}-away`)
    try {
      expect(Object.entries(await answers()).map(([path, [status]]) => [path, status])).toEqual([
        ["/v1/docs/", 404],
        ["/public_graphql", 404]
      ])
    } finally {
      for (const place of places) renameSync(`${place}-away`, place)
    }
  })
})
