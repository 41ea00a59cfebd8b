/**
 * Who may operate what, whatever it is stored in (D11): a business and what belongs to it is for those who operate all of the business,
 * or the whole service.
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant, aPrincipal } from "@dockline/testing/generators/Given"
import { aBusiness, aSlug, nowhere, operatorOf, outcome, whole } from "@dockline/testing/worlds/OperatorWorld"
import { Effect } from "effect"
import type { Principal } from "../../src/access/Access.ts"
import { aWorld } from "./OperatorDeliveries.ts"
import { ask, createClient, ordinary } from "./OperatorServices.ts"
import type { Part, Services } from "./OperatorServices.ts"
import { create, patch } from "./WebhooksWorld.ts"

/** What is operated: a business, or what it has of an id. */
export interface Target {
  readonly business: string
  readonly id: string
  readonly endpointId?: string
}

type Run<More> = (
  target: Target,
  principal: Principal
) => Effect.Effect<unknown, { readonly code: string }, Services | More>

/** A kind of what is operated; `More` are the ports of the capability that has it. */
export interface Kind<More = never> {
  readonly make: (business: string) => Effect.Effect<Target, unknown, Services | More>
  readonly unknown: ReadonlyArray<string>
  /** The refusal of an id that is not there. */
  readonly missing: string
  /** The refusal of who operates another business. */
  readonly beyond: string
  /** What is done with it; the first reads it. */
  readonly operations: Readonly<Record<string, Run<More>>>
}

const long = "x".repeat(10_000)

const kinds: Readonly<Record<string, Kind>> = {
  "a business": {
    make: (business) => Effect.succeed({ business, id: business }),
    unknown: [nowhere, "", "*", "UPPER", "a\0b", "\ud800", long],
    missing: "BUSINESS_NOT_FOUND",
    beyond: "FORBIDDEN",
    operations: {
      get: ({ id: slug }, who) => ask("getBusiness", { slug }, who),
      rename: ({ id: slug }, who) => ask("renameBusiness", { slug, body: { name: "New" } }, who),
      listFacilities: ({ id: slug }, who) => ask("listFacilities", { slug }, who),
      createFacility: ({ id: slug }, who) =>
        ask("createFacility", { slug, body: { slug: aSlug(), name: "North" } }, who),
      getFacility: ({ id: slug }, who) => ask("getFacility", { slug, facility: "east" }, who),
      updateFacility: ({ id: slug }, who) =>
        ask("updateFacility", { slug, facility: "east", body: { name: "New" } }, who),
      listDocks: ({ id: slug }, who) => ask("listDocks", { slug, facility: "east" }, who),
      createDock: ({ id: slug }, who) =>
        ask("createDock", { slug, facility: "east", body: { slug: aSlug() } }, who),
      fieldMap: ({ id: slug }, who) => ask("getFieldMap", { slug }, who),
      setFieldMap: ({ id: slug }, who) => ask("setFieldMap", { slug, body: [] }, who)
    }
  },
  "a client": {
    make: (business) => Effect.map(createClient(aGrant(business)), ({ id }) => ({ business, id })),
    unknown: [nowhere, "", "a\0b", "\ud800", "ä", long],
    missing: "CLIENT_NOT_FOUND",
    beyond: "CLIENT_NOT_FOUND",
    operations: {
      get: ({ id: clientId }, who) => ask("getClient", { clientId }, who),
      update: ({ id: clientId }, who) => ask("updateClient", { clientId, body: { name: "New" } }, who),
      createSecret: ({ id: clientId }, who) => ask("createSecret", { clientId }, who),
      deleteSecret: ({ id: clientId }, who) =>
        // Nobody but who may operate the client learns that the secret is not there.
        Effect.catchTag(
          ask("deleteSecret", { clientId, secretId: "any" }, who),
          "SecretNotFound",
          () => Effect.void
        )
    }
  },
  "a webhook endpoint": {
    make: (business) => Effect.map(create(business), ({ id }) => ({ business, id })),
    unknown: ["0", "-1", "1.0", "01", "1e3", "", "x", "a\0b", "9007199254740993", "9".repeat(400)],
    missing: "WEBHOOK_ENDPOINT_NOT_FOUND",
    beyond: "WEBHOOK_ENDPOINT_NOT_FOUND",
    operations: {
      get: ({ id: endpointId }, who) => ask("getWebhookEndpoint", { endpointId }, who),
      update: ({ id: endpointId }, who) =>
        ask("updateWebhookEndpoint", { endpointId, body: patch({ enabled: false }) }, who),
      rotate: ({ id: endpointId }, who) => ask("rotateSigningSecret", { endpointId }, who),
      delete: ({ id: endpointId }, who) => ask("deleteWebhookEndpoint", { endpointId }, who),
      listDeliveries: ({ id: endpointId }, who) => ask("listDeliveries", { endpointId }, who),
      replay: ({ id: endpointId }, who) =>
        ask("replayDeliveries", { endpointId, body: { fromId: 1, toId: 1 } }, who)
    }
  },
  "a message": {
    make: () => Effect.map(aWorld, ({ business, messageIds }) => ({ business, id: String(messageIds[0]) })),
    unknown: ["9007199254740991", "0", "x", "1.5", "", "a\0b", "9".repeat(400)],
    missing: "MESSAGE_NOT_FOUND",
    beyond: "FORBIDDEN",
    operations: {
      get: ({ business, id: messageId }, who) => ask("getMessage", { slug: business, messageId }, who)
    }
  },
  "a delivery": {
    make: () =>
      Effect.map(aWorld, ({ business, id, messageIds }) => ({
        business,
        endpointId: id,
        id: String(messageIds[0])
      })),
    unknown: ["9007199254740991", "0", "x", "1.5", "", "a\0b", "9".repeat(400)],
    missing: "DELIVERY_NOT_FOUND",
    beyond: "WEBHOOK_ENDPOINT_NOT_FOUND",
    operations: {
      get: ({ endpointId = "", id: deliveryId }, who) => ask("getDelivery", { endpointId, deliveryId }, who),
      replay: ({ endpointId = "", id: deliveryId }, who) =>
        ask("replayDelivery", { endpointId, deliveryId }, who)
    }
  }
}

/** The cases of who may operate what. */
export const reach: Part = (test, describe) => {
  test(
    "D11 clients are listed to nobody who operates nothing",
    Effect.gen(function*() {
      for (const principal of [aPrincipal(), aPrincipal(aGrant("*", "*", ordinary))]) {
        assert.strictEqual(yield* outcome(ask("listClients", {}, principal)), "FORBIDDEN")
      }
    })
  )

  reachOf(kinds)(test, describe)
}

/** The cases of who may operate something of these kinds. */
export const reachOf =
  <More = never>(kinds: Readonly<Record<string, Kind<More>>>): Part<More> => (test, describe) => {
    for (const [name, { beyond, make, missing, operations, unknown }] of Object.entries(kinds)) {
      const [read] = Object.values(operations)
      describe(`D11 ${name}`, () => {
        for (const [operation, run] of Object.entries(operations)) {
          test(
            `${operation}: who operates all of its business or the whole service, and nobody else`,
            Effect.gen(function*() {
              const other = yield* aBusiness
              for (let at = 0; at < 8; at++) {
                const target = yield* make(yield* aBusiness)
                const own = target.business
                const table: ReadonlyArray<readonly [who: string, principal: Principal, expected: string]> = [
                  ["whole service", whole, "ok"],
                  ["its operator", operatorOf(own), "ok"],
                  ["operator of several", operatorOf(other, own), "ok"],
                  ["operator of another", operatorOf(other), beyond],
                  ["operator at some facilities", aPrincipal(aGrant(own, ["east"], ["operator"])), beyond],
                  ["every other permission", aPrincipal(aGrant(own, "*", ordinary)), "FORBIDDEN"],
                  ["every other permission everywhere", aPrincipal(aGrant("*", "*", ordinary)), "FORBIDDEN"],
                  ["nothing", aPrincipal(), "FORBIDDEN"]
                ]
                const [who, principal, expected] = table[at]!
                const before = yield* read!(target, whole)
                assert.strictEqual(yield* outcome(run(target, principal)), expected, who)
                if (expected !== "ok") assert.deepStrictEqual(yield* read!(target, whole), before, who)
                else if (operation === "delete") {
                  assert.strictEqual(yield* outcome(read!(target, whole)), missing, who)
                }
              }
            })
          )
        }

        test(
          "that there is none of is not there, and a malformed id names none",
          Effect.gen(function*() {
            const target = yield* make(yield* aBusiness)
            for (const id of unknown) {
              for (const run of Object.values(operations)) {
                assert.strictEqual(yield* outcome(run({ ...target, id }, whole)), missing, id.slice(0, 20))
                assert.strictEqual(yield* outcome(run({ ...target, id }, aPrincipal())), "FORBIDDEN")
              }
            }
          })
        )
      })
    }
  }
