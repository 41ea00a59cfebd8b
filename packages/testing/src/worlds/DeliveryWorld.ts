/**
 * Endpoints, their messages and deliveries, for suites and tests of the webhook stores.
 */
import type { MessageDraft } from "@dockline/core/messages/Message"
import type { MessageLog } from "@dockline/core/messages/MessageLog"
import type { Directory } from "@dockline/core/places/Place"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import type { Attempt, DeliveryResult, DueDelivery } from "@dockline/core/webhooks/Delivery"
import { DeliveryStore, partitionCount, partitionOf } from "@dockline/core/webhooks/DeliveryStore"
import type { Lease, Settlement, TakenMessages, TakeRequest } from "@dockline/core/webhooks/DeliveryStore"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { plainSettings, WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import type { EndpointChange, EndpointDraft, WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Result } from "effect"
import * as assert from "../Assert.ts"
import * as Suite from "../Suite.ts"
import { aBusiness, aDraft, append, defaultSettings } from "./MessageLogWorld.ts"

/** The start of the tests. Times are in seconds after it. */
export const start = Date.parse("2026-11-20T12:00:00.000Z")

/** Seconds after {@link start}. */
export const at = (seconds: number) => Timestamp.fromMillis(start + seconds * 1000)

/** A draft of an endpoint of a business, by default for all messages from now on. */
export const anEndpoint = (business: string, fields: Partial<EndpointDraft> = {}): EndpointDraft => ({
  business,
  facility: null,
  baseUrl: "https://customer.example:8443/hooks",
  messageTypes,
  authentication: {
    type: "basic",
    settings: { username: "us" },
    secrets: { password: "sealed-1" as SealedText }
  },
  signingSecrets: [{ sealed: "sealed-2" as SealedText, validUntil: null }],
  ...plainSettings,
  enabled: true,
  fromId: null,
  now: at(0),
  ...fields
})

/** Makes an endpoint. */
export const create = (business: string, fields: Partial<EndpointDraft> = {}) =>
  WebhookEndpointStore.use((endpoints) => endpoints.create(anEndpoint(business, fields)))

/** The endpoint with an id. */
export const find = (id: number) =>
  Effect.map(WebhookEndpointStore.use(({ find }) => find(id)), (e) => assert.present(e))

/** Appends one message for each shipment, and returns the ids of the messages. */
export const appendOf = (
  business: string,
  shipmentIds: ReadonlyArray<number>,
  fields: Partial<MessageDraft> = {}
) =>
  Effect.map(
    append(...shipmentIds.map((shipmentId, n) => aDraft(business, n, { shipmentId, ...fields }))),
    (messages) => messages.map(({ id }) => id)
  )

/** The settings of an endpoint, for a change that leaves them unchanged. */
export const unchanged = (endpoint: WebhookEndpoint): EndpointChange => ({
  baseUrl: endpoint.baseUrl,
  messageTypes: endpoint.messageTypes,
  authentication: endpoint.authentication,
  signingSecrets: endpoint.signingSecrets,
  headers: endpoint.headers,
  ratePerSecond: endpoint.ratePerSecond,
  signatures: endpoint.signatures,
  payloadProfile: endpoint.payloadProfile,
  enabled: endpoint.enabled,
  disabledReason: endpoint.disabledReason
})

/** Changes some settings of an endpoint. */
export const update = (id: number, fields: Partial<EndpointChange>, seconds = 0) =>
  WebhookEndpointStore.use((endpoints) =>
    endpoints.update(id, at(seconds), (endpoint) => Result.succeed({ ...unchanged(endpoint), ...fields }))
  )

/** Opens an endpoint. */
export const open = (endpointId: number) =>
  DeliveryStore.use((store) => Effect.map(store.open([endpointId]), ([endpoint]) => assert.present(endpoint)))

/** A request for all messages of an endpoint after an id. */
export const request = (lease: Lease, afterId: number, rest: Partial<TakeRequest> = {}): TakeRequest => ({
  lease,
  version: 1,
  afterId,
  takenIds: [],
  limit: 1000,
  textLimit: 1_000_000,
  ...rest
})

/** Takes the next messages of an endpoint. */
export const take = (lease: Lease, afterId: number, seconds = 0, rest: Partial<TakeRequest> = {}) =>
  DeliveryStore.use((store) =>
    Effect.flatMap(
      store.take([request(lease, afterId, rest)], at(seconds)),
      ([result]): Effect.Effect<TakenMessages> =>
        result?._tag === "taken" ? Effect.succeed(result.messages) : Effect.die(`It is ${result?._tag}`)
    )
  )

/** The tag of the result of taking messages. */
export const takeTag = (lease: Lease) =>
  DeliveryStore.use((store) =>
    Effect.map(store.take([request(lease, 0)], at(0)), ([result]) => assert.present(result)._tag)
  )

/** An endpoint with its lease, and the messages of these shipments that it took. */
export const takeWindow = Effect.fnUntraced(function*(shipmentIds: ReadonlyArray<number>) {
  const business = yield* aBusiness
  const { id } = yield* create(business)
  const { lease } = yield* open(id)
  const ids = yield* appendOf(business, shipmentIds)
  const { fresh } = yield* take(lease, 0)
  return { business, id, lease, ids, fresh }
})

/** An attempt. */
export const anAttempt = (seconds: number, fields: Partial<Attempt> = {}): Attempt => ({
  at: at(seconds),
  status: 200,
  durationMs: 12,
  response: "ok",
  error: "",
  ...fields
})

/** The result of a successful delivery. */
export const deliveryOf = (due: DueDelivery, seconds = 0): DeliveryResult => ({
  ...due.progress,
  messageId: due.message.id,
  messageType: due.message.type,
  shipmentId: due.message.shipmentId,
  status: "DELIVERED",
  attempts: [anAttempt(seconds)],
  nextAttemptAt: null
})

/** The result of a failed delivery that is to be tried again. */
export const failureOf = (due: DueDelivery, seconds: number, again: number): DeliveryResult => ({
  ...deliveryOf(due),
  status: "PENDING",
  tries: due.progress.tries + 1,
  failedSince: due.progress.failedSince ?? at(seconds),
  attempts: [anAttempt(seconds, { status: 500, response: "no" })],
  nextAttemptAt: at(again)
})

/** A settlement of an endpoint that does not fail. */
export const aSettlement = (
  lease: Lease,
  cursorId: number,
  fields: Partial<Settlement> = {}
): Settlement => ({
  lease,
  cursorId,
  results: [],
  waitingMessages: [],
  failingSince: null,
  login: null,
  disable: undefined,
  expiredUpTo: undefined,
  ...fields
})

/** Settles deliveries. Returns whether the lease held. */
export const settle = (lease: Lease, cursorId: number, fields: Partial<Settlement> = {}, seconds = 0) =>
  DeliveryStore.use((store) =>
    Effect.map(
      store.settle([aSettlement(lease, cursorId, fields)], at(seconds)),
      ([leaseHolds]) => assert.present(leaseHolds)
    )
  )

/** All deliveries of an endpoint, oldest message first. */
export const deliveries = (endpointId: number) =>
  DeliveryStore.use((store) =>
    Effect.map(
      store.list(endpointId, undefined, { limit: 1000, after: 0 }),
      ({ items }) => items.toReversed()
    )
  )

/** All deliveries of an endpoint in short: message id, status, tries, seconds to the next attempt. */
export const record = (endpointId: number) =>
  Effect.map(
    deliveries(endpointId),
    (all) =>
      all.map(({ messageId, status, tries, nextAttemptAt }): ReadonlyArray<unknown> => [
        messageId,
        status,
        tries,
        nextAttemptAt === null ? null : (Date.parse(nextAttemptAt) - start) / 1000
      ])
  )

/** Every partition. */
export const allPartitions = Array.from({ length: partitionCount }, (_, partition) => partition)

/** Whether an endpoint has work to do. */
export const isReady = (endpointId: number, seconds = 0) =>
  DeliveryStore.use((store) =>
    Effect.map(
      store.ready([partitionOf(endpointId)], at(seconds)),
      ({ endpoints }) => endpoints.includes(endpointId)
    )
  )

/** The ports that the suites of the webhook stores need: both stores, the log and the directory. */
export type Ports = DeliveryStore | Directory | MessageLog | WebhookEndpointStore

/** Adds a case of the stores, with optional settings of the log. */
export type Test = Suite.AddTest<Ports>

/** Cases that belong together: a part of a suite of the stores. */
export type Part = (test: Test, describe: Suite.Author<never>["describe"]) => void

/** Makes a suite of the stores, whose cases run with the log's {@link defaultSettings} by default. */
export const suiteOf = (name: string, write: Part): Suite.Suite<Ports> =>
  Suite.make(
    name,
    ({ describe, test }) =>
      write(
        (title, program, settings = {}) => test(title, program, { ...defaultSettings, ...settings }),
        describe
      )
  )
