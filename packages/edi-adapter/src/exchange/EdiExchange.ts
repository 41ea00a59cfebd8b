/**
 * Takes files of X12 from partners: core's `EdiIntake` over its services (D18.2, D18.3).
 *
 * Guarantee: a file is refused as a whole before any of it is done, or each of its sets is taken or rejected by itself, in their
 * order. Its record and its acknowledgment are one transaction, which gives the control numbers. The same interchange again gets
 * the same acknowledgment, and does nothing; another one with the control number is refused. What fails for want of the storage leaves
 * the sets before it done, without a record: the file is sent again, as a document may be.
 */
import { allowsEverywhere, everything, holds } from "@dockline/core/Access"
import type { BusinessScope, Principal } from "@dockline/core/Access"
import { Directory } from "@dockline/core/Directory"
import { acknowledged } from "@dockline/core/EdiFile"
import type { EdiFile } from "@dockline/core/EdiFile"
import { EdiIntake } from "@dockline/core/EdiIntake"
import type { EdiIntakeService, EdiTakeError, EdiTaken } from "@dockline/core/EdiIntake"
import { controlAfter } from "@dockline/core/EdiPartner"
import type { EdiPartner } from "@dockline/core/EdiPartner"
import { EdiStore } from "@dockline/core/EdiStore"
import type { EdiState, EdiStep } from "@dockline/core/EdiStore"
import { EdiRefused, Forbidden } from "@dockline/core/Errors"
import type { Intake } from "@dockline/core/Intake"
import * as Slices from "@dockline/core/internal/input/Slices"
import * as Authorize from "@dockline/core/internal/places/Authorize"
import { defaultTimeZone } from "@dockline/core/internal/places/Place"
import * as Metrics from "@dockline/core/internal/values/Metrics"
import type { Shipments } from "@dockline/core/Shipments"
import { Effect, Layer, Result } from "effect"
import { readGroup, readKinds } from "../sets/SetReader.ts"
import type { ReadGroup } from "../sets/SetReader.ts"
import { localTime } from "../sets/Times.ts"
import { faultOf, interchangeCodes } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { Interchange } from "../x12/Interchange.ts"
import { readSteps } from "../x12/X12Reader.ts"
import { echoFaults } from "./Echo.ts"
import { acknowledgmentsOf, countFile, fileOf, filesTaken, storable } from "./FileRecord.ts"
import { ofPartner, partnerOf } from "./Partner.ts"
import { setTaker } from "./SetTaker.ts"
import { takenGroup, writeAnswer } from "./Taken.ts"
import type { TakenGroup } from "./Taken.ts"

/** An interchange of a file, with its partner and its text. */
interface Opened {
  readonly interchange: Interchange
  readonly partner: EdiPartner
  readonly text: string
  /** The file that came with the control number before; `null` if none did. */
  readonly known: EdiFile | null
}

const refusal = ({ detail, element, remedy, segment, segmentId }: Fault): EdiRefused =>
  new EdiRefused({ segment, segmentId, element, detail, remedy })

/** The businesses to which a client may send. */
const scopeOf = (principal: Principal): BusinessScope =>
  allowsEverywhere(principal, "documents:write", everything)
    ? everything
    : Array.from(
      new Set(
        principal.grants.filter(({ permissions }) => permissions.includes("documents:write"))
          .map(({ business }) => business)
      )
    )

/** Takes files over the services. */
export const layer: Layer.Layer<never, never, Intake | Shipments | Directory | EdiStore> = Layer.effect(
  EdiIntake,
  Effect.gen(function*() {
    const directory = yield* Directory
    const store = yield* EdiStore
    const takeSet = yield* setTaker

    /** The interchanges of a file, if the client may send all of them, and none came before with another text. */
    const opened = Effect.fnUntraced(function*(text: string, principal: Principal) {
      if (!holds(principal, "documents:write")) {
        return yield* new Forbidden({
          permission: "documents:write",
          business: everything,
          facility: everything
        })
      }
      const reading = yield* Slices.runInTurn(readSteps(text))
      const interchanges = yield* Effect.mapError(Effect.fromResult(reading), refusal)
      const numbers = new Set<string>()
      return yield* Effect.forEach(interchanges, (interchange) =>
        Effect.gen(function*() {
          const { control, end, receiver, sender, start } = interchange
          const found = yield* store.between(scopeOf(principal), sender, receiver)
          const partner = yield* Effect.mapError(Effect.fromResult(partnerOf(interchange, found)), refusal)
          yield* Authorize.permission(directory, principal, "documents:write", partner)
          const own = storable(text.slice(start, end))
          const key = JSON.stringify([partner.business, partner.slug, control])
          const known = yield* store.known(nameOf(partner), control)
          if (numbers.has(key) || (known !== null && known.text !== own)) {
            return yield* refusal(reused(control))
          }
          numbers.add(key)
          return { interchange, partner, text: own, known }
        }))
    })

    const read = Effect.fnUntraced(function*({ interchange, partner }: Opened, timeZone: string) {
      const { business, facility, takes } = partner
      const kinds = readKinds.filter((kind) => kind === "997" || takes.includes(kind))
      return yield* Effect.forEach(interchange.groups, (given) =>
        Effect.gen(function*() {
          const steps = readGroup(ofPartner(given, partner), { business, facility, timeZone }, kinds)
          const { group, sets } = yield* Slices.runInTurn(steps)
          const judged = yield* Effect.forEach(sets, (set) =>
            set.meaning?._tag !== "Document"
              ? Effect.succeed(set)
              : Effect.map(
                Slices.runInTurn(echoFaults(set.meaning, partner)),
                (faults) => ({ ...set, faults: [...set.faults, ...faults] })
              ))
          return { group, sets: judged }
        }))
    })

    const take = Effect.fnUntraced(function*(given: Opened, principal: Principal) {
      const { interchange: { control }, known, partner } = given
      const name = nameOf(partner)
      if (known !== null) return { file: known, isRepeated: true }
      const timeZone = (yield* directory.facility(partner.business, partner.facility))?.timeZone ??
        defaultTimeZone
      const groups = yield* read(given, timeZone)
      const claimed = partner.tells.length === 0 ? [] : shipmentNumbersOf(groups)
      if (claimed.length > 0) yield* store.claim(name, claimed)
      const taken = yield* Effect.forEach(groups, (group) =>
        Effect.map(
          Effect.forEach(group.sets, (set) => takeSet(set, partner, principal)),
          (done) => takenGroup(group, done, partner)
        ))
      const acknowledgments = acknowledgmentsOf(taken)
      const about = { control, groups: acknowledgments.map(({ groupControl }) => Number(groupControl)) }
      const step = yield* store.transact(
        name,
        about,
        (state) => recorded(given, groups, taken, acknowledgments, state, timeZone)
      )
      // The partner was deleted meanwhile.
      return step ?? (yield* Effect.mapError(Effect.fromResult(partnerOf(given.interchange, [])), refusal))
    })

    const service: EdiIntakeService = {
      take: Effect.fn("EdiExchange.take")(
        function*(text, principal) {
          const files = yield* opened(text, principal)
          return yield* Effect.forEach(
            files,
            (file) =>
              Effect.tap(
                take(file, principal),
                ({ file, isRepeated }) =>
                  isRepeated ? Metrics.update(filesTaken.of("IN", "repeated"), 1) : countFile(file)
              )
          )
        },
        Effect.tapError((error: EdiTakeError) =>
          error instanceof EdiRefused ? Metrics.update(filesTaken.of("IN", "refused"), 1) : Effect.void
        )
      )
    }
    return service
  })
)

const nameOf = ({ business, slug }: EdiPartner) => ({ business, partner: slug })

const reused = (control: string): Fault =>
  faultOf({ id: "ISA", position: 1, inSet: 0 }, {
    scope: "INTERCHANGE",
    element: 13,
    code: interchangeCodes.number,
    value: control,
    detail: `another interchange came with the control number ${control}`,
    remedy: "Number each interchange anew; to send one again, send it as it was."
  })

const repeated = (file: EdiTaken["file"], text: string): Result.Result<EdiTaken, EdiRefused> =>
  file.text === text
    ? Result.succeed({ file, isRepeated: true })
    : Result.fail(refusal(reused(file.control)))

/** The numbers of the shipments that the sets of groups describe. */
const shipmentNumbersOf = (groups: ReadonlyArray<ReadGroup>): ReadonlyArray<string> =>
  Array.from(
    new Set(
      groups.flatMap(({ sets }) => sets).flatMap(({ meaning }) =>
        meaning?._tag === "Document" && meaning.document.shipmentNumber !== undefined
          ? [meaning.document.shipmentNumber]
          : []
      )
    )
  )

/** The record of an interchange with its acknowledgment, in the transaction that gives the control numbers. */
const recorded = (
  { interchange: { control }, text }: Opened,
  groups: ReadonlyArray<ReadGroup>,
  taken: ReadonlyArray<TakenGroup>,
  acknowledgments: ReturnType<typeof acknowledgmentsOf>,
  { known, now, partner, sent }: EdiState,
  timeZone: string
): Result.Result<EdiStep<EdiTaken>, EdiRefused> => {
  if (known !== null) {
    return Result.map(repeated(known, text), (again) => ({ plan: null, answer: () => again }))
  }
  const { cursorId, nextGroup, nextInterchange } = partner
  const { date, time } = localTime(now, timeZone)
  const written = writeAnswer(
    { partner, control, groups: taken },
    { interchange: nextInterchange, group: nextGroup, date, time }
  )
  // The ids of a partner fit, and all else of an acknowledgment is made to.
  const answer = written === undefined ? "" : Result.getOrThrow(written)
  const numbers = answer === "" ? 0 : 1
  const file = fileOf(control, groups, taken, text, answer)
  return Result.succeed({
    plan: {
      cursorId,
      nextGroup: controlAfter(nextGroup, numbers),
      nextInterchange: controlAfter(nextInterchange, numbers),
      file,
      marked: sent.map(({ id, ...each }) => ({ id, ...acknowledged(each, acknowledgments) }))
    },
    // A plan with a file adds it.
    answer: (added) => ({ file: added!, isRepeated: false })
  })
}
