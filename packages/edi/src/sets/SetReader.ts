/**
 * Reads the sets of a group with the readers of their kinds.
 *
 * Guarantee: the result for a set has a meaning, unless the set or its group has a fault that rejects it. A set whose envelope or group has
 * a fault is rejected without reading its content.
 */
import * as Slices from "@dockline/core/input/Slices"
import { Result } from "effect"
import { elementOf, faultOf, groupCodes, setCodes } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { FunctionalGroup, TransactionSet } from "../x12/Interchange.ts"
import { read } from "../x12/X12Reader.ts"
import { readAcknowledgment } from "./Acknowledgments.ts"
import type { SetPlace, SetReading } from "./SetContent.ts"
import { readShipNotice } from "./ShipNotice.ts"
import { readWarehouseOrder } from "./WarehouseOrder.ts"

/** A set that was read. */
export interface ReadSet extends SetReading {
  readonly set: TransactionSet
}

/** A group whose sets were read. */
export interface ReadGroup {
  readonly group: FunctionalGroup
  readonly sets: ReadonlyArray<ReadSet>
}

/** The kinds of sets that have a reader, with the kind of their group (GS01) and their first segment. */
const kinds: Readonly<
  Record<string, {
    readonly group: string
    readonly firstSegment: string
    readonly read: (set: TransactionSet, place: SetPlace) => Slices.Steps<SetReading>
  }>
> = {
  "856": { group: "SH", firstSegment: "BSN", read: readShipNotice },
  "940": { group: "OW", firstSegment: "W05", read: readWarehouseOrder },
  "997": { group: "FA", firstSegment: "AK1", read: (set, { version }) => readAcknowledgment(set, version) }
}

/**
 * The number in the first segment of a set: of the shipment (BSN02), the order (W0502) or the group (AK102); `""` if the set begins
 * otherwise.
 */
export const numberOf = ({ id, segments: [first] }: Pick<TransactionSet, "id" | "segments">): string => {
  const firstSegment = Object.hasOwn(kinds, id) ? kinds[id]?.firstSegment : undefined
  return first === undefined || first.id !== firstSegment ? "" : elementOf(first, 2)
}

/** The kinds of sets that have a reader. */
export const readableKinds: ReadonlyArray<string> = Object.keys(kinds)

/** Reads the sets of a file synchronously: its groups, or the fault with which the file is refused as a whole. */
export const readSets = (
  text: string,
  place: Omit<SetPlace, "version">,
  acceptedKinds?: ReadonlyArray<string>
): Result.Result<ReadonlyArray<ReadGroup>, Fault> =>
  Result.map(
    read(text),
    (interchanges) =>
      interchanges.flatMap(({ groups }) => groups).map((group) =>
        Slices.atOnce(readGroup(group, place, acceptedKinds))
      )
  )

/**
 * Reads the sets of a group, in steps. Sets of kinds that are not accepted are rejected; by default, every kind with a reader is accepted.
 */
export function* readGroup(
  functionalGroup: FunctionalGroup,
  place: Omit<SetPlace, "version">,
  acceptedKinds: ReadonlyArray<string> = readableKinds
): Slices.Steps<ReadGroup> {
  const group = { ...functionalGroup, faults: [...functionalGroup.faults, ...groupFaults(functionalGroup)] }
  const sets: Array<ReadSet> = []
  const controls = new Set<string>()
  for (const set of group.sets) {
    const isRepeated = controls.has(set.control)
    controls.add(set.control)
    const faults = [...set.faults, ...setFaults(set, group, isRepeated, acceptedKinds)]
    if (faults.length > 0 || group.faults.length > 0) sets.push({ set, meaning: undefined, faults })
    // The kind has a reader, because otherwise the set would have a fault.
    else sets.push({ set, ...(yield* kinds[set.id]!.read(set, { ...place, version: group.version })) })
  }
  return { group, sets }
}

const groupFaults = ({ head, version }: FunctionalGroup): ReadonlyArray<Fault> => {
  const release = version.slice(0, 6)
  return /^\d{6}$/.test(release) && release >= "004010" && release <= "005010" ? [] : [faultOf(head, {
    scope: "GROUP",
    element: 8,
    code: groupCodes.version,
    detail: `sets of the version ${version} are not read`,
    remedy: "Send sets of the version 004010 or 005010."
  })]
}

const setFaults = (
  { head, id }: TransactionSet,
  { functionalId }: FunctionalGroup,
  isRepeated: boolean,
  acceptedKinds: ReadonlyArray<string>
): ReadonlyArray<Fault> => {
  const kind = Object.hasOwn(kinds, id) && acceptedKinds.includes(id) ? kinds[id] : undefined
  const faults: Array<Fault> = []
  const add = (element: number, code: string, detail: string, remedy: string) =>
    faults.push(faultOf(head, { scope: "SET", element, code, detail, remedy }))
  if (kind === undefined) {
    const remedy = `Send ${acceptedKinds.length === 0 ? "none" : acceptedKinds.join(", ")}.`
    add(1, setCodes.unsupported, `sets of the kind ${id} are not taken`, remedy)
  } else if (functionalId !== kind.group) {
    const detail = `a set ${id} stands in a group of the kind ${functionalId}`
    add(1, setCodes.id, detail, `Send it in a group ${kind.group}.`)
  }
  if (isRepeated) {
    const detail = "another set of the group has the same control number"
    add(2, setCodes.number, detail, "Give each set of a group its own control number.")
  }
  return faults
}
