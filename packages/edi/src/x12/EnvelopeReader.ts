/**
 * Puts the segments of a file together into interchanges, and checks their envelopes: the control numbers and counts of ISA and IEA,
 * GS and GE, ST and SE.
 *
 * Guarantee: a file whose interchange is damaged is refused as a whole; a damaged group or set keeps its fault, which a 997 tells.
 */
import * as Faults from "./EnvelopeFaults.ts"
import type { Fault } from "./Fault.ts"
import type { FunctionalGroup, Interchange, TransactionSet } from "./Interchange.ts"
import { elementOf } from "./Segment.ts"
import type { Delimiters, Segment } from "./Segment.ts"
import { isaLength } from "./SegmentReader.ts"
import type { SegmentSink, SegmentText } from "./SegmentReader.ts"
import type { Limits } from "./X12Limits.ts"

/** What is otherwise read only, with lists that are still growing. */
type Growing<A, Lists extends keyof A> =
  & Omit<A, Lists>
  & { readonly [Name in Lists]: A[Name] extends ReadonlyArray<infer Entry> ? Array<Entry> : never }

type OpenSet = Growing<TransactionSet, "segments" | "faults">
type OpenGroup = Growing<FunctionalGroup, "sets" | "faults">
type OpenInterchange = Growing<
  Omit<Interchange, "end" | "length" | "segmentCount">,
  "acknowledgments" | "groups"
>

export class EnvelopeReader implements SegmentSink {
  readonly interchanges: Array<Interchange> = []
  readonly #limits: Limits
  #interchange: OpenInterchange | undefined
  #isa: Segment | undefined
  #group: OpenGroup | undefined
  /** The control numbers of the groups of the interchange: it may have very many. */
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
    if (this.interchanges.length >= interchanges) return Faults.tooMany(isa, interchanges, "interchanges")
    const fault = Faults.isaFault(isa)
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
      notes: Faults.isaNotes(isa),
      acknowledgments: [],
      delimiters,
      start,
      groups: []
    }
    return undefined
  }

  segment(text: SegmentText, length: number, end: number): Fault | undefined {
    const interchange = this.#interchange
    if (interchange === undefined) return Faults.endFault(undefined)
    this.#length += length
    this.#segments++
    const segment = { ...text, inSet: 0 }
    const placeFault = (detail: string, remedy: string) => Faults.placeFault(segment, detail, remedy)
    switch (text.id) {
      case "ISA":
        return placeFault("the interchange before it has no IEA", "End each interchange with IEA.")
      case "IEA":
        return this.#endInterchange(segment, interchange, end)
      case "GS":
        this.#beginGroup(segment, interchange)
        return undefined
      case "GE":
        if (this.#group === undefined) return placeFault("no group is open", "Begin each group with GS.")
        this.#closeGroup(segment, true, this.#group, interchange)
        return undefined
      case "ST":
        return this.#beginSet(segment)
      case "SE":
        if (this.#group === undefined || this.#set === undefined) {
          return placeFault("no set is open", "Begin each set with ST.")
        }
        this.#closeSet({ ...segment, inSet: this.#set.segments.length + 2 }, true, this.#set, this.#group)
        return undefined
      case "BIN":
      case "BDS":
        return placeFault("binary segments are not read", "Send the interchange without it.")
    }
    return this.#addSegment(segment, interchange)
  }

  /** Ends the file, and returns the fault of one that has not ended its interchange. */
  end(): Fault | undefined {
    if (this.#interchange !== undefined) return Faults.endFault(this.#isa)
    return this.interchanges.length === 0 ? Faults.endFault(undefined) : undefined
  }

  #addSegment(segment: Segment, { acknowledgments, groups }: OpenInterchange): Fault | undefined {
    if (this.#set !== undefined) {
      const { faults, segments } = this.#set
      const within = { ...segment, inSet: segments.length + 2 }
      segments.push(within)
      // One such fault is enough: text that is no X12 may hold a million of them.
      if (!/^[A-Z][A-Z0-9]{1,2}$/.test(segment.id) && !faults.some(({ scope }) => scope === "SEGMENT")) {
        faults.push(Faults.idFault(within))
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
      return acknowledgments.length > sets ? Faults.tooMany(segment, sets, "segments TA1") : undefined
    }
    return Faults.placeFault(
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
      faults: [...Faults.gsFaults(gs, this.#groupNumbers)]
    }
    this.#groupNumbers.add(Faults.plainNumber(elementOf(gs, 6)))
  }

  /** Closes the open group at a segment: at its GE, or at one that shows that there is none. */
  #closeGroup(at: Segment, isEnd: boolean, group: OpenGroup, { groups }: OpenInterchange): void {
    if (this.#set !== undefined) this.#closeSet(at, false, this.#set, group)
    const { control, sets } = group
    group.faults.push(...Faults.trailerFaults("group", at, isEnd, control, sets.length))
    const setCount = isEnd ? elementOf(at, 1) : ""
    groups.push({ ...group, claimedSets: /^\d{1,6}$/.test(setCount) ? Number(setCount) : sets.length })
    this.#group = undefined
  }

  #beginSet(segment: Segment): Fault | undefined {
    if (this.#group === undefined) {
      return Faults.placeFault(segment, "no group is open", "Send each set between GS and GE.")
    }
    if (this.#set !== undefined) this.#closeSet(segment, false, this.#set, this.#group)
    if (++this.#sets > this.#limits.sets) return Faults.tooMany(segment, this.#limits.sets, "sets")
    const head = { ...segment, inSet: 1 }
    const [id, control] = [elementOf(head, 1), elementOf(head, 2)]
    this.#set = { id, control, head, segments: [], faults: [...Faults.stFaults(head)] }
    return undefined
  }

  /** Closes the open set at a segment: at its SE, or at one that shows that there is none. */
  #closeSet(at: Segment, isEnd: boolean, set: OpenSet, { sets }: OpenGroup): void {
    set.faults.push(...Faults.trailerFaults("set", at, isEnd, set.control, set.segments.length + 2))
    sets.push(set)
    this.#set = undefined
  }

  #endInterchange(iea: Segment, interchange: OpenInterchange, end: number): Fault | undefined {
    if (this.#group !== undefined) this.#closeGroup(iea, false, this.#group, interchange)
    const fault = Faults.ieaFault(iea, interchange.control, interchange.groups.length)
    if (fault !== undefined) return fault
    this.interchanges.push({ ...interchange, end, length: this.#length, segmentCount: this.#segments })
    this.#interchange = undefined
    return undefined
  }
}
