/**
 * The common part of the tests by client and place: clients with all kinds of grants, and at each place a shipment with the same numbers as
 * elsewhere, about which all facts are known.
 */
import type { Grant, Permission } from "@dockline/core/access/Access"
import type { DocumentRecordView } from "@dockline/core/document/DocumentRecord"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import type { ReportAnswer } from "@dockline/core/exceptions/ShipmentException"
import type { PalletAnswer } from "@dockline/core/movement/Pallet"
import type { Page } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { decideSave } from "@dockline/packing-lists/domain/SavedMapping"
import { MappingStore } from "@dockline/packing-lists/domain/SavedMappings"
import { emptyMapping } from "@dockline/packing-lists/mapping/Mapping"
import { Effect, Result } from "effect"
import { assert } from "vitest"
import { label, palletEvent, post, record } from "../../http/facility/Facility.ts"
import { operate } from "../../http/operator/Operator.ts"
import { item, order } from "../../http/Sample.ts"
import { TestServer, unique } from "../../support/TestServer.ts"

export const places = ["acme/east", "acme/west", "globex/main"] as const

export type Place = (typeof places)[number]

/** A client: its permissions, the places that it sees, and those whose messages it reads. */
export interface Client {
  readonly grants: ReadonlyArray<Grant>
  readonly sees: ReadonlyArray<string>
  readonly reads: ReadonlyArray<string>
}

const grant = (
  business: string,
  facilities: Grant["facilities"],
  ...permissions: Grant["permissions"]
): Grant => ({ business, facilities, permissions })

/** The clients, by their grants. */
export const clients: Readonly<Record<string, Client>> = {
  "nothing": { grants: [], sees: [], reads: [] },
  "acme": { grants: [grant("acme", "*", "documents:write")], sees: ["acme/east", "acme/west"], reads: [] },
  "acme's messages": {
    grants: [grant("acme", "*", "messages:read")],
    sees: ["acme/east", "acme/west"],
    reads: ["acme/east", "acme/west"]
  },
  "a tower in the east": {
    grants: [grant("acme", ["east"], "pallets:write")],
    sees: ["acme/east"],
    reads: []
  },
  "messages of the west": {
    grants: [grant("acme", ["west"], "messages:read")],
    sees: ["acme/west"],
    reads: ["acme/west"]
  },
  "a dock in the west": {
    grants: [grant("acme", ["west"], "shipments:write")],
    sees: ["acme/west"],
    reads: []
  },
  "globex": { grants: [grant("globex", ["main"], "documents:write")], sees: ["globex/main"], reads: [] },
  "the east and globex": {
    grants: [grant("acme", ["east"], "documents:write"), grant("globex", "*", "messages:read")],
    sees: ["acme/east", "globex/main"],
    reads: ["globex/main"]
  },
  "another facility": {
    grants: [
      grant("acme", ["north"], "documents:write", "messages:read", "pallets:write", "shipments:write")
    ],
    sees: [],
    reads: []
  },
  "all messages": { grants: [grant("*", "*", "messages:read")], sees: places, reads: places },
  "every business's docks": {
    grants: [grant("*", "*", "shipments:write", "pallets:write")],
    sees: places,
    reads: []
  }
}

/** Whether a client has one of the permissions at a place. */
export const mayDo = ({ grants }: Client, permissions: ReadonlyArray<Permission>, place: string): boolean =>
  grants.some((each) => {
    const [business = "", facility = ""] = place.split("/")
    return ["*", business].includes(each.business) &&
      (each.facilities === "*" || each.facilities.includes(facility)) &&
      each.permissions.some((permission) => permissions.includes(permission))
  })

/** All entities of one place. */
export interface Made {
  readonly place: string
  readonly business: string
  readonly facility: string
  readonly id: number
  /** The id of another shipment there. */
  readonly otherId: number
  readonly palletId: string
  readonly exceptionId: string
  readonly documentId: number
  /** The slug of an EDI partner, and the id of a file that came from it. */
  readonly partner: string
  readonly ediFileId: string
  /** The number of its shipment and its order, the same at all places. */
  readonly number: string
  /** The LPN of the loaded pallet, the same at all places. */
  readonly lpn: string
}

const interchange = (direction: "IN" | "OUT", text: string) => ({
  direction,
  control: "000000007",
  outcome: "ACCEPTED" as const,
  sets: [],
  faults: [],
  text,
  answer: ""
})

/** A partner, with a received file and a file to be sent. */
export const exchange = Effect.fnUntraced(function*(business: string, facility: string, text = "ISA") {
  const edi = (yield* TestServer).portOf(EdiStore)
  const partner = unique("partner")
  const side = { qualifier: "ZZ", id: partner, group: partner }
  const made = yield* edi.create({
    business,
    facility,
    slug: partner,
    name: partner,
    theirs: side,
    ours: side,
    release: "004010",
    usage: "P",
    takes: ["856"],
    tells: [],
    tellsOf: "OWN",
    nextInterchange: 1,
    nextGroup: 1,
    now: Timestamp.of("2026-11-20T17:00:00.000Z")
  })
  const ids = yield* Effect.forEach(
    ["IN", "OUT"] as const,
    (direction) =>
      edi.transact(
        made,
        {},
        ({ partner: { cursorId, nextGroup, nextInterchange } }) =>
          Result.succeed({
            plan: { cursorId, nextGroup, nextInterchange, file: interchange(direction, text), marked: [] },
            answer: (file) => String(file?.id)
          })
      )
  )
  return { partner, ediFileId: ids[0] ?? "" }
})

/** Saves a mapping of packing lists that contains a text. */
export const keepMapping = Effect.fnUntraced(function*(business: string, text: string) {
  const store = (yield* TestServer).portOf(MappingStore)
  const of = { business, name: "partner" }
  const mapping = { ...emptyMapping, columns: [{ column: text, field: "lpn" }] }
  yield* store.change(of, (snapshot) => decideSave({ ...of, mapping }, snapshot))
})

const make = Effect.fnUntraced(function*(place: Place, number: string, lpn: string) {
  const server = yield* TestServer
  const [business, facility] = place.split("/") as [string, string]
  const client = business === "acme" ? "acme-client" : "globex-client"
  const items = [item(lpn), item(unique("SHORT"))]
  const { shipment: { id } } = yield* server.submit(
    order({ business, facility, orderNumber: number, items }),
    { client }
  )
  const other: IntakeResult = yield* server.submit(order({ business, facility }), { client })
  const event = palletEvent({ business, facility, shipmentId: id, labels: [label("lpn", lpn)] })
  const recorded = yield* record(event)
  assert.strictEqual(recorded.status, 201, recorded.text)
  const palletId = (recorded.body as PalletAnswer).servicePalletId
  const exception = { palletId, kind: "DAMAGED", priority: "HIGH", description: "Wet" }
  const reported = yield* post(`/v1/shipments/${id}/exceptions`, exception)
  assert.strictEqual(reported.status, 201, reported.text)
  const known = yield* server.request("POST", "/v1/skus", {
    client,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ business, facility, skus: [{ id: "SKU-1" }] })
  })
  assert.strictEqual(known.status, 200, known.text)
  yield* keepMapping(business, number)
  const { body } = yield* server.get(`/v1/documents?facility=${facility}&shipmentNumber=${number}`, {
    client
  })
  return {
    place,
    business,
    facility,
    id,
    otherId: other.shipment.id,
    palletId,
    exceptionId: (reported.body as ReportAnswer).exceptionId,
    ...yield* exchange(business, facility),
    documentId: (body as Page<DocumentRecordView>).items[0]!.id,
    number,
    lpn
  } satisfies Made
})

/** A shipment at each place: with a pallet that all of them have, a missing one, and an exception. */
export const makeEverywhere = Effect.gen(function*() {
  // A facility without freight, which a client may have; it may already exist.
  yield* operate("POST", "businesses/acme/facilities", { slug: "north", name: "North" })
  const [number, lpn] = [unique("ALL"), unique("L")]
  return yield* Effect.forEach(places, (place) => make(place, number, lpn))
})
