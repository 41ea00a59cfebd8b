/**
 * Runs a dispatcher over stores in memory, with customers that answer as a test says. Time is `TestClock`'s.
 */
import * as Memory from "@dockline/core/memory/Memory"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Place"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import { fromMillis } from "@dockline/core/values/Timestamp"
import type { Delivery } from "@dockline/core/webhooks/Delivery"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { plainSettings, WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import type { EndpointDraft } from "@dockline/core/webhooks/WebhookEndpoint"
import { CustomerAuth } from "@dockline/webhook-adapter/auth/CustomerAuth"
import { OutboundFailure, OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import type { OutboundAnswer, OutboundRequest } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import { Placement } from "@dockline/webhook-adapter/placement/Placement"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import type { WebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Layer, Logger, Random, Redacted, Result, Scope } from "effect"
import type { Duration } from "effect"
import { TestClock } from "effect/testing"

/** An answer without a body. */
export const answer = (status: number, headers: Record<string, string> = {}): OutboundAnswer => ({
  status,
  headers,
  body: new Uint8Array(),
  error: ""
})

/** A customer that accepts everything. */
export const accepts: Customer = () => Effect.succeed(answer(200))

/** The answer of a customer to a request. */
export type Customer = (request: WebhookRequest) => Effect.Effect<OutboundAnswer, OutboundFailure>

/** A request, with the parts that tests check. */
export interface WebhookRequest extends OutboundRequest {
  /** The id of the message. */
  readonly id: number
  readonly at: number
  readonly payload: { readonly n?: number; readonly shipment?: number }
}

/** All calls, and the customers by the host of their URL. */
export class Outside {
  readonly requests: Array<WebhookRequest> = []
  readonly customers = new Map<string, Customer>()
  customer: Customer = accepts
  /** The number of requests under way, and the highest number so far. */
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
            const recordedRequest = { ...request, id, payload, at: clock.currentTimeMillisUnsafe() }
            this.requests.push(recordedRequest)
            this.most = Math.max(this.most, ++this.running)
            const customer = this.customers.get(new URL(request.url).hostname) ?? this.customer
            return Effect.ensuring(customer(recordedRequest), Effect.sync(() => this.running--))
          })
      }))
  )

  /** The ids of the sent messages in order, of one host or of all. */
  ids(host?: string): ReadonlyArray<number> {
    return this.requests
      .filter(({ id, url }) => id > 0 && (host === undefined || new URL(url).hostname === host))
      .map(({ id }) => id)
  }
}

/** A vault that encrypts nothing, so that tests can name secrets; `"broken"` does not open. */
export const vault = Layer.succeed(SecretsVault, {
  seal: (secret) => Effect.succeed(Redacted.value(secret) as SealedText),
  open: (ciphertext) =>
    ciphertext === "broken"
      ? Effect.fail(new SecretUnreadable({ reason: "it was encrypted with another key" }))
      : Effect.succeed(Redacted.make(ciphertext)),
  webhookKeys: () => []
})

/** A signing secret. */
export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" as SealedText

/** A silent logger: these tests expect the log lines. */
export const quiet = Logger.layer([])

const business = "acme"

/** Failures of the storage: each method first runs the effect given here. */
export class Trouble {
  ready: Effect.Effect<void, StorageUnavailable> = Effect.void
  open: Effect.Effect<void, StorageUnavailable> = Effect.void
  take: Effect.Effect<void, StorageUnavailable> = Effect.void
  settle: Effect.Effect<void, StorageUnavailable> = Effect.void
  /** Runs after a settlement was written. */
  settlement: Effect.Effect<void, StorageUnavailable> = Effect.void

  /** The storage with these failures. */
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
            Effect.tap(() => this.settlement)
          )
      }))
  )
}

/** The failure of a storage that cannot be reached. */
export const away = Effect.fail(new StorageUnavailable({ cause: new Error("away") }))

/** Creates the business of all messages. */
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

/** Jitter is in the middle: every delay is exactly that of the schedule. */
export const withoutJitter = Effect.provideService(Random.Random, {
  nextIntUnsafe: () => 0,
  nextDoubleUnsafe: () => 0.5
})

type World = Layer.Success<typeof world> | Scope.Scope

/** A test over the stores in memory, without jitter. */
export const test = (
  title: string,
  body: (outside: Outside) => Generator<Effect.Effect<unknown, unknown, World>, void, never>
) => it.effect(title, () => Effect.gen(() => body(new Outside())).pipe(withoutJitter, Effect.provide(world)))

/** Appends messages: `[1, 1, 2]` appends two of shipment 1 and one of shipment 2. Returns their ids. */
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

/** Creates an endpoint at `https://customer.example` that begins with the first message, and returns its id. */
export const anEndpoint = (fields: Partial<EndpointDraft> = {}) =>
  Effect.gen(function*() {
    const endpoints = yield* WebhookEndpointStore
    const newEndpoint = yield* endpoints.create({
      business,
      facility: null,
      baseUrl: "https://customer.example",
      messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
      authentication: { type: "none", settings: {}, secrets: {} },
      signingSecrets: [{ sealed: secret, validUntil: null }],
      ...plainSettings,
      enabled: true,
      fromId: 1,
      now: fromMillis(yield* Clock.currentTimeMillis),
      ...fields
    })
    return newEndpoint.id
  })

/** An authentication by tokens of `https://login.example/login`. */
export const tokenAuthentication = {
  type: "token",
  settings: { loginUrl: "https://login.example/login", username: "us" },
  secrets: { password: "pass\"word" as SealedText }
}

/** The answer of a login endpoint that issues a token. */
export const issues = (token: string): OutboundAnswer => ({
  ...answer(200),
  body: new TextEncoder().encode(JSON.stringify({ access_token: token, expires_in: 3600 }))
})

/** The settings of tests: the dispatcher looks for work only when it is woken, and stops without waiting. */
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

/** Starts a dispatcher over another storage, which may ask that of the world. */
export const dispatchOver = (
  store: Layer.Layer<DeliveryStore, never, DeliveryStore>,
  ...args: Parameters<typeof dispatch>
) => Effect.flatMap(Layer.build(store), (context) => Effect.provideContext(dispatch(...args), context))

/** Starts a dispatcher and returns the effect that ends it. */
export const start = (outside: Outside, changes: Partial<WebhookConfig> = {}) =>
  Effect.gen(function*() {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    yield* Effect.provideService(dispatch(outside, changes), Scope.Scope, scope)
    return Scope.close(scope, Exit.void)
  })

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Waits for turns of the event loop. */
export const turns = (times: number) => Effect.repeat(turn, { times })

/** Lets everything happen that needs no time. Nothing here waits for real events, so turns of the event loop suffice. */
export const settle = turns(100)

/** Lets everything happen until a condition holds. */
export const until = (holds: () => boolean) =>
  Effect.gen(function*() {
    for (let turns = 0; !holds(); turns++) {
      if (turns === 100_000) return yield* Effect.die(new Error("it never came to hold"))
      yield* turn
    }
    yield* settle
  })

/** An endpoint, messages for it, and a dispatcher that has done with them all that needs no time. Returns the endpoint's id. */
export const delivering = Effect.fnUntraced(function*(
  outside: Outside,
  shipments: ReadonlyArray<number>,
  fields: Partial<EndpointDraft> = {},
  changes: Partial<WebhookConfig> = {}
) {
  const id = yield* anEndpoint(fields)
  yield* append(shipments)
  yield* dispatch(outside, changes)
  yield* settle
  return id
})

/** Lets time pass, after everything that needs no time. */
export const pass = (duration: Duration.Input) =>
  Effect.andThen(settle, Effect.andThen(TestClock.adjust(duration), settle))

/** The deliveries of an endpoint, the oldest message first. */
export const deliveries = (endpointId: number) =>
  Effect.flatMap(DeliveryStore, (store) =>
    Effect.map(
      store.list(endpointId, undefined, { limit: 100_000, after: 0 }),
      ({ items }): ReadonlyArray<Delivery> => items.toReversed()
    ))

/** The stored endpoint. */
export const endpoint = (id: number) =>
  Effect.map(Effect.flatMap(WebhookEndpointStore, (store) => store.find(id)), (row) => row!)

/** Changes an endpoint like an operator. */
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

/** Customers whose requests wait until a test answers them. */
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

/** The failure of a request without an answer. */
export const connectionRefusal = Effect.fail(new OutboundFailure({ error: "connection refused" }))
