/**
 * The deliveries of webhook endpoints on PostgreSQL. Dispatchers use one statement for any number of endpoints, in a cluster one for each
 * node.
 */
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import type { EndpointId, MessageId } from "@dockline/core/values/Id"
import {
  DeliveryNotFound,
  TooManyDeliveries,
  WebhookEndpointNotFound
} from "@dockline/core/values/OperatorErrors"
import type { PageRequest } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { DeliveryStatus } from "@dockline/core/webhooks/Delivery"
import { backlogEndpoints, DeliveryStore, pageText, replayLimit } from "@dockline/core/webhooks/DeliveryStore"
import type {
  OpenedEndpoint,
  ReplayRange,
  Settlement,
  TakeRequest,
  TakeResult
} from "@dockline/core/webhooks/DeliveryStore"
import { backlogLimit } from "@dockline/core/webhooks/WebhookEndpoint"
import { Clock, Effect, Layer, Metric, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { announcing, watching } from "../connections/Announcer.ts"
import type { Announcer } from "../connections/Announcer.ts"
import { keyOf, Nodes } from "../connections/Nodes.ts"
import { oneRow } from "../connections/Statements.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { clockOffset, measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import { businessId, ownersOfEndpoints, readsOfBusiness } from "../rows/BusinessRows.ts"
import type { Owner } from "../rows/BusinessRows.ts"
import { MessageBody, toMessage } from "../rows/MessageRows.ts"
import { batch, bigintText, timestamp, whole } from "../rows/RowFields.ts"
import {
  DeliveryBody,
  disabledReason,
  EndpointBody,
  settleBodies,
  TakeBody,
  takeBody,
  toDelivery,
  toTaken
} from "../rows/WebhookRows.ts"
import * as Cleanup from "./Cleanup.ts"

/** The most deliveries that one statement replays, because settlements of the endpoint wait for the statement. */
const replayBatch = 1000

/** The most deliveries that one statement drops. */
const dropBatch = 1000

/** An endpoint with deliveries that have expired. */
const ExpiredKey = Schema.Struct({ business: bigintText, endpoint: bigintText })

/** A row of `webhooks_open`: endpoints with the epochs of their leases. */
const OpenRow = Schema.Struct({ opened: Schema.Array(Schema.Tuple([whole, EndpointBody])) })

/** The result of `webhook_settle`: the ids of the endpoints whose leases are still held. */
const SettleRow = Schema.Struct({ held: Schema.Array(whole) })

/** The result of `webhook_replay` and `webhook_drop`; null if there is no endpoint, or a lock was not granted. */
const Batch = Schema.NullOr(batch)

/** The result of `webhook_replay_range`: the business, the first and the last id, and the count. */
const Range = Schema.NullOr(Schema.Tuple([Schema.String, whole, whole, whole]))

/** The result of `webhook_replay_one`. */
const ReplayResult = Schema.NullOr(Schema.Union([
  Schema.Struct({ missing: Schema.Literals(["endpoint", "delivery"]) }),
  Schema.Struct({ business: Schema.String })
]))

/** A row of `webhook_of_message`: a delivery and its endpoint. */
const EndpointDelivery = Schema.Struct({ endpoint_id: Schema.BigInt, body: DeliveryBody })

/** The result of `webhook_ready`. */
const ReadyBody = Schema.Struct({
  endpoints: Schema.Array(whole),
  nextDueAt: Schema.NullOr(timestamp),
  now: timestamp
})

/** The result of `webhook_backlog`, with the clock of the database in seconds. */
const BacklogRow = Schema.Struct({
  backlog: Schema.Array(Schema.Struct({
    business: Schema.String,
    endpointId: whole,
    enabled: Schema.Boolean,
    disabledReason,
    failingSince: Schema.NullOr(timestamp),
    awaitsLogin: Schema.Boolean,
    messages: whole,
    oldestAt: Schema.NullOr(timestamp)
  })),
  now: Schema.Number
})

/** Settlements with their positions, in rounds with at most one settlement for each endpoint. There is nearly always one round. */
const rounds = (settlements: ReadonlyArray<Settlement>) => {
  const rounds = new Map<number, number>()
  return Array.from(
    Map.groupBy(settlements.entries(), ([, { lease: { endpointId } }]) => {
      const round = rounds.get(endpointId) ?? 0
      rounds.set(endpointId, round + 1)
      return round
    }).values()
  )
}

const notFound = (endpointId: EndpointId) => new WebhookEndpointNotFound({ id: String(endpointId) })

/** Deliveries in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. It also drops old deliveries. */
export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  DeliveryStore,
  Effect.gen(function*() {
    const { call, jsonTexts, loan, operation, query, repeatable, rows, write } = yield* operations
    const announce = yield* announcing
    const nodes = yield* Nodes
    const ownerOf = yield* ownersOfEndpoints
    const dispatching = loan({ lane: "dispatch" })

    const open = (endpointIds: ReadonlyArray<EndpointId>) =>
      Effect.map(
        query(OpenRow)`select opened
          from dockline.webhooks_open(${endpointIds.map(String)}::bigint[]) as opened`,
        (rows) =>
          rows.flatMap(({ opened }) => opened).map(([epoch, endpoint]): OpenedEndpoint => ({
            lease: { business: endpoint.business, endpointId: endpoint.id, epoch, settlements: 0 },
            endpoint
          }))
      )

    /**
     * Does work on entries in parts: one part for a single PostgreSQL, or one part for each node of a cluster, concurrently. Answers are in
     * the order of the entries.
     */
    const onNodes = <T extends Pick<TakeRequest, "lease">, A>(
      entries: ReadonlyArray<T>,
      work: (entries: ReadonlyArray<T>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
    ) =>
      Effect.gen(function*() {
        const parts = new Map<string, { readonly business: string; readonly at: Array<number> }>()
        for (const [at, entry] of entries.entries()) {
          const business = businessId(entry.lease.business)
          const node = yield* nodes.of(business)
          const part = parts.get(keyOf(node)) ?? { business, at: [] }
          parts.set(keyOf(node), part)
          part.at.push(at)
        }
        const answers: Array<A> = []
        yield* Effect.forEach(parts.values(), ({ at, business }) =>
          Effect.map(
            loan({ lane: "dispatch", business })(work(at.map((index) => entries[index]!))),
            (done) => done.forEach((answer, index) => (answers[at[index]!] = answer))
          ), { concurrency: "unbounded", discard: true })
        return answers
      })

    const take = (requests: ReadonlyArray<TakeRequest>, now: Timestamp | null) =>
      Effect.map(
        jsonTexts(TakeBody)`select
            dockline.webhook_take((r.request->>'business')::bigint, r.request, ${now}::timestamptz) as json
          from json_array_elements(${JSON.stringify(requests.map(takeBody))}::text::json)
            with ordinality as r(request, n) order by r.n`,
        (bodies): ReadonlyArray<TakeResult> => bodies.map(toTaken)
      )

    const settleRound = (settlements: ReadonlyArray<Settlement>, now: Timestamp | null) => {
      const bodies = JSON.stringify(settleBodies(settlements))
      return Effect.map(
        query(
          SettleRow
        )`select dockline.webhook_settle(s.business, s.settlements, s.results, s.parked, s.settled, s.pending,
            ${now}::timestamptz) as held
          from json_to_recordset(${bodies}::text::json) as s(business bigint, settlements json, results json,
            parked json, settled json, pending json)`,
        (rows) => new Set(rows.flatMap(({ held }) => held))
      )
    }

    const settlePart = Effect.fnUntraced(
      function*(settlements: ReadonlyArray<Settlement>, now: Timestamp | null) {
        const answers = settlements.map(() => false)
        for (const round of rounds(settlements)) {
          const endpoints = yield* repeatConflicts(
            settleRound(round.map(([, settlement]) => settlement), now)
          )
          for (const [index, { lease }] of round) answers[index] = endpoints.has(lease.endpointId)
        }
        return answers
      }
    )

    const list = Effect.fnUntraced(function*(
      business: string,
      endpointId: EndpointId,
      status: DeliveryStatus | undefined,
      { limit, after }: PageRequest
    ) {
      const page = yield* rows(
        Schema.Struct({ body: Schema.NullOr(DeliveryBody) })
      )`dockline.webhook_delivery_page(
        ${business}, ${endpointId}, ${status ?? null}, ${after}, ${limit}, ${pageText})`
      const items = page.flatMap(({ body }) => body === null ? [] : [toDelivery(body)])
      const last = items.at(-1)
      return { items, next: last !== undefined && items.length < page.length ? String(last.messageId) : null }
    })

    /** Runs statements about an endpoint on the node of its business. */
    const ofEndpoint = <A, E>(
      endpointId: EndpointId,
      work: (owner: Owner) => Effect.Effect<A, E | SqlError.SqlError>
    ) =>
      operation(Effect.flatMap(
        ownerOf(endpointId),
        (owner) => loan({ lane: "requests", business: owner.business })(repeatable(work(owner)))
      ))

    const replay = Effect.fnUntraced(
      function*(owner: Owner, endpointId: EndpointId, messageId: MessageId, now: Timestamp | null) {
        const result = yield* call(ReplayResult)`dockline.webhook_replay_one(${owner.id}, ${endpointId},
          ${messageId}, ${now})`
        if (result === null) return yield* notFound(endpointId)
        if ("missing" in result) {
          return yield* result.missing === "endpoint"
            ? notFound(endpointId)
            : new DeliveryNotFound({ id: String(messageId) })
        }
        yield* announce(result.business)
      }
    )

    // Batches are replayed in the order of ids, so that deliveries between two batches stay in order.
    const replayRange = Effect.fnUntraced(function*(
      owner: Owner,
      endpointId: EndpointId,
      range: ReplayRange,
      now: Timestamp | null
    ) {
      const ids = "fromId" in range ? range : undefined
      const times = "from" in range ? range : undefined
      const span = yield* call(Range)`dockline.webhook_replay_range(${owner.id}, ${endpointId},
        ${ids?.fromId ?? null}, ${ids?.toId ?? null}, ${times?.from ?? null}, ${times?.to ?? null},
        ${replayLimit})`
      if (span === null) return yield* notFound(endpointId)
      const [business, first, last, count] = span
      if (count > replayLimit) return yield* new TooManyDeliveries({ limit: replayLimit })
      let total = 0
      for (let next = first; next <= last;) {
        const part = yield* call(Batch)`dockline.webhook_replay(${owner.id}, ${endpointId},
          ${next}, ${last}, ${replayBatch}, ${now})`
        if (part === null) return yield* notFound(endpointId)
        total += part.count
        if (part.last === null || part.count < replayBatch) break
        next = part.last + 1
      }
      yield* announce(business)
      return total
    })

    const backlog = Effect.gen(function*() {
      const row = yield* oneRow(query(BacklogRow)`select
        dockline.webhook_backlog(${backlogLimit}, ${backlogEndpoints}) as backlog,
        extract(epoch from clock_timestamp())::float8 as now`)
      // The travel time of the answer counts as offset too.
      const here = (yield* Clock.currentTimeMillis) / 1000
      yield* Metric.update(clockOffset.of(), here - row.now)
      return row.backlog
    })

    const expired: Cleanup.Expired<typeof ExpiredKey.Type, StorageUnavailable> = {
      // Deliveries expire with the messages of the log.
      since: Effect.succeed(""),
      look: () =>
        write()(query(ExpiredKey)`select business::text, endpoint::text from dockline.webhook_expired()`),
      drop: ({ business, endpoint }, after) =>
        write({ business })(Effect.map(
          call(Batch)`dockline.webhook_drop(${business}, ${endpoint}, ${after}, ${dropBatch})`,
          (batch) => batch === null ? "held" : { count: batch.count, next: batch.last }
        ))
    }
    yield* Cleanup.run("deliveries", expired)

    return DeliveryStore.of({
      ready: (partitions, now) =>
        measured("webhook_ready")(operation(
          call(ReadyBody)`dockline.webhook_ready(${partitions}, ${now})`
        )),
      open: (endpointIds) =>
        measured("webhook_open")(operation(dispatching(repeatConflicts(open(endpointIds))))),
      take: (requests, now) =>
        measured("webhook_take")(operation(onNodes(requests, (part) => take(part, now)))),
      settle: (settlements, now) =>
        measured("webhook_settle")(operation(onNodes(settlements, (part) => settlePart(part, now)))),
      watch: yield* watching,
      list: (endpointId, status, page) =>
        operation(Effect.gen(function*() {
          const business = yield* call(
            Schema.NullOr(bigintText)
          )`dockline.webhook_business(${endpointId})::text`
          if (business === null) return { items: [], next: null }
          return yield* loan({ ...readsOfBusiness(business), business })(
            list(business, endpointId, status, page)
          )
        })),
      message: (business, id) => {
        const owner = businessId(business)
        return operation(
          loan({ ...readsOfBusiness(owner), business: owner })(Effect.map(
            call(Schema.NullOr(MessageBody))`dockline.webhook_message(${owner}, ${id})::json`,
            (body) => body === null ? undefined : toMessage(business, body)
          ))
        )
      },
      ofMessage: (business, id) => {
        const owner = businessId(business)
        return operation(
          loan({ ...readsOfBusiness(owner), business: owner })(Effect.map(
            rows(EndpointDelivery)`dockline.webhook_of_message(
              ${owner}, ${id})`,
            (bodies) =>
              bodies.map(({ body, endpoint_id }) => ({
                ...toDelivery(body),
                endpointId: Number(endpoint_id)
              }))
          ))
        )
      },
      replay: (endpointId, messageId, now) =>
        ofEndpoint(endpointId, (owner) => replay(owner, endpointId, messageId, now)),
      replayRange: (endpointId, range, now) =>
        ofEndpoint(endpointId, (owner) => replayRange(owner, endpointId, range, now)),
      backlog: measured("webhook_backlog")(write()(backlog)),
      dropExpired: Effect.map(Cleanup.round(expired), ({ count }) => count)
    })
  })
)
