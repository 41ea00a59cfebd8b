/**
 * Partners, and the record of the files exchanged with them, in memory. Each step runs synchronously, and so is a transaction of its
 * own.
 */
import { everything } from "@dockline/core/access/Access"
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
import { MemoryDatabase, stateOf } from "@dockline/core/memory/MemoryDatabase"
import type { AppendSettings } from "@dockline/core/memory/MemoryDatabase"
import { agrees, isAt, newestByTime } from "@dockline/core/memory/MemoryLists"
import { MessageLogConfig } from "@dockline/core/messages/MessageLog"
import { unknownPlace } from "@dockline/core/places/Authorize"
import { defaultTimeZone } from "@dockline/core/places/Place"
import { CursorAhead, HistoryExpired } from "@dockline/core/values/Errors"
import type { ShipmentId } from "@dockline/core/values/Id"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { cutPage, mapPage, pageOfNames } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Result, Struct } from "effect"
import { EdiPartnerExists } from "./EdiErrors.ts"
import {
  countsOf,
  ediEntry,
  ediRetentionMillis,
  ediTextLimit,
  groupsOf,
  isRejected,
  outcomeOf
} from "./EdiFile.ts"
import type { EdiFile, EdiFileEntry } from "./EdiFile.ts"
import { isBetween, partnerLimit } from "./EdiPartner.ts"
import type { EdiPartner, EdiPartnerChange } from "./EdiPartner.ts"
import { adviceTypes, EdiStore, rejectionLimit } from "./EdiStore.ts"
import type {
  AdviceHistory,
  EdiAbout,
  EdiMark,
  EdiOutboxQuery,
  EdiPlan,
  EdiRefusedFile,
  EdiState,
  EdiWords,
  PartnerKey,
  PartnerName
} from "./EdiStore.ts"
import { keyOf, MemoryEdiArrivals, nameOf } from "./MemoryEdiArrivals.ts"

class MemoryEdi {
  readonly partners = new Map<string, EdiPartner>()
  nextKey = 1
  /** In the order of their ids. */
  files: ReadonlyArray<EdiFile> = []
  readonly arrivals = new MemoryEdiArrivals()
  /** The words of orders by the keys of their partners, each with the time at which they were stored. */
  readonly words = new Map<
    string,
    Map<string, { readonly words: string; readonly at: Timestamp.Timestamp }>
  >()
  /** The fingerprints of received files, by the ids of the files. */
  readonly fingerprints = new Map<number, string>()
  /** The series of control numbers of each file, by its id. */
  readonly #series = new Map<number, string>()
  /** The key of the partner of each file, by its id. */
  readonly #keys = new Map<number, string>()
  /** The partners, control numbers and fingerprints of files that were refused as a whole, by the ids of the files. */
  readonly #refused = new Map<number, string>()
  /** The times at which files were rejected, by the ids of the files. */
  readonly rejectedAt = new Map<number, Timestamp.Timestamp>()
  /** For each partner, the newest dropped interchange that was to be sent. */
  #dropped: ReadonlyArray<EdiFile> = []
  readonly database: MemoryDatabase["Service"]

  constructor(database: MemoryDatabase["Service"]) {
    this.database = database
  }

  /** The partner with a key; `undefined` if it is gone. */
  partner({ business, key }: PartnerKey): EdiPartner | undefined {
    return this.of(business).find((each) => each.key === key)
  }

  /**
   * The series in which the control numbers of a partner are unique: tests have a series of their own, and so has each new partner with
   * the same slug.
   */
  seriesOf(of: PartnerKey): string {
    return seriesKey(of.business, of.key, this.partner(of)?.usage)
  }

  of(business: string): ReadonlyArray<EdiPartner> {
    return Array.from(this.partners.values()).filter((each) => each.business === business)
  }

  /** Whether another partner of the business has the slug, or the same ids in envelopes. */
  isTaken(
    { business, ours, slug, theirs }: Pick<EdiPartner, "business" | "ours" | "slug" | "theirs">,
    isNew: boolean
  ): boolean {
    return this.of(business).some((each) => each.slug === slug ? isNew : isBetween(each, theirs, ours))
  }

  fileByControl(partner: PartnerKey, control: string | undefined): EdiFile | null {
    const series = this.seriesOf(partner)
    return this.files.findLast((file) =>
      file.direction === "IN" && file.control === control && this.#series.get(file.id) === series
    ) ?? null
  }

  /** The newest file sent to a partner with each of the groups, and with each of the control numbers. */
  sentFiles(partner: PartnerKey, { groups = [], interchanges = [] }: EdiAbout): ReadonlyArray<EdiFile> {
    const series = this.seriesOf(partner)
    const newest = (isAsked: (file: EdiFile) => boolean) =>
      this.files.findLast((file) =>
        isOutgoing(file) && this.#series.get(file.id) === series && isAsked(file)
      ) ?? []
    const matches = [
      ...groups.flatMap((group) =>
        newest(({ sets }) => sets.some(({ groupControl }) => Number(groupControl) === group))
      ),
      ...interchanges.flatMap((number) => newest(({ control }) => control === number))
    ]
    return Array.from(new Set(matches))
  }

  /** The files that told a partner about a shipment. */
  adviceHistory(
    { business, key, usage }: PartnerKey & Pick<EdiPartner, "usage">,
    shipmentId: ShipmentId
  ): AdviceHistory {
    const series = seriesKey(business, key, usage)
    const all = this.files.filter(({ direction, id, sets: [set] }) =>
      direction === "OUT" && this.#series.get(id) === series && set?.shipmentId === String(shipmentId)
    ).toReversed()
    let length = 0
    const files = all.filter(({ text }, index) => (length += text.length) <= ediTextLimit || index === 0)
    return { files, isWhole: files.length === all.length }
  }

  /** The ids of the shipments in which a partner has an order. */
  ownIds({ business, key }: EdiPartner, shipmentIds: ReadonlyArray<ShipmentId>): ReadonlyArray<number> {
    const { shipments } = this.database
    return shipmentIds.filter((id) =>
      shipments.get(id)?.business === business &&
      shipments.ordersOf(id).some(({ owner }) => owner === key)
    )
  }

  /** The state for a step of a partner, and the facility of the partner; `null` if the partner is gone. */
  begin(of: PartnerKey, about: EdiAbout, now: Timestamp.Timestamp) {
    const partner = this.partner(of)
    if (partner === undefined) return null
    const state: EdiState = {
      now,
      partner,
      earlierFile: about.control === undefined ? null : this.fileByControl(partner, about.control),
      sentFiles: this.sentFiles(partner, about).map(({ control, id, sets }) => ({
        control,
        id,
        groups: groupsOf(sets)
      })),
      words: this.wordsOf(partner, about.orders ?? []),
      isReserved: about.reservation !== undefined && this.arrivals.holds(about.reservation),
      ownIds: this.ownIds(partner, about.shipmentIds ?? [])
    }
    const { business, facility } = this.database.places.lookup(partner.business, partner.facility)
    // Places are never removed.
    return { state, location: { business: business!, facility: facility! } }
  }

  /** Applies the changes of a step, and returns the added file. */
  apply(
    partner: EdiPartner,
    about: EdiAbout,
    { cursorId, due = partner.due, file, fingerprint = "", mark, nextGroup, nextInterchange, words = [] }:
      EdiPlan,
    location: EdiFile["location"],
    settings: AppendSettings
  ): EdiFile | null {
    const { now } = settings
    this.partners.set(keyOf(nameOf(partner)), { ...partner, cursorId, due, nextGroup, nextInterchange })
    if (due !== partner.due) this.database.messages.wakeups.wake(partner.business)
    if (mark !== undefined) {
      const sentSet = new Set(this.sentFiles(partner, about))
      this.files = this.files.map((each) => sentSet.has(each) ? this.#judge(withMark(each, mark), now) : each)
    }
    if (about.reservation !== undefined) this.arrivals.release(about.reservation)
    this.#keep(partner, words, now)
    if (file === null) return null
    const id = this.database.nextId("ediFile")
    const row = this.#judge({ ...file, id, location, partner: partner.slug, at: now }, now)
    this.files = [...this.files, row]
    this.#series.set(row.id, this.seriesOf(partner))
    this.#keys.set(row.id, partner.key)
    this.fingerprints.set(row.id, fingerprint)
    if (isOutgoing(row)) {
      const draft = ediEntry({
        business: location.business.slug,
        facility: location.facility.slug,
        shipmentId: Number(row.sets[0]?.shipmentId ?? 0)
      }, row.text)
      this.database.webhooks.appendEntry(draft, settings)
    }
    return row
  }

  /** The stored words of orders of a partner. */
  wordsOf({ key }: PartnerKey, orderNumbers: ReadonlyArray<string>): ReadonlyArray<EdiWords> {
    const orders = this.words.get(key)
    return Array.from(new Set(orderNumbers)).flatMap((orderNumber) => {
      const entry = orders?.get(orderNumber)
      return entry === undefined ? [] : [{ orderNumber, words: entry.words }]
    })
  }

  /** Notes the time at which a file was rejected, if it was. */
  #judge(file: EdiFile, now: Timestamp.Timestamp): EdiFile {
    if (!isRejected(file.outcome)) this.rejectedAt.delete(file.id)
    else if (!this.rejectedAt.has(file.id)) this.rejectedAt.set(file.id, now)
    return file
  }

  #keep({ key }: EdiPartner, words: ReadonlyArray<EdiWords>, at: Timestamp.Timestamp): void {
    const orders = this.words.get(key) ?? new Map()
    for (const { orderNumber, words: text } of words) {
      if (text === "") orders.delete(orderNumber)
      else orders.set(orderNumber, { words: text, at })
    }
    this.words.set(key, orders)
  }

  /** Whether an interchange that was refused as a whole is on record. */
  isRefused({ key }: PartnerKey, { control, fingerprint }: EdiRefusedFile): boolean {
    return Array.from(this.#refused.values()).includes(JSON.stringify([key, control, fingerprint]))
  }

  /** Records an interchange that was refused as a whole. */
  refuse(
    { key, slug }: EdiPartner,
    { fault, fingerprint, ...fields }: EdiRefusedFile,
    location: EdiFile["location"],
    at: Timestamp.Timestamp
  ): void {
    const id = this.database.nextId("ediFile")
    this.files = [...this.files, {
      ...fields,
      id,
      location,
      partner: slug,
      at,
      direction: "IN",
      outcome: "REJECTED",
      sets: [],
      faults: [fault],
      answer: ""
    }]
    this.rejectedAt.set(id, at)
    this.#keys.set(id, key)
    this.#refused.set(id, JSON.stringify([key, fields.control, fingerprint]))
  }

  /** Drops the files older than a time, and returns their number. */
  dropBefore(cutoff: Timestamp.Timestamp): number {
    const expiredFiles = this.files.filter(({ at }) => at < cutoff)
    const newest = new Map(
      [...this.#dropped, ...expiredFiles.filter(isOutgoing)].map((file) => [this.#keys.get(file.id), file])
    )
    this.#dropped = Array.from(newest.values(), (file) => ({ ...file, text: "", sets: [] }))
    const marks = new Set(this.#dropped.map(({ id }) => id))
    for (const { id } of expiredFiles) {
      this.#series.delete(id)
      this.rejectedAt.delete(id)
      this.fingerprints.delete(id)
      this.#refused.delete(id)
      // The newest dropped file still counts for its partner.
      if (!marks.has(id)) this.#keys.delete(id)
    }
    this.files = this.files.filter(({ at }) => at >= cutoff)
    for (const orders of this.words.values()) {
      for (const [orderNumber, { at }] of orders) if (at < cutoff) orders.delete(orderNumber)
    }
    this.arrivals.dropBefore(cutoff)
    return expiredFiles.length
  }

  /** The newest id of a file of a business; 0 if there is none. */
  newestId(business: string): number {
    return Math.max(
      0,
      ...[this.files.findLast(({ location }) => location.business.slug === business), ...this.#dropped]
        .flatMap((file) => file?.location.business.slug === business ? [file.id] : [])
    )
  }

  /** The newest dropped id among the interchanges of a query; 0 if none was dropped. */
  droppedId(query: EdiOutboxQuery): number {
    return Math.max(0, ...this.#dropped.filter(this.isAskedBy(query)).map(({ id }) => id))
  }

  /** Whether a file belongs to the present partner with a slug. Without a slug, every file matches. */
  isOf(
    slug: string | undefined,
    { id, location: { business }, partner }: Pick<EdiFile, "id" | "location" | "partner">
  ): boolean {
    if (slug === undefined) return true
    const key = this.partners.get(keyOf({ business: business.slug, partner: slug }))?.key
    return partner === slug && key !== undefined && key === this.#keys.get(id)
  }

  isAskedBy(query: EdiOutboxQuery): (file: EdiFile) => boolean {
    return (file) => {
      const { business, facility } = file.location
      return query.business === business.slug && (query.facility ?? facility.slug) === facility.slug &&
        this.isOf(query.partner, file)
    }
  }
}

const seriesKey = (...parts: readonly [business: string, key?: string, usage?: string]): string =>
  JSON.stringify(parts)

/** Whether a file is to be sent. */
const isOutgoing = ({ direction, text }: EdiFile): boolean => direction === "OUT" && text !== ""

const withMark = (file: EdiFile, mark: EdiMark): EdiFile => {
  const sets = file.sets.map((set) => mark(set, file.control))
  return sets.every((set, at) => set === file.sets[at]) ? file : { ...file, sets, outcome: outcomeOf(sets) }
}

const entryOf = ({ sets, ...file }: EdiFile): EdiFileEntry => ({
  ...Struct.omit(file, ["answer", "faults", "text"]),
  ...countsOf(sets)
})

/** Returns a file after reserving its size in `AnswerMemory`. */
const afterReserving = Effect.fnUntraced(function*(file: EdiFile) {
  const { answer, faults, sets, text } = file
  const memory = yield* AnswerMemory
  yield* memory.reserve(text.length + answer.length + JSON.stringify([sets, faults]).length)
  return file
})

const ediStoreOf = (edi: MemoryEdi, retentionMillis: number): EdiStore["Service"] =>
  EdiStore.of({ ...partnersOf(edi), ...exchangeOf(edi, retentionMillis), ...recordOf(edi) })

const partnersOf = (edi: MemoryEdi) => ({
  create: Effect.fnUntraced(function*({ now, ...draft }) {
    const { business, facility, slug } = draft
    const unknown = unknownPlace(edi.database.places.lookup(business, facility), draft)
    if (unknown !== undefined) return yield* unknown
    if (edi.isTaken(draft, true)) return yield* new EdiPartnerExists({ business, partner: slug })
    if (edi.of(business).length >= partnerLimit) {
      return yield* new TooManyEntries({ what: "EDI partners of a business", limit: partnerLimit })
    }
    const cursorId = edi.database.messages.logOf(business).lastId
    const partner = {
      units: [],
      newPurposes: [],
      ...draft,
      key: String(edi.nextKey++),
      createdAt: now,
      cursorId,
      due: []
    }
    edi.partners.set(keyOf(nameOf(partner)), partner)
    return partner
  }),
  find: (name) => Effect.sync(() => edi.partners.get(keyOf(name)) ?? null),
  list: (business, page) => Effect.sync(() => pageOfNames(edi.of(business), ({ slug }) => slug, page)),
  update: Effect.fnUntraced(function*<E>(
    name: PartnerName,
    change: (partner: EdiPartner) => Result.Result<EdiPartnerChange, E>
  ) {
    const before = edi.partners.get(keyOf(name))
    if (before === undefined) return null
    const after = { ...before, ...(yield* Effect.fromResult(change(before))) }
    if (edi.isTaken(after, false)) {
      return yield* new EdiPartnerExists({ business: name.business, partner: name.partner })
    }
    // A partner that got no sets before the change is told about departures from now on.
    const cursorId = before.tells.length === 0 && after.tells.length > 0
      ? edi.database.messages.logOf(name.business).lastId
      : before.cursorId
    edi.partners.set(keyOf(name), { ...after, cursorId })
    return { ...after, cursorId }
  }),
  remove: (name) =>
    Effect.sync(() => {
      const partner = edi.partners.get(keyOf(name))
      if (partner === undefined) return false
      edi.arrivals.forget(partner.key)
      edi.words.delete(partner.key)
      return edi.partners.delete(keyOf(name))
    }),
  between: (scope, { control, receiver, sender }) =>
    Effect.sync(() =>
      Array.from(edi.partners.values()).filter((each) =>
        (scope === everything || scope.includes(each.business)) && isBetween(each, sender, receiver)
      ).map((partner) => ({
        partner,
        timeZone: edi.database.places.facility(partner.business, partner.facility)?.timeZone ??
          defaultTimeZone,
        isKnown: edi.fileByControl(partner, control) !== null
      }))
    )
} satisfies Partial<EdiStore["Service"]>)

const exchangeOf = (edi: MemoryEdi, retentionMillis: number) => ({
  refuse: (partner, file, answering) =>
    Effect.map(Timestamp.now, (now) => {
      const snapshot = edi.begin(partner, {}, now)
      if (snapshot === null || edi.isRefused(partner, file)) return false
      const { location, state } = snapshot
      const step = answering === undefined ? undefined : Result.getOrThrow(answering(state))
      edi.refuse(state.partner, file, location, now)
      if (step?.plan) {
        step.answer(
          edi.apply(state.partner, {}, step.plan, location, { now, trace: undefined, retentionMillis })
        )
      }
      return true
    }),
  fileByControl: Effect.fnUntraced(function*(partner, control, fingerprint) {
    const file = edi.fileByControl(partner, control)
    const isOther = file !== null &&
      (fingerprint ?? edi.fingerprints.get(file.id)) !== edi.fingerprints.get(file.id)
    return file === null || isOther ? null : yield* afterReserving(file)
  }),
  words: (partner, orderNumbers) => Effect.sync(() => edi.wordsOf(partner, orderNumbers)),
  adviceHistory: (partner, shipmentId) => Effect.sync(() => edi.adviceHistory(partner, shipmentId)),
  reserve: (partner, arrival) =>
    Effect.map(Timestamp.now, (now) => {
      if (edi.partner(partner) === undefined) return null
      return edi.fileByControl(partner, arrival.control) === null
        ? edi.arrivals.reserve(partner.key, edi.seriesOf(partner), arrival, now)
        : { _tag: "Known" }
    }),
  renew: (_, reservation) => Effect.map(Timestamp.now, (now) => edi.arrivals.renew(reservation, now)),
  release: (_, reservation) => Effect.sync(() => edi.arrivals.release(reservation)),
  transact: (partner, about, decide) =>
    Effect.flatMap(Timestamp.now, (now) =>
      Effect.suspend(() => {
        const snapshot = edi.begin(partner, about, now)
        if (snapshot === null) return Effect.succeed(null)
        const { location, state } = snapshot
        return Effect.fromResult(Result.map(decide(state), ({ answer, plan }) => {
          if (plan === null) return answer(null)
          const settings = { now, trace: undefined, retentionMillis }
          return answer(edi.apply(state.partner, about, plan, location, settings))
        }))
      })),
  behind: (limit, after) =>
    Effect.sync(() =>
      Array.from(edi.partners.values()).filter(({ business, cursorId, due, facility, key, tells }) =>
        Number(key) > Number(after?.key ?? 0) && tells.length > 0 &&
        (due.length > 0 ||
          edi.database.messages.logOf(business).messages.some((message) =>
            message.id > cursorId && adviceTypes.some((type) => type === message.type) &&
            message.facility === facility
          ))
      ).sort((left, right) => Number(left.key) - Number(right.key)).slice(0, limit).map((partner) => ({
        ...nameOf(partner),
        key: partner.key,
        facility: partner.facility,
        cursorId: partner.cursorId,
        due: partner.due
      }))
    ),
  watch: (wake) => edi.database.messages.wakeups.watch(everything, wake)
} satisfies Partial<EdiStore["Service"]>)

const recordOf = (edi: MemoryEdi) => ({
  files: (scopes, filter, page) =>
    Effect.sync(() => {
      const { direction, outcome, partner, shipmentId } = filter
      const matches = edi.files.filter((file) =>
        isAt(scopes, filter, file.location.business.slug, file.location.facility.slug) &&
        agrees({ direction, outcome }, file) && edi.isOf(partner, file) &&
        (shipmentId === undefined || file.sets.some((set) => set.shipmentId === String(shipmentId)))
      )
      return mapPage(newestByTime(matches, page, ({ at, id }) => ({ at, id })), entryOf)
    }),
  file: Effect.fnUntraced(function*(id) {
    const file = edi.files.find((file) => file.id === id)
    return file === undefined ? null : yield* afterReserving(file)
  }),
  outbox: Effect.fnUntraced(function*(query, { after, limit }) {
    const { business } = query
    const droppedId = edi.droppedId(query)
    if (after > 0 && after < droppedId) return yield* new HistoryExpired({ business, droppedId })
    const newestId = edi.newestId(business)
    if (after > newestId) return yield* new CursorAhead({ business, newestId })
    const matches = edi.isAskedBy(query)
    const rest = edi.files.filter((file) => isOutgoing(file) && file.id > after && matches(file))
    const page = cutPage(rest, limit, ({ id, text }) => ({ id: String(id), text: text.length }))
    const memory = yield* AnswerMemory
    yield* memory.reserve(page.items.reduce((sum, { text }) => sum + text.length, 0))
    return {
      items: page.items.map((file) => ({
        ...Struct.omit(entryOf(file), ["rejectedCount", "setCount"]),
        text: file.text
      })),
      next: page.next
    }
  }),
  rejections: (business, since) =>
    Effect.sync(() =>
      edi.files.flatMap((file) => {
        const at = edi.rejectedAt.get(file.id)
        return at !== undefined && at >= since && file.location.business.slug === business
          ? [{ at, file: entryOf(file) }]
          : []
      }).toSorted((left, right) =>
        left.at < right.at ? -1 : left.at > right.at ? 1 : left.file.id - right.file.id
      )
        .slice(-rejectionLimit)
    ),
  dropExpired: Effect.map(
    Timestamp.now,
    (now) => edi.dropBefore(Timestamp.fromMillis(Date.parse(now) - ediRetentionMillis))
  )
} satisfies Partial<EdiStore["Service"]>)

/** The exchange of a database in memory. */
const exchangeIn = stateOf((database) => new MemoryEdi(database))

/** The port in memory. */
export const memory: Layer.Layer<EdiStore, never, MemoryDatabase> = Layer.effect(
  EdiStore,
  Effect.map(
    Effect.all([MemoryDatabase, MessageLogConfig]),
    ([database, { retentionMillis }]) => ediStoreOf(exchangeIn(database), retentionMillis)
  )
)
