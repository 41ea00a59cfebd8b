/**
 * Saves the mappings of businesses (D25.7), over the port that stores them.
 *
 * Guarantee: a client sees only mappings of businesses at which it has a permission. To change mappings of a business, it needs permission
 * to send documents to all facilities of the business, because files for any of them may be read by these mappings.
 */
import type { Principal } from "@dockline/core/access/Access"
import { keepView } from "@dockline/core/access/Idempotency"
import type { Keep } from "@dockline/core/access/Idempotency"
import type * as Operation from "@dockline/core/access/Operation"
import { over, stateOf } from "@dockline/core/memory/MemoryDatabase"
import type { MemoryDatabase } from "@dockline/core/memory/MemoryDatabase"
import * as Authorize from "@dockline/core/places/Authorize"
import { Directory } from "@dockline/core/places/Place"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { mapPage, namePage, pageOfNames } from "@dockline/core/values/Page"
import type { NamePageRequest, Page } from "@dockline/core/values/Page"
import { Context, Effect, Layer, Result } from "effect"
import { decideDelete, decideSave, savedMappingView } from "./SavedMapping.ts"
import type {
  deletePackingListMapping,
  listPackingListMappings,
  MappingName,
  MappingPlan,
  MappingSnapshot,
  SavedMapping,
  savePackingListMapping,
  SavePlan
} from "./SavedMapping.ts"

/**
 * Port: stores the mappings of businesses. A change loads a snapshot under a lock of the business's mappings, calls `decide`, and writes in
 * one transaction: changes of one business behave as if they came one after another. `decide` is pure, and may be called again if the
 * transaction is repeated. It is not called if the idempotency key is already used (D5.2).
 */
export class MappingStore extends Context.Service<MappingStore, {
  /** Changes the mapping with a name. */
  readonly change: <Plan extends MappingPlan, E, F = never>(
    of: MappingName,
    decide: (snapshot: MappingSnapshot) => Result.Result<Plan, E>,
    keep?: Keep<Plan, F> | undefined
  ) => Effect.Effect<Plan, E | F | StorageUnavailable>
  /** A page of the mappings of a business; empty if the business does not exist. */
  readonly list: (
    business: string,
    page: NamePageRequest
  ) => Effect.Effect<Page<SavedMapping>, StorageUnavailable>
  /** The mapping with a name; `null` without one. */
  readonly find: (of: MappingName) => Effect.Effect<SavedMapping | null, StorageUnavailable>
}>()("@dockline/packing-lists/domain/MappingStore") {}

const nameOf = ({ name }: SavedMapping): string => name

/** The mappings of a database in memory, by businesses and names. */
const mappingsOf = stateOf(() => new Map<string, ReadonlyMap<string, SavedMapping>>())

/** The port in memory. */
export const memory: Layer.Layer<MappingStore, never, MemoryDatabase> = over(
  MappingStore,
  (database, transact) => {
    const all = mappingsOf(database)
    const of = (business: string): ReadonlyMap<string, SavedMapping> => all.get(business) ?? new Map()
    return {
      change: ({ business, name }, decide, keep) =>
        transact(keep, ({ now }) => {
          const there = of(business)
          const place = database.places.lookup(business, "")
          const snapshot = { ...place, now, present: there.get(name) ?? null, count: there.size }
          return Result.map(decide(snapshot), (plan) => {
            const next = new Map(there)
            if (plan.after === null) next.delete(name)
            else next.set(name, plan.after)
            all.set(business, next)
            return plan
          })
        }),
      list: (business, page) => Effect.sync(() => pageOfNames(of(business).values(), nameOf, page)),
      find: ({ business, name }) => Effect.sync(() => of(business).get(name) ?? null)
    }
  }
)

/** Lists, saves and deletes mappings. */
export class SavedMappings extends Context.Service<SavedMappings, {
  /** The mappings of a business, in the order of their names. */
  readonly list: Operation.Handler<typeof listPackingListMappings>
  /** Saves a mapping, and replaces an existing mapping with the same name. */
  readonly save: Operation.Handler<typeof savePackingListMapping>
  /** Deletes a mapping; a missing one is no error. */
  readonly delete: Operation.Handler<typeof deletePackingListMapping>
}>()("@dockline/packing-lists/domain/SavedMappings") {
  static readonly layer: Layer.Layer<SavedMappings, never, MappingStore | Directory> = Layer.effect(
    SavedMappings,
    Effect.gen(function*() {
      const store = yield* MappingStore
      const directory = yield* Directory
      const mayWrite = (principal: Principal, { business }: MappingName) =>
        Authorize.permission(directory, principal, "documents:write", { business })
      return SavedMappings.of({
        list: Effect.fn("SavedMappings.list")(function*({ business, ...page }, principal) {
          yield* Authorize.place(directory, principal, "read", { business })
          return mapPage(yield* store.list(business, namePage(page)), savedMappingView(business))
        }),
        save: ({ body }, principal, keep) =>
          Effect.andThen(
            mayWrite(principal, body),
            keepView(
              keep,
              ({ after }: SavePlan) => Result.succeed(savedMappingView(body.business)(after)),
              (keep) => store.change(body, (snapshot) => decideSave(body, snapshot), keep)
            )
          ).pipe(Effect.withSpan("SavedMappings.save")),
        delete: ({ body }, principal, keep) =>
          Effect.andThen(
            mayWrite(principal, body),
            keepView(
              keep,
              ({ before }: MappingPlan) => Result.succeed({ deleted: before !== null }),
              (keep) => store.change(body, (snapshot) => decideDelete(body, snapshot), keep)
            )
          ).pipe(Effect.withSpan("SavedMappings.delete"))
      })
    })
  )
}
