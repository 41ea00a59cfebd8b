/**
 * Generated histories of the whole service: documents of every strategy, pallets and repetitions of their events, arrivals, departures,
 * check-ins, links, cancellations, reports of exceptions and their resolutions, dry runs and reads, at two facilities, with numbers and
 * keys that often coincide.
 *
 * Guarantee: a failing history shrinks to the few steps that matter, each as short as possible.
 */
import { documentOutcomes } from "@dockline/core/document/DocumentRecord"
import { exceptionKinds, exceptionPriorities } from "@dockline/core/exceptions/ShipmentException"
import { messageTypes, shipmentStatuses } from "@dockline/core/values/Vocabulary"
import { rawDocuments, rawItems } from "@dockline/testing/generators/Generators"
import { without } from "@dockline/testing/generators/Given"
import * as fc from "fast-check"

/** A JSON object in the form in which clients send it. The business is added when it is sent, unless it names one. */
type Json = Readonly<Record<string, unknown>>

type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer A> ? A : never

const sometimes = <A>(value: fc.Arbitrary<A>, oneIn: number): fc.Arbitrary<A | undefined> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

const facility = fc.constantFrom("east", "east", "east", "west")

/** A shipment by the order of creation; there may be fewer. */
const shipment = fc.constantFrom(1, 1, 2, 2, 3, 4)

/** West has no D2, and neither facility has D9. */
const dockSlug = fc.oneof(
  { weight: 14, arbitrary: fc.constant("D1") },
  { weight: 3, arbitrary: fc.constant("D2") },
  { weight: 1, arbitrary: fc.constant("D9") }
)

/** Times before, between and after the other events, two of them equal in different offsets; the last is refused. */
const occurredAt = fc.constantFrom(
  "2099-12-20T12:00:00Z",
  "2099-12-20T13:00:00+01:00",
  "2100-01-01T00:05:30Z",
  "2100-01-01T00:20:30",
  "2100-06-01T00:00:00.5Z"
)

/** Variations of a document: more numbers, a missing field, a missing place. */
const twists = fc.record({
  shipmentNumber: sometimes(fc.constantFrom("S3", "S4"), 6),
  dockSlug: sometimes(fc.constantFrom("D1", "D1", "D2"), 5),
  missing: sometimes(fc.constantFrom("lpn", "sku", "quantity", "quantityUnit"), 15),
  place: sometimes(fc.constantFrom({ facility: "nowhere" }, { business: "nobody" }, { dockSlug: "D9" }), 40)
})

const withoutItemField = (order: Json, name: string): Json => {
  const { items } = order
  if (!Array.isArray(items) || items.length === 0) return order
  const { [name]: _, ...first } = items[0] as Json
  return { ...order, items: [first, ...items.slice(1)] }
}

const twisted = (
  raw: Json,
  { shipmentNumber, dockSlug, missing, place }: ValueOf<typeof twists>
): Json => {
  const { business: _, ...document } = raw
  const whole = {
    ...document,
    ...(shipmentNumber === undefined ? {} : { shipmentNumber }),
    ...(dockSlug === undefined ? {} : { dockSlug }),
    ...place
  }
  if (missing === undefined) return whole
  const orders = (whole as Json)["orders"]
  return Array.isArray(orders)
    ? { ...whole, orders: orders.map((order) => withoutItemField(order as Json, missing)) }
    : withoutItemField(whole, missing)
}

const submissions = fc
  .tuple(rawDocuments, twists, sometimes(fc.constant(true), 5))
  .map(([raw, twist, dryRun]) => ({
    _tag: "Submit" as const,
    document: twisted(raw, twist),
    dryRun: dryRun ?? false
  }))

const lpns = ["L1", "L2", "l1", "L01", "000123"] as const

const labels = fc.array(
  fc.record({
    name: fc.constantFrom("lpn", "lpn", "sku", "other"),
    value: fc.constantFrom("", ...lpns)
  }),
  { maxLength: 3 }
)

const eventId = fc.integer({ min: 1, max: 60 }).map((n) => `E${n}`)
const palletDirection = fc.constantFrom("LOADING", "UNLOADING")

const pallets = fc
  .record({
    shipment: sometimes(shipment, 3),
    shipmentNumber: sometimes(fc.constantFrom("S1", "S2", "O1", "O2", "none"), 6),
    event: fc.record({
      eventId,
      facility,
      dockSlug,
      direction: palletDirection,
      occurredAt,
      labels
    })
  })
  .map(({ shipment, shipmentNumber, event }) => ({
    _tag: "Pallet" as const,
    /** The shipment in the event's `shipmentId`. */
    shipment,
    event: shipment === undefined && shipmentNumber !== undefined ? { ...event, shipmentNumber } : event
  }))

/** An exact repetition of the previous pallet event. */
const again = { _tag: "Again" } as const

/** The pallet of the previous event, seen another time. */
const seenAgain = fc.record({
  _tag: fc.constant("SeenAgain" as const),
  event: fc.record({ eventId, direction: palletDirection, occurredAt })
})

/** A document like an earlier one, with another strategy for the same items, or with new contents of them. */
const alike = fc.record({
  _tag: fc.constant("Alike" as const),
  back: fc.nat(3),
  content: sometimes(fc.array(rawItems, { minLength: 1, maxLength: 2 }), 2),
  strategy: fc.constantFrom("APPEND", "MERGE", "DELETE", "OVERWRITE"),
  dryRun: sometimes(fc.constant(true), 5).map((drawn) => drawn ?? false)
})

/** An exact repetition of the previous report. */
const reportAgain = { _tag: "ReportAgain" } as const

const arrivals = fc.record({
  _tag: fc.constant("Arrive" as const),
  shipment,
  arrival: fc.record({ occurredAt, dockSlug: fc.oneof(fc.constant(""), dockSlug) }, {
    requiredKeys: []
  })
})

const departures = fc.record({
  _tag: fc.constant("Depart" as const),
  shipment,
  departure: fc.record({ occurredAt }, { requiredKeys: [] })
})

const checkIns = fc.record({
  _tag: fc.constant("CheckIn" as const),
  shipment,
  note: fc.oneof(
    fc.record({
      step: fc.constant("DOOR_ASSIGNED"),
      occurredAt,
      dockSlug: fc.oneof(fc.constant(""), dockSlug)
    }, {
      requiredKeys: ["step"]
    }),
    fc.record({ step: fc.constantFrom("AT_FACILITY", "CHECKED_OUT"), occurredAt }, { requiredKeys: ["step"] })
  )
})

const links = fc.record({
  _tag: fc.constant("Link" as const),
  shipment,
  linked: shipment
})

const cancellations = fc.record({
  _tag: fc.constant("Cancel" as const),
  shipment
})

const reports = fc.record({
  _tag: fc.constant("Report" as const),
  shipment,
  pallet: sometimes(fc.constantFrom(1, 1, 2, 3), 2),
  report: fc.record({
    kind: fc.constantFrom(...exceptionKinds, "LOST"),
    priority: fc.constantFrom(...exceptionPriorities),
    lpn: fc.constantFrom("", "", "", ...lpns),
    description: fc.constantFrom("Torn wrap", "Wet", "Wet", "")
  }),
  key: sometimes(fc.constantFrom("K1", "K2", "K3"), 2)
})

const resolutions = fc.record({
  _tag: fc.constant("Resolve" as const),
  exception: fc.constantFrom(1, 1, 2, 3),
  shipment: sometimes(shipment, 5),
  resolution: fc.record({ note: fc.constantFrom("Wrapped anew", "Dried", "") })
})

const limit = fc.integer({ min: 1, max: 4 })
const anyFacility = sometimes(fc.constantFrom("east", "west", "nowhere"), 3)

/** Times before and after all events: services may find documents by times only as far as clocks agree (D13.6). */
const farTime = fc.constantFrom("2099-12-31T00:00:00Z", "2100-06-01T00:00:00Z")

const reads = fc.oneof(
  fc.record({ _tag: fc.constant("Read" as const), shipment }),
  fc.record({
    _tag: fc.constant("ReadShipments" as const),
    filter: fc.record({
      facility: anyFacility,
      shipmentNumber: sometimes(fc.constantFrom("S1", "S2", "O1"), 4),
      status: sometimes(fc.constantFrom(...shipmentStatuses), 3),
      discrepancies: sometimes(fc.constantFrom(true, true, false), 2)
    }),
    limit
  }),
  fc.record({
    _tag: fc.constant("ReadOrders" as const),
    filter: fc.record({ facility: anyFacility, orderNumber: sometimes(fc.constantFrom("O1", "O2"), 3) }),
    limit
  }),
  fc.record({
    _tag: fc.constant("FindPallets" as const),
    filter: fc.record({ facility: anyFacility, lpn: fc.constantFrom(...lpns) }),
    limit
  }),
  fc.record({
    _tag: fc.constant("ReadRecords" as const),
    filter: fc.record({
      facility: anyFacility,
      shipmentNumber: sometimes(fc.constantFrom("S1", "S2", "O1"), 4),
      orderNumber: sometimes(fc.constantFrom("O1", "O2"), 3),
      outcome: sometimes(fc.constantFrom(...documentOutcomes), 3),
      removed: sometimes(fc.boolean(), 4),
      lpn: sometimes(fc.constantFrom(...lpns), 4),
      from: sometimes(farTime, 8),
      to: sometimes(farTime, 8)
    }).map(({ orderNumber, ...filter }) => filter.lpn === undefined ? { ...filter, orderNumber } : filter),
    limit
  }),
  fc.record({
    _tag: fc.constant("ReadMessages" as const),
    filter: fc.record({ facility: anyFacility, types: fc.subarray([...messageTypes], { minLength: 1 }) }),
    limit
  })
)

/**
 * One event in one business. It contains no ids: shipments are numbered by their creation, pallets by their appearance, and exceptions by
 * their reports.
 */
export type Happening = ValueOf<
  | typeof submissions
  | typeof pallets
  | typeof arrivals
  | typeof departures
  | typeof checkIns
  | typeof links
  | typeof cancellations
  | typeof reports
  | typeof resolutions
  | typeof reads
>

/** The events, one after another. */
export type History = ReadonlyArray<Happening>

/** A step before its predecessors are known. */
type Drawn = Happening | typeof again | typeof reportAgain | ValueOf<typeof seenAgain> | ValueOf<typeof alike>

const happenings: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 11, arbitrary: submissions },
  { weight: 7, arbitrary: alike },
  { weight: 9, arbitrary: pallets },
  { weight: 5, arbitrary: seenAgain },
  { weight: 2, arbitrary: fc.constant(again) },
  { weight: 4, arbitrary: arrivals },
  { weight: 3, arbitrary: departures },
  { weight: 2, arbitrary: links },
  { weight: 2, arbitrary: checkIns },
  { weight: 2, arbitrary: cancellations },
  { weight: 3, arbitrary: reports },
  { weight: 1, arbitrary: fc.constant(reportAgain) },
  { weight: 2, arbitrary: resolutions },
  { weight: 5, arbitrary: reads }
)

/** The same document with another strategy for all its orders and, if given, new contents of the same items. */
const changed = (document: Json, { strategy, content }: ValueOf<typeof alike>): Json => {
  const order = (given: Json): Json => ({
    ...given,
    orderItemUpdateStrategy: strategy,
    ...(Array.isArray(given["items"]) ? { items: given["items"].map(item) } : {})
  })
  const item = (given: Json, index: number): Json => {
    const fresh = content?.[index % content.length] ?? given
    const key = Object.entries(given).filter(([name]) => name === "lpn" || name === "sku")
    return { ...without(fresh, "lpn", "sku"), ...Object.fromEntries(key) }
  }
  const { orders } = document
  return { ...order(document), ...(Array.isArray(orders) ? { orders: orders.map(order) } : {}) }
}

/** The filter of a list of all shipments. */
export const anyShipments = {
  facility: undefined,
  shipmentNumber: undefined,
  status: undefined,
  discrepancies: undefined
}

/** A read in place of a repetition without a predecessor. */
const look: Happening = { _tag: "ReadShipments", filter: anyShipments, limit: 4 }

/** Replaces repetitions by the repeated events. */
const resolved = (drawn: ReadonlyArray<Drawn>): ReadonlyArray<Happening> => {
  const documents: Array<Json> = []
  let pallet: Extract<Happening, { readonly _tag: "Pallet" }> | undefined
  let report: Happening | undefined
  return drawn.map((each): Happening => {
    if (each._tag === "Again") return pallet ?? look
    if (each._tag === "ReportAgain") return report ?? look
    if (each._tag === "SeenAgain") {
      return pallet === undefined ? look : { ...pallet, event: { ...pallet.event, ...each.event } }
    }
    if (each._tag === "Alike") {
      const document = documents.at(-1 - each.back) ?? documents[0]
      return document === undefined
        ? look
        : { _tag: "Submit", document: changed(document, each), dryRun: each.dryRun }
    }
    if (each._tag === "Pallet") pallet = each
    if (each._tag === "Report") report = each
    if (each._tag === "Submit") documents.push(each.document)
    return each
  })
}

/** The number of documents with which a history begins, so that there is data for the rest. */
const documentsFirst = 4

/** A list of a fixed length could not shrink, so an omitted step becomes `undefined`. */
const listOf = <A>(step: fc.Arbitrary<A>, length: number): fc.Arbitrary<ReadonlyArray<A | null>> =>
  fc.array(fc.option(step, { freq: 1_000_000_000 }), { minLength: length, maxLength: length })

/** Histories with exactly this number of steps; a failing one shrinks to fewer. */
export const histories = (steps = 50): fc.Arbitrary<History> =>
  fc
    .tuple(
      listOf(submissions, Math.min(steps, documentsFirst)),
      listOf(happenings, Math.max(0, steps - documentsFirst))
    )
    .map(([first, then]) => resolved([...first, ...then].filter((each) => each !== null)))

/** An event with its name and its content. */
export const show = ({ _tag, ...said }: Happening): string => `${_tag} ${JSON.stringify(said)}`

/** A history with one line for each event. */
export const showAll = (history: History): string =>
  ["", ...history.map((each, index) => `${index + 1}. ${show(each)}`), ""].join("\n")
