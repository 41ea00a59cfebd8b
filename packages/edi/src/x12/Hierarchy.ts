/**
 * The tree of HL segments in a transaction set, such as shipment, orders, pallets and items.
 *
 * Guarantee: a tree that is read without faults has no cycle and no gap: HL01 counts from 1, and the parent of each level (HL02) comes
 * before the level. Each violation is reported at its HL segment. Nothing here is recursive, so trees may have any depth.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { elementCodes, elementOf, segment, segmentCodes } from "./Fault.ts"
import type { Segment, SegmentDraft, SetFaults } from "./Fault.ts"

export interface Level {
  /** Its code, such as `O` for an order (HL03). */
  readonly code: string
  readonly head: Segment
  /** The segments from HL to the next HL, without HL. */
  readonly segments: ReadonlyArray<Segment>
  readonly parent: Level | undefined
  readonly children: ReadonlyArray<Level>
}

export interface Hierarchy {
  /** The segments before the first HL. */
  readonly before: ReadonlyArray<Segment>
  /** The levels in the order of the set. */
  readonly levels: ReadonlyArray<Level>
  /** The segments after the last level, from the first summary segment on. */
  readonly after: ReadonlyArray<Segment>
}

/**
 * Reads the tree of a set. The segments of its summary, such as `CTT`, end the last level. `order` has the codes of levels from the root
 * down: the parent of a level that names none (HL02) is the nearest level, of the one before it and its ancestors, with an earlier code.
 */
export function* readHierarchy(
  segments: ReadonlyArray<Segment>,
  summary: ReadonlyArray<string>,
  faults: SetFaults,
  order: ReadonlyArray<string> = []
): Slices.Steps<Hierarchy> {
  const before: Array<Segment> = []
  const after: Array<Segment> = []
  const levels: Array<OpenLevel> = []
  for (const each of segments) {
    yield 1
    const open = levels.at(-1)
    if (each.id === "HL") {
      if (after.length > 0) {
        faults.add(each, {
          code: segmentCodes.unexpected,
          detail: "a level stands behind the summary",
          remedy: `Send ${summary.join(", ")} behind all levels.`
        })
      }
      levels.push(levelOf(each, levels, order, faults))
    } else if (after.length > 0 || (open !== undefined && summary.includes(each.id))) after.push(each)
    else (open?.segments ?? before).push(each)
  }
  for (const { children, head } of levels) {
    const code = elementOf(head, 4)
    if ((code === "0" && children.length > 0) || (code === "1" && children.length === 0)) {
      faults.add(head, {
        element: 4,
        code: elementCodes.code,
        detail: `${children.length === 0 ? "no level stands" : `${children.length} levels stand`} below it`,
        remedy: "Send 1 for a level with others below it, and 0 for one without.",
        isNoted: true
      })
    }
  }
  return { before, levels, after }
}

interface OpenLevel extends Level {
  readonly parent: OpenLevel | undefined
  readonly segments: Array<Segment>
  readonly children: Array<OpenLevel>
}

const levelOf = (
  head: Segment,
  before: ReadonlyArray<OpenLevel>,
  order: ReadonlyArray<string>,
  faults: SetFaults
): OpenLevel => {
  const [number, above] = [elementOf(head, 1), elementOf(head, 2)]
  const next = before.length + 1
  // Leading zeros have no meaning.
  if (!/^\d{1,12}$/.test(number) || Number(number) !== next) {
    faults.add(head, {
      element: 1,
      code: elementCodes.code,
      detail: `the level has the number ${number}, and ${next} is next`,
      remedy: "Number the levels from 1 on, without gaps."
    })
  }
  const parent = above === ""
    ? levelAbove(elementOf(head, 3), before.at(-1), order)
    : /^\d{1,12}$/.test(above)
    ? before[Number(above) - 1]
    : undefined
  if (above !== "" && parent === undefined) {
    faults.add(head, {
      element: 2,
      code: elementCodes.code,
      detail: `no level ${above} stands before it`,
      remedy: "Name the level above by its number, and send it first."
    })
  }
  const level: OpenLevel = { code: elementOf(head, 3), head, segments: [], parent, children: [] }
  parent?.children.push(level)
  return level
}

/**
 * The parent of a level that names no parent: among the last level and its ancestors, the nearest whose code comes earlier in the order.
 */
const levelAbove = (
  code: string,
  last: OpenLevel | undefined,
  order: ReadonlyArray<string>
): OpenLevel | undefined => {
  const rank = order.indexOf(code)
  let above = rank === -1 ? undefined : last
  // A path that follows this order has at most one level for each code.
  for (let steps = 0; steps < order.length && above !== undefined; steps++) {
    if (order.indexOf(above.code) < rank) return above
    above = above.parent
  }
  return undefined
}

export interface LevelDraft {
  readonly code: string
  readonly segments: ReadonlyArray<SegmentDraft>
  readonly children: ReadonlyArray<LevelDraft>
}

/** Writes a tree: the children of each level follow it. */
export const writeHierarchy = (root: LevelDraft): ReadonlyArray<SegmentDraft> => {
  const output: Array<SegmentDraft> = []
  const waiting: Array<readonly [level: LevelDraft, parent: string]> = [[root, ""]]
  let number = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [{ children, code, segments }, parent] = next
    const own = String(++number)
    output.push(segment("HL", own, parent, code, children.length === 0 ? "0" : "1"), ...segments)
    for (const child of children.toReversed()) waiting.push([child, own])
  }
  return output
}
