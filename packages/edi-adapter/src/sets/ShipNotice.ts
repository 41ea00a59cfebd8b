/**
 * Reads ship notices (856) as documents: what a truck brings, pallet by pallet (D18.2).
 *
 * Guarantee: a notice is a document as a whole or is rejected; nothing is guessed. Its levels are shipment, orders, tares (pallets),
 * packs and items, of which tares and packs may be left out. The LPN of an item is the mark of its tare, else of its pack.
 */
import type * as Slices from "@dockline/core/internal/input/Slices"
import * as Dictionary from "../x12/Dictionary.ts"
import { elementCodes, segmentCodes, SetFaults } from "../x12/Fault.ts"
import { readHierarchy } from "../x12/Hierarchy.ts"
import type { Hierarchy, Level } from "../x12/Hierarchy.ts"
import type { TransactionSet } from "../x12/Interchange.ts"
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import { beginningOf, DocumentDraft } from "./Draft.ts"
import type { OrderDraft } from "./Draft.ts"
import { readingOf } from "./Meaning.ts"
import type { Beginning, SetPlace, SetReading } from "./Meaning.ts"
import { references, setFields, setParty } from "./Parties.ts"
import type { FieldRow } from "./Parties.ts"
import { checkNumber, itemOf, Marks, orderOf } from "./ShipNoticeLevels.ts"
import { setInstant } from "./Times.ts"

/**
 * What a notice is for (BSN01): a new one and a replacement say all items of the orders that they name, a change what differs. An order
 * that they do not name stays as it is: a document says nothing of it.
 */
const notice: Beginning = {
  id: "BSN",
  what: "a ship notice",
  purposes: "notices of the purpose",
  strategies: { "00": "OVERWRITE", "05": "OVERWRITE", "04": "MERGE" },
  cancellation: "01",
  remedy: "Send 00 for a new notice, 05 for a replacement, 04 for a change, 01 for a cancellation."
}

const replacement = "05"

/** Where a level may stand: below a level of one of these codes. */
const parents: Readonly<Record<string, ReadonlyArray<string>>> = {
  S: [""],
  O: ["S"],
  T: ["O"],
  P: ["O", "T"],
  I: ["O", "T", "P"]
}

/** Reads a ship notice whose envelope has no faults. `direction` is `INBOUND` unless given. */
export function* readShipNotice(
  { head, segments }: TransactionSet,
  place: SetPlace,
  direction = "INBOUND"
): Slices.Steps<SetReading> {
  const faults = new SetFaults()
  yield* Dictionary.judge(segments, place.version, faults)
  const tree = yield* readHierarchy(segments, ["CTT"], faults)
  const bsn = beginningOf(tree.before[0], head, notice, faults)
  checkLevels(tree, head, faults)
  if (bsn === undefined || faults.isRejected) return readingOf(undefined, faults)
  const [purpose, shipmentNumber] = [elementOf(bsn, 1), elementOf(bsn, 2)]
  if (purpose === notice.cancellation) {
    return readingOf({ _tag: "Cancellation", shipmentNumber, source: { segment: bsn, element: 2 } }, faults)
  }
  const draft = new DocumentDraft(bsn, place, direction, notice.strategies[purpose])
  draft.set("shipmentNumber", bsn, 2)
  yield* readOrders(tree, draft, place, faults)
  checkTotals(tree, faults)
  return readingOf({
    _tag: "Document",
    document: draft.document(),
    sourceAt: (path) => draft.sourceAt(path),
    replacedBy: purpose === replacement ? { segment: bsn, element: 1 } : undefined
  }, faults)
}

/** Checks that the levels are those of a shipment, each where it may stand. */
const checkLevels = ({ levels }: Hierarchy, head: Segment, faults: SetFaults): void => {
  if (levels[0]?.code !== "S") {
    faults.add(levels[0]?.head ?? head, {
      code: segmentCodes.missing,
      detail: "the level of the shipment is missing",
      remedy: "Send HL*1**S first."
    })
  }
  for (const { code, head, parent } of levels) {
    const above = parents[code]
    if (above === undefined || !Object.hasOwn(parents, code)) {
      faults.add(head, {
        element: 3,
        code: elementCodes.code,
        detail: `levels of the code ${code} are not read`,
        remedy: "Send the levels S, O, T, P and I: shipment, order, tare, pack, item."
      })
    } else if (!above.includes(parent?.code ?? "")) {
      faults.add(head, {
        element: 2,
        code: elementCodes.code,
        detail: `the level ${code} stands below ${parent === undefined ? "none" : parent.code}`,
        remedy: code === "S" ? "Send one shipment a notice." : `Send it below ${above.join(" or ")}.`
      })
    }
  }
}

function* readOrders(
  { before, levels }: Hierarchy,
  draft: DocumentDraft,
  place: SetPlace,
  faults: SetFaults
): Slices.Steps<void> {
  const orders = new Map<Level, OrderDraft>()
  const numbers = new Set<unknown>()
  const marks = new Marks()
  for (const segment of before) setTime(draft, segment, place, faults)
  for (const level of levels) {
    yield 4 * (1 + level.segments.length)
    switch (level.code) {
      case "S":
        setShipment(draft, level, place, faults)
        break
      case "O": {
        const order = orderOf(level)
        checkNumber(order, numbers, faults)
        draft.orders.push(order)
        orders.set(level, order)
        break
      }
      case "T":
      case "P":
        checkGoods(level, faults)
        break
      case "I": {
        const order = orders.get(orderAbove(level))
        if (order !== undefined) draft.add(order, itemOf(level, marks, faults), faults)
      }
    }
  }
  if (draft.orders.length === 0) {
    faults.add(levels[0]?.head ?? draft.head, {
      code: segmentCodes.missing,
      detail: "no order stands below the shipment",
      remedy: "Send a level O for each order."
    })
  }
}

const orderAbove = (level: Level): Level => {
  let above = level
  while (above.code !== "O" && above.parent !== undefined) above = above.parent
  return above
}

const shipmentFields: ReadonlyArray<FieldRow> = [
  ["TD5", "", 3, "carrier"],
  ["TD5", "", 5, "carrier"],
  ["TD3", "", 9, "sealNumber"],
  ["REF", "EQ", 2, "trailerNumber"],
  ...references("REF")
]

const setShipment = (
  draft: DocumentDraft,
  { segments }: Level,
  place: SetPlace,
  faults: SetFaults
): void => {
  for (const segment of segments) {
    // The initials and the number of the equipment.
    if (segment.id === "TD3") {
      draft.set("trailerNumber", segment, 3, elementOf(segment, 2) + elementOf(segment, 3))
    }
    setFields(draft, segment, shipmentFields)
    setTime(draft, segment, place, faults)
    setParty(draft, segment)
  }
}

/** The qualifiers of the time at which a shipment is expected (DTM01): the estimated and the scheduled delivery. */
const arrivals = new Set(["017", "067"])

const utc = new Set(["UT", "GM"])

const setTime = (draft: DocumentDraft, segment: Segment, { timeZone }: SetPlace, faults: SetFaults): void => {
  if (segment.id !== "DTM" || !arrivals.has(elementOf(segment, 1))) return
  setInstant(draft, segment, [2, 3], utc.has(elementOf(segment, 4)) ? "UTC" : timeZone, faults)
}

/** Notes a pallet or a pack without goods: nothing is expected on it. */
const checkGoods = ({ children, head }: Level, faults: SetFaults): void => {
  if (children.length > 0) return
  faults.add(head, {
    code: segmentCodes.missing,
    detail: "no item stands below it, so that nothing is expected on it",
    remedy: "Send a level I for each of its items.",
    isNoted: true
  })
}

/** Notes a total of the notice that is neither the number of its levels nor of its items (CTT01). */
const checkTotals = ({ after, levels }: Hierarchy, faults: SetFaults): void => {
  const ctt = after.find(({ id }) => id === "CTT")
  if (ctt === undefined) return
  const counts = [levels.length, levels.filter(({ code }) => code === "I").length]
  if (counts.includes(Number(elementOf(ctt, 1)))) return
  faults.add(ctt, {
    element: 1,
    code: elementCodes.code,
    detail: `the notice has ${counts[0]} levels and ${counts[1]} items`,
    remedy: "Send the number of levels or of items.",
    isNoted: true
  })
}
