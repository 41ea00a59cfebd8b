/**
 * A dispatcher over stores in memory and customers that answer as a test says; time is `TestClock`'s.
 */
import type { Delivery } from "@dockline/core/Delivery"
import { DeliveryStore } from "@dockline/core/DeliveryStore"
import { Directory } from "@dockline/core/Directory"
import { StorageUnavailable } from "@dockline/core/Errors"
import * as Memory from "@dockline/core/Memory"
import { MessageLog } from "@dockline/core/MessageLog"
import { SecretUnreadable } from "@dockline/core/OperatorErrors"
import { SecretsVault } from "@dockline/core/SecretsVault"
import type { Sealed } from "@dockline/core/SecretsVault"
import { fromMillis } from "@dockline/core/Timestamp"
import { WebhookEndpointStore } from "@dockline/core/WebhookEndpointStore"
import type { EndpointDraft } from "@dockline/core/WebhookEndpointStore"
import { CustomerAuth } from "@dockline/webhook-adapter/CustomerAuth"
import { OutboundFailure, OutboundHttp } from "@dockline/webhook-adapter/OutboundHttp"
import type { OutboundAnswer, OutboundRequest } from "@dockline/webhook-adapter/OutboundHttp"
import { Placement } from "@dockline/webhook-adapter/Placement"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import type { WebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { Clock, Deferred, Effect, Exit, Layer, Logger, Redacted, Result, Scope } from "effect"
import type { Duration } from "effect"
import { TestClock } from "effect/testing"

/** An answer without a body. */
export const answer = (status: number, headers: Record<string, string> = {}): OutboundAnswer => ({
  status,
  headers,
  body: new Uint8Array(),
  error: ""
})

/** A customer who takes everything. */
export const accepts: Customer = () => Effect.succeed(answer(200))

/** What a customer does with a request. */
export type Customer = (request: Received) => Effect.Effect<OutboundAnswer, OutboundFailure>

/** A request as it came, with what tests ask of it. */
export interface Received extends OutboundRequest {
  /** Of the message. */
  readonly id: number
  readonly at: number
  readonly payload: { readonly n?: number; readonly shipment?: number }
}

/** Everything that was called, and the customers by the host of their URL. */
export class Outside {
  readonly requests: Array<Received> = []
  readonly customers = new Map<string, Customer>()
  customer: Customer = accepts
  /** How many are on their way, and the most that ever were. */
  running = 0
  most = 0

  readonly layer = Layer.effect(
    OutboundHttp,
    Effect.map(Clock.Clock, (clock) =>
      OutboundHttp.of({
        post: (request) =>
          Effect.suspend(() => {
            const id = Number(request.headers["webhook-id"]?.slice("msg_".length) ?? 0)
            const payload = request.headers["webhook-id"] === undefined ? {} : JSON.parse(request.body)
            const received = { ...request, id, payload, at: clock.currentTimeMillisUnsafe() }
            this.requests.push(received)
            this.most = Math.max(this.most, ++this.running)
            const customer = this.customers.get(new URL(request.url).hostname) ?? this.customer
            return Effect.ensuring(customer(received), Effect.sync(() => this.running--))
          })
      }))
  )

  /** The ids of the messages that were sent, in order, of one host or of all. */
  ids(host?: string): ReadonlyArray<number> {
    return this.requests
      .filter(({ id, url }) => id > 0 && (host === undefined || new URL(url).hostname === host))
      .map(({ id }) => id)
  }
}

/** What seals nothing, so that tests can name secrets; `"broken"` does not open. */
export const vault = Layer.succeed(SecretsVault, {
  seal: (secret) => Effect.succeed(Redacted.value(secret) as Sealed),
  open: (sealed) =>
    sealed === "broken"
      ? Effect.fail(new SecretUnreadable({ reason: "it was sealed with another key" }))
      : Effect.succeed(Redacted.make(sealed))
})

/** A signing secret. */
export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" as Sealed

/** Silent: what is logged in these tests is expected. */
export const quiet = Logger.layer([])

const business = "acme"

/** What goes wrong with the storage: each method does first what is said here of it. */
export class Trouble {
  ready: Effect.Effect<void, StorageUnavailable> = Effect.void
  open: Effect.Effect<void, StorageUnavailable> = Effect.void
  take: Effect.Effect<void, StorageUnavailable> = Effect.void
  settle: Effect.Effect<void, StorageUnavailable> = Effect.void
  /** Comes after a settlement was written. */
  settled: Effect.Effect<void, StorageUnavailable> = Effect.void

  /** The storage with its troubles. */
  readonly layer = Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        ready: (...args) => Effect.andThen(Effect.suspend(() => this.ready), store.ready(...args)),
        open: (...args) => Effect.andThen(Effect.suspend(() => this.open), store.open(...args)),
        take: (...args) => Effect.andThen(Effect.suspend(() => this.take), store.take(...args)),
        settle: (...args) =>
          Effect.suspend(() => this.settle).pipe(
            Effect.andThen(store.settle(...args)),
            Effect.tap(() => this.settled)
          )
      }))
  )
}

/** The storage is away. */
export const away = Effect.fail(new StorageUnavailable({ cause: new Error("away") }))

/** Makes the business of all messages here. */
export const makeBusiness = Effect.flatMap(Directory, (directory) =>
  directory.put([{
    slug: business,
    name: business,
    fieldMap: [],
    facilities: ["east", "west"].map((slug) => ({ slug, name: slug, docks: [] }))
  }]))

/** The stores in memory, with the business. */
export const world = Memory.layer.pipe(
  Layer.tap((context) => Effect.provideContext(makeBusiness, context)),
  Layer.provideMerge(quiet)
)

/** Appends messages: `[1, 1, 2]` are two of shipment 1 and one of shipment 2; says their ids. */
export const append = (shipments: ReadonlyArray<number>, text = "") =>
  Effect.flatMap(MessageLog, (log) =>
    Effect.map(
      log.append(shipments.map((shipmentId, n) => ({
        business,
        facility: "east",
        type: "PALLET_EVENT" as const,
        payload: { n, shipment: shipmentId, text },
        shipmentId
      }))),
      (messages) => messages.map(({ id }) => id)
    ))

/** Makes an endpoint at `https://customer.example` that begins with the first message, and says its id. */
export const anEndpoint = (fields: Partial<EndpointDraft> = {}) =>
  Effect.gen(function*() {
    const endpoints = yield* WebhookEndpointStore
    const made = yield* endpoints.create({
      business,
      facility: null,
      baseUrl: "https://customer.example",
      messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
      authentication: { type: "none", settings: {}, secrets: {} },
      signingSecrets: [{ sealed: secret, validUntil: null }],
      enabled: true,
      fromId: 1,
      now: fromMillis(yield* Clock.currentTimeMillis),
      ...fields
    })
    return made.id
  })

/** The settings of tests: it is looked for work when there is some, and nothing is waited for at the end. */
export const config: WebhookConfig = { ...defaultWebhookConfig, pollMillis: 3_600_000, drainMillis: 0 }

/** Starts a dispatcher that ends with the scope. */
export const dispatch = (outside: Outside, changes: Partial<WebhookConfig> = {}) =>
  Layer.build(
    WebhookAdapter.layer({ ...config, ...changes }).pipe(
      Layer.provide(CustomerAuth.layer()),
      Layer.provide([outside.layer, vault, Placement.layerSingle]),
      Layer.fresh
    )
  )

/** Starts a dispatcher; the effect that it gives ends it. */
export const start = (outside: Outside, changes: Partial<WebhookConfig> = {}) =>
  Effect.gen(function*() {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    yield* Effect.provideService(dispatch(outside, changes), Scope.Scope, scope)
    return Scope.close(scope, Exit.void)
  })

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Turns of the event loop. */
export const turns = (times: number) => Effect.repeat(turn, { times })

/** Lets everything happen that does not need time. Nothing here waits for anything real, so turns are enough. */
export const settle = turns(100)

/** Lets everything happen until something holds. */
export const until = (holds: () => boolean) =>
  Effect.gen(function*() {
    for (let turns = 0; !holds(); turns++) {
      if (turns === 100_000) return yield* Effect.die(new Error("it never came to hold"))
      yield* turn
    }
    yield* settle
  })

/** Lets time pass, after what needs none. */
export const pass = (duration: Duration.Input) =>
  Effect.andThen(settle, Effect.andThen(TestClock.adjust(duration), settle))

/** The deliveries of an endpoint, the oldest message first. */
export const deliveries = (endpointId: number) =>
  Effect.flatMap(DeliveryStore, (store) =>
    Effect.map(
      store.list(endpointId, undefined, { limit: 100_000, after: 0 }),
      ({ items }): ReadonlyArray<Delivery> => items.toReversed()
    ))

/** An endpoint as it is stored. */
export const endpoint = (id: number) =>
  Effect.map(Effect.flatMap(WebhookEndpointStore, (store) => store.find(id)), (found) => found!)

/** Changes an endpoint as an operator does. */
export const change = (id: number, changes: Partial<EndpointDraft>) =>
  Effect.gen(function*() {
    const endpoints = yield* WebhookEndpointStore
    yield* endpoints.update(id, fromMillis(yield* Clock.currentTimeMillis), (endpoint) =>
      Result.succeed({
        ...endpoint,
        ...changes,
        disabledReason: changes.enabled === false ? "OPERATOR" as const : ""
      }))
  })

/** Customers whose requests wait until they are answered. */
export const waiting = () => {
  const open: Array<
    { readonly id: number; readonly done: Deferred.Deferred<OutboundAnswer, OutboundFailure> }
  > = []
  const customer: Customer = ({ id }) =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<OutboundAnswer, OutboundFailure>()
      open.push({ id, done })
      return Deferred.await(done)
    })
  /** Answers the oldest open request of a message. */
  const reply = (id: number, status = 200) =>
    Effect.andThen(
      Effect.suspend(() => {
        const at = open.findIndex((request) => request.id === id)
        if (at < 0) return Effect.die(new Error(`no open request of message ${id}`))
        return Deferred.succeed(open.splice(at, 1)[0]!.done, answer(status))
      }),
      settle
    )
  return { customer, reply, ids: () => open.map(({ id }) => id) }
}

/** A failure without an answer. */
export const refused = Effect.fail(new OutboundFailure({ error: "connection refused" }))
