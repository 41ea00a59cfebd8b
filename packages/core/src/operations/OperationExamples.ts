/**
 * The example requests and answers of the operations of clients, by the names of their methods, which the compiler asks for. The
 * document of the requests is `DocumentExamples`, as it has several answers.
 */
import { example } from "../access/Operation.ts"
import type * as Operation from "../access/Operation.ts"
import type { ReportAnswer } from "../exceptions/ExceptionView.ts"
import type { SkuView } from "../skus/Sku.ts"
import { answerExamples, recordOf } from "./DocumentExamples.ts"
import * as EdiExamples from "./EdiExamples.ts"
import type { MethodOf, Operations } from "./Operations.ts"
import * as PalletExamples from "./PalletExamples.ts"

const oatDrink = {
  id: "SKU-100",
  description: "Oat drink, 12 x 1 l",
  unitOfMeasure: "CASE",
  unitOfWeight: "KG",
  casesPerPallet: 60,
  casesPerLayer: 12,
  layersPerPallet: 5,
  alternateIds: ["04012345678901"],
  metadata: "{\"temperature\":\"ambient\"}"
}

/** The requests of each operation that changes something, by the names of the examples. */
export const requests: {
  readonly [Method in MethodOf<Operation.AnyWrite>]: Readonly<
    Record<string, Operation.RequestExample<Operations[Method]["body"]["Encoded"]>>
  >
} = {
  recordPallet: PalletExamples.events,
  arrive: {
    now: example("Now", {}),
    later: example("With time and dock", { occurredAt: "2026-11-20T16:42:00Z", dockSlug: "D1" })
  },
  depart: {
    now: example("Now", {}),
    later: example("With time", { occurredAt: "2026-11-20T18:05:00Z" })
  },
  checkIn: {
    there: example("At the facility, now", { step: "AT_FACILITY" }),
    door: example("A door is assigned", {
      step: "DOOR_ASSIGNED",
      dockSlug: "D1",
      occurredAt: "2026-11-20T16:35:00Z"
    })
  },
  cancel: { now: example("Now", {}) },
  link: { link: example("A shipment of the same business", { linkedShipmentId: 4712 }) },
  reportException: {
    shipment: example("Of the whole shipment", {
      kind: "OTHER",
      priority: "LOW",
      description: "The seal was broken before we opened the doors"
    }),
    pallet: example("Of a pallet", {
      palletId: "815",
      kind: "DAMAGED",
      priority: "HIGH",
      description: "Two cartons crushed on the left"
    }, "The pallet must have been seen on this shipment."),
    missing: example("Of a pallet that is missing", {
      lpn: "000124",
      kind: "SHORT",
      priority: "HIGH",
      description: "Not on the truck"
    }, "Its LPN names it, as no tower has seen it.")
  },
  setSkus: {
    set: example("Two SKUs, of which one is changed in its description alone", {
      business: "acme",
      facility: "east",
      skus: [
        oatDrink,
        { id: "SKU-200", description: "Rye bread, sliced" }
      ]
    })
  },
  deleteSkus: {
    delete: example("Two SKUs", { business: "acme", facility: "east", ids: ["SKU-100", "SKU-200"] })
  },
  resolveException: { resolve: example("Resolved", { note: "Replaced both cartons" }) }
}

const sku: SkuView = {
  ...oatDrink,
  business: "acme",
  facility: "east",
  createdAt: "2026-11-19T09:12:44.103Z",
  updatedAt: ""
}

const reported: ReportAnswer = { exceptionId: PalletExamples.exception.id }

/** Makes the example of each operation but the submission of a document. */
export const answersOf = (): {
  readonly [Method in Exclude<keyof Operations, "submit">]: Operation.AnswerExample<Operations[Method]>
} => {
  const { updated } = answerExamples(1)
  const { shipment } = updated
  const { business, facility, id: shipmentId, shipmentNumber } = shipment
  const orders = shipment.orders.map((order) => ({
    ...order,
    business,
    facility,
    shipmentId,
    shipmentNumber
  }))
  const record = recordOf(updated)
  const edi = EdiExamples.examplesOf(shipment)
  const { arrived, cancelled, checkedIn, departed } = PalletExamples.moved(shipment)
  return {
    ediFiles: edi.entry,
    ediFile: edi.file,
    ediOutbox: edi.outgoing,
    document: record,
    documents: record,
    recordPallet: PalletExamples.answer,
    pallet: PalletExamples.pallet,
    shipmentPallets: PalletExamples.pallet,
    pallets: PalletExamples.pallet,
    search: PalletExamples.hit,
    dayShipments: PalletExamples.dayShipment,
    day: PalletExamples.dayGroups,
    dockBoard: PalletExamples.boardOf(arrived),
    items: shipment.orders.flatMap(({ id: orderId, items, orderNumber }) =>
      items.map((item) => ({ ...item, orderId, orderNumber, skuDescription: "", casesPerPallet: 60 }))
    ),
    discrepancies: PalletExamples.discrepancies,
    messages: PalletExamples.message,
    exceptions: PalletExamples.exception,
    shipmentExceptions: PalletExamples.exception,
    reportException: reported,
    resolveException: PalletExamples.exception,
    shipment,
    arrive: arrived,
    depart: departed,
    link: arrived,
    cancel: cancelled,
    checkIn: checkedIn,
    shipments: shipment,
    orders,
    skus: sku,
    setSkus: { added: 1, updated: 0, skus: [sku] },
    deleteSkus: { deleted: 2 }
  }
}
