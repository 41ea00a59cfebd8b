/**
 * What a customer received, as a table and sentences that a person can read.
 */
import type { Way } from "./Books.ts"
import type { Notice } from "./Follower.ts"
import type { Effect, Remaining, Summary } from "./Ledger.ts"
import type { PushMessage } from "./PushMessage.ts"

interface Column {
  readonly title: string
  readonly width: number
}

/** Together as wide as a terminal of 80 columns. */
const columns: ReadonlyArray<Column> = [
  { title: "id", width: 6 },
  { title: "UTC", width: 8 },
  { title: "shipment", width: 8 },
  { title: "LPN", width: 18 },
  { title: "direction", width: 9 },
  { title: "count", width: 12 },
  { title: "by", width: 7 }
]

/** Cells side by side, each at least as wide as its column. A row has no more cells than there are columns. */
const row = (cells: ReadonlyArray<string>): string =>
  cells.map((cell, index) => printable(cell).padEnd(columns[index]!.width)).join("  ").trimEnd()

export const head = (): string =>
  [
    row(columns.map(({ title }) => title)),
    row(columns.map(({ width }) => "-".repeat(width)))
  ].join("\n")

/** What a message means for the count. */
export const changes = { counts: "+1", cancels: "pair cancels", repeats: "repeat" }

export const linesOf = (
  { id, messageType }: PushMessage,
  effect: Effect,
  way: Way
): ReadonlyArray<string> => {
  switch (effect.type) {
    case "pallet": {
      const { direction, lpn, occurredAt, serviceShipmentId } = effect.pallet
      return [row([
        String(id),
        occurredAt.slice(11, 19),
        serviceShipmentId,
        lpn || "-",
        direction,
        changes[effect.change],
        way
      ])]
    }
    case "completion": {
      const { counted, differences, completion } = effect
      const verdict = differences.length === 0
        ? `The service says ${pallets(completion.pallets.length)}, as we counted.`
        : `!!! THE SERVICE AND OUR COUNT DIFFER !!!`
      return [
        row([String(id), `shipment ${counted.shipmentId} departed: ${verdict}`]),
        ...differences.map((difference) => `          !!! ${printable(difference)}`),
        `          ${summaryOf(counted)}`
      ]
    }
    case "unknown":
      return [row([String(id), `a message of type ${messageType} that this customer does not understand`])]
  }
}

export const summaryOf = ({ shipmentId, orders, remaining, crossings, cancelledPairs }: Summary): string =>
  printable(
    `shipment ${shipmentId} (${orders.join(", ") || "no order"}): ${pallets(remaining.length)}` +
      `${directions(remaining)}; ${crossings} messages, ${cancelledPairs} cancelled ` +
      `${cancelledPairs === 1 ? "pair" : "pairs"}`
  )

/** A notice as a sentence. */
export const sentenceOf = (notice: Notice): string => {
  switch (notice.type) {
    case "live":
      return `Up to date with message ${notice.lastId}; following live.`
    case "waiting":
      return printable(`${notice.reason}. Trying again in ${(notice.millis / 1000).toFixed(1)} s.`)
    case "missed":
      return `!!! Messages up to ${notice.upToId} were dropped by age before this customer read them` +
        `${
          notice.afterId === 0 ? "" : `; it had read up to ${notice.afterId}`
        }. Reconcile what lies before with ` +
        `your own records; going on after ${notice.upToId}.`
  }
}

export const refusalOf = (path: string, status: number, reason: string): string =>
  printable(`A request to ${path} was refused with ${status}: ${reason}`)

const pallets = (count: number): string => `${count} ${count === 1 ? "pallet" : "pallets"}`

const directions = (remaining: ReadonlyArray<Remaining>): string => {
  const loaded = remaining.filter(({ direction }) => direction === "LOADING").length
  const words = [
    loaded > 0 ? `${loaded} loaded` : "",
    remaining.length > loaded ? `${remaining.length - loaded} unloaded` : ""
  ]
  const said = words.filter((word) => word !== "").join(", ")
  return said === "" ? "" : ` (${said})`
}

/** A label may hold anything, also what would drive a terminal. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?")
