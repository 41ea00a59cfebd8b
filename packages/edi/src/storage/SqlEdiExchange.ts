/**
 * The exchange with EDI partners on PostgreSQL. Interchanges that a business receives at the same time share a transaction of two
 * statements, under the lock of its exchange.
 */
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import {
  announcing,
  businessId,
  Deadline,
  operations,
  watching,
  within
} from "@dockline/sql-storage/rows/BusinessRows"
import { Clock, Effect, Schema } from "effect"
import type { Exit, Result } from "effect"
import { ediTextLimit } from "../domain/EdiFile.ts"
import type { EdiAbout, EdiRefusedFile, EdiState, EdiStep, EdiStore, PartnerKey } from "../domain/EdiStore.ts"
import { Behind, History } from "./EdiRows.ts"
import * as EdiSteps from "./EdiSteps.ts"
import * as EdiTurns from "./EdiTurns.ts"
import { load, loadRoomy } from "./ShownFile.ts"

/** Makes the methods of the exchange. */
export const make = Effect.gen(function*() {
  const { call, loan, operation, run, transact, write } = yield* operations
  const announce = yield* announcing
  const { millis } = yield* Deadline

  const knownId = ({ business, key }: PartnerKey, control: string, fingerprint?: string) =>
    call(Schema.NullOr(Schema.BigInt))`dockline.edi_known(${businessId(business)}, ${key}, ${control}, ${
      fingerprint ?? null
    })`

  const runSteps = EdiSteps.make({
    call,
    run,
    fileByControl: (partner, control) =>
      Effect.flatMap(
        knownId(partner, control),
        (id) => id === null ? Effect.succeed(null) : load(call, businessId(partner.business), Number(id))
      ),
    announce
  })

  /** Runs work in a transaction that locks the exchange of a business. */
  const transaction = (business: string) =>
    transact({ turn: JSON.stringify(["edi", business]), business: businessId(business) })

  const runStep = (business: string, step: EdiSteps.Step) =>
    // One step has one exit.
    Effect.map(runSteps(business, [step]), ([exit]) => exit!)

  const inTurn = yield* EdiTurns.make<EdiSteps.Step, Exit.Exit<unknown, unknown>, StorageUnavailable>({
    run: (business, steps) => transaction(business)(runSteps(business, steps)),
    inTime: (wait) => within(wait, millis)
  })

  const refuse = Effect.fnUntraced(function*(
    { business, key }: PartnerKey,
    { control, fault, fingerprint, text }: EdiRefusedFile,
    answering?: (state: EdiState) => Result.Result<EdiStep<unknown>, never>
  ) {
    const isNew = yield* call(Schema.Boolean)`dockline.edi_refuse(
      ${businessId(business)}, ${key}, ${control}, ${fingerprint}, ${fault}, ${text}, ${yield* Timestamp
      .givenNow})`
    if (!isNew || answering === undefined) return isNew
    const exit = yield* runStep(business, { key, about: {}, decide: answering, clock: yield* Clock.Clock })
    // A step that breaks records nothing.
    return yield* Effect.as(Effect.orDie(exit), true)
  })

  return {
    fileByControl: Effect.fnUntraced(function*(partner, control, fingerprint) {
      const business = businessId(partner.business)
      const onLoan = loan({ lane: "reads", business })
      const id = yield* onLoan(knownId(partner, control, fingerprint))
      return id === null ? null : yield* loadRoomy(call, onLoan, business, Number(id))
    }, (effect) => operation(effect)),
    transact: <A, E>(
      { business, key }: PartnerKey,
      about: EdiAbout,
      decide: (state: EdiState) => Result.Result<EdiStep<A>, E>
    ) =>
      Effect.flatMap(Clock.Clock, (clock) => {
        const step: EdiSteps.Step = { key, about, decide, clock }
        // Received interchanges share transactions. A step that sends an interchange may lock the log of the business by its last statement
        // (`edi_post`), so it commits alone.
        const isArrival = about.reservation !== undefined
        return Effect.flatMap(
          isArrival ? inTurn(business, step) : transaction(business)(runStep(business, step)),
          // `EdiSteps` does not know the types of the answers of its steps.
          (exit) => exit as Exit.Exit<A | null, E>
        )
      }),
    refuse: (name, file, answering) => transaction(name.business)(refuse(name, file, answering)),
    adviceHistory: ({ business, key, usage }, shipmentId) =>
      operation(
        loan({ lane: "reads", business: businessId(business) })(Effect.gen(function*() {
          const { ids, isWhole } = yield* call(History)`dockline.edi_told(${
            businessId(business)
          }, ${key}, ${usage}, ${shipmentId}, ${ediTextLimit})`
          const files = yield* Effect.forEach(ids, (id) => load(call, businessId(business), id))
          // A file that has expired meanwhile counts as absent.
          return { files: files.filter((file) => file !== null), isWhole }
        }))
      ),
    behind: (limit, after) =>
      write()(Effect.map(
        call(Behind)`dockline.edi_behind(
          ${after === undefined ? -1 : businessId(after.business)}, ${after?.key ?? -1}, ${limit})`,
        (rows) => rows.map(({ businessId: _business, ...each }) => each)
      )),
    watch: yield* watching
  } satisfies Pick<
    EdiStore["Service"],
    "adviceHistory" | "behind" | "fileByControl" | "refuse" | "transact" | "watch"
  >
})
