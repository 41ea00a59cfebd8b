/** Webhook endpoints on PostgreSQL: one statement for each method, and two for a change. */
import type { BusinessScope } from "@dockline/core/Access"
import { BusinessNotFound, CursorAhead, FacilityNotFound, HistoryExpired } from "@dockline/core/Errors"
import { TooManyEntries } from "@dockline/core/OperatorErrors"
import type { PageRequest } from "@dockline/core/Page"
import type { Timestamp } from "@dockline/core/Timestamp"
import { backlogLimit } from "@dockline/core/WebhookEndpoint"
import type { ShownEndpoint, WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { endpointLimit, WebhookEndpointStore } from "@dockline/core/WebhookEndpointStore"
import type { EndpointChange, EndpointDraft } from "@dockline/core/WebhookEndpointStore"
import { Effect, Layer, Option } from "effect"
import type { Result } from "effect"
import { SqlClient } from "effect/sql"
import { afterCommit } from "../connections/AfterCommit.ts"
import { Announcer } from "../connections/Announcer.ts"
import { operations } from "../connections/Deadline.ts"
import { loans, repeatable } from "../connections/Loan.ts"
import { oneRow } from "../connections/OneRow.ts"
import { businessId } from "../rows/BusinessId.ts"
import { readsOf } from "../rows/ListArguments.ts"

/** What `webhook_create` returns. */
type Created =
  | { readonly unknown: "business" | "facility" }
  | { readonly full: true }
  | { readonly expired: number }
  | { readonly ahead: number }
  | { readonly id: number }

interface ShownRow {
  readonly shown: readonly [endpoint: WebhookEndpoint, backlog: number] | null
}

const toShown = ({ shown }: ShownRow): ReadonlyArray<ShownEndpoint> =>
  shown === null ? [] : [{ ...shown[0], backlog: shown[1] }]

/** The most deliveries of a removed endpoint that one statement drops. */
const removeBatch = 5000

/** Endpoints in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<WebhookEndpointStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  WebhookEndpointStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { announce } = yield* Announcer
    const operation = yield* operations
    const loan = yield* loans

    const find = (id: number) =>
      Effect.map(
        sql<ShownRow>`select * from dockline.webhooks_shown(array[${id}::bigint], ${backlogLimit}::int)`,
        (rows) => rows.flatMap(toShown)[0] ?? null
      )

    /** Lends a connection for a write to endpoints of a business. */
    const onItsNode = (business: string) => loan({ lane: "requests", business })

    const create = Effect.fnUntraced(function*({ fromId, now, ...settings }: EndpointDraft) {
      const { business, facility } = settings
      const id = businessId(business)
      const row = yield* oneRow(
        onItsNode(id)(sql<{ readonly result: Created }>`select dockline.webhook_create(
        ${id}::bigint, ${JSON.stringify(settings)}::text::json,
        ${fromId}::bigint, ${endpointLimit}::int, ${now}::timestamptz) as result`)
      )
      const { result } = row
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
      yield* afterCommit(() => announce(business))
      return (yield* find(result.id))!
    })

    const list = Effect.fnUntraced(function*(scope: BusinessScope, { limit, after }: PageRequest) {
      const page = yield* oneRow(sql<
        { readonly ids: ReadonlyArray<string> }
      >`select dockline.webhook_endpoint_page(
        ${scope === "*" ? null : scope}::text[], ${after}::bigint, ${limit + 1}::int)::text[] as ids`)
      const ids = page.ids.slice(0, limit)
      const rows = ids.length === 0 ? [] : yield* sql<ShownRow>`select * from dockline.webhooks_shown(
        ${ids}::text[]::bigint[], ${backlogLimit}::int)`
      return { items: rows.flatMap(toShown), next: page.ids.length > limit ? ids.at(-1)! : null }
    })

    // The change is written only if the endpoint is still as it was read: no lock is held in between.
    const update = Effect.fnUntraced(function*<E>(
      id: number,
      now: Timestamp,
      change: (endpoint: WebhookEndpoint) => Result.Result<EndpointChange, E>
    ) {
      for (;;) {
        // One PostgreSQL has a row for an unknown endpoint too, a cluster none.
        const [found] = yield* sql<ShownRow>`select * from dockline.webhooks_shown(array[${id}::bigint], 0)`
        if (found === undefined || found.shown === null) return null
        const [before] = found.shown
        const changed = yield* Effect.fromResult(change(before))
        const business = businessId(before.business)
        const row = yield* oneRow(
          onItsNode(business)(
            sql<{ readonly updated: boolean }>`select dockline.webhook_update(
          ${business}::bigint,
          ${id}::bigint, ${before.version}::int, ${before.enabled}::boolean,
          ${JSON.stringify(changed)}::text::json, ${now}::timestamptz) as updated`
          )
        )
        if (!row.updated) continue
        yield* afterCommit(() => announce(before.business))
        return yield* find(id)
      }
    })

    // Inside a transaction, which could become long, deliveries are left to be dropped with the expired ones. So are those that
    // remain after an interruption.
    const remove = Effect.fnUntraced(function*(id: number) {
      const owner = yield* oneRow(sql<{ readonly business: string | null }>`select
        dockline.webhook_business(${id}::bigint)::text as business`)
      const { business } = owner
      if (business === null) return false
      const row = yield* oneRow(
        onItsNode(business)(sql<{ readonly removed: boolean }>`select
        dockline.webhook_remove(${business}::bigint, ${id}::bigint) as removed`)
      )
      if (!row.removed) return false
      if (Option.isSome(yield* Effect.serviceOption(sql.transactionService))) return true
      for (let after: number | null = 0; after !== null;) {
        const rows: ReadonlyArray<{ readonly last: number | null }> = yield* onItsNode(business)(sql<
          { readonly last: number | null }
        >`
          select (dockline.webhook_drop(${business}::bigint, ${id}::bigint, ${after}::bigint,
            ${removeBatch}::int)->>1)::float8 as last`)
        after = rows[0]!.last
      }
      return true
    })

    return WebhookEndpointStore.of({
      create: (draft) => operation(repeatable(sql)(create(draft))),
      find: (id) => operation(find(id)),
      list: (scope, page) => operation(loan(readsOf(scope))(list(scope, page))),
      update: (id, now, change) => operation(repeatable(sql)(update(id, now, change))),
      remove: (id) => operation(repeatable(sql)(remove(id)))
    })
  })
)
