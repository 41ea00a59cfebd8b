/** The deliveries of webhook endpoints on PostgreSQL: one statement for each method, for any number of endpoints. */
import { everything } from "@dockline/core/Access"
import type { DeliveryStatus } from "@dockline/core/Delivery"
import {
  backlogEndpoints,
  DeliveryStore,
  pageText,
  partitionCount,
  replayLimit
} from "@dockline/core/DeliveryStore"
import type {
  EndpointBacklog,
  OpenedEndpoint,
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
import type { WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { Clock, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { afterCommit } from "../connections/AfterCommit.ts"
import { Announcer } from "../connections/Announcer.ts"
import { operations } from "../connections/Deadline.ts"
import { loans, repeatable } from "../connections/Loan.ts"
import { Nodes } from "../connections/Nodes.ts"
import { oneRow } from "../connections/OneRow.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { clockOffset, measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"
import { readsOfBusiness } from "../rows/ListArguments.ts"
import { ownersOfEndpoints } from "../rows/Owners.ts"
import type { Owner } from "../rows/Owners.ts"
import { settleBodies, takeBody, toDelivery, toTaken } from "../rows/WebhookRows.ts"
import type { DeliveryBody } from "../rows/WebhookRows.ts"
import * as Cleanup from "./Cleanup.ts"

/** The most deliveries that one statement replays: settlements of the endpoint wait for it. */
const replayBatch = 1000

/** The most deliveries that one statement drops. */
const dropBatch = 1000

interface ExpiredKey {
  readonly business: string
  readonly endpoint: string
}

type Round = Array<readonly [index: number, settlement: Settlement]>

/** Settlements with their places, in rounds with one settlement for each endpoint; nearly always one round. */
const rounds = (settlements: ReadonlyArray<Settlement>): ReadonlyArray<Round> => {
  const all: Array<Round> = []
  const next = new Map<number, number>()
  for (const [index, settlement] of settlements.entries()) {
    const { endpointId } = settlement.lease
    const round = next.get(endpointId) ?? 0
    next.set(endpointId, round + 1)
    const members = all[round] ?? []
    all[round] = members
    members.push([index, settlement])
  }
  return all
}

/** Deliveries in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old ones by itself. */
export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  DeliveryStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { announce, wakeups } = yield* Announcer
    const operation = yield* operations
    const loan = yield* loans
    const nodes = yield* Nodes
    const ownerOf = yield* ownersOfEndpoints
    const onItsOwn = loan({ lane: "requests" })
    const dispatching = loan({ lane: "dispatch" })

    const ready = (partitions: ReadonlyArray<number>, now: Timestamp) =>
      Effect.map(
        oneRow(sql<{ readonly ready: ReadyEndpoints }>`select dockline.webhook_ready(
          ${JSON.stringify(partitions).replace("[", "{").replace("]", "}")}::text::int[],
          ${partitionCount}::int,
          ${now}::timestamptz) as ready`),
        ({ ready }) => ready
      )

    const open = (endpointIds: ReadonlyArray<number>) =>
      Effect.map(
        sql<{ readonly opened: ReadonlyArray<readonly [epoch: number, endpoint: WebhookEndpoint]> }>`select
          opened from dockline.webhooks_open(${endpointIds.map(String)}::text[]::bigint[]) as opened`,
        (rows) =>
          rows.flatMap(({ opened }) =>
            opened.map(([epoch, endpoint]): OpenedEndpoint => ({
              lease: { business: endpoint.business, endpointId: endpoint.id, epoch },
              endpoint
            }))
          )
      )

    /**
     * Does work for parts of some entries: of one PostgreSQL there is one part; in a cluster, one for each node, at the same time.
     * Answers are in the order of the entries.
     */
    const onNodes = <T, A>(
      entries: ReadonlyArray<T>,
      businessOf: (entry: T) => string,
      work: (entries: ReadonlyArray<T>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
    ) =>
      Effect.gen(function*() {
        const parts = new Map<string, { readonly business: string; readonly at: Array<number> }>()
        for (const [at, entry] of entries.entries()) {
          const business = businessId(businessOf(entry))
          const node = yield* nodes.of(business)
          const key = node === undefined ? "" : `${node.host}:${node.port}`
          const part = parts.get(key) ?? { business, at: [] }
          parts.set(key, part)
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

    const take = (requests: ReadonlyArray<TakeRequest>, now: Timestamp) =>
      Effect.map(
        sql<{ readonly taken: string }>`select
            dockline.webhook_take((r.request->>'business')::bigint, r.request, ${now}::timestamptz) as taken
          from json_array_elements(${JSON.stringify(requests.map(takeBody))}::text::json)
            with ordinality as r(request, n) order by r.n`,
        (rows): ReadonlyArray<TakeResult> => rows.map(({ taken }) => toTaken(JSON.parse(taken)))
      )

    const settleRound = (settlements: ReadonlyArray<Settlement>, now: Timestamp) => {
      const bodies = JSON.stringify(settleBodies(settlements))
      return Effect.map(
        sql<
          { readonly held: ReadonlyArray<number> }
        >`select dockline.webhook_settle(s.business, s.settlements, s.results,
            s.parked, s.settled, s.pending, ${now}::timestamptz) as held
          from json_to_recordset(${bodies}::text::json) as s(business bigint, settlements json, results json, parked json,
            settled json, pending json)`,
        (rows) => new Set(rows.flatMap(({ held }) => held))
      )
    }

    const settlePart = Effect.fnUntraced(function*(settlements: ReadonlyArray<Settlement>, now: Timestamp) {
      const answers = settlements.map(() => false)
      for (const round of rounds(settlements)) {
        const held = yield* repeatConflicts(settleRound(round.map(([, settlement]) => settlement), now))
        for (const [index, { lease }] of round) answers[index] = held.has(lease.endpointId)
      }
      return answers
    })

    const list = Effect.fnUntraced(function*(
      business: string,
      endpointId: number,
      status: DeliveryStatus | undefined,
      { limit, after }: PageRequest
    ) {
      const rows = yield* sql<
        { readonly body: DeliveryBody | null }
      >`select * from dockline.webhook_delivery_page(${business}::bigint,
        ${endpointId}::bigint, ${status ?? null}::text, ${after}::bigint, ${limit}::int, ${pageText}::int)`
      const items = rows.flatMap(({ body }) => body === null ? [] : [toDelivery(body)])
      const last = items.at(-1)
      return { items, next: last !== undefined && items.length < rows.length ? String(last.messageId) : null }
    })

    /** Runs statements about an endpoint where its business is. */
    const ofEndpoint = <A, E>(
      endpointId: number,
      work: (owner: Owner) => Effect.Effect<A, E | SqlError.SqlError>
    ) =>
      Effect.flatMap(
        ownerOf(endpointId),
        (owner) => loan({ lane: "requests", business: owner.business })(repeatable(sql)(work(owner)))
      )

    const replay = Effect.fnUntraced(
      function*(owner: Owner, endpointId: number, messageId: number, now: Timestamp) {
        const row = yield* oneRow(sql<{
          readonly result:
            | { readonly missing: "endpoint" | "delivery" }
            | { readonly business: string }
            | null
        }>`select dockline.webhook_replay_one(${owner.id}, ${endpointId}::bigint, ${messageId}::bigint,
        ${now}::timestamptz) as result`)
        const { result } = row
        if (result === null) return yield* new WebhookEndpointNotFound({ id: String(endpointId) })
        if ("missing" in result) {
          return yield* result.missing === "endpoint"
            ? new WebhookEndpointNotFound({ id: String(endpointId) })
            : new DeliveryNotFound({ id: String(messageId) })
        }
        yield* afterCommit(() => announce(result.business))
      }
    )

    const notFound = (endpointId: number) => new WebhookEndpointNotFound({ id: String(endpointId) })

    // In id order, so that deliveries between two batches are in order.
    const replayRange = Effect.fnUntraced(function*(
      owner: Owner,
      endpointId: number,
      range: ReplayRange,
      now: Timestamp
    ) {
      const ids = "fromId" in range ? range : undefined
      const times = "from" in range ? range : undefined
      const named = yield* oneRow(sql<{
        readonly range: readonly [business: string, first: number, last: number, count: number] | null
      }>`select dockline.webhook_replay_range(${owner.id}, ${endpointId}::bigint,
        ${ids?.fromId ?? null}::bigint,
        ${ids?.toId ?? null}::bigint, ${times?.from ?? null}::timestamptz, ${times?.to ?? null}::timestamptz,
        ${replayLimit}::int) as range`)
      if (named.range === null) return yield* notFound(endpointId)
      const [business, first, last, count] = named.range
      if (count > replayLimit) return yield* new TooManyDeliveries({ limit: replayLimit })
      let total = 0
      for (let next = first; next <= last;) {
        const row = yield* oneRow(sql<
          { readonly part: readonly [count: number, last: number | null] | null }
        >`select
          dockline.webhook_replay(${owner.id}, ${endpointId}::bigint, ${next}::bigint, ${last}::bigint, ${replayBatch}::int,
            ${now}::timestamptz) as part`)
        if (row.part === null) return yield* notFound(endpointId)
        const [replayed, at] = row.part
        total += replayed
        if (at === null || replayed < replayBatch) break
        next = at + 1
      }
      yield* afterCommit(() => announce(business))
      return total
    })

    const backlog = Effect.gen(function*() {
      const row = yield* oneRow(sql<
        { readonly backlog: ReadonlyArray<EndpointBacklog>; readonly now: number }
      >`select
        dockline.webhook_backlog(${backlogLimit}::int, ${backlogEndpoints}::int) as backlog,
        extract(epoch from clock_timestamp())::float8 as now`)
      // The time of the answer's way counts as offset too.
      const here = (yield* Clock.currentTimeMillis) / 1000
      yield* Metric.update(clockOffset.of(), here - row.now)
      return row.backlog
    })

    const expired: Cleanup.Expired<ExpiredKey, StorageUnavailable> = {
      look: operation(onItsOwn(
        sql<ExpiredKey>`select business::text, endpoint::text from dockline.webhook_expired()`
      )),
      drop: ({ business, endpoint }, after) =>
        operation(
          loan({ lane: "requests", business })(repeatConflicts(Effect.map(
            oneRow(sql<{ readonly dropped: readonly [count: number, last: number | null] | null }>`select
            dockline.webhook_drop(${business}::bigint, ${endpoint}::bigint, ${after}::bigint,
              ${dropBatch}::int) as dropped`),
            ({ dropped }) => dropped === null ? "held" : { dropped: dropped[0], next: dropped[1] }
          )))
        )
    }
    yield* Cleanup.run("deliveries", expired)

    return DeliveryStore.of({
      ready: (partitions, now) => measured("webhook_ready")(operation(ready(partitions, now))),
      open: (endpointIds) =>
        measured("webhook_open")(operation(dispatching(repeatConflicts(open(endpointIds))))),
      take: (requests, now) =>
        measured("webhook_take")(
          operation(onNodes(requests, ({ lease }) => lease.business, (part) => take(part, now)))
        ),
      settle: (settlements, now) =>
        measured("webhook_settle")(
          operation(onNodes(settlements, ({ lease }) => lease.business, (part) => settlePart(part, now)))
        ),
      watch: (wake) =>
        Effect.asVoid(Effect.acquireRelease(
          Effect.sync(() => wakeups.add(everything, wake)),
          (leave) => Effect.sync(leave)
        )),
      list: (endpointId, status, page) =>
        operation(Effect.gen(function*() {
          const owner = yield* oneRow(sql<{ readonly business: string | null }>`select
            dockline.webhook_business(${endpointId}::bigint)::text as business`)
          if (owner.business === null) return { items: [], next: null }
          return yield* loan({ ...readsOfBusiness(owner.business), business: owner.business })(
            list(owner.business, endpointId, status, page)
          )
        })),
      replay: (endpointId, messageId, now) =>
        operation(ofEndpoint(endpointId, (owner) => replay(owner, endpointId, messageId, now))),
      replayRange: (endpointId, range, now) =>
        operation(ofEndpoint(endpointId, (owner) => replayRange(owner, endpointId, range, now))),
      backlog: measured("webhook_backlog")(operation(onItsOwn(backlog))),
      dropExpired: Effect.map(Cleanup.round(expired), ({ dropped }) => dropped)
    })
  })
)
