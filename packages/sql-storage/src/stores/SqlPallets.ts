/**
 * Recording a pallet event on PostgreSQL: the two statements of its transaction.
 */
import * as TraceContext from "@dockline/core/internal/values/TraceContext"
import type { MessageField } from "@dockline/core/MessageField"
import { palletAnswer } from "@dockline/core/Movement"
import type { PalletDecision, PalletPlan, PalletShipment, PalletSnapshot } from "@dockline/core/Movement"
import { lpnOf } from "@dockline/core/Pallet"
import type { PalletAnswer, PalletEvent } from "@dockline/core/Pallet"
import type { Place } from "@dockline/core/Place"
import type { Dock } from "@dockline/core/Shipment"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect } from "effect"
import type { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { afterCommit } from "../connections/AfterCommit.ts"
import type { Announcer } from "../connections/Announcer.ts"
import { businessId } from "../rows/BusinessId.ts"
import { indexKey } from "../rows/IndexKey.ts"

/** What `pallet_load` returns if the facility exists. */
interface LoadedPallet {
  readonly business: Place
  readonly facility: Place
  readonly facilityId: number
  readonly dock: Dock | null
  readonly fieldMap: ReadonlyArray<MessageField>
  readonly recorded: { readonly fingerprint: string; readonly answer: PalletAnswer } | null
  readonly way: "given" | "byLpn" | "atDock" | null
  readonly match: PalletShipment | null
  readonly newPalletId: number
}

/** What `pallet_load` returns. */
type Loaded = LoadedPallet | { readonly business: Place | null; readonly facilityId?: undefined }

/** The text of an event may be long and is only compared, so a hash is stored. */
const fingerprintOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const toSnapshot = (loaded: Loaded, text: string, now: Timestamp.Timestamp): PalletSnapshot => {
  const none = { given: null, byLpn: null, atDock: null, recorded: null }
  if (loaded.facilityId === undefined) {
    return {
      now,
      business: loaded.business,
      facility: null,
      dock: null,
      fieldMap: [],
      ...none,
      newPalletId: 0
    }
  }
  const { business, dock, facility, fieldMap, match, newPalletId, recorded, way } = loaded
  return {
    ...none,
    now,
    business,
    facility,
    dock,
    fieldMap,
    // The text is not stored. If the fingerprints differ, any other text will do.
    ...(recorded === null ? {} : {
      recorded: {
        text: recorded.fingerprint === fingerprintOf(text) ? text : `sha256:${recorded.fingerprint}`,
        answer: recorded.answer
      }
    }),
    ...(match === null || way === null ? {} : { [way]: match }),
    newPalletId
  }
}

/** The argument of `pallet_apply`: the plan and what it does not say of the event. */
const palletRow = (
  { facilityId }: LoadedPallet,
  { direction, eventId, labels, occurredAt }: PalletEvent,
  text: string,
  { dock, message, ...plan }: PalletPlan,
  trace: string | undefined
): string =>
  JSON.stringify({
    ...plan,
    facilityId,
    eventKey: indexKey(eventId),
    fingerprint: fingerprintOf(text),
    lpnKey: plan.lpn === "" ? null : indexKey(plan.lpn),
    direction,
    occurredAt,
    dockId: dock.id,
    labels,
    type: message.type,
    payload: JSON.stringify(message.payload),
    trace
  })

const load = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, event: PalletEvent) {
  const lpn = lpnOf(event.labels)
  const numberKey = event.shipmentNumber === "" ? null : indexKey(event.shipmentNumber)
  const [row] = yield* sql<{ readonly loaded: Loaded }>`select dockline.pallet_load(
    ${businessId(event.business)}::bigint, ${event.facility}, ${indexKey(event.eventId)}, ${event.dockSlug},
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
    const [row] = yield* sql<{ readonly message: number }>`select dockline.pallet_apply(${
      businessId(event.business)
    }::bigint,
        ${
      palletRow(loaded, event, text, plan, yield* TraceContext.current)
    }::text::json, ${now}::timestamptz)::float8 as message`
    yield* afterCommit(() => announce(plan.message.business))
    return { answer: palletAnswer(plan, row!.message), repeated: false }
  })
