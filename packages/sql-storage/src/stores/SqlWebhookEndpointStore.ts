/**
 * Webhook endpoints on PostgreSQL.
 *
 * Guarantee: in a cluster each write runs on the node of its business. A change reads the endpoint, and is written only if the endpoint has
 * not changed since; otherwise the change is made again from the new state.
 */
import { everything } from "@dockline/core/access/Access"
import type { BusinessScope } from "@dockline/core/access/Access"
import { BusinessNotFound, CursorAhead, FacilityNotFound, HistoryExpired } from "@dockline/core/values/Errors"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { cutPage } from "@dockline/core/values/Page"
import type { PageRequest } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { backlogLimit, endpointLimit, WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import type {
  EndpointChange,
  EndpointDraft,
  ShownEndpoint,
  WebhookEndpoint
} from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Layer, Schema } from "effect"
import type { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { announcing } from "../connections/Announcer.ts"
import type { Announcer } from "../connections/Announcer.ts"
import { Nodes } from "../connections/Nodes.ts"
import { isPart, operations } from "../connections/StoreOperations.ts"
import { anchorOutside, businessId, readsOf } from "../rows/BusinessRows.ts"
import { batch, bigintText, timestamp, whole } from "../rows/RowFields.ts"
import { EndpointBody } from "../rows/WebhookRows.ts"

/** The result of `webhook_shown`: an endpoint and its backlog. */
const EndpointWithBacklog = Schema.Tuple([EndpointBody, whole])

/** The result of `webhook_create`. */
const CreateResult = Schema.Union([
  Schema.Struct({ unknown: Schema.Literals(["business", "facility"]) }),
  Schema.Struct({ full: Schema.Literal(true) }),
  Schema.Struct({ expired: whole }),
  Schema.Struct({ ahead: whole }),
  Schema.Struct({ shown: EndpointWithBacklog })
])

/** A row of `webhooks_shown`. For an unknown endpoint, a single PostgreSQL returns a row with `null`, and a cluster returns no row. */
const EndpointRow = Schema.Struct({ shown: Schema.NullOr(EndpointWithBacklog) })

const TimedEndpointRow = Schema.Struct({ ...EndpointRow.fields, now: timestamp })

const toShown = ([endpoint, backlog]: typeof EndpointWithBacklog.Type): ShownEndpoint => ({
  ...endpoint,
  backlog
})

const endpointsOf = ({ shown }: typeof EndpointRow.Type): ReadonlyArray<ShownEndpoint> =>
  shown === null ? [] : [toShown(shown)]

/** The result of `webhook_drop`; null if a lock was not granted. */
const DropResult = Schema.NullOr(batch)

/** The most deliveries of a removed endpoint that one statement drops. */
const removeBatch = 5000

/** Endpoints in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<WebhookEndpointStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  WebhookEndpointStore,
  Effect.gen(function*() {
    const { call, loan, operation, read, repeatable, rows, sql } = yield* operations
    const announce = yield* announcing
    const nodes = yield* Nodes

    /** Finds an endpoint; in a cluster on the node of its business, because a query through the coordinator takes several times as long. */
    const find = Effect.fnUntraced(function*(id: number) {
      const anchor = yield* anchorOutside(sql, nodes, id)
      const select = rows(EndpointRow)`dockline.webhooks_shown(array[${id}::bigint], ${backlogLimit})`
      const endpointRows = yield* anchor === undefined
        ? select
        : loan({ lane: "reads", business: anchor })(select)
      return endpointRows.flatMap(endpointsOf)[0] ?? null
    })

    /** Lends a connection for a write to endpoints of a business. */
    const onItsNode = (business: string) => loan({ lane: "requests", business })

    const create = Effect.fnUntraced(function*({ fromId, now, ...settings }: EndpointDraft) {
      const { business, facility } = settings
      const id = businessId(business)
      const result = yield* onItsNode(id)(call(CreateResult)`dockline.webhook_create(${id},
        ${JSON.stringify(settings)}, ${fromId}, ${endpointLimit}, ${backlogLimit}, ${now})`)
      if ("unknown" in result) {
        return yield* result.unknown === "business"
          ? new BusinessNotFound({ business })
          : new FacilityNotFound({ business, facility: facility ?? "" })
      }
      if ("full" in result) {
        return yield* new TooManyEntries({ what: "webhook endpoints of a business", limit: endpointLimit })
      }
      if ("expired" in result) return yield* new HistoryExpired({ business, droppedId: result.expired })
      if ("ahead" in result) return yield* new CursorAhead({ business, newestId: result.ahead })
      yield* announce(business)
      return toShown(result.shown)
    })

    const list = Effect.fnUntraced(function*(scope: BusinessScope, { limit, after }: PageRequest) {
      const ids = yield* call(Schema.Array(bigintText))`dockline.webhook_endpoint_page(
        ${scope === everything ? null : scope}, ${after}, ${limit + 1})::text[]`
      const { items, next } = cutPage(ids, limit, (id) => ({ id }))
      const endpointRows = items.length === 0 ? [] : yield* rows(EndpointRow)`dockline.webhooks_shown(
        ${items}::bigint[], ${backlogLimit})`
      return { items: endpointRows.flatMap(endpointsOf), next }
    })

    // The change is written only if the endpoint has not changed since it was read. No lock is held in between.
    const update = Effect.fnUntraced(function*<E>(
      id: number,
      now: Timestamp | null,
      change: (endpoint: WebhookEndpoint, now: Timestamp) => Result.Result<EndpointChange, E>
    ) {
      for (;;) {
        const [row] = yield* rows(TimedEndpointRow)`dockline.webhooks_shown(
          array[${id}::bigint], 0), dockline.rfc3339(coalesce(${now}::timestamptz, clock_timestamp())) as now`
        if (row === undefined || row.shown === null) return null
        const [before] = row.shown
        const settings = yield* Effect.fromResult(change(before, row.now))
        const business = businessId(before.business)
        const updated = yield* onItsNode(business)(
          call(Schema.NullOr(EndpointWithBacklog))`dockline.webhook_update(${business}, ${id},
          ${before.version}, ${before.enabled}, ${JSON.stringify(settings)}, ${backlogLimit}, ${now})`
        )
        if (updated === null) continue
        yield* announce(before.business)
        return toShown(updated)
      }
    })

    // After the endpoint, its deliveries are dropped in batches. They stay, and are dropped later with the expired ones, if a batch finds one
    // locked, after an interruption, and inside a transaction, which many batches would prolong. Each statement is repeated by itself: a
    // repetition of the whole would not find the endpoint that the first one has removed.
    const remove = Effect.fnUntraced(function*(id: number) {
      const business = yield* call(Schema.NullOr(bigintText))`dockline.webhook_business(${id})::text`
      if (business === null) return false
      const isRemoved = yield* onItsNode(business)(
        repeatable(call(Schema.Boolean)`dockline.webhook_remove(${business}, ${id})`)
      )
      if (!isRemoved) return false
      if (yield* isPart(sql)) return true
      for (let after: number | null = 0; after !== null;) {
        const batchResult: typeof DropResult.Type = yield* onItsNode(business)(
          repeatable(call(DropResult)`dockline.webhook_drop(${business}, ${id}, ${after}, ${removeBatch})`)
        )
        after = batchResult?.last ?? null
      }
      return true
    })

    return WebhookEndpointStore.of({
      create: (draft) => operation(repeatable(create(draft))),
      find: (id) => operation(find(id)),
      list: (scope, page) => read(readsOf(scope))(list(scope, page)),
      update: (id, now, change) => operation(repeatable(update(id, now, change))),
      remove: (id) => operation(remove(id))
    })
  })
)
