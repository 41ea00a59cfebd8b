/**
 * Accepts files of X12 from partners: `EdiIntake` over the services of core (D18.2, D18.3).
 *
 * Guarantee: either a file is refused as a whole before any of it is executed, or each of its sets is accepted or rejected by itself, as if
 * the sets came one after another. An interchange belongs to the one partner whose settings have the ids of its sender and of its receiver;
 * any other interchange is refused. If, in the meantime, the partner of an interchange is deleted or its control number is used by another
 * request, the file is refused after its earlier interchanges were executed and recorded. One transaction stores the record and the
 * acknowledgment, and assigns the control numbers. A repeated interchange gets the same acknowledgment, and has no further effect. While an
 * interchange is being executed, its control number is reserved, and a repetition is refused until later (503). Work that has lost its
 * reservation records nothing; work that fails releases the number. A different interchange with the same control number is refused. An
 * interchange that has begun is completed even if its client disconnects. If the storage fails, the sets executed so far remain in effect
 * without a record; the sender repeats the file, as it may repeat a document.
 */
import { allowsEverywhere, everything, holds } from "@dockline/core/access/Access"
import type { BusinessScope, Principal } from "@dockline/core/access/Access"
import { overloaded } from "@dockline/core/access/RequestLimits"
import type { Intake } from "@dockline/core/document/Intake"
import * as Slices from "@dockline/core/input/Slices"
import type { Shipments } from "@dockline/core/movement/Shipments"
import * as Authorize from "@dockline/core/places/Authorize"
import { Directory } from "@dockline/core/places/Place"
import type { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Forbidden } from "@dockline/core/values/Errors"
import * as Metrics from "@dockline/core/values/Metrics"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { sha256 } from "@dockline/core/values/WebCrypto"
import { Effect, Exit, Fiber, FiberSet, Layer, Result } from "effect"
import type { EdiRefused } from "../domain/EdiErrors.ts"
import type { EdiFile } from "../domain/EdiFile.ts"
import { EdiIntake } from "../domain/EdiIntake.ts"
import type { EdiIntakeService, EdiReceipt, EdiTakeError } from "../domain/EdiIntake.ts"
import { isBetween } from "../domain/EdiPartner.ts"
import type { EdiPartner, EdiTerms } from "../domain/EdiPartner.ts"
import { EdiStore } from "../domain/EdiStore.ts"
import type { PartnerKey } from "../domain/EdiStore.ts"
import { readableKinds, readGroup } from "../sets/SetReader.ts"
import type { ReadGroup, ReadSet } from "../sets/SetReader.ts"
import { faultOf, groupCodes, interchangeCodes, isaFault } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { FunctionalGroup, Interchange } from "../x12/Interchange.ts"
import { normalForm, readSteps } from "../x12/X12Reader.ts"
import { echoFaults } from "./Echo.ts"
import { LargeFiles } from "./LargeFiles.ts"
import {
  countFile,
  duplicateControl,
  FaultyFile,
  filesTaken,
  recordOf,
  refusalOf,
  refusalRecorder,
  stepOf,
  storable
} from "./Record.ts"
import { runsOf, setProcessor, setsAtOnce } from "./SetTaker.ts"

/** An interchange of a file, with its partner and its text. */
interface PartnerInterchange {
  readonly interchange: Interchange
  readonly partner: EdiPartner
  /** The time zone of its facility. */
  readonly timeZone: string
  readonly text: string
  /** The hash of its segments. */
  readonly fingerprint: string
  /** The stored file with the same control number and fingerprint; `null` if there is none. */
  readonly earlierFile: EdiFile | null
}

/** The businesses to which a client may send files. If the client names a business, only that one. */
const scopeOf = (principal: Principal, businessName: string | undefined): BusinessScope => {
  if (allowsEverywhere(principal, "documents:write", everything)) {
    return businessName === undefined
      ? everything
      : [businessName]
  }
  const all = unique(
    principal.grants.flatMap(({ business, permissions }) =>
      permissions.includes("documents:write") ? [business] : []
    )
  )
  return businessName === undefined ? all : all.filter((business) => business === businessName)
}

const unique = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => Array.from(new Set(values))

export const layer: Layer.Layer<
  never,
  never,
  Intake | Shipments | Directory | EdiStore | ShipmentStore
> = Layer.effect(
  EdiIntake,
  Effect.gen(function*() {
    const directory = yield* Directory
    const store = yield* EdiStore
    const takeSet = yield* setProcessor
    const recordRefusal = refusalRecorder(store, directory)
    const running = yield* FiberSet.make<EdiReceipt, TakeFailure>()

    /**
     * Runs work in its own fiber, and waits for it. The work continues even if the client disconnects, and counts against the client's
     * limits until it ends.
     */
    const toTheEnd = (work: Effect.Effect<EdiReceipt, TakeFailure>) =>
      Effect.uninterruptible(Effect.flatMap(FiberSet.run(running, work), (fiber) => Fiber.join(fiber)))

    /**
     * The interchanges of a file. Fails if the file is damaged, or if an interchange belongs to no partner or to several, may not be sent by
     * the client, or has the control number of a different interchange.
     */
    const openFile = Effect.fnUntraced(
      function*(text: string, principal: Principal, business: string | undefined) {
        if (!holds(principal, "documents:write")) {
          const anywhere = { business: everything, facility: everything }
          return yield* new Forbidden({ permission: "documents:write", ...anywhere })
        }
        const interchanges = yield* orRefused(yield* Slices.runInTurn(readSteps(text)))
        /** The fingerprints of the interchanges of the file, by partner and control number. */
        const numbers = new Map<string, string>()
        return yield* Effect.forEach(interchanges, (interchange) =>
          Effect.gen(function*() {
            const { control, end, receiver, sender, start } = interchange
            const addressees = yield* store.between(scopeOf(principal, business), {
              sender,
              receiver,
              control
            })
            const { isKnown, partner, timeZone } = yield* orRefused(addresseeOf(interchange, addressees))
            yield* Authorize.permission(directory, principal, "documents:write", partner)
            const own = storable(text.slice(start, end))
            const key = JSON.stringify([partner.business, partner.key, control])
            const fingerprint = yield* sha256(
              yield* Slices.runInTurn(normalForm(own, interchange.delimiters))
            )
            const earlierFile = isKnown ? yield* store.fileByControl(partner, control, fingerprint) : null
            if ((numbers.get(key) ?? fingerprint) !== fingerprint || (isKnown && earlierFile === null)) {
              return yield* refuseDuplicate(control)
            }
            numbers.set(key, fingerprint)
            return { interchange, partner, timeZone, text: own, fingerprint, earlierFile }
          }))
      }
    )

    const read = Effect.fnUntraced(function*({ interchange, partner, timeZone }: PartnerInterchange) {
      const { business, facility, newPurposes, takes, units } = partner
      const kinds = readableKinds.filter((kind) => kind === "997" || takes.includes(kind))
      return yield* Effect.forEach(interchange.groups, (functionalGroup) =>
        Effect.gen(function*() {
          const steps = readGroup(checkSides(functionalGroup, partner), {
            business,
            facility,
            timeZone,
            units,
            newPurposes
          }, kinds)
          const { group, sets } = yield* Slices.runInTurn(steps)
          const judgedSets = yield* Effect.forEach(sets, (set) =>
            set.meaning?._tag !== "Document"
              ? Effect.succeed(set)
              : Effect.map(
                Slices.runInTurn(echoFaults(set.meaning, partner)),
                (faults) => ({ ...set, faults: [...set.faults, ...faults] })
              ))
          return { group, sets: judgedSets }
        }))
    })

    /** Executes the sets of an interchange, and records it. */
    const perform = Effect.fnUntraced(function*(
      file: PartnerInterchange,
      groups: ReadonlyArray<ReadGroup>,
      principal: Principal,
      lease: Lease
    ) {
      const { interchange, partner, timeZone } = file
      const takeOne = Effect.fnUntraced(function*(set: ReadSet) {
        yield* lease.check
        return yield* takeSet(set, partner, principal)
      })
      /** After the first failure, no further set begins, and the sets that have begun are awaited. */
      const takeRun = Effect.fnUntraced(function*(run: ReadonlyArray<ReadSet>) {
        let isEnding = false
        const begin = (set: ReadSet) =>
          Effect.tap(Effect.exit(takeOne(set)), (exit) => {
            isEnding ||= Exit.isFailure(exit)
            return Effect.void
          })
        const exits = yield* Effect.forEach(
          run,
          (set) => Effect.suspend(() => isEnding ? Effect.undefined : begin(set)),
          { concurrency: setsAtOnce }
        )
        return yield* Effect.forEach(exits.filter((exit) => exit !== undefined), (exit) => exit)
      })
      const done = yield* Effect.forEach(
        groups,
        ({ sets }) => Effect.map(Effect.forEach(runsOf(sets), takeRun), (runs) => runs.flat())
      )
      const record = yield* Slices.runInTurn(recordOf(file, groups, done))
      const about = {
        control: interchange.control,
        reservation: lease.reservation,
        // A control number that none of our groups can have identifies no group.
        groups: unique(record.acknowledgments.map(({ groupControl }) => Number(groupControl)))
          .filter((number) => /^[1-9]\d{0,8}$/.test(String(number))),
        orders: unique(record.words.flatMap(({ isChange, orderNumber }) => isChange ? [orderNumber] : [])),
        interchanges: unique(
          interchange.acknowledgments.map(({ control }) => control).filter((control) =>
            /^\d{9}$/.test(control)
          )
        )
      }
      const receipt = yield* store.transact(
        partner,
        about,
        (state) => stepOf(file, record, state, timeZone)
      )
      return receipt ?? (yield* partnerGone(interchange))
    })

    /**
     * Reserves the control number of an interchange, and executes it. Until the number is reserved, the client can interrupt the request.
     */
    const performReserved = (
      file: PartnerInterchange,
      groups: ReadonlyArray<ReadGroup>,
      principal: Principal
    ) =>
      Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
        const { fingerprint, interchange, partner } = file
        const { control } = interchange
        const reservation = yield* restore(store.reserve(partner, { control, fingerprint }))
        switch (reservation?._tag) {
          case undefined:
            return yield* partnerGone(interchange)
          case "Known": {
            const file = yield* restore(store.fileByControl(partner, control, fingerprint))
            return file === null ? yield* refuseDuplicate(control) : { file, isRepeated: true }
          }
          case "Running":
            return yield* overloaded()
          case "Reused":
            return yield* refuseDuplicate(control)
          case "Reserved":
            return yield* toTheEnd(underLease(
              store,
              partner,
              reservation.id,
              (lease) => perform(file, groups, principal, lease)
            ))
        }
      }))

    const take = Effect.fnUntraced(function*(file: PartnerInterchange, principal: Principal) {
      const { earlierFile } = file
      if (earlierFile !== null) return { file: earlierFile, isRepeated: true }
      const groups = yield* read(file)
      return yield* performReserved(file, groups, principal)
    })

    const large = new LargeFiles()

    const service: EdiIntakeService = {
      take: Effect.fn("EdiExchange.take")(
        function*(text, principal, { business } = {}) {
          const files = yield* openFile(text, principal, business)
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
        (taking: Effect.Effect<Array<EdiReceipt>, TakeFailure>, text, principal, { business } = {}) =>
          large.within(principal, text.length)(
            Effect.catch(
              taking,
              (failure): Effect.Effect<never, EdiTakeError> =>
                failure instanceof FaultyFile
                  ? Metrics.update(filesTaken.of("IN", "refused"), 1).pipe(
                    Effect.andThen(
                      recordRefusal(text, scopeOf(principal, business), principal, failure.fault)
                    ),
                    Effect.andThen(Effect.fail(refusalOf(failure.fault)))
                  )
                  : Effect.fail(failure)
            )
          )
      )
    }
    return service
  })
)

/** The failures of accepting a file. */
type TakeFailure = Exclude<EdiTakeError, EdiRefused> | FaultyFile

const orRefused = <A>(reading: Result.Result<A, Fault>): Effect.Effect<A, FaultyFile> =>
  Effect.mapError(Effect.fromResult(reading), (fault) => new FaultyFile(fault))

/** Refuses an interchange with the control number of a different interchange. */
const refuseDuplicate = (control: string): Effect.Effect<never, FaultyFile> =>
  Effect.fail(new FaultyFile(duplicateControl(control)))

/** Refuses an interchange whose partner was deleted meanwhile. */
const partnerGone = (interchange: Interchange): Effect.Effect<never, FaultyFile> =>
  Effect.flatMap(orRefused(addresseeOf<never>(interchange, [])), (none) => none)

/** The one of `matches` to which an interchange belongs, or the fault with which the interchange is refused. */
export const addresseeOf = <Of extends { readonly partner: EdiTerms }>(
  { receiver, sender, usage }: Interchange,
  matches: ReadonlyArray<Of>
): Result.Result<Of, Fault> => {
  const [addressee, ...others] = matches.filter(({ partner }) => isBetween(partner, sender, receiver))
  const sends = `${sender.qualifier}/${sender.id}`
  if (addressee === undefined) {
    const detail = `no partner sends as ${sends} to ${receiver.qualifier}/${receiver.id}`
    return isaRefusal(
      6,
      sender.id,
      detail,
      "Send the qualifiers and ids that were agreed on in ISA05 to ISA08."
    )
  }
  if (others.length > 0) {
    const detail = `several businesses that the client may send to have a partner ${sends}`
    return isaRefusal(6, sender.id, detail, "Name the business with the file, as in ?business=acme.")
  }
  const { partner } = addressee
  if (usage === partner.usage) return Result.succeed(addressee)
  const [actual, expected] = [
    usage === "T" ? "a test" : usage,
    partner.usage === "T" ? "tests" : "production"
  ]
  const detail = `the interchange is ${actual}, and the partner is in ${expected}`
  return isaRefusal(15, usage, detail, `Send ${partner.usage}.`)
}

const isaRefusal = (element: number, value: string, detail: string, remedy: string) =>
  Result.fail(isaFault({ element, code: interchangeCodes.structure, value, detail, remedy }))

/** Adds a fault to a group whose sender or receiver is not the partner's or ours. */
export const checkSides = (group: FunctionalGroup, { ours, theirs }: EdiTerms): FunctionalGroup => {
  const isSent = group.sender === theirs.group
  if (isSent && group.receiver === ours.group) return group
  const fault = faultOf(group.head, {
    scope: "GROUP",
    element: isSent ? 3 : 2,
    code: groupCodes.number,
    detail: `the group is of ${group.sender} for ${group.receiver}`,
    remedy: `Send ${theirs.group} in GS02 and ${ours.group} in GS03.`
  })
  return { ...group, faults: [...group.faults, fault] }
}

/** How often a reservation is renewed, in milliseconds. */
const renewMillis = 2000

/** A reservation, as its work sees it. */
export interface Lease {
  readonly reservation: number
  /** Fails if the reservation is lost. */
  readonly check: Effect.Effect<void, Overloaded>
}

/**
 * Executes the work of an interchange while renewing its reservation. The work ends the reservation by storing its record; if the work
 * fails, the reservation is released.
 */
export const underLease = <A, E>(
  store: EdiStore["Service"],
  partner: PartnerKey,
  reservation: number,
  work: (lease: Lease) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let isLost = false
    const lease: Lease = {
      reservation,
      check: Effect.suspend(() => isLost ? Effect.fail(overloaded()) : Effect.void)
    }
    const renew = Effect.map(store.renew(partner, reservation), (isHeld) => {
      isLost = !isHeld
    })
    return Effect.sleep(renewMillis).pipe(
      // If the storage does not answer, try again: the lease outlasts several attempts.
      Effect.andThen(Effect.ignore(renew)),
      Effect.forever,
      Effect.withTracerEnabled(false),
      Effect.forkScoped,
      Effect.andThen(work(lease)),
      Effect.scoped,
      Effect.onError(() => Effect.ignore(store.release(partner, reservation)))
    )
  })
