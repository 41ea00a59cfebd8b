/**
 * How far webhook endpoints have got, on PostgreSQL: one statement for each method, for any number of endpoints.
 */
import type { DeliveryStatus } from "@dockline/core/Delivery"
import {
  backlogEndpoints,
  DeliveryStore,
  pageText,
  partitionCount,
  replayLimit
} from "@dockline/core/DeliveryStore"
import type {
  ReadyEndpoints,
  ReplayRange,
  Settlement,
  TakeRequest,
  TakeResult
} from "@dockline/core/DeliveryStore"
import type { StorageUnavailable } from "@dockline/core/Errors"
import { DeliveryNotFound, TooManyDeliveries, WebhookEndpointNotFound } from "@dockline/core/OperatorErrors"
import type { PageRequest } from "@dockline/core/Page"
import type { Timestamp } from "@dockline/core/Timestamp"
import { backlogLimit } from "@dockline/core/WebhookEndpoint"
import { Clock, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { afterCommit } from "../connections/AfterCommit.ts"
import { Announcer } from "../connections/Announcer.ts"
import { operations } from "../connections/Deadline.ts"
import { leases } from "../connections/Lease.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { clockOffset, measured } from "../connections/StorageMetrics.ts"
import { settleBodies, takeBody, toBacklog, toDelivery, toEndpoint, toTaken } from "../rows/WebhookRows.ts"
import type { BacklogBody, DeliveryBody, EndpointBody, TakenBody } from "../rows/WebhookRows.ts"
import * as Cleanup from "./Cleanup.ts"

/** How many deliveries one statement replays: settlements of the endpoint wait for it. */
const replayBatch = 1000

/** How many deliveries one statement drops. */
const dropBatch = 1000

/** Written out, as an index is used only by a statement that says so. */
const ofStatus: Readonly<Record<DeliveryStatus, string>> = {
  PENDING: "status = 'PENDING'",
  DELIVERED: "status = 'DELIVERED'",
  DEAD: "status = 'DEAD'"
}

/** Indexes of settlements by rounds in which no endpoint comes twice, to be written in turn; nearly always one. */
const rounds = (settlements: ReadonlyArray<Settlement>): ReadonlyArray<ReadonlyArray<number>> => {
  const all: Array<Array<number>> = []
  const next = new Map<number, number>()
  settlements.forEach(({ lease: { endpointId } }, index) => {
    const round = next.get(endpointId) ?? 0
    next.set(endpointId, round + 1)
    const indexes = all[round] ?? []
    all[round] = indexes
    indexes.push(index)
  })
  return all
}

/** Deliveries in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old ones by itself. */
export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  DeliveryStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { announce, wakeups } = yield* Announcer
    const operation = yield* operations
    const lease = yield* leases
    const onItsOwn = lease({ lane: "requests" })
    const dispatching = lease({ lane: "dispatch" })

    const ready = (partitions: ReadonlyArray<number>, now: Timestamp) =>
      Effect.map(
        sql<{ readonly ready: ReadyEndpoints }>`select dockline.webhook_ready(
          ${
          JSON.stringify(partitions).replace("[", "{").replace("]", "}")
        }::text::int[], ${partitionCount}::int,
          ${now}::timestamptz) as ready`,
        ([row]) => row!.ready
      )

    const open = (endpointIds: ReadonlyArray<number>) =>
      Effect.map(
        sql<{ readonly opened: ReadonlyArray<readonly [epoch: number, body: EndpointBody]> }>`select
          dockline.webhook_open(${endpointIds.map(String)}::text[]::bigint[]) as opened`,
        ([row]) =>
          row!.opened.map(([epoch, body]) => ({
            lease: { endpointId: body[0], epoch },
            endpoint: toEndpoint(body)
          }))
      )

    const take = (requests: ReadonlyArray<TakeRequest>, now: Timestamp) =>
      Effect.map(
        sql<{ readonly taken: string }>`select taken from dockline.webhook_take(
          ${JSON.stringify(requests.map(takeBody))}::text::json, ${now}::timestamptz) as taken`,
        (rows): ReadonlyArray<TakeResult> => rows.map(({ taken }) => toTaken(JSON.parse(taken) as TakenBody))
      )

    const settleRound = (settlements: ReadonlyArray<Settlement>, now: Timestamp) => {
      const bodies = settleBodies(settlements)
      return Effect.map(
        sql<{ readonly held: ReadonlyArray<number> }>`select dockline.webhook_settle(
          ${bodies.settlements}::text::json, ${bodies.results}::text::json, ${bodies.parked}::text::json,
          ${bodies.settled}::text::json, ${bodies.pending}::text::json, ${now}::timestamptz) as held`,
        ([row]) => new Set(row!.held)
      )
    }

    const settle = Effect.fnUntraced(function*(settlements: ReadonlyArray<Settlement>, now: Timestamp) {
      const answers = settlements.map(() => false)
      for (const round of rounds(settlements)) {
        const held = yield* repeatConflicts(settleRound(round.map((index) => settlements[index]!), now))
        for (const index of round) answers[index] = held.has(settlements[index]!.lease.endpointId)
      }
      return answers
    })

    const list = Effect.fnUntraced(function*(
      endpointId: number,
      status: DeliveryStatus | undefined,
      { limit, after }: PageRequest
    ) {
      const before = after === 0 ? sql`true` : sql`message_id < ${after}::bigint`
      // One more than the page: it tells whether there are more. What does not fit has no body.
      const rows = yield* sql<{ readonly body: DeliveryBody | null }>`select
          case when place = 1 or (place <= ${limit}::int and text <= ${pageText}::int)
            then (select b.body from dockline.webhook_delivery_body b
              where b.endpoint_id = ${endpointId}::bigint and b.message_id = page.message_id) end as body
        from (
          select message_id, row_number() over newest as place, sum((
            select coalesce(sum(length(attempt->>3) + length(attempt->>4)), 0)
            from jsonb_array_elements(attempts) as attempt)) over newest as text
          from (
            select message_id, attempts from dockline.webhook_delivery
            where endpoint_id = ${endpointId}::bigint and ${before}
              and ${status === undefined ? sql`true` : sql.literal(ofStatus[status])}
            order by message_id desc limit ${limit + 1}::int
          ) as d
          window newest as (order by message_id desc)
        ) as page order by message_id desc`
      const items = rows.flatMap(({ body }) => body === null ? [] : [toDelivery(body)])
      const last = items.at(-1)
      return { items, next: last !== undefined && items.length < rows.length ? String(last.messageId) : null }
    })

    const replay = Effect.fnUntraced(function*(endpointId: number, messageId: number, now: Timestamp) {
      const [row] = yield* sql<{
        readonly result: { readonly missing: "endpoint" | "delivery" } | { readonly business: string }
      }>`select dockline.webhook_replay_one(${endpointId}::bigint, ${messageId}::bigint,
        ${now}::timestamptz) as result`
      const { result } = row!
      if ("missing" in result) {
        return yield* result.missing === "endpoint"
          ? new WebhookEndpointNotFound({ id: String(endpointId) })
          : new DeliveryNotFound({ id: String(messageId) })
      }
      yield* afterCommit(() => announce(result.business))
    })

    const notFound = (endpointId: number) => new WebhookEndpointNotFound({ id: String(endpointId) })

    // From the lowest id on, so that what is sent between two batches is sent in order.
    const replayRange = Effect.fnUntraced(function*(endpointId: number, range: ReplayRange, now: Timestamp) {
      const ids = "fromId" in range ? range : undefined
      const times = "from" in range ? range : undefined
      const [named] = yield* sql<{
        readonly range: readonly [business: string, first: number, last: number, count: number] | null
      }>`select dockline.webhook_replay_range(${endpointId}::bigint, ${ids?.fromId ?? null}::bigint,
        ${ids?.toId ?? null}::bigint, ${times?.from ?? null}::timestamptz, ${times?.to ?? null}::timestamptz,
        ${replayLimit}::int) as range`
      if (named!.range === null) return yield* notFound(endpointId)
      const [business, first, last, count] = named!.range
      if (count > replayLimit) return yield* new TooManyDeliveries({ limit: replayLimit })
      let total = 0
      for (let next = first; next <= last;) {
        const [row] = yield* sql<
          { readonly part: readonly [count: number, last: number | null] | null }
        >`select
          dockline.webhook_replay(${endpointId}::bigint, ${next}::bigint, ${last}::bigint, ${replayBatch}::int,
            ${now}::timestamptz) as part`
        if (row!.part === null) return yield* notFound(endpointId)
        const [replayed, at] = row!.part
        total += replayed
        if (at === null || replayed < replayBatch) break
        next = at + 1
      }
      yield* afterCommit(() => announce(business))
      return total
    })

    const backlog = Effect.gen(function*() {
      const [row] = yield* sql<{ readonly backlog: ReadonlyArray<BacklogBody>; readonly now: number }>`select
        dockline.webhook_backlog(${backlogLimit}::int, ${backlogEndpoints}::int) as backlog,
        extract(epoch from clock_timestamp())::float8 as now`
      // The answer has just come: by the time that it took, the clock here seems to be ahead.
      const here = (yield* Clock.currentTimeMillis) / 1000
      yield* Metric.update(clockOffset.of(), here - row!.now)
      return row!.backlog.map(toBacklog)
    })

    const expired: Cleanup.Expired<string, StorageUnavailable> = {
      look: operation(onItsOwn(Effect.map(
        sql<{ readonly id: string }>`select expired::text as id from dockline.webhook_expired() as expired`,
        (rows) => rows.map(({ id }) => id)
      ))),
      drop: (endpointId, after) =>
        operation(onItsOwn(repeatConflicts(Effect.map(
          sql<{ readonly dropped: readonly [count: number, last: number | null] | null }>`select
            dockline.webhook_drop(${endpointId}::bigint, ${after}::bigint, ${dropBatch}::int) as dropped`,
          ([row]) => row!.dropped === null ? "held" : { dropped: row!.dropped[0], next: row!.dropped[1] }
        ))))
    }
    yield* Cleanup.run("deliveries", expired)

    return DeliveryStore.of({
      ready: (partitions, now) => measured("webhook_ready")(operation(ready(partitions, now))),
      open: (endpointIds) =>
        measured("webhook_open")(operation(dispatching(repeatConflicts(open(endpointIds))))),
      take: (requests, now) => measured("webhook_take")(operation(dispatching(take(requests, now)))),
      settle: (settlements, now) =>
        measured("webhook_settle")(operation(dispatching(settle(settlements, now)))),
      watch: (wake) =>
        Effect.asVoid(Effect.acquireRelease(
          Effect.sync(() => wakeups.addAny(wake)),
          (leave) => Effect.sync(leave)
        )),
      list: (endpointId, status, page) => operation(onItsOwn(list(endpointId, status, page))),
      replay: (endpointId, messageId, now) =>
        operation(onItsOwn(repeatConflicts(replay(endpointId, messageId, now)))),
      replayRange: (endpointId, range, now) =>
        operation(onItsOwn(repeatConflicts(replayRange(endpointId, range, now)))),
      backlog: measured("webhook_backlog")(operation(onItsOwn(backlog))),
      dropExpired: Effect.map(Cleanup.round(expired), ({ dropped }) => dropped)
    })
  })
)
