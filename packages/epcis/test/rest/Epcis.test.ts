/** D24.4 over REST: clients query events by EPCIS 2.0, and operators set the form of the events. */
import { checkDigit } from "@dockline/core/labels/Lpn"
import type { AuditView } from "@dockline/core/operator/OperatorView"
import { recently } from "@dockline/testing/generators/Given"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { arrive, depart, palletEvent, record, scheduled } from "../../../../test/http/facility/Facility.ts"
import {
  bodyOf,
  faultsOf,
  get,
  makeBusiness,
  makeClient,
  operate
} from "../../../../test/http/operator/Operator.ts"
import { serving } from "../../../../test/http/Serving.ts"
import type { Reply } from "../../../../test/http/Wire.ts"
import {
  layerMemory,
  layerPostgres,
  refusalOf,
  TestServer,
  unique
} from "../../../../test/support/TestServer.ts"
import type { PageView, RequestOptions } from "../../../../test/support/TestServer.ts"
import type { EpcisEvent, queryDocument } from "../../src/events/EpcisEvent.ts"
import { faultsOf as schemaFaultsOf } from "../Judge.ts"

const baseUrl = "http://localhost:8080/dashboard"

const ask = (query: Readonly<Record<string, string>> = {}, options?: RequestOptions) =>
  TestServer.use(({ get }) => get(`/v1/epcis/events?${new URLSearchParams(query).toString()}`, options))

/** The events of a query, whose answer must be valid by GS1's schema. */
const eventsOf = Effect.fnUntraced(function*(
  query: Readonly<Record<string, string>>,
  options?: RequestOptions
) {
  const body = bodyOf<ReturnType<typeof queryDocument>>(yield* ask(query, options), 200)
  assert.deepStrictEqual(schemaFaultsOf(body), [])
  return body.epcisBody.queryResults.resultsBody.eventList
})

let serial = 0

/** An SSCC that no other pallet has. */
const anSscc = () => {
  const digits = `10614141${String(++serial).padStart(9, "0")}`
  return `${digits}${checkDigit(digits)}`
}

const epcOf = (sscc: string) => `https://id.gs1.org/00/${sscc}`

/** A truck that has arrived and was loaded with a pallet. */
const aTruck = Effect.gen(function*() {
  const sscc = anSscc()
  const { id } = yield* scheduled({ trailerNumber: unique("T") }, sscc)
  const times = [recently("08:00:00Z"), recently("08:10:00Z"), recently("08:20:00Z")] as const
  bodyOf(yield* arrive(id, { occurredAt: times[0], dockSlug: "D1" }), 200)
  const pass = (direction: string, occurredAt: string) =>
    record(palletEvent({ shipmentId: id, direction, occurredAt, labels: [{ name: "lpn", value: sscc }] }))
  bodyOf(yield* pass("LOADING", times[1]), 201)
  return { id, sscc, epc: epcOf(sscc), times, pass, desadv: `${baseUrl}/shipments/${id}` }
})

const stepsOf = (events: ReadonlyArray<EpcisEvent>) => events.map(({ bizStep }) => bizStep)

for (const [name, server] of [["memory", layerMemory()], ["PostgreSQL", layerPostgres()]] as const) {
  serving<TestServer, never>(`events over REST, on ${name}`, server, (test) => {
    test("are those of a truck: it arrives, is loaded, and departs with its pallets", function*() {
      const { desadv, epc, id, times } = yield* aTruck
      bodyOf(yield* depart(id, { occurredAt: times[2] }), 200)
      const events = yield* eventsOf({ EQ_bizTransaction_desadv: desadv })
      assert.deepStrictEqual(stepsOf(events), ["arriving", "loading", "departing", "departing"])
      assert.deepStrictEqual(events.map(({ eventTime }) => eventTime), [...times, times[2]])
      assert.deepInclude(events[3], { type: "AssociationEvent", action: "ADD", childEPCs: [epc] })
      assert.deepStrictEqual(yield* eventsOf({ MATCH_epc: epc }), [events[1]!, events[3]!])
      assert.deepStrictEqual(yield* eventsOf({ MATCH_parentID: events[3]!.parentID! }), [events[3]!])
      assert.deepStrictEqual(yield* eventsOf({ EQ_eventID: events[0]!.eventID }), [events[0]!])
    })

    test("declare a pallet that goes back to be wrong, under the id of its first event", function*() {
      const { epc, pass, times } = yield* aTruck
      bodyOf(yield* pass("UNLOADING", times[2]), 201)
      const [first, second, ...others] = yield* eventsOf({ MATCH_epc: epc })
      assert.deepStrictEqual(second, {
        ...first!,
        recordTime: second!.recordTime,
        errorDeclaration: { declarationTime: times[2], reason: "did_not_occur" }
      })
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(yield* eventsOf({ MATCH_epc: epc, EXISTS_errorDeclaration: "true" }), [second!])
    })

    test("are narrowed by the parameters of the standard", function*() {
      const { desadv, id, times } = yield* aTruck
      bodyOf(yield* depart(id, { occurredAt: times[2] }), 200)
      const all = yield* eventsOf({ EQ_bizTransaction_desadv: desadv })
      const facility = `${baseUrl}/facilities/acme/east`
      const cases: ReadonlyArray<
        readonly [query: Readonly<Record<string, string>>, indices: ReadonlyArray<number>]
      > = [
        [{ eventType: "AssociationEvent" }, [3]],
        [{ eventType: "ObjectEvent|AssociationEvent" }, [0, 1, 2, 3]],
        [{ eventType: "TransactionEvent" }, []],
        [{ GE_eventTime: times[1] }, [1, 2, 3]],
        [{ LT_eventTime: times[1] }, [0]],
        [{ LT_eventTime: recently("09:10:00Z").replace("Z", "+01:00") }, [0]],
        [{ GE_recordTime: all[1]!.recordTime, LT_recordTime: all[2]!.recordTime, EQ_bizStep: "loading" }, [
          1
        ]],
        [{ GE_recordTime: "2126-01-01T00:00:00Z" }, []],
        [{ LT_recordTime: "2001-01-01T00:00:00Z" }, []],
        [{ EQ_action: "ADD" }, [3]],
        [{ EQ_bizStep: "arriving|loading" }, [0, 1]],
        [{ EQ_bizStep: "https://ref.gs1.org/cbv/BizStep-loading" }, [1]],
        [{ EQ_bizStep: "urn:epcglobal:cbv:bizstep:loading" }, [1]],
        [{ EQ_bizStep: "shipping" }, []],
        [{ EQ_disposition: "in_transit" }, [2, 3]],
        [{ EQ_bizLocation: facility }, [0, 1, 2, 3]],
        [{ EQ_bizLocation: `${baseUrl}/facilities/acme/west` }, []],
        [{ EQ_bizLocation: "urn:epc:id:sgln:0614141.00000.0" }, []],
        [{ EQ_readPoint: `${facility}/docks/D1` }, [0, 1, 2, 3]],
        [{ EQ_readPoint: `${facility}/docks/D2` }, []],
        [{ EQ_bizTransaction_po: all[0]!.bizTransactionList[0]!.bizTransaction }, [0, 1, 2, 3]],
        [{ MATCH_anyEPC: all[3]!.parentID! }, [3]]
      ]
      for (const [query, indices] of cases) {
        const events = yield* eventsOf({ ...query, EQ_bizTransaction_desadv: desadv })
        assert.deepStrictEqual(events, indices.map((index) => all[index]!), JSON.stringify(query))
      }
    })

    test("come in pages, each of which leads to the next", function*() {
      const { desadv, id } = yield* aTruck
      bodyOf(yield* depart(id), 200)
      const query = { EQ_bizTransaction_desadv: desadv }
      const all = yield* eventsOf(query)
      const pages: Array<EpcisEvent> = []
      let next: string | undefined = `?${new URLSearchParams({ ...query, perPage: "1" }).toString()}`
      const server = yield* TestServer
      while (next !== undefined) {
        const reply: Reply = yield* server.get(`/v1/epcis/events${next}`)
        const body: ReturnType<typeof queryDocument> = bodyOf(reply, 200)
        const { eventList } = body.epcisBody.queryResults.resultsBody
        assert.isAtMost(eventList.length, 1)
        pages.push(...eventList)
        next = /^<([^>]*)>; rel="next"$/.exec(String(reply.headers["link"] ?? ""))?.[1]
      }
      assert.deepStrictEqual(pages, all)
      assert.strictEqual(all.length, 4)
    })

    test("are JSON, or JSON-LD where the client asks for it, with the versions of the standards", function*() {
      const { epc } = yield* aTruck
      for (const type of ["application/json", "application/ld+json"]) {
        const reply = yield* ask({ MATCH_epc: epc }, { headers: { accept: type } })
        assert.strictEqual(reply.headers["content-type"], type)
        assert.strictEqual(reply.headers["gs1-epcis-version"], "2.0.0")
        assert.strictEqual(reply.headers["gs1-cbv-version"], "2.0.0")
      }
      const reply = yield* ask({ MATCH_epc: epc }, { headers: { accept: "application/xml" } })
      assert.strictEqual(reply.headers["content-type"], "application/json")
    })

    test("are refused by the name of a parameter that is unknown or cannot be read", function*() {
      const unknown = yield* ask({ EQ_bizstep: "loading" })
      assert.deepStrictEqual(refusalOf(unknown), [400, "INVALID_PARAMETER"])
      assert.match(faultsOf(unknown)["EQ_bizstep"]!, /EQ_bizStep/)
      const bad = {
        eventType: "PalletEvent",
        EQ_action: "observe",
        GE_eventTime: "yesterday",
        LT_recordTime: "2026-11-20",
        EXISTS_errorDeclaration: "yes",
        perPage: "0",
        nextPageToken: "WyJhY21lIl0"
      }
      const refusal = yield* ask(bad)
      assert.deepStrictEqual(refusalOf(refusal), [400, "INVALID_PARAMETER"])
      assert.deepStrictEqual(Object.keys(faultsOf(refusal)).toSorted(), Object.keys(bad).toSorted())
    })

    test("are those of facilities where the client may read messages", function*() {
      const { epc, times } = yield* aTruck
      const inWest = anSscc()
      const { id } = yield* scheduled({ facility: "west" }, inWest)
      const labels = [{ name: "lpn", value: inWest }]
      bodyOf(
        yield* record(palletEvent({ facility: "west", shipmentId: id, labels, occurredAt: times[1] })),
        201
      )
      const both = { MATCH_epc: `${epc}|${epcOf(inWest)}` }
      assert.lengthOf(yield* eventsOf(both), 2)
      const [event, ...others] = yield* eventsOf(both, { client: "acme-east-client" })
      assert.deepStrictEqual([event!.epcList, others], [[epc], []])
      const west = { ...both, EQ_bizLocation: `${baseUrl}/facilities/acme/west` }
      assert.lengthOf(yield* eventsOf(west), 1)
      assert.deepStrictEqual(yield* eventsOf(west, { client: "acme-east-client" }), [])
      assert.deepStrictEqual(yield* eventsOf(both, { client: "globex-client" }), [])
      const everywhere = yield* makeClient({ business: "*", facilities: "*", permissions: ["messages:read"] })
      assert.lengthOf(yield* eventsOf(both, everywhere.as), 2)
      assert.deepStrictEqual(refusalOf(yield* ask(both, { client: "tower" })), [403, "FORBIDDEN"])
      assert.strictEqual((yield* ask(both, { client: null })).status, 401)
    })

    test("have the offset of the facility's clocks at their times", function*() {
      const business = yield* makeBusiness
      const path = `businesses/${business}/facilities`
      const timeZone = "Asia/Kathmandu"
      bodyOf(yield* operate("POST", path, { slug: "ktm", name: "K", timeZone }), 201)
      bodyOf(yield* operate("POST", `${path}/ktm/docks`, { slug: "D1" }), 201)
      const permissions = ["documents:write", "messages:read", "pallets:write"] as const
      const { as } = yield* makeClient({ business, facilities: "*", permissions })
      const server = yield* TestServer
      const place = { business, facility: "ktm" }
      const document = { ...place, direction: "OUTBOUND", shipmentNumber: "S", orderNumber: "O" }
      const { shipment } = yield* server.submit(document, as)
      const event = palletEvent({ ...place, shipmentId: shipment.id, labels: [{ name: "lpn", value: "L" }] })
      bodyOf(yield* record(event, as), 201)
      const loading = (yield* eventsOf({}, as)).find(({ bizStep }) => bizStep === "loading")
      assert.strictEqual(loading?.eventTimeZoneOffset, "+05:45")
    })

    test("have SSCCs as URNs where an operator has set the company's prefix (D24.2)", function*() {
      const path = "businesses/globex/epcis"
      const initial = { companyPrefixes: [], publishes: false }
      const first = yield* get(path)
      assert.deepStrictEqual(bodyOf(first, 200), initial)
      const settings = { companyPrefixes: ["0614141"], publishes: false }
      const { companyPrefixes } = settings
      bodyOf(yield* operate("PUT", path, { companyPrefixes: ["0614141", "0614141"] }), 200)
      assert.deepStrictEqual(bodyOf(yield* get(path), 200), settings)
      const digits = `10614141${String(900_000_000 + serial)}`
      const sscc = `${digits}${checkDigit(digits)}`
      const { id } = yield* scheduled({ business: "globex", facility: "main" }, sscc)
      const labels = [{ name: "lpn", value: sscc }]
      bodyOf(
        yield* record(palletEvent({ business: "globex", facility: "main", shipmentId: id, labels })),
        201
      )
      const epc = `urn:epc:id:sscc:0614141.1${digits.slice(8)}`
      assert.lengthOf(yield* eventsOf({ MATCH_epc: epc }, { client: "globex-client" }), 1)
      const version = String(first.headers["etag"])
      const headers = { "if-match": version }
      assert.deepStrictEqual(
        refusalOf(yield* operate("PUT", path, settings, { headers })),
        [412, "PRECONDITION_FAILED"]
      )
      const audit = bodyOf<PageView<AuditView>>(yield* get("audit?business=globex&limit=1"), 200)
      assert.deepInclude(audit.items[0], {
        action: "EPCIS_CHANGED",
        subject: path,
        details: { companyPrefixes, publishes: false }
      })
      bodyOf(yield* operate("PUT", path, initial), 200)
    })

    test("refuse settings with a prefix that is none, and clients that operate nothing (D24.2)", function*() {
      const path = "businesses/globex/epcis"
      const refusal = yield* operate("PUT", path, { companyPrefixes: ["0614141", "61"] })
      assert.deepStrictEqual(refusalOf(refusal), [422, "INVALID_REQUEST"])
      assert.deepStrictEqual(Object.keys(faultsOf(refusal)), ["companyPrefixes[1]"])
      for (const method of ["GET", "PUT"]) {
        const body = method === "PUT" ? {} : undefined
        const options = { client: "globex-client" } as const
        assert.deepStrictEqual(refusalOf(yield* operate(method, path, body, options)), [403, "FORBIDDEN"])
      }
      assert.deepStrictEqual(refusalOf(yield* get("businesses/none/epcis")), [404, "BUSINESS_NOT_FOUND"])
    })
  })
}
