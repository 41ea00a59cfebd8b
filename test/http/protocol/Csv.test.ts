/** D13: lists in CSV, if `Accept` requests it: the same entries as in JSON, whole or page by page. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, TestServer, unique } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { post, scheduled } from "../facility/Facility.ts"
import { serving } from "../Serving.ts"

const asCsv = { headers: { accept: "text/csv" } }

/** The lines of an answer; no cell in these tests contains a line break. */
const linesOf = (path: string, options: RequestOptions = {}) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    const reply = yield* server.get(path, { ...asCsv, ...options })
    assert.strictEqual(reply.status, 200, reply.text)
    assert.strictEqual(reply.headers["content-type"], "text/csv; charset=utf-8; header=present")
    assert.strictEqual(reply.headers["vary"], "accept")
    assert.isTrue(reply.text.endsWith("\r\n"))
    return { lines: reply.text.split("\r\n").slice(0, -1), link: reply.headers["link"] }
  })

serving("D13 lists in CSV", layerMemory(), (test) => {
  test("go on page by page by the header Link, with the parameters of the request", function*() {
    const { id } = yield* scheduled({}, "P-1", "P-2", "P-3")
    const path = `/v1/shipments/${id}/discrepancies`
    const found: Array<string> = []
    for (let query: string | undefined = "?limit=2"; query !== undefined;) {
      const { lines, link }: Effect.Success<ReturnType<typeof linesOf>> = yield* linesOf(
        `${path}${query}`
      )
      found.push(...lines.slice(1).map((line) => line.split(",")[1]!))
      query = link === undefined ? undefined : /^<(\?[^>]+)>; rel="next"$/.exec(String(link))![1]
    }
    assert.deepStrictEqual(found, ["P-1", "P-2", "P-3"])
  })

  test("show shipments, orders, exceptions and documents, each by a line", function*() {
    const number = unique("CSV,")
    const { id, orders } = yield* scheduled(
      { orderNumber: number, carrier: "\"Fast\" & Co", trailerNumber: "@T1" },
      "P-1",
      "P-2"
    )
    yield* post(`/v1/shipments/${id}/exceptions`, {
      kind: "DAMAGED",
      priority: "HIGH",
      description: "-wet"
    })
    const query = `shipmentNumber=${encodeURIComponent(number)}`
    const shipments = yield* linesOf(`/v1/shipments?${query}`)
    assert.match(
      shipments.lines[1]!,
      new RegExp(
        `^${id},"${number}",SCHEDULED,OUTBOUND,acme,east,[^,]+Z,[^,]+Z,,,,'@T1,"""Fast"" & Co",2,0,2,0,"${number}",,,$`
      )
    )
    const found = yield* linesOf(`/v1/orders?orderNumber=${encodeURIComponent(number)}`)
    assert.match(
      found.lines[1]!,
      new RegExp(`^${orders[0]!.id},"${number}",CREATED,OUTBOUND,acme,east,${id},"${number}",.*,2$`)
    )
    const exceptions = yield* linesOf(`/v1/shipments/${id}/exceptions`)
    assert.match(
      exceptions.lines[1]!,
      /^\d+,,,DAMAGED,HIGH,'-wet,OPEN,[^,]+Z,tower,,,,acme,east,\d+,"CSV,-\d+"$/
    )
    const documents = yield* linesOf(`/v1/documents?${query}`)
    assert.match(
      documents.lines[1]!,
      new RegExp(`,acme-client,[^,]+,acme,east,"${number}",${id},"${number}",OVERWRITE,CREATED,,4,0,0,0,$`)
    )
  })

  test("are for operators too, and nothing on the way keeps them", function*(server) {
    const as = { client: "operator" } as const
    const facilities = yield* linesOf("/v1/operator/businesses/acme/facilities", as)
    assert.deepStrictEqual(facilities.lines.slice(0, 2), [
      "slug,name,timeZone,detentionMinutes",
      "east,Acme East,UTC,120"
    ])
    const clients = yield* linesOf("/v1/operator/clients", as)
    assert.isTrue(
      clients.lines.some((line) =>
        /^acme-east-client,[^,]+,true,acme\/east: documents:write messages:read$/.test(line)
      )
    )
    const reply = yield* server.get("/v1/operator/audit?limit=1", { ...as, ...asCsv })
    assert.strictEqual(reply.headers["cache-control"], "no-store")
    assert.match(reply.text, /^id,at,clientId,address,action,business,subject,details\r\n/)
  })

  test("are no form of what is no list: that is answered in JSON, as with any other type", function*(server) {
    const { id } = yield* scheduled()
    const accept = (accept: string) => ({ headers: { accept } })
    for (
      const [path, type, expected] of [
        [`/v1/shipments/${id}`, "text/csv", "application/json"],
        ["/v1/shipments?limit=1", "*/*", "application/json"],
        ["/v1/shipments?limit=1", "text/csv;q=0.5, application/xml", "application/xml; charset=utf-8"],
        ["/v1/shipments?limit=1", "text/csv;q=0, text/plain", "application/json"]
      ] as const
    ) {
      const reply = yield* server.get(path, accept(type))
      assert.strictEqual(reply.headers["content-type"], expected, `${path} as ${type}`)
    }
  })
})
