/**
 * Tenant isolation over GraphQL: who may do everything at one business learns and changes nothing of another, by any
 * field of the schema, over HTTP, event streams and web sockets, and by uploads in both forms. The fields are those of
 * the schema itself: one that has no probe here fails.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Sample from "../../graphql/Sample.ts"
import { errorsOf, rawSocket } from "../../graphql/Sockets.ts"
import { palletEvent } from "../../http/facility/Facility.ts"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { GraphqlServer, storages } from "../../support/GraphqlServer.ts"
import type { Answer, Operation, Result } from "../../support/GraphqlServer.ts"
import { once, unique } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"

import { everythingAtGlobex, graphql, makeVictim, mark, stateOf } from "./Intruder.ts"
import type { Victim } from "./Intruder.ts"

/** The reasons of the refusal, or `seen` where the answer is what the intruder itself may see. */
type Outcome =
  | "CURSOR_AHEAD"
  | "FORBIDDEN"
  | "DOCUMENT_NOT_FOUND"
  | "SHIPMENT_NOT_FOUND"
  | "FACILITY_NOT_FOUND"
  | "seen"

type Probes = (victim: Victim) => ReadonlyArray<readonly [operation: Operation, outcome: Outcome]>

const field = (text: string): Operation => ({ query: `{ ${text} }` })

const own = { business: "globex", facility: "main", dockSlug: "D1" }

const fromVictim = ({ shipmentId }: Victim) => String(shipmentId - 1)

const event = (fields: Readonly<Record<string, unknown>>) =>
  Sample.recordPallet(palletEvent({ ...own, ...fields }))

/** What the intruder asks by each field. */
const probes: Readonly<Record<string, Probes>> = {
  "Query.business": () => [
    [field(`business(slug: "acme") { name facilities { name docks } }`), "FORBIDDEN"]
  ],
  "Query.facility": () => [
    [field(`facility(business: "acme", slug: "west") { name docks }`), "FORBIDDEN"],
    [field(`facility(business: "globex", slug: "west") { name docks }`), "FACILITY_NOT_FOUND"]
  ],
  "Query.shipment": ({ shipmentId }) => [[Sample.readShipment(shipmentId), "SHIPMENT_NOT_FOUND"]],
  "Query.shipments": (victim) => [
    [Sample.listShipments(), "seen"],
    [Sample.listShipments({ business: "acme" }), "FORBIDDEN"],
    [Sample.listShipments({ business: "acme", facility: "west" }), "FORBIDDEN"],
    [Sample.listShipments({ business: "globex", facility: "west" }), "FACILITY_NOT_FOUND"],
    [Sample.listShipments({ shipmentNumber: victim.orderNumber }), "seen"],
    [Sample.listShipments({ after: fromVictim(victim), first: 1 }), "seen"]
  ],
  "Query.orders": (victim) => [
    [Sample.listOrders(), "seen"],
    [Sample.listOrders({ business: "acme" }), "FORBIDDEN"],
    [Sample.listOrders({ business: "acme", facility: "west" }), "FORBIDDEN"],
    [Sample.listOrders({ orderNumber: victim.orderNumber }), "seen"],
    [Sample.listOrders({ after: fromVictim(victim), first: 1 }), "seen"]
  ],
  "Query.pallet": ({ palletId, shipmentId }) => [
    [field(`pallet(shipmentId: ${shipmentId}, id: "${palletId}") { lpn }`), "SHIPMENT_NOT_FOUND"]
  ],
  "Query.document": ({ documentId }) => [
    [field(`document(id: ${documentId}) { id }`), "DOCUMENT_NOT_FOUND"]
  ],
  "Query.documents": ({ orderNumber }) => [
    [
      field(`documents(orderNumber: "${orderNumber}") { nodes { shipmentNumber changes { reference } } }`),
      "seen"
    ],
    [field(`documents(business: "acme") { nodes { id } }`), "FORBIDDEN"],
    [field(`documents(business: "acme", facility: "west") { nodes { id } }`), "FORBIDDEN"],
    [field(`documents(business: "globex", facility: "west") { nodes { id } }`), "FACILITY_NOT_FOUND"]
  ],
  "Query.pallets": ({ lpn }) => [
    [field(`pallets(lpn: "${lpn}") { nodes { lpn } }`), "seen"],
    [field(`pallets(lpn: "${lpn}", business: "acme") { nodes { lpn } }`), "FORBIDDEN"],
    [field(`pallets(lpn: "${lpn}", business: "acme", facility: "west") { nodes { lpn } }`), "FORBIDDEN"],
    [
      field(`pallets(lpn: "${lpn}", business: "globex", facility: "west") { nodes { lpn } }`),
      "FACILITY_NOT_FOUND"
    ]
  ],
  "Query.search": ({ lpn }) => [
    [field(`search(text: "${lpn}") { nodes { text } }`), "seen"],
    [field(`search(text: "${lpn}", business: "acme") { nodes { text } }`), "FORBIDDEN"],
    [field(`search(text: "${lpn}", business: "acme", facility: "west") { nodes { text } }`), "FORBIDDEN"],
    [
      field(`search(text: "${lpn}", business: "globex", facility: "west") { nodes { text } }`),
      "FACILITY_NOT_FOUND"
    ]
  ],
  "Query.exceptions": () => [
    [Sample.listExceptions(), "seen"],
    [Sample.listExceptions({ business: "acme" }), "FORBIDDEN"],
    [Sample.listExceptions({ business: "acme", facility: "west" }), "FORBIDDEN"],
    [Sample.listExceptions({ business: "globex", facility: "west" }), "FACILITY_NOT_FOUND"]
  ],
  "Query.pushMessages": ({ messageId }) => [
    [Sample.history(), "FORBIDDEN"],
    [Sample.history({ facilitySlug: "west", afterId: messageId - 1 }), "FORBIDDEN"],
    [Sample.history({ businessSlug: "globex", facilitySlug: "west" }), "FACILITY_NOT_FOUND"],
    [Sample.history({ businessSlug: "globex", afterId: messageId }), "CURSOR_AHEAD"],
    [Sample.history({ businessSlug: "globex", afterId: 0 }), "seen"]
  ],
  "Subscription.pushMessage": ({ messageId }) => [
    [Sample.follow({ afterId: messageId - 1 }), "FORBIDDEN"],
    [Sample.follow({ facilitySlug: "west", afterId: messageId - 1 }), "FORBIDDEN"],
    [Sample.follow({ businessSlug: "globex", facilitySlug: "west", afterId: 0 }), "FACILITY_NOT_FOUND"]
  ],
  "Mutation.submitDocument": ({ orderNumber }) => [
    [Sample.submit(Sample.document(orderNumber, { facility: "west" })), "FORBIDDEN"],
    [Sample.submit(Sample.document(orderNumber, { facility: "west" }), true), "FORBIDDEN"],
    [
      Sample.submit(Sample.document(orderNumber, { business: "globex", facility: "west" })),
      "FACILITY_NOT_FOUND"
    ],
    [Sample.submit(Sample.document(orderNumber, own)), "seen"]
  ],
  // In both forms, below.
  "Mutation.uploadDocument": () => [],
  "Mutation.recordPalletEvent": ({ eventId, shipmentId }) => [
    [event({ business: "acme", facility: "west", shipmentId }), "FORBIDDEN"],
    [event({ business: "acme", facility: "west", eventId }), "FORBIDDEN"],
    [event({ shipmentId }), "SHIPMENT_NOT_FOUND"]
  ],
  "Mutation.arriveShipment": ({ shipmentId }) => [
    [Sample.arriveShipment({ shipmentId }), "SHIPMENT_NOT_FOUND"]
  ],
  "Mutation.cancelShipment": ({ shipmentId }) => [
    [Sample.cancelShipment({ shipmentId }), "SHIPMENT_NOT_FOUND"]
  ],
  "Mutation.departShipment": ({ shipmentId }) => [
    [Sample.departShipment({ shipmentId }), "SHIPMENT_NOT_FOUND"]
  ],
  "Mutation.linkShipments": ({ otherShipmentId, shipmentId }) => [
    [Sample.linkShipments({ shipmentId, linkedShipmentId: otherShipmentId }), "SHIPMENT_NOT_FOUND"]
  ],
  "Mutation.reportException": ({ palletId, shipmentId }) =>
    [{}, { palletId }].map((fields) => [
      Sample.reportException({ shipmentId, kind: "OTHER", priority: "LOW", description: "Wet", ...fields }),
      "SHIPMENT_NOT_FOUND"
    ]),
  "Mutation.resolveException": ({ exceptionId, shipmentId }) => [
    [Sample.resolveException({ shipmentId, exceptionId, note: "Done" }), "SHIPMENT_NOT_FOUND"]
  ]
}

/** An id that nobody has. */
const nobodys = 999_999_999

/** What an answer says, whichever of the ids was asked for: both are cut out, as other numbers may hold the digits of one. */
const saying = ({ text }: Answer, { shipmentId }: Victim): string =>
  text.replaceAll(String(nobodys), "{id}").replaceAll(String(shipmentId), "{id}")

const reasonsOf = ({ errors }: Result): ReadonlyArray<string | undefined> =>
  (errors ?? []).map(({ extensions }) => extensions.reason)

const expected = (outcome: Outcome) => outcome === "seen" ? [] : [outcome]

/** The intruder's requests, each way. */
const overHttp = (as: RequestOptions, operation: Operation) => graphql(as, operation)

const overEvents = (as: RequestOptions, operation: Operation) =>
  Effect.map(graphql(as, operation, "text/event-stream"), ({ text }): Result & { readonly text: string } => {
    const data = text.split("\n").find((line) => line.startsWith("data:") && line.length > 6)
    return { ...(JSON.parse(data?.slice(5) ?? "{}") as Result), text }
  })

const overSocket = (as: RequestOptions, operation: Operation) =>
  Effect.scoped(Effect.gen(function*() {
    const raw = yield* rawSocket()
    raw.send({ type: "connection_init", payload: as.headers })
    yield* raw.frame("connection_ack", ({ type }) => type === "connection_ack")
    raw.send({ id: "1", type: "subscribe", payload: operation })
    const frame = yield* raw.frame("an answer", ({ id, type }) => id === "1" && type !== "complete")
    const result: Result = frame.type === "error" ? { errors: errorsOf(frame) } : frame.payload as Result
    return { ...result, text: JSON.stringify(raw.frames) }
  }))

const ways = { "HTTP": overHttp, "an event stream": overEvents, "a web socket": overSocket }

/** The two forms of an upload of a document. */
const uploads = (document: object): ReadonlyArray<FormData> => {
  const file = new File([JSON.stringify(document)], "order.json", { type: "application/json" })
  const formOf = (...parts: ReadonlyArray<readonly [string, string | File]>) => {
    const form = new FormData()
    for (const [name, value] of parts) form.append(name, value)
    return form
  }
  const operations = JSON.stringify(Sample.upload())
  return [
    formOf(["operations", operations], ["map", `{"0":["variables.input.file"]}`], ["0", file]),
    formOf(["operations", operations], ["input.file", file])
  ]
}

/** The intruder, and the victim as it was made. */
const makeScene = Effect.gen(function*() {
  const { as } = yield* makeClient(everythingAtGlobex)
  const victim = yield* makeVictim
  return { as, victim, before: yield* stateOf(victim) }
})

for (const storage of storages) {
  layer(storage.layer({ vault }), { excludeTestServices: true })(
    `tenant isolation over GraphQL on ${storage.name}`,
    (it) => {
      const scene = once(makeScene)

      it.effect("every field of the schema has its probes", () =>
        Effect.gen(function*() {
          const { engine: { schema } } = yield* GraphqlServer
          const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
          const fields = types.flatMap((type) =>
            Object.keys(type?.getFields() ?? {}).map((name) => `${type!.name}.${name}`)
          )
          assert.deepStrictEqual(Object.keys(probes).sort(), fields.sort())
        }))

      for (const [name, given] of Object.entries(probes)) {
        for (const [way, send] of Object.entries(ways)) {
          if (name.startsWith("Subscription") && way === "HTTP") continue
          it.effect(`${name} over ${way} shows and changes nothing of another business`, () =>
            Effect.gen(function*() {
              const { as, before, victim } = yield* scene
              for (const [operation, outcome] of given(victim)) {
                const answer = yield* send(as, operation)
                const what = `${JSON.stringify(operation.variables)}: ${answer.text}`
                assert.deepStrictEqual(reasonsOf(answer), expected(outcome), what)
                assert.notInclude(answer.text, mark, what)
                assert.notInclude(answer.text, `"id":${victim.shipmentId},`, what)
              }
              assert.deepStrictEqual(yield* stateOf(victim), before)
            }))
        }

        it.effect(`${name} answers to an id of another business as to one that nobody has`, () =>
          Effect.gen(function*() {
            const { as, victim } = yield* scene
            const unknown = given({ ...victim, shipmentId: nobodys })
            for (const [at, [operation, outcome]] of given(victim).entries()) {
              if (outcome !== "SHIPMENT_NOT_FOUND") continue
              const foreign = yield* graphql(as, operation)
              const nowhere = yield* graphql(as, unknown[at]![0])
              assert.strictEqual(saying(foreign, victim), saying(nowhere, victim))
            }
          }))
      }

      it.effect("Mutation.uploadDocument in both forms writes nothing at another business", () =>
        Effect.gen(function*() {
          const { fetch } = yield* GraphqlServer
          const { as, before, victim } = yield* scene
          const there = Sample.document(victim.orderNumber, { facility: "west" })
          for (const [document, outcome] of [[there, "FORBIDDEN"], [{ ...there, ...own }, "seen"]] as const) {
            for (const body of uploads(document)) {
              const answer: Answer = yield* fetch(
                { method: "POST", body, headers: { accept: "application/json", ...as.headers } },
                null
              )
              assert.deepStrictEqual(reasonsOf(answer), expected(outcome), answer.text)
              assert.notInclude(answer.text, mark)
            }
          }
          assert.deepStrictEqual(yield* stateOf(victim), before)
        }))

      it.effect("an Idempotency-Key of another client answers nothing of it", () =>
        Effect.gen(function*() {
          const { fetch } = yield* GraphqlServer
          const { as } = yield* makeClient(everythingAtGlobex)
          const operation = JSON.stringify(
            Sample.submit(Sample.document(unique("O"), { facility: "west", carrier: `${mark} carrier` }))
          )
          const headers = {
            "content-type": "application/json",
            accept: "application/json",
            "idempotency-key": unique("key")
          }
          const first = yield* fetch({ method: "POST", headers, body: operation })
          assert.include(first.text, mark)
          const stolen = yield* fetch(
            { method: "POST", headers: { ...headers, ...as.headers }, body: operation },
            null
          )
          assert.deepStrictEqual(reasonsOf(stolen), ["FORBIDDEN"])
          assert.notInclude(stolen.text, mark)
          assert.isFalse(stolen.headers.has("idempotency-replayed"))
        }))
    }
  )
}
