/**
 * The example requests and answers of the operations of clients, by the names of their methods, which the compiler asks for. The
 * document of the requests is `DocumentExamples`, as it has several answers.
 */
import { example } from "../access/Operation.ts"
import type * as Operation from "../access/Operation.ts"
import { answerExamples, recordOf } from "./DocumentExamples.ts"
import type { MethodOf, Operations } from "./Operations.ts"
import * as PalletExamples from "./PalletExamples.ts"

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
  link: { link: example("A shipment of the same business", { linkedShipmentId: 4712 }) }
}

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
  const { arrived, cancelled, checkedIn, departed } = PalletExamples.moved(shipment)
  return {
    document: record,
    documents: record,
    recordPallet: PalletExamples.answer,
    pallet: PalletExamples.pallet,
    shipmentPallets: PalletExamples.pallet,
    pallets: PalletExamples.pallet,
    search: PalletExamples.hit,
    dockBoard: PalletExamples.boardOf(arrived),
    items: shipment.orders.flatMap(({ id: orderId, items, orderNumber }) =>
      items.map((item) => ({ ...item, orderId, orderNumber }))
    ),
    discrepancies: PalletExamples.discrepancies,
    messages: PalletExamples.message,
    shipment,
    arrive: arrived,
    depart: departed,
    link: arrived,
    cancel: cancelled,
    checkIn: checkedIn,
    shipments: shipment,
    orders
  }
}
