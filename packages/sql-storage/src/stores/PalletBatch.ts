/**
 * Batches of pallet events with distinct ids. If a batch has several events of one shipment, the first is recorded and the others are held.
 * Messages are written with the plans.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import { departedSince } from "@dockline/core/movement/LatePallets"
import { palletAnswer, palletMessageAt } from "@dockline/core/movement/Movement"
import type {
  PalletDecision,
  PalletPlan,
  PalletShipment,
  PalletSnapshot
} from "@dockline/core/movement/Movement"
import { lpnOf, PalletAnswer } from "@dockline/core/movement/Pallet"
import type { PalletEvent, RecordedEvent } from "@dockline/core/movement/Pallet"
import { isDiscrepant, recount } from "@dockline/core/shipment/Discrepancies"
import { sightAgain } from "@dockline/core/shipment/Shipment"
import { sizeOfEvent } from "@dockline/core/shipment/Verdict"
import type * as Timestamp from "@dockline/core/values/Timestamp"
import { Array as Arr, Effect, Exit, Schema } from "effect"
import type { Result } from "effect"
import { createHash } from "node:crypto"
import { batchWork, exitOf } from "../connections/BatchTransactions.ts"
import type { Done, Part as PartOf } from "../connections/BatchTransactions.ts"
import type { Calls } from "../connections/Statements.ts"
import { businessId, indexKey, lpnIndexKey } from "../rows/BusinessRows.ts"
import { draftRow } from "../rows/MessageRows.ts"
import type { DraftRow } from "../rows/MessageRows.ts"
import {
  dock,
  fieldMap,
  palletDirection,
  place,
  shipmentStatus,
  texts,
  timestamp,
  whole
} from "../rows/RowFields.ts"
import { toTracking, TrackingBody } from "../rows/Rows.ts"

/** An event to decide. */
export interface EventJob {
  readonly event: PalletEvent
  readonly text: string
  /** The time of the clock that the program provides, else `null` (`Timestamp.givenNow`). */
  readonly givenNow: Timestamp.Timestamp | null
  /** The trace to which the deliveries of the message of the event belong. */
  readonly traceparent: string | undefined
  readonly decide: (snapshot: PalletSnapshot) => Result.Result<PalletDecision, unknown>
}

/** The shipment that an event matches. */
const ShipmentMatch = Schema.Struct({
  id: whole,
  number: Schema.String,
  status: shipmentStatus,
  direction: Schema.String,
  dock: Schema.NullOr(dock),
  arrivedAt: Schema.NullOr(timestamp),
  departure: Schema.NullOr(Schema.Struct({ at: timestamp, tracking: TrackingBody })),
  palletId: Schema.NullOr(whole),
  sightings: Schema.NullOr(Schema.Struct({
    first: palletDirection,
    last: palletDirection,
    dockId: whole,
    firstSeenAt: timestamp,
    lastSeenAt: timestamp
  })),
  elsewhere: Schema.NullOr(
    Schema.Struct({ id: whole, number: Schema.String, dock: Schema.NullOr(dock) })
  ),
  ordersWithLpn: texts,
  onlyOrder: Schema.NullOr(Schema.String),
  orders: texts,
  events: whole,
  labelText: whole
})

/** The shipment that an event matches, with the counts of its discrepancies before the event. */
const Match = Schema.Tuple([
  ShipmentMatch,
  Schema.Struct({ missingPallets: whole, unexpectedPallets: whole, wrongDockPallets: whole })
])

type Match = typeof Match.Type

/** The result of `pallet_load` for an event whose facility exists. */
const EventBody = Schema.Struct({
  facility: place,
  facilityId: whole,
  dock: Schema.NullOr(dock),
  /** The event with the same id that was recorded before. */
  recorded: Schema.NullOr(Schema.Struct({ fingerprint: Schema.String, answer: PalletAnswer })),
  way: Schema.NullOr(Schema.Literals(["given", "byLpn", "departed", "atDock"])),
  match: Schema.NullOr(Match),
  newPalletId: whole
})

/** The result of `pallet_load`. */
const LoadBody = Schema.Struct({
  /** The time at which the transaction began. */
  begun: Schema.String,
  /** The time of the database after the locks were taken. */
  now: timestamp,
  business: Schema.NullOr(place),
  fieldMap: Schema.NullOr(fieldMap),
  /** `null` if the facility does not exist; `held` if another transaction, or an earlier event, has one of the locks of the event. */
  events: Schema.Array(Schema.NullOr(Schema.Union([Schema.Literal("held"), EventBody])))
})

type LoadBody = typeof LoadBody.Type

/** The outcome of an event. */
export type Outcome = Done<RecordedEvent>

/** An event that is decided and not yet written. */
interface PlannedEvent {
  readonly at: number
  readonly job: EventJob
  readonly facilityId: number
  readonly match: Match
  readonly plan: PalletPlan
}

type Part = PartOf<EventJob>

/** A hash is stored, because the text of an event may be long and is only compared. */
const fingerprintOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const eventRow = ({ event }: EventJob) => {
  const lpn = lpnOf(event.labels)
  return {
    facility: event.facility,
    eventKey: indexKey(event.eventId),
    dock: event.dockSlug,
    shipment: event.shipmentId,
    numberKey: event.shipmentNumber === "" ? null : indexKey(event.shipmentNumber),
    lpn: lpn === "" ? null : lpnKey(lpn),
    lpnKey: lpn === "" ? null : lpnIndexKey(lpn),
    departedSince: departedSince(event.occurredAt),
    occurredAt: event.occurredAt
  }
}

const nothing = {
  dock: null,
  namedShipment: null,
  byLpn: null,
  departed: null,
  atDock: null,
  earlierEvent: null,
  newPalletId: 0
}

const shipmentOf = ({ departure, ...shipment }: typeof ShipmentMatch.Type): PalletShipment => ({
  ...shipment,
  departure: departure && { at: departure.at, tracking: toTracking(departure.tracking) }
})

const snapshotOf = (
  { givenNow, text }: EventJob,
  { business, fieldMap, now: databaseNow }: LoadBody,
  body: typeof EventBody.Type | null
): PalletSnapshot => {
  const now = givenNow ?? databaseNow
  if (body === null) return { ...nothing, now, business, facility: null, fieldMap: [] }
  const { dock, facility, match, newPalletId, recorded, way } = body
  return {
    ...nothing,
    now,
    business,
    facility,
    dock,
    fieldMap: fieldMap ?? [],
    // The text is not stored. If the fingerprints differ, any text that differs will do.
    ...(recorded === null ? {} : {
      earlierEvent: {
        text: recorded.fingerprint === fingerprintOf(text) ? text : `sha256:${recorded.fingerprint}`,
        answer: recorded.answer
      }
    }),
    ...(match === null || way === null
      ? {}
      : { [way === "given" ? "namedShipment" : way]: shipmentOf(match[0]) }),
    newPalletId
  }
}

/** A row of `pallet_apply`: the plan, the index of its message, and the fields of the event that the plan lacks. */
const planRow = (
  { facilityId, plan, job: { event, text }, match: [shipment, before] }: PlannedEvent,
  at: number
) => {
  const { dock, isExpected, messages: _, ...rest } = plan
  const { direction, eventId, labels, occurredAt } = event
  const size = sizeOfEvent({ labels, verdict: plan.verdict })
  const { dockId: lastDockId, ...sightings } = sightAgain(shipment.sightings, direction, occurredAt, dock.id)
  const counts = recount(
    before,
    {
      direction: shipment.direction,
      dockId: shipment.status === "SCHEDULED" ? dock.id : shipment.dock?.id ?? null,
      isExpected
    },
    shipment.sightings,
    { ...sightings, dockId: lastDockId }
  )
  return {
    ...rest,
    ...sightings,
    lastDockId,
    ...counts,
    discrepant: isDiscrepant(shipment.status === "DEPARTED" ? "DEPARTED" : "ARRIVED", counts),
    at,
    facilityId,
    eventKey: indexKey(eventId),
    fingerprint: fingerprintOf(text),
    lpnKey: plan.lpn === "" ? null : lpnIndexKey(plan.lpn),
    direction,
    occurredAt,
    dockId: dock.id,
    labels,
    rowCount: size.rows,
    textSize: size.text
  }
}

/** The messages of plans as arguments of `message_append`, and the index of the message of each pallet. */
const draftsOf = (plans: ReadonlyArray<PlannedEvent>) => {
  const drafts: Array<DraftRow> = []
  const places = plans.map(({ facilityId, plan: { messages }, job: { traceparent } }) => {
    const at = drafts.length + palletMessageAt({ messages })
    drafts.push(...messages.map((message) => draftRow(message, facilityId, traceparent)))
    return at
  })
  return { drafts, places }
}

export const make = ({ call }: Calls) => {
  const load = ({ business, jobs }: Part, wait: boolean) =>
    call(LoadBody)`dockline.pallet_load(${businessId(business)}, ${JSON.stringify(jobs.map(eventRow))},
      ${wait})`

  const apply = (
    business: string,
    beganAt: string,
    plans: ReadonlyArray<PlannedEvent>,
    outcomes: Array<Outcome>
  ) => {
    const { drafts, places } = draftsOf(plans)
    const now = plans.reduce<Timestamp.Timestamp | null>(
      (latest, { job: { givenNow } }) => (givenNow ?? "") > (latest ?? "") ? givenNow : latest,
      null
    )
    const rows = Arr.zipWith(plans, places, planRow)
    return Effect.map(
      call(Schema.Array(whole))`dockline.pallet_apply(${businessId(business)}, ${beganAt},
        ${JSON.stringify(rows)}, ${JSON.stringify(drafts)}, ${now})`,
      (messages) => {
        for (const [{ at, plan }, place] of Arr.zip(plans, places)) {
          // Each message has an id.
          outcomes[at] = Exit.succeed({ answer: palletAnswer(plan, messages[place]!), repeated: false })
        }
      }
    )
  }

  const decide = (
    { business, jobs, places }: Part,
    load: LoadBody,
    outcomes: Array<Outcome>
  ) =>
    Effect.sync(() => {
      const plans: Array<PlannedEvent> = []
      for (const [index, job] of jobs.entries()) {
        // Each job has a position, and a loaded body.
        const [at, body] = [places[index]!, load.events[index]!]
        if (body === "held") {
          outcomes[at] = body
          continue
        }
        const decision = exitOf(() => job.decide(snapshotOf(job, load, body)))
        if (Exit.isFailure(decision)) outcomes[at] = Exit.failCause(decision.cause)
        else if (decision.value._tag === "Repeat") {
          outcomes[at] = Exit.succeed({ answer: decision.value.answer, repeated: true })
        } else {
          const { plan } = decision.value
          // A plan exists only if a shipment matches.
          plans.push({ at, job, facilityId: body.facilityId, match: body.match!, plan })
        }
      }
      return plans.length === 0 ? undefined : apply(business, load.begun, plans, outcomes)
    })

  return batchWork({ businessOf: ({ event }: EventJob) => event.business, load, decide })
}
