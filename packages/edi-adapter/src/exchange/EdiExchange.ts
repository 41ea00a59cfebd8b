/**
 * Takes files of X12 from partners, and tells them of shipments that departed, over the services of core.
 *
 * Guarantee: a file is refused as a whole before any of it is done, or each of its sets is taken or rejected by itself, in their
 * order, and its acknowledgment says which. A set is a document, or a cancellation, with the rules of documents and no rule of its own.
 * What fails for want of the storage leaves the sets before it done: the file may be sent again, as a document may.
 */
import type { Principal } from "@dockline/core/Access"
import { Directory } from "@dockline/core/Directory"
import * as DocumentInput from "@dockline/core/DocumentInput"
import {
  BusinessNotFound,
  FacilityNotFound,
  Forbidden,
  ShipmentNotFound,
  StorageUnavailable
} from "@dockline/core/Errors"
import { Intake } from "@dockline/core/Intake"
import * as Slices from "@dockline/core/internal/input/Slices"
import * as Authorize from "@dockline/core/internal/places/Authorize"
import { visible } from "@dockline/core/internal/places/ListQuery"
import { defaultTimeZone } from "@dockline/core/internal/places/Place"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { Overloaded } from "@dockline/core/internal/values/RequestErrors"
import { Shipments } from "@dockline/core/Shipments"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import { Strategies } from "@dockline/core/Strategy"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Context, Data, Effect, Layer } from "effect"
import type { Cancellation, DocumentMeaning, Source } from "../sets/Meaning.ts"
import { readGroup, readKinds } from "../sets/SetReader.ts"
import type { ReadSet } from "../sets/SetReader.ts"
import { describe, elementCodes, faultOf, segmentCodes } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { Interchange } from "../x12/Interchange.ts"
import { readSteps } from "../x12/X12Reader.ts"
import type { WriteFault } from "../x12/X12Writer.ts"
import { ofPartner, partnerOf } from "./Partner.ts"
import type { Partner } from "./Partner.ts"
import { takenGroup } from "./Taken.ts"
import type { DoneSet, SetOutcome, TakenInterchange } from "./Taken.ts"
import { tell } from "./Telling.ts"
import type { Telling, TellingOptions } from "./Telling.ts"

/** The file is refused as a whole, and nothing of it was done. */
export class EdiRefused
  extends Data.TaggedError("EdiRefused")<{ readonly fault: Fault; readonly message: string }>
{
  readonly code = "EDI_REFUSED"
  readonly category = "malformed"

  /** The refusal of a file by a fault. */
  static readonly of = (fault: Fault): EdiRefused => new EdiRefused({ fault, message: describe(fault) })
}

/** X12 can hold nothing of what is to be told: `faults` names each value. */
export class EdiNotWritten extends Data.TaggedError("EdiNotWritten")<
  { readonly faults: ReadonlyArray<WriteFault>; readonly message: string }
> {
  readonly code = "EDI_NOT_WRITTEN"
  readonly category = "unprocessable"
}

/** Why a file is not taken to its end: it is refused, its sender may not send it, or it is to be sent again. */
export type TakeError = EdiRefused | Authorize.PlaceError | Overloaded

/** The exchange with partners. */
export class EdiExchange extends Context.Service<EdiExchange, {
  /** Takes a file on behalf of a client, which needs `documents:write` at the facilities of its partners. */
  readonly take: (
    text: string,
    principal: Principal
  ) => Effect.Effect<ReadonlyArray<TakenInterchange>, TakeError>
  /** Writes what a partner is told of a shipment that the client may see. */
  readonly tell: (
    shipmentId: string,
    partner: Partner,
    options: Omit<TellingOptions, "timeZone">,
    principal: Principal
  ) => Effect.Effect<Telling, EdiNotWritten | ShipmentNotFound | StorageUnavailable | Overloaded>
}>()("@dockline/edi-adapter/EdiExchange") {
  /** The exchange with these partners. */
  static readonly layer = (
    partners: ReadonlyArray<Partner>
  ): Layer.Layer<EdiExchange, never, Intake | Shipments | ShipmentStore | Directory> =>
    Layer.effect(
      EdiExchange,
      Effect.gen(function*() {
        const directory = yield* Directory
        const store = yield* ShipmentStore
        const takeSet = yield* setTaker

        /** The interchanges of a file with their partners, if the client may send all of them. */
        const opened = Effect.fnUntraced(function*(text: string, principal: Principal) {
          const reading = yield* Slices.runInTurn(readSteps(text))
          const interchanges = yield* Effect.mapError(Effect.fromResult(reading), EdiRefused.of)
          return yield* Effect.forEach(interchanges, (interchange) =>
            Effect.gen(function*() {
              const partner = yield* Effect.mapError(
                Effect.fromResult(partnerOf(interchange, partners)),
                EdiRefused.of
              )
              yield* Authorize.place(directory, principal, "documents:write", partner)
              return { interchange, partner }
            }))
        })

        const takeInterchange = Effect.fnUntraced(function*(
          interchange: Interchange,
          partner: Partner,
          principal: Principal
        ) {
          const { business, facility } = partner
          const timeZone = (yield* directory.facility(business, facility))?.timeZone ?? defaultTimeZone
          const kinds = readKinds.filter((kind) => kind === "997" || partner.takes.includes(kind))
          const groups = yield* Effect.forEach(interchange.groups, (given) =>
            Effect.gen(function*() {
              const steps = readGroup(ofPartner(given, partner), { business, facility, timeZone }, kinds)
              const read = yield* Slices.runInTurn(steps)
              const done = yield* Effect.forEach(read.sets, (set) => takeSet(set, partner, principal))
              return takenGroup(read, done, partner)
            }))
          return { partner, control: interchange.control, groups }
        })

        return EdiExchange.of({
          take: Effect.fn("EdiExchange.take")(function*(text, principal) {
            const files = yield* opened(text, principal)
            return yield* Effect.forEach(files, ({ interchange, partner }) =>
              takeInterchange(interchange, partner, principal))
          }),
          tell: Effect.fn("EdiExchange.tell")(function*(shipmentId, partner, options, principal) {
            const found = yield* visible(shipmentId, principal, store.find)
            const { business, facility } = found.location
            // To a partner of another facility the shipment is not there.
            if (business.slug !== partner.business || facility.slug !== partner.facility) {
              return yield* new ShipmentNotFound({ id: shipmentId })
            }
            const timeZone = (yield* directory.facility(business.slug, facility.slug))?.timeZone ??
              defaultTimeZone
            return yield* Effect.mapError(
              Effect.flatMap(
                Slices.runInTurn(tell(found, partner, { ...options, timeZone })),
                Effect.fromResult
              ),
              (faults) =>
                new EdiNotWritten({
                  faults,
                  message: `X12 cannot hold the shipment: ${
                    faults.slice(0, 5).map(({ detail, place }) => `${place} ${detail}`).join("; ")
                  }`
                })
            )
          })
        })
      })
    )
}

/** The refusals that are none of a set: they end the file, which is to be sent again or by another client. */
const ending = [Overloaded, StorageUnavailable, Forbidden, BusinessNotFound, FacilityNotFound]

type Ending = InstanceType<(typeof ending)[number]>

const isEnding = (refusal: unknown): refusal is Ending => ending.some((each) => refusal instanceof each)

const rejected: SetOutcome = { _tag: "Rejected" }

/** Does what sets mean. A refusal that is the sender's rejects the set. */
const setTaker = Effect.gen(function*() {
  const intake = yield* Intake
  const shipments = yield* Shipments
  const read = DocumentInput.stepReader({ vocabulary: yield* Vocabulary, strategies: yield* Strategies })

  const submit = Effect.fnUntraced(
    function*({ document, replacedBy }: DocumentMeaning, principal: Principal) {
      const reading = Effect.flatMap(
        Effect.suspend(() => Slices.runInTurn(read(document, true))),
        Effect.fromResult
      )
      const { created, removed, shipment, updated } = yield* intake.receive(reading, principal)
      const outcome: SetOutcome = {
        _tag: "Document",
        shipmentId: String(shipment.id),
        shipmentNumber: shipment.shipmentNumber,
        created: created.length,
        updated: updated.length,
        removed: removed.length
      }
      return {
        outcome,
        faults: replacedBy === undefined ? [] : unnamedFaults(replacedBy, document, shipment.orders)
      } satisfies DoneSet
    }
  )

  const cancel = Effect.fnUntraced(
    function*(
      { order, shipmentNumber }: Cancellation,
      { business, facility }: Partner,
      principal: Principal
    ) {
      const { items: [shipment] } = yield* shipments.list({ business, facility, shipmentNumber }, principal)
      if (shipment === undefined) return yield* new ShipmentNotFound({ id: shipmentNumber })
      const kept = order && keptFault(order, shipment.orders)
      if (kept !== undefined) return yield* new SetRefused({ fault: kept })
      const shipmentId = String(shipment.id)
      yield* shipments.cancel(shipmentId, principal)
      const outcome: SetOutcome = { _tag: "Cancelled", shipmentId, shipmentNumber }
      return { outcome, faults: [] } satisfies DoneSet
    }
  )

  return Effect.fnUntraced(function*({ faults, meaning }: ReadSet, partner: Partner, principal: Principal) {
    if (meaning === undefined) return { faults, outcome: rejected } satisfies DoneSet
    if (meaning._tag === "Acknowledged") return { faults, outcome: meaning } satisfies DoneSet
    const sourceAt = meaning._tag === "Document" ? meaning.sourceAt : () => meaning.source
    const work: Effect.Effect<DoneSet, CatalogueError | SetRefused> = meaning._tag === "Document"
      ? submit(meaning, principal)
      : cancel(meaning, partner, principal)
    return yield* Effect.catch(
      Effect.map(work, (done): DoneSet => ({ ...done, faults: [...faults, ...done.faults] })),
      (refusal): Effect.Effect<DoneSet, Ending> =>
        isEnding(refusal)
          ? Effect.fail(refusal)
          : Effect.succeed({
            faults: [
              ...faults,
              ...(refusal instanceof SetRefused ? [refusal.fault] : refusalFaults(refusal, sourceAt))
            ],
            outcome: rejected
          })
    )
  })
})

/** Notes the orders of a shipment of which its replacement has no item: they are expected as before. */
const unnamedFaults = (
  { element, segment }: Source,
  document: DocumentMeaning["document"],
  orders: ReadonlyArray<{ readonly orderNumber: string; readonly items: ReadonlyArray<unknown> }>
): ReadonlyArray<Fault> => {
  const named = new Set(
    document.orders?.flatMap(({ items, orderNumber }) => items === undefined ? [] : [orderNumber])
  )
  const kept = orders.filter(({ items, orderNumber }) => items.length > 0 && !named.has(orderNumber))
  return kept.length === 0 ? [] : [faultOf(segment, {
    element,
    code: elementCodes.code,
    value: segment.elements[element - 1] ?? "",
    detail: `the shipment still expects ${
      kept.length === 1 ? "the order" : `${kept.length} orders, the first of them`
    } ${kept[0]?.orderNumber}, of which the replacement has no item`,
    remedy: "Send its items, here or in a notice of another shipment, which moves it there.",
    isNoted: true
  })]
}

/** A set asks for what cannot be done, although the service would do it. */
class SetRefused extends Data.TaggedError("SetRefused")<{ readonly fault: Fault }> {}

/** Why an order is not cancelled with its load: a load is cancelled as a whole, and others may be on it. */
const keptFault = (
  { number, source: { element, segment } }: NonNullable<Cancellation["order"]>,
  orders: ReadonlyArray<{ readonly orderNumber: string }>
): Fault | undefined => {
  const isThere = orders.some(({ orderNumber }) => orderNumber === number)
  if (isThere && orders.length === 1) return undefined
  return faultOf(segment, {
    element,
    code: elementCodes.code,
    value: number,
    detail: isThere
      ? "the load has other orders; a document cannot cancel one of them"
      : "the order is not on the load",
    remedy: isThere ? "Send the others on another load (N9*LO) first." : "Send its load (N9*LO)."
  })
}

/** The faults of a set whose document or step is refused: each of a field at the segment that said it. */
const refusalFaults = (
  { errors = [], message }: CatalogueError,
  sourceAt: (path: string) => Source
): ReadonlyArray<Fault> => {
  const named = errors.length > 0 ? errors : [{ path: "", detail: message }]
  return named.slice(0, 100).map(({ detail, path }) => {
    const { element, segment } = sourceAt(path)
    return faultOf(segment, {
      element,
      code: element === 0 ? segmentCodes.elements : elementCodes.code,
      value: element === 0 ? "" : segment.elements[element - 1] ?? "",
      detail: path === "" ? detail.replace(/\.$/, "") : `${path} ${detail}`,
      remedy: "Mend it, and send the set again."
    })
  })
}
