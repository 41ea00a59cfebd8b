/**
 * What a service answers, as it is compared with what another one answers.
 *
 * Guarantee: ids go by the order in which they were first seen, so that it does not matter which ones a service gives.
 */
import type { Discrepancy } from "@dockline/core/Discrepancies"
import type { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { ExceptionView } from "@dockline/core/ExceptionView"
import type { IntakeResult } from "@dockline/core/Outcome"
import type { PalletAnswer } from "@dockline/core/Pallet"
import type { PalletView } from "@dockline/core/PalletView"
import type { LocatedOrderView, OrderView, ShipmentView } from "@dockline/core/View"
import { without } from "../generators/Given.ts"
import type { Reply, ToldMessage } from "./Service.ts"

/** The texts of refusals that the contract words; of others the code is what counts. */
const wordedCodes = new Set(["DUPLICATE_ITEM_IN_REQUEST", "DUPLICATE_ORDER_ITEM_KEY", "SHIPMENT_CONFLICT"])

/** The answers of one service in one history. */
export class Shown {
  /** The ids of the shipments, in the order of their creation. */
  readonly shipments: Array<string> = []
  /** The ids of the pallets, in the order of their appearance. */
  readonly pallets: Array<string> = []
  /** The exceptions with the ids of their shipments, in the order of their reports. */
  readonly exceptions: Array<{ readonly id: string; readonly shipmentId: string }> = []
  /** The names of ids, by kind. */
  readonly #names = new Map<string, Map<string, string>>()

  name(kind: string, id: string | number): string {
    if (id === "" || id === 0) return "none"
    const names = this.#names.get(kind) ?? new Map<string, string>()
    this.#names.set(kind, names)
    const name = names.get(String(id)) ?? `${kind} #${names.size + 1}`
    names.set(String(id), name)
    return name
  }

  reply<A>(reply: Reply<A>, show: (value: A) => unknown): unknown {
    if (reply.ok) return show(reply.value)
    const { code, message } = reply.error
    return wordedCodes.has(code) ? { code, message } : { code }
  }

  /** An exception that was reported of a shipment. */
  reported(id: string, shipmentId: string): string {
    if (!this.exceptions.some((each) => each.id === id)) this.exceptions.push({ id, shipmentId })
    return this.name("EXCEPTION", id)
  }

  exception({ id, palletId, shipmentId, ...rest }: ExceptionView) {
    return {
      ...rest,
      id: this.name("EXCEPTION", id),
      pallet: this.name("PALLET", palletId),
      shipment: this.name("SHIPMENT", shipmentId)
    }
  }

  /** A recorded document, without the correlation id, which is the request's own, and with its changes in any order. */
  record(record: DocumentRecordView) {
    const { changes, id, shipmentId } = record
    return {
      ...without(record, "correlationId", "shipmentId"),
      id: this.name("RECORD", id),
      shipment: this.name("SHIPMENT", shipmentId),
      changes: changes.map((each) => `${each.change} ${this.name(each.type, each.id)} ${each.reference}`)
        .sort()
    }
  }

  discrepancy({ expectedOnId, palletId, ...rest }: Discrepancy) {
    return {
      ...rest,
      expectedOn: this.name("SHIPMENT", expectedOnId),
      pallet: this.name("PALLET", palletId)
    }
  }

  palletView({ dockId, events, id, shipmentId, url, ...rest }: PalletView) {
    return {
      ...rest,
      id: this.name("PALLET", id),
      shipment: this.name("SHIPMENT", shipmentId),
      dock: this.name("DOCK", dockId),
      url: this.#link(url),
      events: events.map(({ messageId, ...event }) => ({
        ...event,
        message: this.name("MESSAGE", messageId)
      }))
    }
  }

  result({ created, updated, removed, shipment }: IntakeResult) {
    const id = String(shipment.id)
    if (shipment.id !== 0 && !this.shipments.includes(id)) this.shipments.push(id)
    const named = (list: IntakeResult["created"]) =>
      list.map(({ type, id, reference }) => `${this.name(type, id)} ${reference}`)
    return {
      created: named(created),
      updated: named(updated),
      removed: named(removed),
      shipment: this.shipment(shipment)
    }
  }

  shipment(shipment: ShipmentView) {
    return {
      ...shipment,
      id: this.name("SHIPMENT", shipment.id),
      dockId: this.name("DOCK", shipment.dockId),
      orders: shipment.orders.map((order) => this.order(order))
    }
  }

  order<A extends OrderView>(order: A) {
    const items = order.items.map((item) => ({ ...item, id: this.name("ORDER_ITEM", item.id) }))
    return { ...order, id: this.name("ORDER", order.id), items }
  }

  locatedOrder(order: LocatedOrderView) {
    return { ...this.order(order), shipmentId: this.name("SHIPMENT", order.shipmentId) }
  }

  pallet({ messageId, serviceShipmentId, servicePalletId, orders }: PalletAnswer) {
    if (!this.pallets.includes(servicePalletId)) this.pallets.push(servicePalletId)
    return {
      messageId: this.name("MESSAGE", messageId),
      serviceShipmentId: this.name("SHIPMENT", serviceShipmentId),
      servicePalletId: this.name("PALLET", servicePalletId),
      orders
    }
  }

  message({ id, business, facility, type, json, sentAt }: ToldMessage) {
    return {
      id: this.name("MESSAGE", id),
      business,
      facility,
      type,
      sentAt,
      payload: this.#payload(JSON.parse(json))
    }
  }

  #link(url: string): string {
    return url
      .replace(/^.*(?=\/shipments\/)/, "")
      .replace(/(?<=\/shipments\/)\d+/, (id) => this.name("SHIPMENT", id))
      .replace(/(?<=\/pallets\/)\d+/, (id) => this.name("PALLET", id))
  }

  /** A payload, with names for the ids in it, and links from where the dashboard begins. */
  #payload(payload: Readonly<Record<string, unknown>>): unknown {
    const { serviceShipmentId, servicePalletId, dockId, url, pallets, ...rest } = payload
    const shipment = this.name("SHIPMENT", String(serviceShipmentId))
    const pallet = servicePalletId === undefined ? "none" : this.name("PALLET", String(servicePalletId))
    return {
      ...rest,
      shipment,
      pallet,
      dock: this.name("DOCK", String(dockId)),
      url: this.#link(String(url)),
      ...(Array.isArray(pallets) ? { pallets: pallets.map((each) => this.#payload(each)) } : {})
    }
  }
}
