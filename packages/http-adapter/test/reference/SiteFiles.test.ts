/** The files at the root of the service, as browsers, crawlers and programs ask for them (D16.4). */
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as RouteTable from "../../src/answer/RouteTable.ts"
import * as SiteFiles from "../../src/reference/SiteFiles.ts"
import { dispose, get, siteOf } from "./Site.ts"

afterAll(() => dispose())

describe("D16.4 the files of the site", () => {
  it("has an icon, which is that of the reference", async () => {
    const response = await get("/favicon.ico")
    assert.strictEqual(response.status, 308)
    const icon = await get(
      new URL(response.headers.get("location")!, "http://localhost/favicon.ico").pathname
    )
    assert.strictEqual(icon.headers.get("content-type"), "image/svg+xml")
  })

  it("tells crawlers to leave it alone", async () => {
    assert.strictEqual(await (await get("/robots.txt")).text(), "User-agent: *\nDisallow: /\n")
  })

  it("says where to report a hole of this service, in a file that expires within a year (RFC 9116)", async () => {
    const response = await get("/.well-known/security.txt")
    assert.strictEqual(response.headers.get("content-type"), "text/plain; charset=utf-8")
    const [contact, expires, ...others] = (await response.text()).split("\n")
    assert.strictEqual(contact, "Contact: mailto:security@dockline.example")
    assert.deepStrictEqual(others, [""])
    const days = (Date.parse(expires!.replace("Expires: ", "")) - Date.now()) / 86_400_000
    assert.isAbove(days, 90)
    assert.isBelow(days, 365)
  })

  it("has no such file where nobody says who operates the service", async () => {
    const site = siteOf({ baseUrl: "https://dockline.example" })
    const response = await site.get("/.well-known/security.txt")
    await site.dispose()
    assert.strictEqual(response.status, 404)
    assert.deepInclude(await response.json(), { code: "RESOURCE_NOT_FOUND" })
  })

  it("leads language models to contracts that are there", async () => {
    const response = await get("/llms.txt")
    assert.strictEqual(response.headers.get("content-type"), "text/markdown; charset=utf-8")
    const text = await response.text()
    assert.match(text, /^# Dockline\n\n> /)
    const links = Array.from(
      text.matchAll(/\]\((https:\/\/dockline\.example\/logistics)(\/[^)]*)\)/g),
      ([, , path]) => path!
    )
    assert.lengthOf(links, 5 + messageTypes.length)
    for (const path of links.filter((path) => path.startsWith("/v1/"))) {
      assert.strictEqual((await get(path)).status, 200, path)
    }
  })

  it("names its routes for the table of methods", async () => {
    const table = RouteTable.make(SiteFiles.routes)
    for (const { path } of SiteFiles.routes) {
      assert.deepStrictEqual(table.methodsAt(path), ["GET", "HEAD"], path)
      assert.isBelow((await get(path, "HEAD")).status, 400, path)
    }
  })
})
