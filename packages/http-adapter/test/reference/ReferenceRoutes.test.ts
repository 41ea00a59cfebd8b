/** The contracts for machines (D16.1, D16.2) and the files of the reference, as a browser requests them. Browser tests cover the page. */
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { defaultStrategies, Strategies } from "@dockline/core/document/Strategy"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { parse } from "yaml"
import * as RouteTable from "../../src/answer/RouteTable.ts"
import * as ReferenceRoutes from "../../src/reference/ReferenceRoutes.ts"
import { dispose, get } from "./Site.ts"

afterAll(() => dispose())

const files = ReferenceRoutes.routesOf([]).map(({ path }) => path).filter((path) =>
  path !== "/v1/docs" && !path.startsWith("/v1/docs/openapi.")
)

describe("D16.1 the reference", () => {
  it("is made by the first request for it, and once", async () => {
    let descriptions = 0
    const countingStrategies = new Proxy(defaultStrategies, {
      ownKeys: (strategies) => {
        descriptions++
        return Reflect.ownKeys(strategies)
      }
    })
    const reference = HttpRouter.toWebHandler(
      ReferenceRoutes.layer({ baseUrl: "https://dockline.example" }, []).pipe(
        Layer.provide(Layer.mergeAll(
          HttpServer.layerServices,
          Layer.succeed(Strategies, countingStrategies),
          Layer.succeed(OperationRegistry, {
            capabilities: [],
            operations: {},
            handlers: {},
            operatorHandlers: {},
            services: Context.empty()
          })
        ))
      ),
      { disableLogger: true }
    )
    const ask = async (name: string) =>
      (await reference.handler(new Request(`http://localhost/v1/${name}`))).text()
    await ask("docs/")
    assert.strictEqual(descriptions, 0)
    const [document] = await Promise.all([ask("openapi.json"), ask("openapi.json")])
    const once = descriptions
    assert.isAtLeast(once, 1)
    assert.strictEqual(await ask("openapi.json"), document)
    assert.strictEqual(descriptions, once)
    await reference.dispose()
  })

  it("redirects to the address that its relative links need", async () => {
    const response = await get("/v1/docs?from=mail")
    assert.strictEqual(response.status, 308)
    assert.strictEqual(response.headers.get("location"), "docs/")
    for (const name of ["openapi.json", "openapi.yaml"]) {
      const beside = await get(`/v1/docs/${name}`)
      assert.strictEqual(beside.status, 308)
      assert.strictEqual(beside.headers.get("location"), `../${name}`)
    }
  })

  it("serves each of its files with its media type, under a policy that admits no other host", async () => {
    const types: Record<string, string | null> = {}
    for (const path of files) {
      const response = await get(path)
      assert.strictEqual(response.status, 200, path)
      types[path] = response.headers.get("content-type")
      const policy = response.headers.get("content-security-policy")!
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
      assert.notMatch(policy, /unsafe|\*|http/)
      assert.strictEqual(response.headers.get("x-content-type-options"), "nosniff")
    }
    assert.deepStrictEqual(types, {
      "/v1/openapi.json": "application/json",
      "/v1/openapi.yaml": "application/yaml",
      "/v1/asyncapi.json": "application/json",
      ...Object.fromEntries(messageTypes.map((type) => [`/v1/schemas/${type}.json`, "application/json"])),
      "/v1/docs/": "text/html; charset=utf-8",
      "/v1/docs/reference.js": "text/javascript; charset=utf-8",
      "/v1/docs/reference.css": "text/css; charset=utf-8",
      "/v1/docs/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
      "/v1/docs/swagger-ui.css": "text/css; charset=utf-8",
      "/v1/docs/favicon.svg": "image/svg+xml"
    })
  })

  it("links to nothing but its own files", async () => {
    const html = await (await get("/v1/docs/")).text()
    const links = Array.from(
      html.matchAll(/(?:href|src)="([^"]*)"/g),
      ([, link = ""]) => new URL(link, "http://localhost/v1/docs/")
    )
    assert.isNotEmpty(links)
    assert.includeMembers(files, links.map(({ pathname }) => pathname))
    for (const path of ["/v1/docs/swagger-ui-bundle.js", "/v1/docs/swagger-ui.css"]) {
      assert.notInclude(await (await get(path)).text(), "sourceMappingURL")
    }
  })

  it("gives the document the service's own audience", async () => {
    const text = await (await get("/v1/openapi.json")).text()
    assert.deepStrictEqual(parse(await (await get("/v1/openapi.yaml")).text()), JSON.parse(text))
    assert.include(text, `"https://dockline.example/logistics/public_graphql"`)
    assert.notInclude(text, "localhost")
  })

  it("names its routes for the table of methods", () => {
    const table = RouteTable.make(ReferenceRoutes.routesOf([]))
    for (const path of ["/v1/docs", ...files]) {
      assert.deepStrictEqual(table.methodsAt(path), ["GET", "HEAD"], path)
    }
  })

  it("answers HEAD, and 404 with a problem to a file that it does not have", async () => {
    assert.strictEqual((await get("/v1/docs/", "HEAD")).status, 200)
    for (
      const path of ["/v1/docs/none.js", "/v1/docs/a/b", "/v1/docs/..%2Fpackage.json", "/v1/docs/__proto__"]
    ) {
      const response = await get(path)
      assert.strictEqual(response.status, 404, path)
      assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
    }
  })
})
