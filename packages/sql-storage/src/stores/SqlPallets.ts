/**
 * Recording a pallet event on PostgreSQL: the two statements of its transaction, and the rows they take and return.
 */
import type { MessageField } from "@dockline/core/MessageField"
import { palletAnswer } from "@dockline/core/Movement"
import type { PalletDecision, PalletPlan, PalletShipment, PalletSnapshot } from "@dockline/core/Movement"
import { lpnOf } from "@dockline/core/Pallet"
import type { PalletEvent } from "@dockline/core/Pallet"
import * as Timestamp from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import type { ShipmentStatus } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import type { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { afterCommit } from "../connections/AfterCommit.ts"
import type { Announcer } from "../connections/Announcer.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { toDock, toPlace } from "../rows/Rows.ts"
import type { DockBody, PlaceBody } from "../rows/Rows.ts"

/** What `pallet_shipment` returns. */
type MatchBody = readonly [
  id: number,
  number: string,
  status: ShipmentStatus,
  palletId: number | null,
  ordersWithLpn: ReadonlyArray<string>,
  onlyOrder: string | null,
  events: number,
  labelText: number
]

type RecordedBody = readonly [
  fingerprint: string,
  messageId: number,
  shipmentId: string,
  palletId: string,
  orders: ReadonlyArray<string>
]

/** What `pallet_load` returns where there is such a facility. */
interface LoadedPallet {
  readonly business: PlaceBody
  readonly facility: PlaceBody
  readonly businessId: number
  readonly facilityId: number
  readonly dock: DockBody | null
  readonly fieldMap: ReadonlyArray<MessageField>
  readonly recorded: RecordedBody | null
  readonly way: "given" | "byLpn" | "atDock" | null
  readonly match: MatchBody | null
  readonly newPalletId: number
}

/** The load that has a facility, or what there is of the business. */
type Loaded = LoadedPallet | { readonly business: PlaceBody | null; readonly facilityId?: undefined }

const toPalletShipment = (body: MatchBody): PalletShipment => ({
  id: body[0],
  number: body[1],
  status: body[2],
  palletId: body[3],
  ordersWithLpn: body[4],
  onlyOrder: body[5],
  events: body[6],
  labelText: body[7]
})

/** What stands for the text of an event: it may be long, and is only ever compared. */
const fingerprintOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The recorded event; a text that is not the one given is not kept, and its fingerprint stands for it. */
const toRecorded = (body: RecordedBody, text: string): NonNullable<PalletSnapshot["recorded"]> => ({
  text: body[0] === fingerprintOf(text) ? text : `sha256:${body[0]}`,
  answer: { messageId: body[1], serviceShipmentId: body[2], servicePalletId: body[3], orders: body[4] }
})

const toSnapshot = (loaded: Loaded, text: string, now: Timestamp.Timestamp): PalletSnapshot => {
  const business = loaded.business === null ? null : toPlace(loaded.business)
  const none = { given: null, byLpn: null, atDock: null }
  if (loaded.facilityId === undefined) {
    return {
      now,
      business,
      facility: null,
      dock: null,
      fieldMap: [],
      recorded: null,
      ...none,
      newPalletId: 0
    }
  }
  const { dock, facility, fieldMap, match, newPalletId, recorded, way } = loaded
  return {
    now,
    business,
    facility: toPlace(facility),
    dock: dock === null ? null : toDock(dock),
    fieldMap,
    recorded: recorded === null ? null : toRecorded(recorded, text),
    ...none,
    ...(match === null || way === null ? {} : { [way]: toPalletShipment(match) }),
    newPalletId
  }
}

/** The argument of `pallet_apply`. */
const palletRow = (
  { businessId, facilityId }: LoadedPallet,
  event: PalletEvent,
  text: string,
  plan: PalletPlan,
  trace: string | undefined
): string =>
  JSON.stringify({
    business: businessId,
    facility: facilityId,
    event_key: indexKey(event.eventId),
    fingerprint: fingerprintOf(text),
    shipment: plan.shipmentId,
    pallet: plan.palletId,
    is_new: plan.isNewPallet,
    lpn: plan.lpn,
    lpn_key: plan.lpn === "" ? null : indexKey(plan.lpn),
    arrived_at: plan.arrivedAt,
    direction: event.direction,
    occurred_at: event.occurredAt,
    dock: plan.dock.id,
    orders: plan.orders,
    labels: event.labels,
    label_text: plan.labelText,
    message_type: plan.message.type,
    payload: JSON.stringify(plan.message.payload),
    trace
  })

const load = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, event: PalletEvent) {
  const lpn = lpnOf(event.labels)
  const numberKey = event.shipmentNumber === "" ? null : indexKey(event.shipmentNumber)
  const [row] = yield* sql<{ readonly loaded: Loaded }>`select dockline.pallet_load(
    ${event.business}, ${event.facility}, ${indexKey(event.eventId)}, ${event.dockSlug},
    ${event.shipmentId}::bigint, ${numberKey}::text,
    ${lpn === "" ? null : lpn}::text, ${lpn === "" ? null : indexKey(lpn)}::text) as loaded`
  return row!.loaded
})

/** Records a pallet event as a part of the transaction it runs in. See `MovementStore.recordPallet`. */
export const recordPallet = (sql: SqlClient.SqlClient, { announce }: Announcer["Service"]) =>
<E>(
  event: PalletEvent,
  text: string,
  decide: (snapshot: PalletSnapshot) => Result.Result<PalletDecision, E>
) =>
  Effect.gen(function*() {
    const now = yield* Timestamp.now
    const loaded = yield* load(sql, event)
    const decision = yield* Effect.fromResult(decide(toSnapshot(loaded, text, now)))
    if (decision._tag === "Repeat") return { answer: decision.answer, repeated: true }
    if (loaded.facilityId === undefined) return yield* Effect.die(new Error("Recorded at no facility"))
    const { plan } = decision
    const [row] = yield* sql<{ readonly message: number }>`select dockline.pallet_apply(
        ${
      palletRow(loaded, event, text, plan, yield* TraceContext.current)
    }::text::json, ${now}::timestamptz)::float8 as message`
    yield* afterCommit(() => announce(plan.message.business))
    return { answer: palletAnswer(plan, row!.message), repeated: false }
  })
