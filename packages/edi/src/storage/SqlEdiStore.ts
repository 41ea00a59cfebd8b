/**
 * Partners, and the record of what is exchanged with them, on PostgreSQL: interchanges of a business that are recorded at the same time
 * share a transaction of two statements, under the lock of its exchange.
 */
import { everything } from "@dockline/core/access/Access"
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import { BusinessNotFound, CursorAhead, FacilityNotFound, HistoryExpired } from "@dockline/core/values/Errors"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { textFault } from "@dockline/core/values/Field"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { cursorOf, cutPage, mapPage, pageBudget } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import {
  announcing,
  businessId,
  Deadline,
  listsOf,
  operations,
  ownersBy,
  placeAfter,
  placesOf,
  readsOf,
  watching,
  within
} from "@dockline/sql-storage/rows/BusinessRows"
import type { Announcer } from "@dockline/sql-storage/rows/BusinessRows"
import { bigintText, whole } from "@dockline/sql-storage/rows/RowFields"
import * as Cleanup from "@dockline/sql-storage/stores/Cleanup"
import { Clock, Effect, Layer, Schema } from "effect"
import type { Exit, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { EdiPartnerExists } from "../domain/EdiErrors.ts"
import { ediRetentionMillis, ediTextLimit } from "../domain/EdiFile.ts"
import { partnerLimit } from "../domain/EdiPartner.ts"
import type { EdiPartner, EdiPartnerChange, EdiParty } from "../domain/EdiPartner.ts"
import { ediLeaseMillis, EdiStore } from "../domain/EdiStore.ts"
import type {
  EdiAbout,
  EdiRefusedFile,
  EdiReservation,
  EdiState,
  EdiStep,
  PartnerKey,
  PartnerName
} from "../domain/EdiStore.ts"
import {
  Addressees,
  Behind,
  CreateResult,
  FileEntry,
  FileTexts,
  History,
  OutboxBody,
  PartnerBody,
  Reservations,
  UpdateResult
} from "./EdiRows.ts"
import * as EdiSteps from "./EdiSteps.ts"
import { loadWords } from "./EdiSteps.ts"
import * as EdiTurns from "./EdiTurns.ts"
import { load, loadRoomy, loadText, textPart } from "./ShownFile.ts"

/*
 * EDI partners on PostgreSQL: one statement for each method.
 */

/** The most partners of several businesses that one envelope may name before it is refused. */
const betweenLimit = 10

/** Whether no partner can have an id or a qualifier: PostgreSQL cannot even be asked for some texts of files. */
const isNobody = (party: EdiParty): boolean =>
  textFault(party.qualifier) !== undefined || textFault(party.id) !== undefined

export const partners = Effect.gen(function*() {
  const { call, read, write } = yield* operations
  const writing = (business: string) => write({ business: businessId(business) })
  const reading = (business: string) => read({ business: businessId(business) })

  const conflict = ({ business, partner }: PartnerName) => new EdiPartnerExists({ business, partner })

  return {
    create: Effect.fnUntraced(function*({ now, ...draft }) {
      const { business, facility, slug } = draft
      const result = yield* call(CreateResult)`dockline.edi_partner_create(
        ${businessId(business)}, ${JSON.stringify(draft)}, ${partnerLimit}, ${now})`
      if ("partner" in result) return result.partner
      if ("taken" in result) return yield* conflict({ business, partner: slug })
      if ("full" in result) {
        return yield* new TooManyEntries({ what: "EDI partners of a business", limit: partnerLimit })
      }
      return yield* result.unknown === "business"
        ? new BusinessNotFound({ business })
        : new FacilityNotFound({ business, facility })
    }, (effect, { business }) => writing(business)(effect)),

    find: ({ business, partner }) =>
      reading(business)(
        call(Schema.NullOr(PartnerBody))`dockline.edi_partner_shown(${businessId(business)}, ${partner})`
      ),

    list: (business, { after, limit }) =>
      reading(business)(Effect.map(
        call(Schema.Array(PartnerBody))`dockline.edi_partner_page(${businessId(business)}, ${after},
          ${limit + 1})`,
        (page) => cutPage(page, limit, ({ slug }) => ({ id: slug }))
      )),

    update: Effect.fnUntraced(function*<E>(
      name: PartnerName,
      change: (partner: EdiPartner) => Result.Result<EdiPartnerChange, E>
    ) {
      const business = businessId(name.business)
      for (;;) {
        const before = yield* call(
          Schema.NullOr(PartnerBody)
        )`dockline.edi_partner_shown(${business}, ${name.partner})`
        if (before === null) return null
        const after = yield* Effect.fromResult(change(before))
        const result = yield* call(UpdateResult)`dockline.edi_partner_update(
          ${business}, ${name.partner}, ${JSON.stringify(before)}, ${JSON.stringify(after)})`
        if ("other" in result) continue
        if ("partner" in result) return result.partner
        return "taken" in result ? yield* conflict(name) : null
      }
    }, (effect, { business }) => writing(business)(effect)),

    remove: ({ business, partner }) =>
      writing(business)(
        call(Schema.Boolean)`dockline.edi_partner_remove(${businessId(business)}, ${partner})`
      ),

    between: (scope, { control, receiver, sender }) =>
      isNobody(sender) || isNobody(receiver)
        ? Effect.succeed([])
        : read(readsOf(scope))(call(Addressees)`dockline.edi_between(
          ${scope === everything ? null : scope}, ${sender.qualifier}, ${sender.id}, ${receiver.qualifier},
          ${receiver.id}, ${control}, ${betweenLimit})`)
  } satisfies Pick<EdiStore["Service"], "between" | "create" | "find" | "list" | "remove" | "update">
})

/*
 * Interchanges that are being done, on PostgreSQL: a row for each until its lease ends. Those that come at the same time share a
 * statement.
 */

/** An interchange whose control number is to be reserved. */
interface Arrival {
  /** The key of its partner. */
  readonly key: string
  readonly control: string
  readonly fingerprint: string
  /** The clock of its caller, if one was given: leases go by the clock of the database, which instances share. */
  readonly clock: Clock.Clock
}

export const arrivals = Effect.gen(function*() {
  const { call, read, run, write } = yield* operations
  const { millis } = yield* Deadline
  const onItsNode = (business: string) => write({ business: businessId(business) })

  const reserveAll = Effect.fnUntraced(function*(business: string, arrivals: ReadonlyArray<Arrival>) {
    // The leases begin with the statement, however long an interchange has waited for it.
    const rows = arrivals.map(({ clock, ...arrival }) => ({ ...arrival, now: Timestamp.givenNowOf(clock) }))
    const reservations = yield* call(Reservations)`dockline.edi_reserve(${businessId(business)},
      ${JSON.stringify(rows)}, ${ediLeaseMillis})`
    return reservations.map((each): EdiReservation | null => {
      if (each === null) return null
      return each[0] === "Reserved" ? { _tag: each[0], id: each[1] } : { _tag: each[0] }
    })
  })

  const release: EdiStore["Service"]["release"] = ({ business }, reservation) =>
    onItsNode(business)(run`dockline.edi_release(${businessId(business)}, ${reservation})`)

  const inTurn = yield* EdiTurns.make<Arrival, EdiReservation | null, StorageUnavailable>({
    run: (business, arrivals) => onItsNode(business)(reserveAll(business, arrivals)),
    inTime: (wait) => within(wait, millis),
    // Nobody does what it was for.
    onLate: (business, { key }, reservation) =>
      reservation?._tag === "Reserved"
        ? Effect.ignore(release({ business, key }, reservation.id))
        : Effect.void
  })

  return {
    words: (partner, orderNumbers) =>
      read({ business: businessId(partner.business) })(loadWords(call, partner, orderNumbers)),

    reserve: ({ business, key }, { control, fingerprint }) =>
      Effect.flatMap(Clock.Clock, (clock) => inTurn(business, { key, control, fingerprint, clock })),

    renew: Effect.fnUntraced(function*({ business }, reservation) {
      return yield* call(Schema.Boolean)`dockline.edi_renew(${businessId(business)}, ${reservation},
        ${yield* Timestamp.givenNow}, ${ediLeaseMillis})`
    }, (effect, { business }) => onItsNode(business)(effect)),

    release
  } satisfies Pick<EdiStore["Service"], "release" | "renew" | "reserve" | "words">
})

/** The most files that one statement drops. */
const dropBatch = 200

/** The exchange in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old files by itself. */
export const layer: Layer.Layer<EdiStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  EdiStore,
  Effect.gen(function*() {
    return EdiStore.of({
      ...(yield* partners),
      ...(yield* arrivals),
      ...(yield* exchange),
      ...(yield* record)
    })
  })
)

const exchange = Effect.gen(function*() {
  const { call, loan, operation, run, transact, write } = yield* operations
  const announce = yield* announcing
  const { millis } = yield* Deadline

  const knownId = ({ business, key }: PartnerKey, control: string, fingerprint?: string) =>
    call(Schema.NullOr(Schema.BigInt))`dockline.edi_known(${businessId(business)}, ${key}, ${control}, ${
      fingerprint ?? null
    })`

  const doSteps = EdiSteps.make({
    call,
    run,
    fileByControl: (partner, control) =>
      Effect.flatMap(
        knownId(partner, control),
        (id) => id === null ? Effect.succeed(null) : load(call, businessId(partner.business), Number(id))
      ),
    announce
  })
  const locking = (business: string) =>
    transact({ turn: JSON.stringify(["edi", business]), business: businessId(business) })
  const runSteps = (business: string, steps: ReadonlyArray<EdiSteps.Step>) =>
    locking(business)(doSteps(business, steps))
  const refuse = Effect.fnUntraced(function*(
    { business, key }: PartnerKey,
    { control, fault, fingerprint, text }: EdiRefusedFile,
    answering?: (state: EdiState) => Result.Result<EdiStep<unknown>, never>
  ) {
    const isNew = yield* call(Schema.Boolean)`dockline.edi_refuse(
      ${businessId(business)}, ${key}, ${control}, ${fingerprint}, ${fault}, ${text}, ${yield* Timestamp
      .givenNow})`
    if (!isNew || answering === undefined) return isNew
    const [exit] = yield* doSteps(business, [{
      key,
      about: {},
      decide: answering,
      clock: yield* Clock.Clock
    }])
    // One step, one exit; one that breaks records nothing.
    return yield* Effect.as(Effect.orDie(exit!), true)
  })
  const inTurn = yield* EdiTurns.make<EdiSteps.Step, Exit.Exit<unknown, unknown>, StorageUnavailable>({
    run: runSteps,
    inTime: (wait) => within(wait, millis)
  })
  /** What tells of a departure may lock the log of the business by its last statement (`edi_post`): it is committed at once. */
  const alone = (business: string, step: EdiSteps.Step) =>
    // One step, one exit.
    Effect.map(runSteps(business, [step]), ([exit]) => exit!)

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
      Effect.flatMap(Clock.Clock, (clock) =>
        Effect.flatMap(
          (about.reservation === undefined ? alone : inTurn)(business, { key, about, decide, clock }),
          // What does steps knows nothing of what each comes to.
          (exit) => exit as Exit.Exit<A | null, E>
        )),
    refuse: (name, file, answering) => locking(name.business)(refuse(name, file, answering)),
    adviceHistory: ({ business, key, usage }, shipmentId) =>
      operation(
        loan({ lane: "reads", business: businessId(business) })(Effect.gen(function*() {
          const { ids, isWhole } = yield* call(History)`dockline.edi_told(${
            businessId(business)
          }, ${key}, ${usage}, ${shipmentId}, ${ediTextLimit})`
          const files = yield* Effect.forEach(ids, (id) => load(call, businessId(business), id))
          // One that has expired since tells nothing.
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

const record = Effect.gen(function*() {
  const means = yield* operations
  const { call, loan, operation, query, read, write } = means
  const ownerOf = yield* ownersBy("edi_file_business")

  /** Files that have been kept for long enough, by the ids of their businesses. */
  const expired: Cleanup.Expired<string, StorageUnavailable> = {
    since: Cleanup.cutoff(means, ediRetentionMillis),
    look: (since) =>
      write()(Effect.map(
        query(
          Schema.Struct({ id: bigintText })
        )`select expired::text as id from dockline.edi_expired(${since}) as expired`,
        (rows) => rows.map(({ id }) => id)
      )),
    drop: (business, _after, since) =>
      write({ business })(Effect.map(
        call(whole)`dockline.edi_drop(${business}, ${since}, ${dropBatch})`,
        (count) => Cleanup.batchOf(count, dropBatch)
      ))
  }
  yield* Cleanup.run("edi_files", expired)

  return {
    files: Effect.fnUntraced(
      function*(scopes, { direction, outcome, partner, ...place }, { after, limit }) {
        const page = yield* call(Schema.Array(FileEntry))`dockline.edi_file_page(
          ${placesOf(scopes, place)}, ${partner ?? null}, ${direction ?? null}, ${outcome ?? null},
          ${placeAfter(after)}, ${limit + 1})`
        return cutPage(page, limit, ({ at, id }) => ({ id: cursorOf({ at, id }) }))
      },
      (effect, scopes, filter) => read(listsOf(scopes, filter))(effect)
    ),
    file: Effect.fnUntraced(function*(id, reader) {
      const { business, id: owner } = yield* ownerOf(id)
      return yield* loadRoomy(call, loan({ ...readsOf(reader), business }), owner, id)
    }, (effect) => operation(effect)),
    outbox: Effect.fnUntraced(function*({ business, facility, partner }, { after, limit }) {
      const id = businessId(business)
      const onLoan = loan({ ...readsOf([business]), business: id })
      const result = yield* onLoan(call(OutboxBody)`dockline.edi_outbox(
          ${id}, ${facility ?? null}, ${partner ?? null}, ${after}, ${limit + 1}, ${pageBudget.text})`)
      if ("expired" in result) return yield* new HistoryExpired({ business, droppedId: result.expired })
      if ("ahead" in result) return yield* new CursorAhead({ business, newestId: result.ahead })
      const page = cutPage(result.files, limit, ([{ id }, text]) => ({ id: String(id), text }))
      const room = yield* AnswerRoom
      yield* room.take(page.items.reduce((sum, [, characters]) => sum + characters, 0))
      const short = page.items.filter(([, characters]) => characters <= textPart)
      const texts = new Map(
        yield* onLoan(call(FileTexts)`dockline.edi_file_texts(
          ${id}, ${short.map(([{ id }]) => id)})`)
      )
      for (const [entry, characters] of page.items) {
        if (characters <= textPart) continue
        const part: typeof call = (schema) => (text, ...args) => onLoan(call(schema)(text, ...args))
        texts.set(entry.id, yield* loadText(part, id, entry.id, false))
      }
      return mapPage(page, ([{ rejectedCount: _rejected, setCount: _sets, ...entry }]) => ({
        ...entry,
        // One that has expired since is empty.
        text: texts.get(entry.id) ?? ""
      }))
    }, (effect) => operation(effect)),
    dropExpired: Effect.map(Cleanup.round(expired), ({ count }) => count)
  } satisfies Pick<EdiStore["Service"], "dropExpired" | "file" | "files" | "outbox">
})
