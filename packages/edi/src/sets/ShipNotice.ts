/**
 * Reads ship notices (856) as documents: the load of a truck, pallet by pallet (D18.2).
 *
 * Guarantee: a notice becomes a document or a cancellation as a whole, or is rejected. Its levels are shipment, orders, tares (pallets),
 * packs and items. Tares and packs may be missing, or stand above orders or below items. The LPN of an item is the mark of its tare, or
 * else of its pack, or else of the item itself. Elements of a document that the reader does not understand are noted.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { countOf, elementCodes, elementOf, segmentCodes } from "../x12/Fault.ts"
import type { Segment } from "../x12/Fault.ts"
import { readHierarchy } from "../x12/Hierarchy.ts"
import type { Hierarchy, Level } from "../x12/Hierarchy.ts"
import type { TransactionSet } from "../x12/Interchange.ts"
import { beginningOf, DocumentDraft, sumOf } from "./Draft.ts"
import type { ItemDraft, OrderDraft } from "./Draft.ts"
import { asides, isPassedProduct, passReference, references, setFields, setParty } from "./Parties.ts"
import type { FieldRow } from "./Parties.ts"
import { readingOf, SetContent } from "./SetContent.ts"
import type { Aside, Beginning, SetPlace, SetReading } from "./SetContent.ts"
import { itemsOf, knownOrder, Marks, noteOrder, orderOf } from "./ShipNoticeLevels.ts"
import { keepTime, setArrival } from "./Times.ts"

/**
 * The purposes of a notice (BSN01). A new notice and a replacement contain all items of the orders that they name; a change contains the
 * differences. Orders that a notice does not name stay unchanged.
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

/** The codes of the permitted parents of a level. Some partners put packs above orders, or below items. */
const parents: Readonly<Record<string, ReadonlyArray<string>>> = {
  S: [""],
  O: ["S", "T", "P"],
  T: ["S", "O", "I"],
  P: ["S", "O", "T", "I"],
  I: ["O", "T", "P"]
}

/** The order of levels for each structure code (BSN05). It determines the parent of a level that names no parent. */
const levelOrders: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0001": ["S", "O", "T", "P", "I"],
  "0002": ["S", "O", "I", "T", "P"],
  "0003": ["S", "T", "P", "O", "I"],
  "0004": ["S", "O", "I"]
}

/** The order of levels in a notice without a structure code or with another one, and the code for an order by agreement. */
const [usualLevels, agreedStructure] = [["S", "O", "T", "P", "I"], "ZZZZ"]

/** The elements of a ship notice that are skipped unless the reader reads them. Weights and volumes only concern the transport. */
const noticeAsides: ReadonlyMap<string, Aside> = new Map<string, Aside>([
  ...asides,
  // The time of the notice, and its transaction type and status.
  ["BSN", [3, 4, 6, 7]],
  ["HL", "ALL"],
  ["TD1", [1, 3, 4, 5, 6, 7, 8, 9, 10]],
  ["PRF", [2, 3, 4, 5, 6, 7]],
  ["LIN", (segment, element, content) => element === 1 || isPassedProduct(segment, element, content)],
  // The line number, and the quantities that were shipped before and ordered.
  ["SN1", [1, 4, 5, 6]],
  ["CTT", [3, 4, 5, 6, 7]]
])

/** Reads a ship notice whose envelope has no faults. `direction` is `INBOUND` unless given. */
export function* readShipNotice(
  { head, segments }: TransactionSet,
  place: SetPlace,
  direction = "INBOUND"
): Slices.Steps<SetReading> {
  const content = new SetContent(segments, place.version, noticeAsides)
  const { faults } = content
  yield* content.judge()
  const structure = segments[0]?.id === "BSN" ? content.text(segments[0], 5) : ""
  const tree = yield* readHierarchy(segments, ["CTT"], faults, levelOrders[structure] ?? usualLevels)
  const { newPurposes = [] } = place
  const purposes = Object.fromEntries(newPurposes.map((purpose) => [purpose, "OVERWRITE"]))
  const strategies = { ...purposes, ...notice.strategies }
  const bsn = beginningOf(tree.before[0], head, { ...notice, strategies }, content)
  checkLevels(tree, head, structure, content)
  const shipmentNumber = bsn === undefined ? "" : content.text(bsn, 2)
  if (bsn === undefined || faults.isRejected) return yield* readingOf(undefined, content)
  const purpose = elementOf(bsn, 1)
  if (purpose === notice.cancellation) {
    const source = { segment: bsn, element: 2 }
    return yield* readingOf({ _tag: "Cancellation", direction, shipmentNumber, source }, content)
  }
  const draft = new DocumentDraft(content, bsn, place, direction, strategies[purpose])
  draft.set("shipmentNumber", bsn, 2)
  yield* readOrders(tree, draft, place)
  checkTotals(tree, draft)
  draft.noteZeros()
  return yield* readingOf({
    _tag: "Document",
    document: draft.document(),
    words: draft.words(),
    sourceAt: (path) => draft.sourceAt(path),
    replaces: purpose === replacement || (strategies[purpose] === "OVERWRITE" && isPartlyOfNothing(draft))
      ? {
        source: { segment: bsn, element: 1 },
        isWhole: purpose === replacement,
        remedy: "Send its items, here or in a notice of another shipment, which moves it there."
      }
      : undefined
  }, content)
}

const isPartlyOfNothing = ({ orders }: DocumentDraft): boolean => orders.some((order) => order.isOfNothing())

/** Checks that the first level is the shipment, that each level has a permitted parent, and that the structure code is known. */
const checkLevels = (
  { levels }: Hierarchy,
  head: Segment,
  structure: string,
  { faults }: SetContent
): void => {
  const isKnown = structure === "" || structure === agreedStructure || Object.hasOwn(levelOrders, structure)
  if (levels[0]?.code !== "S") {
    faults.add(levels[0]?.head ?? head, {
      code: segmentCodes.missing,
      detail: "the level of the shipment is missing",
      remedy: "Send HL*1**S first."
    })
  }
  /** The codes of each level and of the levels above it. A code may occur only once in a path, so paths are short. */
  const paths = new Map<Level | undefined, string>()
  for (const [index, level] of levels.entries()) {
    const { code, head, parent } = level
    const above = parents[code]
    const path = paths.get(parent) ?? ""
    paths.set(level, path.includes(code) ? path : path + code)
    if (above === undefined || !Object.hasOwn(parents, code)) {
      faults.add(head, {
        element: 3,
        code: elementCodes.code,
        detail: `levels of the code ${code} are not read`,
        remedy: "Send the levels S, O, T, P and I: shipment, order, tare, pack, item."
      })
    } else if (!above.includes(parent?.code ?? "") || (code === "S" && index > 0)) {
      const remedy = `Send it below ${above.join(" or ")}${
        isKnown ? "" : ", or an order of levels (BSN05) of 0001 to 0004"
      }.`
      faults.add(head, {
        element: 2,
        code: elementCodes.code,
        detail: code === "S"
          ? "a notice has one shipment"
          : `the level ${code} stands below ${parent === undefined ? "none" : parent.code}`,
        remedy: code === "S" ? "Send one shipment a notice." : remedy
      })
    } else if (path.includes(code)) {
      faults.add(head, {
        element: 2,
        code: elementCodes.code,
        detail: `a level ${code} stands above the level ${code}`,
        remedy: "Send each of the levels S, O, T, P and I once from the shipment down."
      })
    }
  }
}

function* readOrders(
  { before, levels }: Hierarchy,
  draft: DocumentDraft,
  place: SetPlace
): Slices.Steps<void> {
  const { content } = draft
  const ofLevels = new Map<Level, OrderDraft>()
  const byNumber = new Map<unknown, OrderDraft>()
  const marks = new Marks()
  for (const segment of before) setTime(draft, segment, place)
  for (const level of levels) {
    yield 4 * (1 + level.segments.length)
    switch (level.code) {
      case "S":
        setShipment(draft, level, place)
        break
      case "O": {
        const order = orderOf(level, content)
        const match = knownOrder(level, order, byNumber)
        match?.merge(order)
        if (match === undefined) draft.orders.push(order)
        byNumber.set(order.fields["orderNumber"], match ?? order)
        ofLevels.set(level, match ?? order)
        break
      }
      case "T":
      case "P":
        checkGoods(level, content)
        break
      case "I": {
        const order = ofLevels.get(orderAbove(level))
        if (order === undefined) notOrdered(level, content)
        else {
          for (const item of yield* itemsOf(level, marks, place, content)) draft.add(order, item)
          noteOrder(level, order)
        }
      }
    }
  }
  if (draft.orders.length === 0) {
    content.faults.add(levels[0]?.head ?? draft.head, {
      code: segmentCodes.missing,
      detail: "no order stands below the shipment",
      remedy: "Send a level O for each order."
    })
  }
  for (const order of draft.orders) expectLoose(draft, order)
  noteLoose(draft)
}

const notOrdered = ({ head }: Level, { faults }: SetContent): void =>
  faults.add(head, {
    element: 2,
    code: elementCodes.code,
    detail: "the item stands below no order",
    remedy: "Send it below a level O, or below a pallet or a pack of one."
  })

const quantityOf = ({ fields }: ItemDraft): number => Number(fields["quantity"] ?? 0)

const isLoose = ({ fields }: ItemDraft): boolean => fields["lpn"] === undefined

/**
 * Sets the expected total of an order that has an item without a pallet to the sum of its items, as for a warehouse order. A change does
 * not list all items, so the expected total stays unchanged, and a note says so.
 */
const expectLoose = (draft: DocumentDraft, order: OrderDraft): void => {
  const first = order.items.find(isLoose)
  if (first === undefined) return
  const source = first.sourceOf("quantity")
  if (!draft.isChange()) {
    order.expectSum(order.items.map(quantityOf), source)
  } else if (order.fields["expectedQuantity"] === undefined) {
    draft.content.faults.add(source.segment, {
      element: source.element,
      code: elementCodes.code,
      detail: "a change does not say all lines of its order: what the order expects in all stays as it is",
      remedy: "Send all lines of the order (BSN*05), or its total (TD102 of its level).",
      isNoted: true
    })
  }
}

/** Notes the items that are on no marked pallet, in a single note. */
const noteLoose = ({ content, orders }: DocumentDraft): void => {
  const loose = orders.flatMap(({ items }) => items).filter(isLoose)
  const [first] = loose
  if (first === undefined) return
  const others = loose.length === 1 ? "" : `, nor do ${loose.length - 1} more`
  content.faults.add(first.head, {
    code: segmentCodes.missing,
    detail: `the item stands on no marked pallet${others}: expected by quantity, without a pallet`,
    remedy: "Send MAN*GM with the SSCC of the pallet below its level T, or P.",
    isNoted: true
  })
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

const setShipment = (draft: DocumentDraft, { segments }: Level, place: SetPlace): void => {
  for (const segment of segments) {
    // TD302 and TD303 are the initials and the number of the trailer or container.
    if (segment.id === "TD3") {
      draft.set("trailerNumber", segment, 3, elementOf(segment, 2) + elementOf(segment, 3))
      draft.content.read(segment, 2)
    }
    setFields(draft, segment, shipmentFields)
    setTime(draft, segment, place)
    setParty(draft, segment)
    passReference(draft, segment)
  }
}

/** The qualifiers (DTM01) of the expected arrival: the estimated and the scheduled delivery. */
const arrivals = new Set(["017", "067"])

const setTime = (draft: DocumentDraft, segment: Segment, { timeZone }: SetPlace): void => {
  if (segment.id !== "DTM") return
  const isArrival = arrivals.has(elementOf(segment, 1)) && draft.fields["expectedArrivalAt"] === undefined
  const set = isArrival ? setArrival : keepTime
  set(draft, segment, [2, 3, 4], timeZone)
}

/** Notes a pallet or a pack without items, on which nothing is expected. */
const checkGoods = ({ children, head, parent }: Level, { faults }: SetContent): void => {
  if (children.length > 0 || parent?.code === "I") return
  faults.add(head, {
    code: segmentCodes.missing,
    detail: "no item stands below it, so that nothing is expected on it",
    remedy: "Send a level I for each of its items.",
    isNoted: true
  })
}

/**
 * Notes totals that do not match the notice: the number of levels or items (CTT01), the quantity (CTT02), the number of packages (TD102).
 */
const checkTotals = ({ after, levels }: Hierarchy, draft: DocumentDraft): void => {
  const { content } = draft
  const count = (code: string): number => levels.filter((level) => level.code === code).length
  const total = sumOf(draft.orders.flatMap(({ items }) => items).map(quantityOf))
  const check = (segment: Segment, element: number, counts: ReadonlyArray<number>, has: string): void => {
    const text = elementOf(segment, element)
    if (text === "" || !content.isSound(segment, element)) return
    content.pass(segment, element)
    if (counts.includes(Number(text))) return
    content.faults.add(segment, { element, code: elementCodes.code, isNoted: true, ...countText(has) })
  }
  for (const segment of levels[0]?.segments ?? []) {
    const [tares, packs] = [count("T"), count("P")]
    const has = `${countOf(tares, "pallet")}, ${countOf(packs, "pack")} and a quantity of ${total}`
    if (segment.id === "TD1") check(segment, 2, [tares, packs, tares + packs, total], has)
  }
  for (const segment of after) {
    if (segment.id !== "CTT") continue
    const counts = [levels.length, count("I")]
    check(segment, 1, counts, `${countOf(levels.length, "level")} and ${countOf(count("I"), "item")}`)
    check(segment, 2, [total], `a quantity of ${total}`)
  }
}

const countText = (has: string) => ({
  detail: `the notice has ${has}`,
  remedy: "Send the number of what it has, or none."
})
