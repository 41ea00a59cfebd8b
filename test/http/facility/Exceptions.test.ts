import type { ExceptionView, ReportAnswer } from "@dockline/core/ExceptionView"
import type { PalletAnswer } from "@dockline/core/Pallet"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, problemOf, refusalOf, TestServer, unique } from "../../support/TestServer.ts"
import type { PageView, RequestOptions } from "../../support/TestServer.ts"
import { label, palletEvent, post, record, scheduled } from "./Facility.ts"

const damage = { kind: "DAMAGED", priority: "HIGH", description: "Two cartons crushed" } as const

const report = (id: number, body: unknown = damage, options?: RequestOptions) =>
  post(`/v1/shipments/${id}/exceptions`, body, options)

const reported = (id: number, body?: unknown) =>
  Effect.map(report(id, body), (reply) => {
    assert.strictEqual(reply.status, 201, reply.text)
    return (reply.body as ReportAnswer).exceptionId
  })

const resolve = (
  id: number,
  exceptionId: string,
  body: unknown = { note: "Replaced" },
  options?: RequestOptions
) => post(`/v1/shipments/${id}/exceptions/${exceptionId}/resolve`, body, options)

const list = (id: number, query = "") =>
  Effect.gen(function*() {
    const server = yield* TestServer
    const reply = yield* server.get(`/v1/shipments/${id}/exceptions${query}`)
    assert.strictEqual(reply.status, 200, reply.text)
    return reply.body as PageView<ExceptionView>
  })

layer(layerMemory(), { excludeTestServices: true })("D13.5 exceptions", (it) => {
  it.effect("are reported of a shipment and of a pallet, listed by those who may read, and resolved", () =>
    Effect.gen(function*() {
      const lpn = unique("L")
      const { id } = yield* scheduled({}, lpn)
      const event = yield* record(palletEvent({ shipmentId: id, labels: [label("lpn", lpn)] }))
      const palletId = (event.body as PalletAnswer).servicePalletId
      const first = yield* reported(id)
      const second = yield* reported(id, { ...damage, palletId, kind: "OTHER", priority: "LOW" })
      const page = yield* list(id)
      const open = {
        status: "OPEN",
        reportedBy: "tower",
        resolvedAt: "",
        resolvedBy: "",
        note: "",
        business: { slug: "acme", name: "Acme" },
        facility: { slug: "east", name: "Acme East" },
        shipmentId: id,
        shipmentNumber: page.items[0]!.shipmentNumber
      } as const
      assert.deepStrictEqual(page, {
        items: [
          { id: first, palletId: "", lpn: "", ...damage, ...open, reportedAt: page.items[0]!.reportedAt },
          {
            id: second,
            palletId,
            lpn,
            ...damage,
            kind: "OTHER",
            priority: "LOW",
            ...open,
            reportedAt: page.items[1]!.reportedAt
          }
        ],
        next: null
      })
      const resolved = yield* resolve(id, first, { note: "Replaced" }, { client: "acme-client" })
      assert.strictEqual(resolved.status, 200, resolved.text)
      const { resolvedAt } = resolved.body as ExceptionView
      assert.deepStrictEqual(resolved.body, {
        ...page.items[0],
        status: "RESOLVED",
        resolvedAt,
        resolvedBy: "acme-client",
        note: "Replaced"
      })
      assert.match(resolvedAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      const again = yield* resolve(id, first, { note: "Something else" })
      assert.deepStrictEqual([again.status, again.body], [200, resolved.body])
      assert.deepStrictEqual(yield* list(id, "?limit=1"), {
        items: [resolved.body as ExceptionView],
        next: first
      })
      assert.deepStrictEqual((yield* list(id, `?after=${first}`)).items.map((each) => each.id), [second])
    }))

  it.effect("are reported once under a key, and the resolution gets its first answer again", () =>
    Effect.gen(function*() {
      const { id } = yield* scheduled()
      const key = { headers: { "idempotency-key": unique("key") } }
      const first = yield* report(id, damage, key)
      const again = yield* report(id, damage, key)
      assert.deepStrictEqual([again.status, again.body], [201, first.body])
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.deepStrictEqual(refusalOf(yield* report(id, { ...damage, priority: "LOW" }, key)), [
        422,
        "IDEMPOTENCY_KEY_REUSED"
      ])
      assert.lengthOf((yield* list(id)).items, 1)
    }))

  it.effect("are listed over shipments: newest first, by status and priority, in JSON, XML and CSV", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const [one, other] = [yield* scheduled(), yield* scheduled()]
      const first = yield* reported(one.id)
      const missing = { kind: "SHORT", priority: "LOW", description: "Not there", lpn: unique("LPN") }
      const second = yield* reported(other.id, missing)
      const third = yield* reported(one.id)
      yield* resolve(one.id, third)
      const listed = (query: string) =>
        Effect.map(server.get(`/v1/exceptions?business=acme&facility=east&${query}`), (reply) => {
          assert.strictEqual(reply.status, 200, reply.text)
          return reply.body as PageView<ExceptionView>
        })
      const page = yield* listed("limit=3")
      assert.deepStrictEqual(page.items.map(({ id, shipmentId }) => [id, shipmentId]), [
        [third, one.id],
        [second, other.id],
        [first, one.id]
      ])
      assert.deepStrictEqual([page.items[1]!.palletId, page.items[1]!.lpn], ["", missing.lpn])
      const idsOf = ({ items }: PageView<ExceptionView>) => items.map(({ id }) => id)
      assert.deepStrictEqual(idsOf(yield* listed("status=OPEN&limit=2")), [second, first])
      assert.deepStrictEqual(idsOf(yield* listed("status=OPEN&priority=HIGH&limit=1")), [first])
      assert.deepStrictEqual(idsOf(yield* listed("status=RESOLVED&priority=&limit=1")), [third])
      assert.deepStrictEqual(idsOf(yield* listed(`after=${third}&limit=2`)), [second, first])
      assert.deepStrictEqual(refusalOf(yield* server.get("/v1/exceptions?status=DONE")), [
        400,
        "INVALID_PARAMETER"
      ])
      const path = "/v1/exceptions?business=acme&facility=east&limit=2"
      const xml = yield* server.get(path, { headers: { accept: "application/xml" } })
      assert.include(xml.text, `<ExceptionPage><items><id>${third}</id>`)
      const csv = yield* server.get(path, { headers: { accept: "text/csv" } })
      const [head, ...lines] = csv.text.trim().split("\r\n")
      assert.include(head, "business,facility,shipmentId,shipmentNumber")
      assert.deepStrictEqual(lines.map((line) => line.split(",")[0]), [third, second])
    }))

  it.effect("are answered in XML where that is asked for", () =>
    Effect.gen(function*() {
      const { id } = yield* scheduled()
      const server = yield* TestServer
      const accept = { headers: { accept: "application/xml" } }
      const made = yield* report(id, damage, accept)
      assert.match(made.text, /<ReportAnswer><exceptionId>\d+<\/exceptionId><\/ReportAnswer>$/)
      const listed = yield* server.get(`/v1/shipments/${id}/exceptions`, accept)
      assert.include(listed.text, "<items><id>")
    }))

  it.effect("are refused where the body or what it names is wrong, and nothing is kept", () =>
    Effect.gen(function*() {
      const { id } = yield* scheduled()
      const other = yield* scheduled()
      const elsewhere = yield* record(palletEvent({ shipmentId: other.id }))
      const palletId = (elsewhere.body as PalletAnswer).servicePalletId
      const cases: ReadonlyArray<readonly [body: unknown, status: number, code: string]> = [
        ["{", 400, "MALFORMED_REQUEST"],
        [{ ...damage, kidn: "OTHER" }, 400, "MALFORMED_REQUEST"],
        [{ ...damage, kind: "BROKEN" }, 422, "INVALID_REQUEST"],
        [{ ...damage, description: "" }, 422, "INVALID_REQUEST"],
        [{ ...damage, palletId }, 404, "PALLET_NOT_FOUND"]
      ]
      for (const [body, status, code] of cases) {
        assert.deepStrictEqual(refusalOf(yield* report(id, body)), [status, code])
      }
      assert.deepStrictEqual(refusalOf(yield* report(999_999_999)), [404, "SHIPMENT_NOT_FOUND"])
      assert.deepStrictEqual(refusalOf(yield* resolve(id, "999999999")), [404, "EXCEPTION_NOT_FOUND"])
      assert.deepStrictEqual(refusalOf(yield* resolve(id, "1", {})), [422, "INVALID_REQUEST"])
      assert.deepStrictEqual((yield* list(id)).items, [])
    }))

  it.effect("take a permission to write at the facility", () =>
    Effect.gen(function*() {
      const { id } = yield* scheduled()
      const refused = yield* report(id, damage, { client: "operator" })
      assert.deepStrictEqual(refusalOf(refused), [403, "FORBIDDEN"])
      assert.include(problemOf(refused).detail, "documents:write or pallets:write or shipments:write")
      assert.deepStrictEqual(refusalOf(yield* report(id, damage, { client: "globex-client" })), [
        404,
        "SHIPMENT_NOT_FOUND"
      ])
    }))
})
