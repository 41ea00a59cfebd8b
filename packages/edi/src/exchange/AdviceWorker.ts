/**
 * Tells partners about departed shipments, by a cursor over the log of messages for each partner (D18.3). It also sends a correction when a
 * late pallet changes a shipment (D23.8), and resends rejected sets when an operator requests it (D23.6).
 *
 * Guarantee: a partner is told once about each departure, in the order of departures, whichever instances run, and control numbers have no
 * gap: the transaction that assigns the numbers and stores the interchange also compares and moves the cursor. A departure is skipped, with
 * a warning in the log of the service, if its message expires before the partner's turn. A wake-up determines when the log is read, never
 * which messages are read. A set that X12 cannot hold is recorded with its faults, and skipped. A failure for one partner delays no other
 * partner. All waiting partners get a turn before any partner gets a second one.
 */
import { everything } from "@dockline/core/access/Access"
import * as Slices from "@dockline/core/input/Slices"
import * as Backlog from "@dockline/core/messages/Backlog"
import type { Message } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { defaultTimeZone, Directory } from "@dockline/core/places/Place"
import type { LocatedShipment } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type { MessageId, ShipmentId } from "@dockline/core/values/Id"
import * as Metrics from "@dockline/core/values/Metrics"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Equal, Layer, Result, Semaphore } from "effect"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiPartner } from "../domain/EdiPartner.ts"
import { adviceTypes, EdiStore } from "../domain/EdiStore.ts"
import type { EdiBehind, EdiPlan, EdiState, EdiStep } from "../domain/EdiStore.ts"
import { localTime } from "../sets/Times.ts"
import { isAdviceKind, writeAdvice } from "./Advice.ts"
import type { AdviceOptions } from "./Advice.ts"
import { adviceFile, countFile } from "./Record.ts"

/**
 * A reason to tell a partner about a shipment: it departed, a late pallet changed it (D23.8), or a set about it has to be sent again
 * (D23.6). An errand ends in the transaction that stores its sets, so that any other instance finds it completed.
 */
export interface Errand {
  /** Whether no instance has completed the errand yet. */
  readonly isOpen: (partner: EdiPartner) => boolean
  /** The change of the partner when the errand ends. */
  readonly end: (partner: EdiPartner) => Pick<EdiPlan, "cursorId" | "due">
}

/** The errand to tell about the next departure or change after a cursor. */
export const departure = (cursorId: number, messageId: MessageId): Errand => ({
  isOpen: (partner) => partner.cursorId === cursorId,
  end: () => ({ cursorId: messageId })
})

/** The errand to send the sets of a file again. */
export const resending = (fileId: number): Errand => ({
  isOpen: ({ due }) => due.includes(fileId),
  end: ({ cursorId, due }) => ({ cursorId, due: due.filter((id) => id !== fileId) })
})

/** A step that changes nothing. */
export const unchanged = <A>(answer: A): Result.Result<EdiStep<A>, never> =>
  Result.succeed({ plan: null, answer: () => answer })

/** Ends an errand without an advice. */
export const ending = <A>(
  partner: EdiPartner,
  errand: Errand,
  answer: A
): Result.Result<EdiStep<A>, never> => {
  const { nextGroup, nextInterchange } = partner
  return Result.succeed({
    plan: { ...errand.end(partner), nextGroup, nextInterchange, file: null },
    answer: () => answer
  })
}

/**
 * The result of an errand before its sets are written. `"lost"`: another instance has completed it. `"passed"`: it has ended. Otherwise the
 * partner has to be told.
 */
export type ErrandResult = "lost" | "passed" | { readonly partner: EdiPartner }

/** Makes the decision that ends an errand unless the partner has to be told. */
export const endUnlessDue = (errand: Errand, isTold: (state: EdiState) => boolean) =>
(
  state: EdiState
): Result.Result<EdiStep<ErrandResult>, never> => {
  const { partner } = state
  if (!errand.isOpen(partner)) return unchanged("lost")
  return isTold(state) ? unchanged({ partner }) : ending(partner, errand, "passed")
}

/** The number of partners that are told at once. */
const atOnce = 4

/** The most departures and changes that are read for a partner at once. */
const pageSize = 20

/** The most attempts to write a text: each is in vain if another interchange gets the control numbers meanwhile. */
const attempts = 100

const waiting = Metrics.sampledGauge(
  "dockline_edi_partners_behind",
  "EDI partners that have not been told yet of all departures and changes of shipments",
  []
)

/** Tells partners for as long as the layer lives. */
export const layer: Layer.Layer<never, never, Directory | EdiStore | MessageLog | ShipmentStore> = Layer
  .effectDiscard(Effect.gen(function*() {
    const { watch } = yield* EdiStore
    yield* Backlog.run(yield* makeRound, { watch, failure: "Telling EDI partners failed" })
  }))

const everywhere = [{ business: everything, facilities: everything }] as const

/** Makes a round: it tells each partner that is behind about the next departures, and returns whether all partners are up to date. */
export const makeRound = Effect.gen(function*() {
  const directory = yield* Directory
  const store = yield* EdiStore
  const log = yield* MessageLog
  const shipments = yield* ShipmentStore

  /** Writes the sets that tell a partner about a shipment, and stores them if no other instance has done the errand. */
  const write = Effect.fnUntraced(function*(
    match: LocatedShipment,
    firstPartner: EdiPartner,
    name: EdiBehind,
    errand: Errand,
    { before, only }: Why = {}
  ) {
    const { shipment } = match
    const isTold = ({ partner }: EdiState): boolean =>
      isAdvised(partner, shipment.orders.some(({ owner }) => owner === partner.key))
    const timeZone = (yield* directory.facility(firstPartner.business, firstPartner.facility))?.timeZone ??
      defaultTimeZone
    const words = yield* store.words(name, shipment.orders.map(({ number }) => number))
    let partner = firstPartner
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { nextGroup, nextInterchange } = partner
      const now = localTime(yield* Timestamp.now, timeZone)
      const sending = { interchange: nextInterchange, group: nextGroup, ...now }
      const advice = yield* Slices.runInTurn(
        writeAdvice(match, partner, { sending, timeZone, words, before, only, owner: ownerOf(partner) })
      )
      const file = adviceFile(advice, nextInterchange, shipment.id)
      const groups = new Set(file?.sets.map(({ groupControl }) => groupControl).filter((text) => text !== ""))
      const outcome = yield* store.transact(
        name,
        {},
        (state): Result.Result<EdiStep<ErrandResult | "told">, never> => {
          // The control numbers or the terms have changed meanwhile, or the partner no longer has to be told.
          if (!Equal.equals(state.partner, partner) || !isTold(state)) {
            return endUnlessDue(errand, isTold)(state)
          }
          return Result.succeed({
            plan: {
              ...errand.end(partner),
              nextInterchange: controlAfter(nextInterchange, groups.size === 0 ? 0 : 1),
              nextGroup: controlAfter(nextGroup, groups.size),
              file
            },
            answer: () => "told" as const
          })
        }
      )
      if (outcome === "told" && file !== null) {
        yield* countFile(file)
      }
      if (outcome === null || outcome === "lost") return "lost" as const
      if (outcome === "told" || outcome === "passed") return "passed" as const
      partner = outcome.partner
    }
    return yield* Effect.die(new Error(`The control numbers of ${name.partner} are given too fast`))
  })

  /**
   * Tells a partner about a shipment, and ends the errand. Returns `false` if another instance has completed it, or the partner is gone.
   */
  const tellOne = Effect.fnUntraced(function*(
    name: EdiBehind,
    partner: EdiPartner,
    shipmentId: ShipmentId,
    errand: Errand,
    why?: Why
  ) {
    const match = yield* shipments.find(shipmentId, everywhere)
    const outcome = match === null
      ? yield* store.transact(name, {}, endUnlessDue(errand, () => false))
      : yield* write(match, partner, name, errand, why)
    return outcome === "passed"
  })

  /**
   * Sends a correction if a late pallet has changed a shipment about which the partner was told, and ends the errand. Returns the same as
   * `tellOne`.
   */
  const correct = Effect.fnUntraced(
    function*(name: EdiBehind, partner: EdiPartner, shipmentId: ShipmentId, errand: Errand) {
      const before = yield* store.adviceHistory(partner, shipmentId)
      if (before.files.length > 0) return yield* tellOne(name, partner, shipmentId, errand, { before })
      return (yield* store.transact(name, {}, endUnlessDue(errand, () => false))) === "passed"
    },
    // One correction at a time, because each reads the earlier files, which may be large.
    Semaphore.makeUnsafe(1).withPermits(1)
  )

  /** Sends the rejected sets of a file to their partner again. */
  const resendFile = Effect.fnUntraced(function*(name: EdiBehind, fileId: number) {
    const file = yield* store.file(fileId, everywhere)
    const only = (file?.sets ?? []).flatMap((set) =>
      set.outcome === "REJECTED" && isAdviceKind(set.kind)
        ? [{ id: set.kind, number: set.number, shipmentId: Number(set.shipmentId) }]
        : []
    )
    const errand = resending(fileId)
    const current = yield* store.find(name)
    // A new partner under the same slug is another partner.
    const partner = current?.key === name.key ? current : null
    const [first] = only
    // A file that has expired meanwhile is not sent again.
    if (partner === null || first === undefined) {
      yield* store.transact(name, {}, endUnlessDue(errand, () => false))
    } else if (errand.isOpen(partner)) {
      const before = yield* store.adviceHistory(partner, first.shipmentId)
      yield* tellOne(name, partner, first.shipmentId, errand, { before, only })
    }
  })

  const tellPartner = Effect.fnUntraced(function*(name: EdiBehind) {
    for (const fileId of name.due) yield* resendFile(name, fileId)
    const { business, facility } = name
    const page = yield* Backlog.readLog(log, { business, facility, types: adviceTypes }, {
      cursorId: name.cursorId,
      limit: pageSize,
      name: `EDI partner ${name.partner} of ${business}`,
      skipTo: (toId) => store.transact(name, {}, endUnlessDue(departure(name.cursorId, toId), () => false))
    })
    let { cursorId } = name
    /**
     * The ids of shipments that were loaded after the page was read. The advices about them already cover all later messages of the page.
     */
    const toldIds = new Set<number>()
    for (let rest = page?.messages ?? []; rest.length > 0;) {
      const shipmentIds = rest.map(({ shipmentId }) => shipmentId)
      const progress = yield* store.transact(name, { shipmentIds }, passUntilDue(cursorId, rest, toldIds))
      if (progress === null || progress === "lost") return
      const message = rest[progress.count]
      if (message === undefined) return
      const { id, shipmentId, type } = message
      const errand = departure(progress.partner.cursorId, id)
      const tellIt = type === "SHIPMENT_COMPLETE" ? tellOne : correct
      if (!(yield* tellIt(name, progress.partner, shipmentId, errand))) return
      toldIds.add(shipmentId)
      cursorId = id
      rest = rest.slice(progress.count + 1)
    }
  })

  return Backlog.makeRound({
    behind: store.behind,
    keyOf,
    work: tellPartner,
    failureOf: ({ business, partner }) => `Telling EDI partner ${partner} of ${business} failed`,
    atOnce,
    note: (count) => Metrics.update(waiting.of(), count)
  })
})

/**
 * Options of telling a partner about a shipment again: the earlier files, and the sets to be resent; without `only`, all sets that have
 * changed.
 */
type Why = Pick<AdviceOptions, "before" | "only">

const keyOf = ({ business, key }: EdiBehind): string => JSON.stringify([business, key])

/** The owner about whose orders a partner is told: the partner itself; `undefined` if it is told about all orders. */
const ownerOf = ({ key, tellsOf }: EdiPartner): string | undefined => tellsOf === "ALL" ? undefined : key

/** Whether a partner is told about a shipment, given whether the shipment has an order of the partner. */
const isAdvised = ({ tells, tellsOf }: EdiPartner, isOwn: boolean): boolean =>
  tells.length > 0 && (isOwn || tellsOf === "ALL")

/**
 * Makes the decision that skips messages up to the first one that the partner has to be told about. Messages about shipments in `doneIds`
 * are skipped too. The answer has the number of skipped messages.
 */
const passUntilDue = (
  cursorId: number,
  departures: ReadonlyArray<Pick<Message, "id" | "shipmentId">>,
  doneIds: ReadonlySet<number>
) =>
(
  { ownIds, partner }: EdiState
): Result.Result<EdiStep<"lost" | { readonly count: number; readonly partner: EdiPartner }>, never> => {
  if (partner.cursorId !== cursorId) return unchanged("lost")
  const own = new Set(ownIds)
  const next = departures.findIndex(({ shipmentId }) =>
    !doneIds.has(shipmentId) && isAdvised(partner, own.has(shipmentId))
  )
  const count = next === -1 ? departures.length : next
  const to = departures[count - 1]?.id
  if (to === undefined) return unchanged({ count, partner })
  return ending(partner, departure(cursorId, to), { count, partner: { ...partner, cursorId: to } })
}
