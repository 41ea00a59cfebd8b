/**
 * Every pair of client and place over GraphQL: who has any permission at a facility sees what the dock knows of it (D13), and
 * nobody else does; messages need a permission of their own. The fields are those of the schema's `Query` itself, and those
 * of a shipment that are read with arguments: one without a case here fails.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Sample from "../../graphql/Sample.ts"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { GraphqlServer, storages } from "../../support/GraphqlServer.ts"
import type { Answer, Operation } from "../../support/GraphqlServer.ts"
import { once } from "../../support/TestServer.ts"
import { clients, makeEverywhere } from "./Everywhere.ts"
import type { Made } from "./Everywhere.ts"
import { graphql } from "./Intruder.ts"

/** A field at a place. */
interface Case {
  readonly ask: (made: Made) => Operation
  readonly takes: "sight" | "messages"
  readonly unseen: "DOCUMENT_NOT_FOUND" | "FORBIDDEN" | "SHIPMENT_NOT_FOUND"
  /** The list of all places, of which a client gets those of the places that it sees. */
  readonly everywhere?: (made: Made) => Operation
}

const field = (text: string): Operation => ({ query: `{ ${text} }` })

const ofShipment = (ask: Case["ask"]): Case => ({ ask, takes: "sight", unseen: "SHIPMENT_NOT_FOUND" })

const located = "nodes { business { slug } facility { slug } }"

const ofPlace = (name: string, by: (made: Made) => string): Case => ({
  ask: (made) =>
    field(`${name}(business: "${made.business}", facility: "${made.facility}", ${by(made)}) { ${located} }`),
  everywhere: (made) => field(`${name}(${by(made)}) { ${located} }`),
  takes: "sight",
  unseen: "FORBIDDEN"
})

const cases: Readonly<Record<string, Case>> = {
  "Query.business": {
    ask: ({ business }) => field(`business(slug: "${business}") { name facilities { slug } }`),
    takes: "sight",
    unseen: "FORBIDDEN"
  },
  "Query.facility": {
    ask: ({ business, facility }) =>
      field(`facility(business: "${business}", slug: "${facility}") { name docks }`),
    takes: "sight",
    unseen: "FORBIDDEN"
  },
  "Query.shipment": ofShipment(({ id }) => Sample.readShipment(id)),
  "Query.pallet": ofShipment(({ id, palletId }) => Sample.readPallet({ shipmentId: id, id: palletId })),
  "Query.shipments": ofPlace("shipments", ({ number }) => `shipmentNumber: "${number}", discrepancies: true`),
  "Query.orders": ofPlace("orders", ({ number }) => `orderNumber: "${number}"`),
  "Query.pallets": ofPlace("pallets", ({ lpn }) => `lpn: "${lpn}"`),
  "Query.search": ofPlace("search", ({ lpn }) => `text: "${lpn}"`),
  "Query.exceptions": ofPlace("exceptions", () => "status: OPEN, priority: HIGH"),
  "Query.documents": ofPlace("documents", ({ number }) => `orderNumber: "${number}"`),
  "Query.document": {
    ask: ({ documentId }) => field(`document(id: ${documentId}) { shipmentNumber changes { reference } }`),
    takes: "sight",
    unseen: "DOCUMENT_NOT_FOUND"
  },
  "Query.pushMessages": {
    ask: ({ business, facility }) => Sample.history({ businessSlug: business, facilitySlug: facility }),
    takes: "messages",
    unseen: "FORBIDDEN"
  },
  "Shipment.items": ofShipment(({ id }) => Sample.items({ id })),
  "Shipment.pallets": ofShipment(({ id }) => Sample.shipmentPallets({ id })),
  "Shipment.discrepancies": ofShipment(({ id }) => Sample.discrepancies({ id })),
  "Shipment.exceptions": ofShipment(({ id }) => Sample.shipmentExceptions({ id }))
}

const reasonsOf = ({ errors }: Answer) => (errors ?? []).map(({ extensions }) => extensions.reason)

interface Placed {
  readonly business: { readonly slug: string }
  readonly facility: { readonly slug: string }
}

const placesOf = ({ data }: Answer): ReadonlyArray<string> =>
  Object.values((data ?? {}) as Readonly<Record<string, { readonly nodes: ReadonlyArray<Placed> }>>)
    .flatMap(({ nodes }) => nodes.map(({ business, facility }) => `${business.slug}/${facility.slug}`))
    .toSorted()

for (const storage of storages) {
  layer(storage.layer({ vault }), { excludeTestServices: true })(
    `each field by client and place over GraphQL on ${storage.name}`,
    (it) => {
      const shared = once(makeEverywhere)

      it.effect("every field of Query, and every field of a shipment with arguments, has its case", () =>
        Effect.gen(function*() {
          const { engine: { schema } } = yield* GraphqlServer
          const shipment = schema.getType("Shipment") as unknown as ReturnType<typeof schema.getQueryType>
          const fields = [
            ...Object.keys(schema.getQueryType()!.getFields()).map((name) => `Query.${name}`),
            ...Object.values(shipment!.getFields()).filter(({ args }) => args.length > 0).map(({ name }) =>
              `Shipment.${name}`
            )
          ]
          assert.deepStrictEqual(Object.keys(cases).sort(), fields.sort())
        }))

      for (const [name, { grants, reads, sees }] of Object.entries(clients)) {
        it.effect(`a client that has ${name} sees ${sees.join(", ") || "nothing"}`, () =>
          Effect.gen(function*() {
            const everywhere = yield* shared
            const { as } = yield* makeClient(...grants)
            for (const [field, given] of Object.entries(cases)) {
              for (const made of everywhere) {
                const seen = given.takes === "messages" ? reads : sees
                // A business is seen by whoever may do something in it.
                const isSeen = field === "Query.business"
                  ? grants.some(({ business }) => ["*", made.business].includes(business))
                  : seen.includes(made.place)
                const answer: Answer = yield* graphql(as, given.ask(made))
                const what = `${field} at ${made.place}: ${answer.text}`
                assert.deepStrictEqual(reasonsOf(answer), isSeen ? [] : [given.unseen], what)
                if (isSeen && given.everywhere !== undefined) {
                  assert.deepStrictEqual(placesOf(answer), [made.place], what)
                }
              }
              if (given.everywhere === undefined) continue
              const all: Answer = yield* graphql(as, given.everywhere(everywhere[0]!))
              assert.deepStrictEqual(placesOf(all), sees.toSorted(), `${field}: ${all.text}`)
            }
          }))
      }
    }
  )
}
