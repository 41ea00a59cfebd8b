/** The sets about shipments in texts of X12 to partners. */
import { lpnKey } from "@dockline/core/labels/Lpn"

/**
 * A set about a shipment: its kind, the numbers of the shipment and of the order, and the keys of the pallets that passed, and of those
 * that, according to the set, did not, sorted.
 */
export interface ToldSet {
  readonly kind: string
  readonly shipment: string
  /** `""` for a ship notice. */
  readonly order: string
  readonly lpns: ReadonlyArray<string>
  readonly absent: ReadonlyArray<string>
}

/** The keys of license plates, sorted. */
export const keysIn = (lpns: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(Array.from(lpns, (lpn) => lpnKey(lpn)))].toSorted()

/** A set of a text. */
export interface SentSet extends ToldSet {
  /** Whether it replaces, or cancels, an earlier one. */
  readonly isAgain: boolean
}

/** The elements of each segment, after its id. */
export const segmentsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text.split("~").map((segment) => segment.trim().split("*")).filter(([id]) => id !== "")

/** The elements of the first segment of a set with the numbers of its shipment and of its order. */
const numbersAt: Readonly<Record<string, readonly [id: string, shipment: number, order: number]>> = {
  "856": ["BSN", 2, 0],
  "945": ["W06", 4, 2],
  "944": ["W17", 5, 4]
}

/** The sets of a text about shipments. */
export const setsOf = (text: string): ReadonlyArray<SentSet> => {
  const sets: Array<{
    readonly kind: string
    shipment: string
    order: string
    isAgain: boolean
    readonly lpns: Set<string>
    readonly absent: Set<string>
  }> = []
  let mark = ""
  for (const segment of segmentsOf(text)) {
    const [id, first = "", second = "", third = ""] = segment
    if (id === "ST") {
      sets.push({ kind: first, shipment: "", order: "", isAgain: false, lpns: new Set(), absent: new Set() })
    }
    const set = sets.at(-1)
    if (set === undefined) continue
    const [head, shipment, order] = numbersAt[set.kind] ?? ["", 0, 0]
    if (id === head) {
      set.shipment = segment[shipment] ?? ""
      set.order = order === 0 ? "" : segment[order] ?? ""
      set.isAgain = set.kind === "856" && first !== "00"
    }
    if (id === "NTE") set.isAgain = true
    if (id === "MAN") mark = second
    if (set.kind === "856" && id === "MAN") set.lpns.add(mark)
    if (set.kind === "945" && id === "W12") (Number(third) > 0 ? set.lpns : set.absent).add(mark)
    if (set.kind === "944" && id === "W07") mark = first
    if (set.kind === "944" && id === "N9" && first === "LV" && Number(mark) > 0) set.lpns.add(second)
  }
  return sets.map(({ absent, lpns, ...set }) => ({ ...set, lpns: keysIn(lpns), absent: keysIn(absent) }))
}
