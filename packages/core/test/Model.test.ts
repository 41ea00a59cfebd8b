/** The service does what the model of it does, and so does an embedding; one that does not is found out. */
import { permissions } from "@dockline/core/Access"
import * as Dockline from "@dockline/core/Dockline"
import { Keeping } from "@dockline/core/internal/access/Keeping"
import * as Memory from "@dockline/core/Memory"
import { History } from "@dockline/testing/generators/History"
import type { Happening } from "@dockline/testing/generators/History"
import * as Law from "@dockline/testing/Law"
import * as HistoryLaw from "@dockline/testing/model/HistoryLaw"
import * as Model from "@dockline/testing/model/Model"
import * as Service from "@dockline/testing/model/Service"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { often, runner } from "../../../test/support/Runner.ts"

const inMemory = () => Service.fromStores(Memory.layer)

/** The service with a clock of its own: the real one. */
const byTheClock = async (): Promise<Service.Service> => {
  const service = await inMemory()
  const now = <A extends ReadonlyArray<unknown>, B>(ask: (...args: A) => Promise<B>) => (...args: A) => {
    service.setTime?.(Date.now())
    return ask(...args)
  }
  return {
    ...service,
    setTime: undefined,
    submit: now(service.submit),
    recordPallet: now(service.recordPallet),
    reportException: now(service.reportException),
    resolveException: now(service.resolveException),
    arrive: now(service.arrive),
    depart: now(service.depart)
  }
}

Law.register(
  runner,
  "the service over the memory stores",
  [HistoryLaw.agrees(inMemory, { runs: 20 })],
  often
)

/** The façade, as code that embeds Dockline asks it; answers are kept by key in the store that it uses. */
const embedded = async (): Promise<Service.Service> => {
  let now = 0
  const dockline = await Dockline.open({ storage: Memory.layer, clock: { now: () => now } })
  const services = Layer.provideMerge(Keeping.layer, dockline.layer)
  const client = { clientId: "client", grants: [{ business: "*", facilities: "*", permissions }] } as const
  return {
    setTime: (millis) => {
      now = millis
    },
    places: async (businesses) => assert.isTrue((await dockline.places(businesses)).ok),
    submit: (document, options) => dockline.submit(document, client, options),
    recordPallet: (event) => dockline.recordPallet(event, client),
    arrive: (id, arrival) => dockline.arrive(id, arrival, client),
    depart: (id, departure) => dockline.depart(id, departure, client),
    cancel: (id) => dockline.cancel(id, client),
    reportException: (id, report, { key }) =>
      Effect.runPromise(
        Effect.match(Effect.provide(Service.reportOnce({ id, key, principal: client, report }), services), {
          onFailure: (error) => ({ ok: false as const, error }),
          onSuccess: (value) => ({ ok: true as const, value })
        })
      ),
    resolveException: (id, exceptionId, resolution) =>
      dockline.resolveException(id, exceptionId, resolution, client),
    exceptions: (id) => dockline.shipmentExceptions(id, {}, client),
    records: (query) => dockline.documents(query, client),
    record: (id) => dockline.document(id, client),
    link: (id, linkedShipmentId) => dockline.link(id, { linkedShipmentId: Number(linkedShipmentId) }, client),
    shipment: (id) => dockline.shipment(id, client),
    discrepancies: (id) => dockline.discrepancies(id, {}, client),
    shipmentPallets: (id) => dockline.shipmentPallets(id, {}, client),
    pallets: (query) => dockline.pallets(query, client),
    shipments: (query) => dockline.shipments(query, client),
    orders: (query) => dockline.orders(query, client),
    messages: (query) => dockline.messages(query, client),
    close: dockline.close
  }
}

Law.register(runner, "the façade", [HistoryLaw.agrees(embedded, { runs: 5 })], often)

Law.register(
  runner,
  "the service with a clock of its own",
  [HistoryLaw.agrees(byTheClock, { steps: 20, runs: 10 })],
  often
)

/** The service, which forgets the trailer of a shipment that is read. */
const forgetful = async (): Promise<Service.Service> => {
  const service = await inMemory()
  return {
    ...service,
    shipment: async (id) => {
      const reply = await service.shipment(id)
      return reply.ok ? { ok: true, value: { ...reply.value, trailerNumber: "" } } : reply
    }
  }
}

describe("a service that does not do what the model does", () => {
  it("is shown with a history of the few things that matter", async () => {
    const [broken] = await Law.broken([HistoryLaw.agrees(forgetful, { steps: 20, runs: 200 })], { seed: 1 })
    const report = broken?.reason ?? "the model and the service agree"
    assert.match(report, /The answers differ at \d+\. shipment \d is read/)
    assert.include(report, "trailerNumber: ''")
    assert.isAtMost(report.split("\n").filter((line) => /^\d+\. /.test(line)).length, 5, report)
  })
})

const submit = (document: Record<string, unknown>): Happening => ({ _tag: "Submit", document, dryRun: false })
const document = { facility: "east", direction: "OUTBOUND", orderNumber: "O1" }

describe("a history", () => {
  it("reads as one line for each thing that happens", () => {
    const history = new History([
      submit(document),
      { _tag: "Submit", document: {}, dryRun: true },
      { _tag: "Pallet", event: { eventId: "E1" }, shipment: 1 },
      { _tag: "Depart", shipment: 1, departure: {} },
      { _tag: "Link", shipment: 1, linked: 2 },
      { _tag: "Report", shipment: 1, pallet: 2, report: { kind: "DAMAGED" }, key: "K1" },
      { _tag: "Resolve", exception: 1, shipment: undefined, resolution: { note: "Wrapped" } },
      { _tag: "ReadRecords", filter: { outcome: "REFUSED" }, limit: 2 }
    ])
    assert.strictEqual(
      String(history),
      [
        `1. document ${JSON.stringify(document)}`,
        "2. dry run of document {}",
        "3. pallet of shipment 1 {\"eventId\":\"E1\"}",
        "4. shipment 1 departs {}",
        "5. shipment 1 is linked to shipment 2",
        "6. an exception of shipment 1 with pallet 2 is reported under key K1 {\"kind\":\"DAMAGED\"}",
        "7. exception 1 is resolved {\"note\":\"Wrapped\"}",
        "8. the record of documents is read by 2 {\"outcome\":\"REFUSED\"}"
      ].join("\n")
    )
  })
})

describe("the model", () => {
  const now = "2100-01-01T00:00:00.000Z"
  const place = { slug: "east", name: "East", docks: ["D1"] }
  const business = { slug: "acme", name: "Acme", fieldMap: [], facilities: [place] }
  const { state } = Model.step(Model.initial, { _tag: "Places", businesses: [business] }, now)
  const request = { ...document, business: "acme" }

  it("is pure: a step leaves the state that it was given", () => {
    const before = JSON.stringify(state)
    const after = Model.step(state, { _tag: "Submit", document: request, dryRun: false }, now)
    assert.strictEqual(JSON.stringify(state), before)
    assert.strictEqual(after.state.shipments.length, 1)
  })

  it("keeps nothing of a dry run, and of a refused document its record alone", () => {
    const dry = Model.step(state, { _tag: "Submit", document: request, dryRun: true }, now)
    assert.strictEqual(dry.state, state)
    assert.isTrue(dry.reply.ok)
    const refused = Model.step(
      state,
      { _tag: "Submit", document: { ...request, dockSlug: "D9" }, dryRun: false },
      now
    )
    const { lastId, records, ...rest } = refused.state
    assert.deepStrictEqual({ ...rest, records: [], lastId: 0 }, state)
    assert.deepStrictEqual(records.map(({ code, id, outcome }) => ({ code, id, outcome })), [
      { code: "UNKNOWN_DOCK", id: lastId, outcome: "REFUSED" }
    ])
    assert.deepStrictEqual(refused.reply, { ok: false, error: { code: "UNKNOWN_DOCK", message: "" } })
  })
})
