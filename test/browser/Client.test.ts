/** The client in a real browser: a page that bundles it, and a real service at the page's own origin. */
import { build } from "esbuild"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type * as Client from "../../packages/client/src/Client.ts"
import * as Service from "../../packages/client/test/Service.ts"
import * as Chromium from "./Chromium.ts"

const bundle = () =>
  build({
    entryPoints: [new URL("../../packages/client/src/Client.ts", import.meta.url).pathname],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "iife",
    globalName: "Client",
    platform: "browser",
    conditions: ["@dockline/source"],
    target: "es2022"
  })

it("has nothing in it but its own modules: no rule of the service, and no library", async () => {
  const { metafile } = await bundle()
  const inputs = Object.keys(metafile.inputs)
  assert.isAtLeast(inputs.length, 4)
  assert.deepStrictEqual(inputs.filter((file) => !file.includes("packages/client/src/")), [])
})

describe.skipIf(Chromium.isSkipped)("in a browser", () => {
  let service: Service.Service
  let page: Page

  beforeAll(async () => {
    const [script] = (await bundle()).outputFiles
    service = await Service.start()
    service.page = (path) =>
      path === "/"
        ? new Response("<!doctype html><title>WMS</title><script src=\"client.js\"></script>", {
          headers: { "content-type": "text/html" }
        })
        : path === "/client.js"
        ? new Response(script!.text, { headers: { "content-type": "text/javascript" } })
        : undefined
    page = await (await Chromium.open()).newPage()
    await page.goto(service.url)
  })

  afterAll(async () => {
    await page?.close()
    await service?.stop()
  })

  it("submits over a lost answer, reads, follows, and shows errors, with a token that it is handed", async () => {
    const token = await service.client().token()
    let isLost = true
    service.fault = ({ path }) => {
      if (!path.startsWith("/v1/documents") || !isLost) return undefined
      isLost = false
      return "lost"
    }
    const tower = service.tower()
    const document = Service.order("SO-1", "LPN-1")
    const { references, retried } = await page.evaluate(async ({ document, token }) => {
      const { Client: { make } } = globalThis as unknown as { Client: typeof Client }
      const retried: Array<string> = []
      const dockline = make({ url: location.origin, token, onRetry: ({ code }) => retried.push(code) })
      const { created } = await dockline.submit(document)
      return { references: created.map(({ reference }) => reference), retried }
    }, { document, token })
    assert.deepStrictEqual(references, ["SO-1", "SO-1", "LPN-1"])
    assert.deepStrictEqual(retried, ["UNREACHABLE"])
    assert.lengthOf((await service.client().documents()).items, 1)

    await tower.recordPallet(Service.loading("evt-1", "LPN-1"))
    await tower.recordPallet(Service.loading("evt-2", "LPN-1"))
    const seen = await page.evaluate(async (token) => {
      const { Client: { DocklineError, make } } = globalThis as unknown as { Client: typeof Client }
      const dockline = make({ url: location.origin, token, retryMillis: 0 })
      const ids: Array<number> = []
      for await (const { id } of dockline.follow({ business: "acme", afterId: 0, intervalMillis: 20 })) {
        ids.push(id)
        if (ids.length === 2) dockline.close()
      }
      const errors: Array<string> = []
      const other = make({ url: location.origin, token, retryMillis: 0 })
      await other.shipment(99).catch((error: unknown) => {
        if (error instanceof DocklineError) errors.push(error.code)
      })
      await make({ url: "http://localhost:1", token, retryMillis: 0 }).shipments().catch((error: unknown) => {
        if (error instanceof DocklineError) errors.push(`${error.code} ${error.message}`)
      })
      return { ids, errors }
    }, token)
    assert.deepStrictEqual(seen.ids, [1, 2])
    assert.strictEqual(seen.errors[0], "SHIPMENT_NOT_FOUND")
    assert.match(seen.errors[1]!, /^UNREACHABLE Cannot reach http:\/\/localhost:1: /)
  })
})
