/**
 * What the dock knows (D13), for every pair of client and place, over REST and GraphQL: whoever has any permission at a
 * facility sees its shipments, pallets, discrepancies and exceptions, and nobody else does; messages need their own.
 */
import type { Grant } from "@dockline/core/Access"
import type { PalletAnswer } from "@dockline/core/Pallet"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Sample from "../../graphql/Sample.ts"
import { label, palletEvent, post, record } from "../../http/facility/Facility.ts"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { item, order } from "../../http/Sample.ts"
import { storages } from "../../support/GraphqlServer.ts"
import type { Answer } from "../../support/GraphqlServer.ts"
import { TestServer, unique } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { graphql } from "./Intruder.ts"

const places = ["acme/east", "acme/west", "globex/main"] as const

type Place = (typeof places)[number]

const grant = (
  business: string,
  facilities: Grant["facilities"],
  ...permissions: Grant["permissions"]
): Grant => ({ business, facilities, permissions })

/** Who has what, and which places it sees, and of which it reads the messages. */
const clients: ReadonlyArray<
  readonly [
    name: string,
    grants: ReadonlyArray<Grant>,
    sees: ReadonlyArray<Place>,
    reads: ReadonlyArray<Place>
  ]
> = [
  ["nothing", [], [], []],
  ["acme", [grant("acme", "*", "documents:write")], ["acme/east", "acme/west"], []],
  ["acme's messages", [grant("acme", "*", "messages:read")], ["acme/east", "acme/west"], [
    "acme/east",
    "acme/west"
  ]],
  ["a tower in the east", [grant("acme", ["east"], "pallets:write")], ["acme/east"], []],
  ["messages of the west", [grant("acme", ["west"], "messages:read")], ["acme/west"], ["acme/west"]],
  ["a dock in the west", [grant("acme", ["west"], "shipments:write")], ["acme/west"], []],
  ["globex", [grant("globex", ["main"], "documents:write")], ["globex/main"], []],
  [
    "the east and globex",
    [grant("acme", ["east"], "documents:write"), grant("globex", "*", "messages:read")],
    ["acme/east", "globex/main"],
    ["globex/main"]
  ],
  ["everything", [grant("*", "*", "messages:read")], places, places]
]

/** A shipment at a place: with a pallet that all of them have, one that is short, and an exception. */
const made = Effect.fnUntraced(function*(place: Place, lpn: string) {
  const server = yield* TestServer
  const [business, facility] = place.split("/") as [string, string]
  const client = business === "acme" ? "acme-client" : "globex-client"
  const document = order({ business, facility, items: [item(lpn), item(unique("SHORT"))] })
  const { shipment: { id } } = yield* server.submit(document, { client })
  const event = palletEvent({ business, facility, shipmentId: id, labels: [label("lpn", lpn)] })
  const recorded = yield* record(event)
  assert.strictEqual(recorded.status, 201, recorded.text)
  const palletId = (recorded.body as PalletAnswer).servicePalletId
  const exception = { palletId, kind: "DAMAGED", priority: "LOW", description: "Wet" }
  const reported = yield* post(`/v1/shipments/${id}/exceptions`, exception)
  assert.strictEqual(reported.status, 201, reported.text)
  return { place, business, facility, id, palletId }
})

type Made = Effect.Success<ReturnType<typeof made>>

const countOf = (body: unknown): number => (body as { readonly items: ReadonlyArray<unknown> }).items.length

const reasonsOf = ({ errors }: Answer) => (errors ?? []).map(({ extensions }) => extensions.reason)

const overRest = Effect.fnUntraced(function*(as: RequestOptions, { id, palletId }: Made, isSeen: boolean) {
  const { get } = yield* TestServer
  for (const part of ["", "/pallets", `/pallets/${palletId}`, "/discrepancies", "/exceptions"]) {
    const reply = yield* get(`/v1/shipments/${id}${part}`, as)
    assert.strictEqual(reply.status, isSeen ? 200 : 404, `${part}: ${reply.text}`)
    if (isSeen && part.endsWith("s")) assert.strictEqual(countOf(reply.body), 1, part)
  }
})

const overGraphql = Effect.fnUntraced(function*(as: RequestOptions, { id, palletId }: Made, isSeen: boolean) {
  const operations = [
    Sample.readShipment(id),
    Sample.shipmentPallets({ id }),
    Sample.readPallet({ shipmentId: id, id: palletId }),
    Sample.discrepancies({ id }),
    Sample.exceptions({ id })
  ]
  for (const operation of operations) {
    const answer: Answer = yield* graphql(as, operation)
    assert.deepStrictEqual(reasonsOf(answer), isSeen ? [] : ["SHIPMENT_NOT_FOUND"], answer.text)
  }
})

interface Placed {
  readonly business: { readonly slug: string }
  readonly facility: { readonly slug: string }
}

const placesOf = (pallets: ReadonlyArray<Placed>) =>
  pallets.map(({ business, facility }) => `${business.slug}/${facility.slug}`).toSorted()

/** What is found of the pallet that all places have, without a place and at each. */
const found = Effect.fnUntraced(function*(as: RequestOptions, lpn: string, sees: ReadonlyArray<Place>) {
  const { get } = yield* TestServer
  const all = yield* get(`/v1/pallets?lpn=${lpn}`, as)
  assert.deepStrictEqual(placesOf((all.body as { readonly items: ReadonlyArray<Placed> }).items), [...sees])
  const answer: Answer = yield* graphql(as, Sample.listPallets({ lpn }))
  const { pallets } = answer.data as { readonly pallets: { readonly nodes: ReadonlyArray<Placed> } }
  assert.deepStrictEqual(placesOf(pallets.nodes), [...sees])
  for (const place of places) {
    const [business, facility] = place.split("/")
    const isSeen = sees.includes(place)
    const reply = yield* get(`/v1/pallets?lpn=${lpn}&business=${business}&facility=${facility}`, as)
    assert.strictEqual(reply.status, isSeen ? 200 : 403, reply.text)
    if (isSeen) assert.strictEqual(countOf(reply.body), 1)
    const told: Answer = yield* graphql(as, Sample.listPallets({ lpn, business, facility }))
    assert.deepStrictEqual(reasonsOf(told), isSeen ? [] : ["FORBIDDEN"], told.text)
  }
})

const told = Effect.fnUntraced(function*(as: RequestOptions, reads: ReadonlyArray<Place>) {
  const { get } = yield* TestServer
  for (const place of places) {
    const [businessSlug, facilitySlug] = place.split("/")
    const isRead = reads.includes(place)
    const reply = yield* get(`/v1/messages?business=${businessSlug}&facility=${facilitySlug}`, as)
    assert.strictEqual(reply.status, isRead ? 200 : 403, reply.text)
    if (isRead) assert.isAtLeast(countOf(reply.body), 1)
    const answer: Answer = yield* graphql(as, Sample.history({ businessSlug, facilitySlug }))
    assert.deepStrictEqual(reasonsOf(answer), isRead ? [] : ["FORBIDDEN"], answer.text)
  }
})

for (const storage of storages) {
  layer(storage.layer({ vault }), { excludeTestServices: true })(
    `what the dock knows, by client and place, on ${storage.name}`,
    (it) => {
      for (const [name, grants, sees, reads] of clients) {
        it.effect(`a client that has ${name} sees ${sees.join(", ") || "nothing"}`, () =>
          Effect.gen(function*() {
            const lpn = unique("ALL")
            const shipments = yield* Effect.forEach(places, (place) => made(place, lpn))
            const { as } = yield* makeClient(...grants)
            for (const shipment of shipments) {
              yield* overRest(as, shipment, sees.includes(shipment.place))
              yield* overGraphql(as, shipment, sees.includes(shipment.place))
            }
            yield* found(as, lpn, sees)
            yield* told(as, reads)
          }))
      }
    }
  )
}
