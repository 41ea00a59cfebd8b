/**
 * Reads files of X12 in the releases 4010 to 5010 (D18.1): assembles segments into interchanges, and checks the control numbers and counts
 * of their envelopes, ISA and IEA, GS and GE, ST and SE.
 *
 * Guarantee: the result does not depend on the chunks of a file. A file with a damaged interchange is refused with its first fault, and
 * none of its interchanges is returned. The fault of a damaged group or set is in the result, so that a 997 can report it. No input makes
 * the reader throw. A long file is read in slices, and only up to the first fault that refuses it.
 *
 * ```ts
 * Result.match(X12Reader.read(text), { onSuccess: (interchanges) => …, onFailure: (fault) => describe(fault) })
 * ```
 */
import * as Slices from "@dockline/core/input/Slices"
import { Result } from "effect"
import {
  countOf,
  elementOf,
  faultOf,
  groupCodes,
  interchangeCodes,
  noSegment,
  segmentCodes,
  setCodes
} from "./Fault.ts"
import type { Delimiters, Fault, FaultText, Segment } from "./Fault.ts"
import { defaultLimits } from "./Interchange.ts"
import type { FunctionalGroup, Interchange, Limits, TransactionSet } from "./Interchange.ts"
import { isaLength, SegmentReader } from "./SegmentReader.ts"
import type { SegmentSink, SegmentText } from "./SegmentReader.ts"

/** The interchanges of a file, at least one, or the reason why it is refused as a whole. */
export type Reading = Result.Result<ReadonlyArray<Interchange>, Fault>

/** Reads a file that comes in chunks, and each chunk in steps. */
export class X12Reader {
  readonly #envelopes: EnvelopeReader
  readonly #segments: SegmentReader
  #fault: Fault | undefined

  constructor(limits: Limits = defaultLimits) {
    this.#envelopes = new EnvelopeReader(limits)
    this.#segments = new SegmentReader(this.#envelopes, limits)
  }

  /** Reads a chunk. Returns `false` if the file is refused. Further chunks are then ignored. */
  *push(chunk: string): Slices.Steps<boolean> {
    this.#fault ??= yield* this.#segments.push(chunk)
    return this.#fault === undefined
  }

  /** Ends the file. */
  end(): Reading {
    this.#fault ??= this.#segments.end() ?? this.#envelopes.end()
    return this.#fault === undefined ? Result.succeed(this.#envelopes.interchanges) : Result.fail(this.#fault)
  }
}

/** Reads a file in steps. */
export function* readSteps(text: string, limits?: Limits): Slices.Steps<Reading> {
  const reader = new X12Reader(limits)
  yield* reader.push(text)
  return reader.end()
}

/** Reads a file synchronously. */
export const read = (text: string, limits?: Limits): Reading => Slices.atOnce(readSteps(text, limits))

/** The characters between segments, which readers skip. */
const between = /[\t-\r \ufeff]*/y

/** Marks the end of each segment in the normal form. */
const end = "\n"

/** The cost of a segment, in the unit of slices. */
const segmentCost = 2

/**
 * The normal form of an interchange, by which a repetition is recognised even if its lines are wrapped differently: the segments without
 * the white space between them and without their terminators. Systems between the partner and the service may rewrap files and change their
 * line ends.
 *
 * `text` is the text from ISA to IEA. The normal form is made in steps.
 */
export function* normalForm(
  text: string,
  { segment: terminator }: Pick<Delimiters, "segment">
): Slices.Steps<string> {
  const segments: Array<string> = []
  for (let from = 0; from < text.length;) {
    yield segmentCost
    between.lastIndex = from
    between.test(text)
    const begin = between.lastIndex
    const match = text.indexOf(terminator, begin)
    const last = match === -1 ? text.length : match
    if (begin < text.length) segments.push(text.slice(begin, last))
    from = last + 1
  }
  return segments.join(end)
}

/** A number without leading zeros, which have no meaning. Any other text is unchanged. */
export const plainNumber = (text: string): string => /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, "") : text

const isSameNumber = (left: string, right: string): boolean => plainNumber(left) === plainNumber(right)

type Rule = Pick<FaultText, "scope" | "element" | "code" | "remedy">

const rules = (scope: Fault["scope"]) => (element: number, code: string, remedy: string): Rule => ({
  scope,
  element,
  code,
  remedy
})

const [file, group, set] = [rules("INTERCHANGE"), rules("GROUP"), rules("SET")]

/** The element, the code and the remedy of each fault of an envelope. */
const envelope = {
  version: file(12, interchangeCodes.version, "Send a version such as 00401."),
  release: file(
    12,
    interchangeCodes.version,
    "Send 00401 or 00501; GS08 says in which release the sets are."
  ),
  number: file(13, interchangeCodes.number, "Send a control number of nine digits."),
  control: file(2, interchangeCodes.control, "Send the same control number in ISA13 and IEA02."),
  groups: file(1, interchangeCodes.count, "Send all groups, and their number in IEA01."),
  end: file(0, interchangeCodes.end, "Send the whole interchange, from ISA to IEA."),
  size: file(0, interchangeCodes.size, "Send them in several files."),
  groupNumber: group(6, groupCodes.number, "Send a control number of at most nine digits."),
  groupNumberUsed: group(6, groupCodes.number, "Give each group its own control number."),
  kind: set(1, setCodes.id, "Send the kind of the set, such as 856."),
  setNumber: set(2, setCodes.number, "Send a control number such as 0001.")
}

/** The rules of the end of a group and of a set. */
const trailers = {
  group: {
    head: "GS",
    id: "GE",
    entry: "set",
    end: group(0, groupCodes.noTrailer, "End each group with GE."),
    control: group(2, groupCodes.control, "Send the same control number in GS06 and GE02."),
    count: group(1, groupCodes.count, "Send all sets, and their number in GE01.")
  },
  set: {
    head: "ST",
    id: "SE",
    entry: "segment",
    end: set(0, setCodes.noTrailer, "End each set with SE."),
    control: set(2, setCodes.control, "Send the same control number in ST02 and SE02."),
    count: set(
      1,
      setCodes.count,
      "Send all segments, and their number in SE01, which includes ST and SE."
    )
  }
}

const envelopeFault = (rule: keyof typeof envelope, at: Segment, detail: string): Fault =>
  faultOf(at, { ...envelope[rule], detail })

/**
 * The fault of a misplaced segment of an envelope: ISA and IEA, GS and GE, ST and SE.
 */
export const placeFault = (at: Segment, detail: string, remedy: string): Fault =>
  faultOf(at, { scope: "INTERCHANGE", code: interchangeCodes.structure, detail, remedy })

const tooMany = (at: Segment, limit: number, things: string): Fault =>
  envelopeFault("size", at, `the file has more than ${limit} ${things}`)

const isaFault = (isa: Segment): Fault | undefined => {
  const version = elementOf(isa, 12)
  if (!/^\d{5}$/.test(version)) {
    return envelopeFault("version", isa, `the version ${version} does not have five digits`)
  }
  return /^\d{9}$/.test(elementOf(isa, 13))
    ? undefined
    : envelopeFault("number", isa, "the control number does not have nine digits")
}

/**
 * The notes on an ISA. An unusual version is only noted, because ISA12 names only the release of the envelope, while GS08 names the release
 * of the sets (D23.6).
 */
export const isaNotes = (isa: Segment): ReadonlyArray<Fault> => {
  const version = elementOf(isa, 12)
  return /^00[45]0\d$/.test(version)
    ? []
    : [{ ...envelopeFault("release", isa, `the envelope is of the version ${version}`), isNoted: true }]
}

const ieaFault = (iea: Segment, control: string, groups: number): Fault | undefined => {
  if (!isSameNumber(elementOf(iea, 2), control)) {
    return envelopeFault(
      "control",
      iea,
      `the control number of ISA is ${control}, and this is ${elementOf(iea, 2)}`
    )
  }
  return isSameNumber(elementOf(iea, 1), String(groups))
    ? undefined
    : envelopeFault("groups", iea, `the interchange has ${countOf(groups, "group")}`)
}

/** The fault of a file that ends within an interchange, at its last ISA. */
export const endFault = (isa: Segment | undefined): Fault =>
  isa === undefined
    ? placeFault(noSegment, "the file is empty", "Send an interchange, from ISA to IEA.")
    : envelopeFault("end", isa, "the interchange has no IEA")

/** The faults of the beginning of a group. `others` has the control numbers of the other groups, without leading zeros. */
export const gsFaults = (gs: Segment, others: ReadonlySet<string>): ReadonlyArray<Fault> => {
  const control = elementOf(gs, 6)
  if (!/^\d{1,9}$/.test(control)) {
    return [envelopeFault("groupNumber", gs, "the control number does not have one to nine digits")]
  }
  return others.has(plainNumber(control))
    ? [envelopeFault("groupNumberUsed", gs, "another group of the interchange has the same control number")]
    : []
}

const stFaults = (st: Segment): ReadonlyArray<Fault> => [
  ...(/^\d{3}$/.test(elementOf(st, 1))
    ? []
    : [envelopeFault("kind", st, "the kind of set does not have three digits")]),
  ...(/^[A-Za-z0-9]{4,9}$/.test(elementOf(st, 2))
    ? []
    : [envelopeFault("setNumber", st, "the control number does not have four to nine characters")])
]

/** The faults of the end of a group or a set, at its trailer or, if the trailer is missing, at the segment that shows this. */
export const trailerFaults = (
  what: keyof typeof trailers,
  at: Segment,
  isEnd: boolean,
  control: string,
  entries: number
): ReadonlyArray<Fault> => {
  const { count, entry, head, id, ...trailer } = trailers[what]
  if (!isEnd) return [faultOf(at, { ...trailer.end, detail: `the ${what} ${control} has no ${id}` })]
  return [
    ...(isSameNumber(elementOf(at, 2), control)
      ? []
      : [faultOf(at, { ...trailer.control, detail: `the control number of ${head} is ${control}` })]),
    ...(isSameNumber(elementOf(at, 1), String(entries))
      ? []
      : [faultOf(at, { ...count, detail: `the ${what} has ${countOf(entries, entry)}` })])
  ]
}

const idFault = (segment: Segment): Fault =>
  faultOf(segment, {
    code: segmentCodes.unrecognized,
    detail: segment.id === ""
      ? "the segment is empty"
      : "a segment begins with two or three capital letters and digits",
    remedy: "Send segments whose data hold neither the segment terminator nor line breaks."
  })

/** Interchanges, groups and sets under construction, with growing lists. */
type Growing<A, Lists extends keyof A> =
  & Omit<A, Lists>
  & { readonly [Name in Lists]: A[Name] extends ReadonlyArray<infer Entry> ? Array<Entry> : never }

type OpenSet = Growing<TransactionSet, "segments" | "faults">
type OpenGroup = Growing<FunctionalGroup, "sets" | "faults">
type OpenInterchange = Growing<
  Omit<Interchange, "end" | "length" | "segmentCount">,
  "acknowledgments" | "groups"
>

class EnvelopeReader implements SegmentSink {
  readonly interchanges: Array<Interchange> = []
  readonly #limits: Limits
  #interchange: OpenInterchange | undefined
  #isa: Segment | undefined
  #group: OpenGroup | undefined
  /** The control numbers of the groups of the interchange, in a set because there may be very many. */
  readonly #groupNumbers = new Set<string>()
  #set: OpenSet | undefined
  #sets = 0
  #length = 0
  #segments = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  isClosed(): boolean {
    return this.#interchange === undefined
  }

  open(text: SegmentText, delimiters: Delimiters, start: number): Fault | undefined {
    const isa = { ...text, inSet: 0 }
    const { interchanges } = this.#limits
    if (this.interchanges.length >= interchanges) return tooMany(isa, interchanges, "interchanges")
    const fault = isaFault(isa)
    if (fault !== undefined) return fault
    this.#isa = isa
    this.#length = isaLength
    this.#segments = 1
    this.#groupNumbers.clear()
    this.#interchange = {
      sender: { qualifier: elementOf(isa, 5), id: elementOf(isa, 6) },
      receiver: { qualifier: elementOf(isa, 7), id: elementOf(isa, 8) },
      control: elementOf(isa, 13),
      version: elementOf(isa, 12),
      usage: elementOf(isa, 15),
      date: elementOf(isa, 9),
      time: elementOf(isa, 10),
      wantsAcknowledgment: elementOf(isa, 14) === "1",
      notes: isaNotes(isa),
      acknowledgments: [],
      delimiters,
      start,
      groups: []
    }
    return undefined
  }

  segment(text: SegmentText, length: number, end: number): Fault | undefined {
    const interchange = this.#interchange
    if (interchange === undefined) return endFault(undefined)
    this.#length += length
    this.#segments++
    const segment = { ...text, inSet: 0 }
    const fault = (detail: string, remedy: string) => placeFault(segment, detail, remedy)
    switch (text.id) {
      case "ISA":
        return fault("the interchange before it has no IEA", "End each interchange with IEA.")
      case "IEA":
        return this.#endInterchange(segment, interchange, end)
      case "GS":
        this.#beginGroup(segment, interchange)
        return undefined
      case "GE":
        if (this.#group === undefined) return fault("no group is open", "Begin each group with GS.")
        this.#closeGroup(segment, true, this.#group, interchange)
        return undefined
      case "ST":
        return this.#beginSet(segment)
      case "SE":
        if (this.#group === undefined || this.#set === undefined) {
          return fault("no set is open", "Begin each set with ST.")
        }
        this.#closeSet({ ...segment, inSet: this.#set.segments.length + 2 }, true, this.#set, this.#group)
        return undefined
      case "BIN":
      case "BDS":
        return fault("binary segments are not read", "Send the interchange without it.")
    }
    return this.#addSegment(segment, interchange)
  }

  /** Ends the file, and returns a fault if an interchange is still open. */
  end(): Fault | undefined {
    if (this.#interchange !== undefined) return endFault(this.#isa)
    return this.interchanges.length === 0 ? endFault(undefined) : undefined
  }

  #addSegment(segment: Segment, { acknowledgments, groups }: OpenInterchange): Fault | undefined {
    if (this.#set !== undefined) {
      const { faults, segments } = this.#set
      const within = { ...segment, inSet: segments.length + 2 }
      segments.push(within)
      // One such fault is enough: a text that is no X12 may contain a million such segments.
      if (!/^[A-Z][A-Z0-9]{1,2}$/.test(segment.id) && !faults.some(({ scope }) => scope === "SEGMENT")) {
        faults.push(idFault(within))
      }
      return undefined
    }
    // An interchange may acknowledge others before its first group.
    if (this.#group === undefined && groups.length === 0 && /^(TA[1-3]|ISB|ISE)$/.test(segment.id)) {
      if (segment.id !== "TA1") return undefined
      const [control = "", date = "", time = "", status = "", code = ""] = [1, 2, 3, 4, 5].map((place) =>
        elementOf(segment, place)
      )
      acknowledgments.push({ control, date, time, status, code, segment })
      const { sets } = this.#limits
      return acknowledgments.length > sets ? tooMany(segment, sets, "segments TA1") : undefined
    }
    return placeFault(
      segment,
      this.#group === undefined ? "GS or IEA is expected here" : "ST or GE is expected here",
      "Send each segment of data between ST and SE, and each set between GS and GE."
    )
  }

  #beginGroup(gs: Segment, interchange: OpenInterchange): void {
    if (this.#group !== undefined) this.#closeGroup(gs, false, this.#group, interchange)
    this.#group = {
      functionalId: elementOf(gs, 1),
      sender: elementOf(gs, 2),
      receiver: elementOf(gs, 3),
      control: elementOf(gs, 6),
      version: elementOf(gs, 8),
      head: gs,
      sets: [],
      claimedSets: 0,
      faults: [...gsFaults(gs, this.#groupNumbers)]
    }
    this.#groupNumbers.add(plainNumber(elementOf(gs, 6)))
  }

  /** Closes the open group at its GE or, if GE is missing, at the segment that shows this. */
  #closeGroup(at: Segment, isEnd: boolean, group: OpenGroup, { groups }: OpenInterchange): void {
    if (this.#set !== undefined) this.#closeSet(at, false, this.#set, group)
    const { control, sets } = group
    group.faults.push(...trailerFaults("group", at, isEnd, control, sets.length))
    const setCount = isEnd ? elementOf(at, 1) : ""
    groups.push({ ...group, claimedSets: /^\d{1,6}$/.test(setCount) ? Number(setCount) : sets.length })
    this.#group = undefined
  }

  #beginSet(segment: Segment): Fault | undefined {
    if (this.#group === undefined) {
      return placeFault(segment, "no group is open", "Send each set between GS and GE.")
    }
    if (this.#set !== undefined) this.#closeSet(segment, false, this.#set, this.#group)
    if (++this.#sets > this.#limits.sets) return tooMany(segment, this.#limits.sets, "sets")
    const head = { ...segment, inSet: 1 }
    const [id, control] = [elementOf(head, 1), elementOf(head, 2)]
    this.#set = { id, control, head, segments: [], faults: [...stFaults(head)] }
    return undefined
  }

  /** Closes the open set at its SE or, if SE is missing, at the segment that shows this. */
  #closeSet(at: Segment, isEnd: boolean, set: OpenSet, { sets }: OpenGroup): void {
    set.faults.push(...trailerFaults("set", at, isEnd, set.control, set.segments.length + 2))
    sets.push(set)
    this.#set = undefined
  }

  #endInterchange(iea: Segment, interchange: OpenInterchange, end: number): Fault | undefined {
    if (this.#group !== undefined) this.#closeGroup(iea, false, this.#group, interchange)
    const fault = ieaFault(iea, interchange.control, interchange.groups.length)
    if (fault !== undefined) return fault
    this.interchanges.push({ ...interchange, end, length: this.#length, segmentCount: this.#segments })
    this.#interchange = undefined
    return undefined
  }
}
