/** The requests of each load of `bench beside`. */
import { postOf } from "../Http.ts"
import type { Request } from "../Http.ts"
import { documentOf, place } from "../intake/Documents.ts"
import type { LoadTask } from "../Load.ts"
import { noticeOf } from "./Notice.ts"

/** The loads. */
export const loads = ["overwrite", "merge", "first", "pallets", "edi"] as const

/** A load: documents that change orders by OVERWRITE or MERGE or that create them, pallet events, ship notices of EDI. */
export type LoadName = (typeof loads)[number]

/** One run against a server. */
export interface BesideTask extends LoadTask {
  readonly load: LoadName
  readonly tower: string
  /** Requests of each connection. */
  readonly requests: number
  /** The number of the run: entities of each run have different numbers. */
  readonly run: number
  /** Whether the run only creates the entities that the load needs, which is not measured. */
  readonly prepares: boolean
}

/** Orders of each connection that documents change in turn. */
const orders = 16

/** Pallets of a shipment, which are also the items of a document. */
const pallets = 10

/** Connections of different runs have different numbers; with those of files they are control numbers of nine digits. */
const numberOf = ({ connections, run }: BesideTask, connection: number): number =>
  ((connections === 1 ? 0 : 500) + run) * 100 + connection

const document = (task: BesideTask, content: object): Request =>
  postOf("/v1/documents", task.token, JSON.stringify(content))

/** A document that creates an order; its LPNs belong to no other order. */
const creating = (task: BesideTask, connection: number, at: number) => {
  const number = `${numberOf(task, connection)}-${at}`
  const { items, ...header } = documentOf(0, 0, 0, "OVERWRITE", pallets)
  return {
    ...header,
    orderNumber: `N-${number}`,
    items: items.map((item, index) => ({ ...item, lpn: `LPN-${number}-${index}` }))
  }
}

/** The requests of a connection that make the entities for its load. */
export const preparing = (task: BesideTask, connection: number): ReadonlyArray<Request> => {
  const { load, requests, run } = task
  if (load === "pallets") {
    return Array.from(
      { length: Math.ceil(requests / pallets) },
      (_, at) => document(task, creating(task, connection, at))
    )
  }
  if (run > 0 || load === "first" || load === "edi") return []
  return Array.from({ length: orders }, (_, at) => document(task, documentOf(connection, at, 1, "OVERWRITE")))
}

const event = (task: BesideTask, connection: number, at: number): Request => {
  const number = `${numberOf(task, connection)}-${Math.floor(at / pallets)}`
  return postOf(
    "/v1/pallet-events",
    task.tower,
    JSON.stringify({
      eventId: `E-${number}-${at % pallets}`,
      ...place,
      dockSlug: "D1",
      direction: "LOADING",
      occurredAt: new Date().toISOString(),
      shipmentNumber: `N-${number}`,
      labels: [
        { name: "lpn", value: `LPN-${number}-${at % pallets}` },
        { name: "sku", value: "SKU-010000" },
        { name: "lot", value: "LOT-2026-A" }
      ]
    })
  )
}

/** The requests of a connection that are measured. */
export const measuring = (task: BesideTask, connection: number): ReadonlyArray<Request> =>
  Array.from({ length: task.requests }, (_, at) => {
    switch (task.load) {
      case "first":
        return document(task, creating(task, connection, at))
      case "pallets":
        return event(task, connection, at)
      case "edi":
        return noticeOf(task.token, numberOf(task, connection) * 10_000 + at, pallets)
      default: {
        // Each order in turn: all of its items differ from the earlier ones.
        const variant = Math.floor(at / orders) % 2 === 0 ? 0 : 1
        const strategy = task.load === "merge" ? "MERGE" : "OVERWRITE"
        return document(task, documentOf(connection, at % orders, variant, strategy))
      }
    }
  })
