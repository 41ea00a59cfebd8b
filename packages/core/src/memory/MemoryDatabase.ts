/**
 * The state behind every memory implementation of a port: one database in plain maps.
 *
 * Guarantee: every method is synchronous, so it is a transaction of its own. Callers do not change its results.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { AuditEntry } from "../access/AuditLog.ts"
import type { SigningKey } from "../access/Authenticator.ts"
import { KeptAnswer, retentionMillis } from "../access/Idempotency.ts"
import type { IdempotentRequest, Keep } from "../access/Idempotency.ts"
import type { Client, Person } from "../access/Principals.ts"
import type { Document } from "../document/Document.ts"
import type { DocumentEntry, DocumentRecord } from "../document/DocumentRecord.ts"
import { drawIds, evolve } from "../document/Plan.ts"
import type { NewIds, Plan, Snapshot } from "../document/Plan.ts"
import { isSameLpn, lpnKey } from "../labels/Lpn.ts"
import { MessageLogConfig } from "../messages/MessageLog.ts"
import { byOccurrence, seenPallets, trackedPallets } from "../movement/Pallet.ts"
import { unknownPlace } from "../places/Authorize.ts"
import type { PlaceSlugs } from "../places/Authorize.ts"
import { expectedLpns } from "../shipment/Discrepancies.ts"
import type { ExpectedElsewhere, Tracking } from "../shipment/Discrepancies.ts"
import { isOpen } from "../shipment/Shipment.ts"
import type { LocatedShipment, Shipment, ShipmentHeader } from "../shipment/Shipment.ts"
import type { PlaceFilter, SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import type { LocatedPallet } from "../shipment/Verdict.ts"
import type { BusinessNotFound, FacilityNotFound } from "../values/Errors.ts"
import { IdempotencyKeyReused } from "../values/RequestErrors.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as TraceContext from "../values/TraceContext.ts"
import { MemoryPlaces } from "./internal/MemoryDirectory.ts"
import { MemoryMessages } from "./internal/MemoryMessages.ts"
import type { AppendSettings } from "./internal/MemoryMessages.ts"
import { MemoryPallets, MemoryShipments, numbersInUse } from "./internal/MemoryShipments.ts"
import type { StoredShipment } from "./internal/MemoryShipments.ts"
import { MemoryWebhooks } from "./internal/MemoryWebhooks.ts"
import { isAt } from "./MemoryLists.ts"

interface Entry {
  readonly fingerprint: string
  readonly text: string
  readonly keptAt: number
}

const idOf = ({ clientId, key }: IdempotentRequest): string => JSON.stringify([clientId, key])

const isExpired = ({ keptAt }: Entry, now: number): boolean => keptAt + retentionMillis <= now

class MemoryKept {
  /** The oldest answers first. */
  readonly #kept = new Map<string, Entry>()

  get size(): number {
    return this.#kept.size
  }

  /** The kept answer of a request, or the refusal if its key belongs to another request; `undefined` if the key is free. */
  find(request: IdempotentRequest, now: Timestamp.Timestamp): KeptAnswer | IdempotencyKeyReused | undefined {
    const entry = this.#kept.get(idOf(request))
    if (entry === undefined || isExpired(entry, Date.parse(now))) return undefined
    return entry.fingerprint === request.fingerprint
      ? new KeptAnswer({ text: entry.text })
      : new IdempotencyKeyReused()
  }

  put(request: IdempotentRequest, text: string, now: Timestamp.Timestamp): void {
    const keptAt = Date.parse(now)
    // The answers are ordered by age, so all answers after the first unexpired one are unexpired too.
    for (const [id, answer] of this.#kept) {
      if (!isExpired(answer, keptAt)) break
      this.#kept.delete(id)
    }
    const id = idOf(request)
    this.#kept.delete(id)
    this.#kept.set(id, { fingerprint: request.fingerprint, text, keptAt })
  }

  readonly keeping = <A, E, F>(
    keep: Keep<A, F> | undefined,
    now: Timestamp.Timestamp,
    run: () => Result.Result<A, E>
  ): Result.Result<A, E | F> => {
    if (keep === undefined) return run()
    const answer = this.find(keep.request, now)
    if (answer !== undefined) return Result.fail(keep.notRun(answer))
    const result = run()
    const text = keep.textOf(result)
    if (text !== undefined) this.put(keep.request, text, now)
    return result
  }
}

export type { AppendSettings } from "./internal/MemoryMessages.ts"

class State {
  audit: ReadonlyArray<AuditEntry> = []
  readonly clients = new Map<string, Client>()
  /** Answers kept by idempotency key. */
  readonly answers = new MemoryKept()
  readonly messages = new MemoryMessages(
    (draft) => this.#unknown(draft),
    () => void this.webhooks.dropExpired()
  )
  readonly pallets = new MemoryPallets()
  readonly people = new Map<string, Person>()
  readonly places = new MemoryPlaces(() => this.nextId("dock"))
  /** The record of documents, in id order. */
  readonly records: Array<DocumentRecord & DocumentEntry> = []
  /** By id, in the order in which they began; their ends are in milliseconds since 1970. */
  readonly sessions = new Map<string, { readonly principalId: string; readonly expiresAt: number }>()
  /** The ids of answered sign-ins, each with the end of the time for which it is remembered. */
  readonly answeredSignIns = new Map<string, number>()
  readonly shipments = new MemoryShipments()
  readonly webhooks = new MemoryWebhooks(this.messages, (slugs) => this.#unknown(slugs))
  signingKeys: ReadonlyArray<SigningKey> = []

  /** The number of ids that were given, for each kind. */
  readonly #given = new Map<string, number>()
  /** The amount by which the ids of all kinds were advanced. */
  #advance = 0

  snapshot(document: Document, now: Timestamp.Timestamp, withNumbersInUse = false): Snapshot {
    const match = this.shipments.find(document, document.shipmentNumber)
    const target = match === undefined ? null : this.#whole(match.header)
    const others = this.shipments.withNumbers(document, document.orders.map((order) => order.orderNumber))
      .filter(({ shipmentId }) => shipmentId !== target?.id)
    return {
      now,
      ...this.places.lookup(document.business, document.facility),
      dock: this.places.dock(document.business, document.facility, document.dockSlug),
      target,
      candidates: others.map(({ header, items, createdAt, shipmentId }) => {
        const { status, linkedShipmentIds } = this.shipments.get(shipmentId)!.header
        return {
          order: { ...header, items },
          createdAt,
          shipmentId,
          shipmentStatus: status,
          shipmentIsLinked: linkedShipmentIds.length > 0
        }
      }),
      ...(withNumbersInUse ? { numbersInUse: numbersInUse(others, document.direction) } : {})
    }
  }

  /** Applies a plan to its snapshot, writes the result, and returns the ids of the new entities. */
  apply(place: SlugsOfPlace, snapshot: Snapshot, plan: Plan): NewIds {
    const ids = drawIds(plan, (kind) => this.nextId(kind))
    const { shipment } = evolve(snapshot, plan, ids)
    this.shipments.put(place, { ...shipment, id: Number(shipment.id) }, snapshot.now)
    return ids
  }

  /** The shipments within scopes and at the place of a filter, in the order of their creation. */
  shipmentsWithin(
    scopes: ReadonlyArray<ReadScope>,
    filter: Partial<PlaceFilter>
  ): ReadonlyArray<LocatedShipment> {
    return Array.from(this.shipments.all())
      .filter(({ business, facility }) => isAt(scopes, filter, business, facility))
      .map((row) => this.#locate(row))
  }

  locatedShipment(id: number): LocatedShipment | null {
    const row = this.shipments.get(id)
    return row === undefined ? null : this.#locate(row)
  }

  /** The data that the discrepancies of a shipment depend on. */
  track(match: LocatedShipment): Tracking {
    const { direction, dock, id, status } = match.shipment
    return {
      direction,
      status,
      dock,
      expectedLpns: Array.from(expectedLpns(match.shipment).values()),
      pallets: trackedPallets(this.pallets.of(id).events),
      elsewhere: status === "DEPARTED" ? this.pallets.of(id).elsewhere : this.elsewhere(match)
    }
  }

  /** The latest created open shipment of a facility that expects an LPN. */
  expecting(place: SlugsOfPlace, lpn: string): ShipmentHeader | undefined {
    return this.shipments.at(place).findLast((header) =>
      isOpen(header) && this.shipments.holdsLpn(header.id, lpn)
    )
  }

  /** The open shipments that expect pallets which this shipment has but does not expect. */
  elsewhere({ location, shipment }: LocatedShipment): ReadonlyArray<ExpectedElsewhere> {
    const expected = expectedLpns(shipment)
    const place = { business: location.business.slug, facility: location.facility.slug }
    return shipment.pallets.flatMap(({ lpn }) => {
      const other = expected.has(lpnKey(lpn)) ? undefined : this.expecting(place, lpn)
      return other === undefined ? [] : [{ lpn, shipmentId: other.id, shipmentNumber: other.number }]
    })
  }

  /** The pallets of a shipment, in id order. */
  palletsOf(match: LocatedShipment): ReadonlyArray<LocatedPallet> {
    const { location, shipment: { id, number, orders, pallets } } = match
    const events = Map.groupBy(this.pallets.of(id).events, ({ palletId }) => palletId)
    return pallets.map((pallet) => ({
      location,
      shipmentId: id,
      shipmentNumber: number,
      id: pallet.id,
      lpn: pallet.lpn,
      recordedAt: this.pallets.recordedAt(pallet.id),
      ordersWithLpn: orders
        .filter(({ items }) => pallet.lpn !== "" && items.some(({ lpn }) => isSameLpn(lpn, pallet.lpn)))
        .map((order) => order.number),
      onlyOrder: orders.length === 1 ? orders[0]!.number : null,
      events: events.get(pallet.id)!.toSorted(byOccurrence)
        .map((event) => ({ ...event, verdict: this.pallets.verdictOn(event.messageId) }))
    }))
  }

  /** Replaces the shipment with this id, and its orders. */
  put({ location, shipment }: LocatedShipment, now: Timestamp.Timestamp): void {
    const place = { business: location.business.slug, facility: location.facility.slug }
    this.shipments.put(place, shipment, now)
  }

  /** The highest id of a kind that was given; 0 before the first: each kind counts from 1, as on PostgreSQL. */
  lastId(kind: string): number {
    return this.#advance + (this.#given.get(kind) ?? 0)
  }

  nextId(kind: string): number {
    this.#given.set(kind, (this.#given.get(kind) ?? 0) + 1)
    return this.lastId(kind)
  }

  /**
   * Advances the ids of messages beyond an id; if they advance, the ids of other entities grow by `otherIdsBy`. Returns the
   * newest id of messages. All leases of endpoints end.
   */
  readonly advanceAll = (beyond: number, otherIdsBy: number): number => {
    this.webhooks.endLeases()
    if (this.messages.advance(beyond, this.places.businesses.keys())) this.#advance += otherIdsBy
    return this.messages.newestId
  }

  #unknown(slugs: PlaceSlugs): BusinessNotFound | FacilityNotFound | undefined {
    return unknownPlace(this.places.lookup(slugs.business, slugs.facility ?? ""), slugs)
  }

  #locate(row: StoredShipment): LocatedShipment {
    const { business, facility } = this.places.lookup(row.business, row.facility)
    return {
      location: { business: business!, facility: facility! },
      shipment: this.#whole(row.header)
    }
  }

  #whole(header: ShipmentHeader): Shipment {
    const { events } = this.pallets.of(header.id)
    return { ...header, orders: this.shipments.ordersOf(header.id), pallets: seenPallets(events) }
  }
}

/** A database in memory, empty at first. Memory layers share one database if it is provided to all of them together. */
export class MemoryDatabase
  extends Context.Service<MemoryDatabase, State>()("@dockline/core/memory/MemoryDatabase")
{
  /** An empty database. */
  static readonly layer: Layer.Layer<MemoryDatabase> = Layer.effect(
    MemoryDatabase,
    Effect.sync(() => new State())
  )
}

/** Makes the state of a capability; each database has its own. */
export const stateOf = <A>(make: (database: State) => A): (database: State) => A => {
  const states = new WeakMap<State, { readonly state: A }>()
  return (database) => {
    const entry = states.get(database) ?? { state: make(database) }
    states.set(database, entry)
    return entry.state
  }
}

type Transact = <A, E, F>(
  keep: Keep<A, F> | undefined,
  run: (settings: AppendSettings) => Result.Result<A, E>
) => Effect.Effect<A, E | F>

/**
 * The layer of a port over the database. A transaction may append messages, and keeps its answer. It runs in one step of the event loop, so
 * that transactions do not overlap.
 */
export const over = <Id, Service>(
  port: Context.Key<Id, Service>,
  make: (database: State, transact: Transact) => Service
): Layer.Layer<Id, never, MemoryDatabase> =>
  Layer.effect(
    port,
    Effect.map(Effect.all([MemoryDatabase, MessageLogConfig]), ([database, { retentionMillis }]) =>
      make(database, (keep, run) =>
        Effect.flatMap(Effect.zip(Timestamp.now, TraceContext.current), ([now, trace]) =>
          Effect.suspend(() =>
            Effect.fromResult(
              database.answers.keeping(keep, now, () =>
                run({ now, trace, retentionMillis }))
            )
          ))))
  )
