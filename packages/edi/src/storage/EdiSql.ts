/**
 * The exchange with EDI partners in PostgreSQL (D18.3): partners, the record of the files, reservations of control numbers, and the steps
 * of the exchange. A background task deletes old files.
 *
 * Interchanges that a business receives at the same time share a transaction, usually of two statements, under the lock of its exchange. A
 * reservation is a row for an interchange in progress, until its lease ends; reservations made at the same time share a statement.
 */
import { everything } from "@dockline/core/access/Access"
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
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
import {
  everyShard,
  first,
  firsts,
  page,
  shardsOfBusinesses,
  shardsOfIds,
  shardsOfScopes,
  values
} from "@dockline/sql-storage/schema/ShardAnswers"
import * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import * as Cleanup from "@dockline/sql-storage/stores/Cleanup"
import { Clock, Effect, Layer, Schema } from "effect"
import type { Exit, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { EdiPartnerExists } from "../domain/EdiErrors.ts"
import { ediRetentionMillis, ediTextLimit } from "../domain/EdiFile.ts"
import { partnerLimit } from "../domain/EdiPartner.ts"
import type { EdiPartner, EdiPartnerChange, EdiParty } from "../domain/EdiPartner.ts"
import { ediLeaseMillis, EdiStore, rejectionLimit } from "../domain/EdiStore.ts"
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
  Rejections,
  Reservations,
  UpdateResult
} from "./EdiRows.ts"
import * as EdiSteps from "./EdiSteps.ts"
import { loadWords } from "./EdiSteps.ts"
import { load, loadRoomy, loadText, textPart } from "./SetParts.ts"

/** The most partners that are loaded for an envelope. An envelope that matches more than one is refused. */
const betweenLimit = 10

/** Whether no partner can have this id or qualifier: PostgreSQL cannot store some texts of files. */
const isNobody = (party: EdiParty): boolean =>
  textFault(party.qualifier) !== undefined || textFault(party.id) !== undefined

/** Makes the methods of partners. */
const partners = Effect.gen(function*() {
  const { call, read, write } = yield* operations

  return {
    create: Effect.fnUntraced(function*({ now, ...draft }) {
      const { business, facility, slug } = draft
      const result = yield* call(CreateResult)`dockline.edi_partner_create(
        ${businessId(business)}, ${JSON.stringify(draft)}, ${partnerLimit}, ${now})`
      if ("partner" in result) return result.partner
      if ("taken" in result) return yield* new EdiPartnerExists({ business, partner: slug })
      if ("full" in result) {
        return yield* new TooManyEntries({ what: "EDI partners of a business", limit: partnerLimit })
      }
      return yield* result.unknown === "business"
        ? new BusinessNotFound({ business })
        : new FacilityNotFound({ business, facility })
    }, (effect, { business }) => write({ business: businessId(business) })(effect)),

    find: ({ business, partner }) =>
      read({ business: businessId(business) })(
        call(Schema.NullOr(PartnerBody))`dockline.edi_partner_shown(${businessId(business)}, ${partner})`
      ),

    list: (business, { after, limit }) =>
      read({ business: businessId(business) })(Effect.map(
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
        return "taken" in result ? yield* new EdiPartnerExists(name) : null
      }
    }, (effect, { business }) => write({ business: businessId(business) })(effect)),

    remove: ({ business, partner }) =>
      write({ business: businessId(business) })(
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

/** The most files that one statement drops. */
const dropBatch = 200

/** Makes the methods of the record. */
const record = Effect.gen(function*() {
  const means = yield* operations
  const { call, loan, operation, query, read, write } = means
  const ownerOf = yield* ownersBy("edi_file_business")

  /** Files whose retention has ended, by the ids of their businesses. */
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
      function*(scopes, { direction, outcome, partner, shipmentId, ...place }, { after, limit }) {
        const page = yield* call(Schema.Array(FileEntry))`dockline.edi_file_page(
          ${placesOf(scopes, place)}, ${partner ?? null}, ${direction ?? null}, ${outcome ?? null},
          ${shipmentId ?? null}, ${placeAfter(after)}, ${limit + 1})`
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
      const memory = yield* AnswerMemory
      yield* memory.reserve(page.items.reduce((sum, [, characters]) => sum + characters, 0))
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
        // The text of a file that has expired meanwhile is empty.
        text: texts.get(entry.id) ?? ""
      }))
    }, (effect) => operation(effect)),
    rejections: (business, since) =>
      write({ business: businessId(business) })(
        call(Rejections)`dockline.edi_rejections(${businessId(business)}, ${since}, ${rejectionLimit})`
      ),
    dropExpired: Effect.map(Cleanup.round(expired), ({ count }) => count)
  } satisfies Pick<EdiStore["Service"], "dropExpired" | "file" | "files" | "outbox" | "rejections">
})

/** An interchange whose control number is to be reserved. */
interface Arrival {
  /** The key of its partner. */
  readonly key: string
  readonly control: string
  readonly fingerprint: string
  /** The clock of the caller: a lease uses it if it replaces the system's, or else the clock of the database, which instances share. */
  readonly clock: Clock.Clock
}

/** Makes the methods of reservations. */
const reservations = Effect.gen(function*() {
  const { call, read, run, write } = yield* operations
  const { millis } = yield* Deadline

  const reserveAll = Effect.fnUntraced(function*(business: string, arrivals: ReadonlyArray<Arrival>) {
    // A lease begins when the statement runs, however long its interchange has waited.
    const rows = arrivals.map(({ clock, ...arrival }) => ({ ...arrival, now: Timestamp.givenNowOf(clock) }))
    const reservations = yield* call(Reservations)`dockline.edi_reserve(${businessId(business)},
      ${JSON.stringify(rows)}, ${ediLeaseMillis})`
    return reservations.map((each): EdiReservation | null => {
      if (each === null) return null
      return each[0] === "Reserved" ? { _tag: each[0], id: each[1] } : { _tag: each[0] }
    })
  })

  const release: EdiStore["Service"]["release"] = ({ business }, reservation) =>
    write({ business: businessId(business) })(
      run`dockline.edi_release(${businessId(business)}, ${reservation})`
    )

  const reserveInTurn = yield* EdiSteps.makeTurns<Arrival, EdiReservation | null, StorageUnavailable>({
    run: (business, arrivals) => write({ business: businessId(business) })(reserveAll(business, arrivals)),
    inTime: (wait) => within(wait, millis),
    // The caller no longer waits for the reservation, so nobody will process the interchange.
    onLate: (business, { key }, reservation) =>
      reservation?._tag === "Reserved"
        ? Effect.ignore(release({ business, key }, reservation.id))
        : Effect.void
  })

  return {
    words: (partner, orderNumbers) =>
      read({ business: businessId(partner.business) })(loadWords(call, partner, orderNumbers)),

    reserve: ({ business, key }, { control, fingerprint }) =>
      Effect.flatMap(Clock.Clock, (clock) => reserveInTurn(business, { key, control, fingerprint, clock })),

    renew: Effect.fnUntraced(function*({ business }, reservation) {
      return yield* call(Schema.Boolean)`dockline.edi_renew(${businessId(business)}, ${reservation},
        ${yield* Timestamp.givenNow}, ${ediLeaseMillis})`
    }, (effect, { business }) => write({ business: businessId(business) })(effect)),

    release
  } satisfies Pick<EdiStore["Service"], "release" | "renew" | "reserve" | "words">
})

/** Makes the methods of the exchange. */
const exchange = Effect.gen(function*() {
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

  const inTurn = yield* EdiSteps.makeTurns<EdiSteps.Step, Exit.Exit<unknown, unknown>, StorageUnavailable>({
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
    // If the step dies, the transaction is rolled back, and the refusal is not recorded either.
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
        // Received interchanges share transactions. The last statement of a step that sends an interchange (`edi_post`) may lock the log of
        // the business, so such a step commits alone.
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

/** The exchange in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. Deletes old files in the background. */
export const layer: Layer.Layer<EdiStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  EdiStore,
  Effect.gen(function*() {
    return EdiStore.of({
      ...(yield* partners),
      ...(yield* reservations),
      ...(yield* exchange),
      ...(yield* record)
    })
  })
)

/** The exchange with EDI partners in PostgreSQL. */
export const ediSql = SqlCapability.make("edi", {
  stores: layer,
  migrations: {
    "1_exchange": SqlCapability.statementsOf(new URL("../../sql/1_exchange.sql", import.meta.url))
  },
  functions: [
    new URL("../../sql/arrivals.sql", import.meta.url),
    new URL("../../sql/files.sql", import.meta.url),
    new URL("../../sql/partners.sql", import.meta.url)
  ].flatMap(SqlCapability.functionsOf),
  cluster: {
    tables: [
      "edi_log",
      "edi_dropped",
      "edi_partner",
      "edi_arrival",
      "edi_word",
      "edi_file",
      "edi_set",
      "edi_file_shipment"
    ],
    sequences: ["edi_file_id", "edi_key"],
    spanning: {
      edi_behind: firsts(everyShard, "(e->>'businessId')::bigint, (e->>'key')::bigint", "p_limit"),
      edi_between: firsts(shardsOfBusinesses, "e->'partner'->>'business', e->'partner'->>'slug'", "p_limit"),
      edi_expired: values(everyShard),
      edi_file_business: first(shardsOfIds("array[p_id]")),
      edi_file_page: page(shardsOfScopes, "dockline.list_place((e->>'at')::timestamptz, (e->>'id')::bigint)")
    }
  }
})
