/**
 * Port: partners, and the record of the files exchanged with them (D18.3).
 *
 * Guarantee: a step of the exchange is one transaction: it assigns the control numbers, moves the cursor and writes the files, or does
 * nothing. Steps of a business run one after another. The control numbers of a partner therefore have no gaps, and the ids of files grow in
 * the order of commits: a reader that has seen id N never finds a new id below N later. Of several files from a partner with the same
 * control number, one at a time holds the reservation, and one is stored, besides files that were refused as a whole. Tests, production and
 * each new partner with the same slug have separate series of control numbers.
 */
import type { BusinessScope, ReadScope } from "@dockline/core/access/Access"
import type { ReadFailure } from "@dockline/core/shipment/ShipmentStore"
import type {
  BusinessNotFound,
  CursorAhead,
  FacilityNotFound,
  HistoryExpired,
  StorageUnavailable
} from "@dockline/core/values/Errors"
import type { ShipmentId } from "@dockline/core/values/Id"
import type { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import type { NamePageRequest, NewestPageRequest, Page, PageRequest } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import { Context } from "effect"
import type { Effect, Result, Scope } from "effect"
import type { EdiPartnerExists } from "./EdiErrors.ts"
import type {
  EdiDirection,
  EdiFile,
  EdiFileDraft,
  EdiFileEntry,
  EdiGroup,
  EdiOutcome,
  EdiOutgoing,
  EdiSet
} from "./EdiFile.ts"
import type { EdiPartner, EdiPartnerChange, EdiParty } from "./EdiPartner.ts"

/** A new partner, which is told about departures from its creation on. */
export interface EdiPartnerDraft
  extends
    Omit<EdiPartner, "createdAt" | "cursorId" | "due" | "key" | "newPurposes" | "units">,
    Partial<Pick<EdiPartner, "newPurposes" | "units">>
{
  readonly now: Timestamp
}

/** The name of a partner: its business and slug. */
export interface PartnerName {
  readonly business: string
  /** The slug of the partner. */
  readonly partner: string
}

/** A partner by its key. A later partner with the same slug has another key, and inherits nothing. */
export type PartnerKey = Pick<EdiPartner, "business" | "key">

/** The envelope of a received interchange. */
export interface EdiEnvelope {
  readonly sender: EdiParty
  readonly receiver: EdiParty
  /** The control number. */
  readonly control: string
}

/** A partner that may have sent an interchange. */
export interface EdiAddressee {
  readonly partner: EdiPartner
  /** The time zone of its facility (D13.7). */
  readonly timeZone: string
  /** Whether the partner has sent a file with this control number before. */
  readonly isKnown: boolean
}

/** The duration of a reservation unless it is renewed, in milliseconds. The storage may be unreachable for that long. */
export const ediLeaseMillis = 30_000

/** A received interchange, before any of it is executed. */
export interface EdiArrival {
  readonly control: string
  /** A hash of its segments: a repeated interchange has the same hash, however its lines are wrapped. */
  readonly fingerprint: string
}

/** An interchange that was refused as a whole. */
export interface EdiRefusedFile extends Pick<EdiFile, "control" | "text"> {
  /** A hash of its text and partner: a repeated file has the same hash. */
  readonly fingerprint: string
  /** Why it was refused, in words. */
  readonly fault: string
}

/**
 * The result of reserving a control number. `Reserved`: the interchange may be executed under the id. `Running`: another request is
 * executing it. `Reused`: another request is executing a different interchange with the same number. `Known`: the record has a file with
 * the number.
 */
export type EdiReservation =
  | { readonly _tag: "Reserved"; readonly id: number }
  | { readonly _tag: "Running" }
  | { readonly _tag: "Reused" }
  | { readonly _tag: "Known" }

/** The words that a partner's sets used for the goods of an order, as stored text (D23.5). */
export interface EdiWords {
  readonly orderNumber: string
  /** `""` for the words that are used by default. */
  readonly words: string
}

/** The keys of the data that a step needs. */
export interface EdiAbout {
  /** The control number of the received interchange. */
  readonly control?: string | undefined
  /** The id of the reservation of the control number. The plan of the step ends the reservation. */
  readonly reservation?: number | undefined
  /** The control numbers of our groups that the interchange acknowledges. */
  readonly groups?: ReadonlyArray<number>
  /** The control numbers of our interchanges that the interchange acknowledges as a whole (TA1), of nine digits. */
  readonly interchanges?: ReadonlyArray<string>
  /** The numbers of the orders in which the interchange changes some of the words. */
  readonly orders?: ReadonlyArray<string>
  /** The ids of shipments about which the partner may have to be told. */
  readonly shipmentIds?: ReadonlyArray<ShipmentId>
}

/** A sent file without its sets: a step may concern very many files. */
export interface EdiSentFile extends Pick<EdiFile, "control" | "id"> {
  readonly groups: ReadonlyArray<EdiGroup>
}

/**
 * Returns the new state of a set that was sent under a control number, or the same set if nothing changes. The outcome of the file follows
 * from its sets (`outcomeOf`).
 */
export type EdiMark = (set: EdiSet, control: string) => EdiSet

/** The state on which a step depends. No other step changes it before the step ends. */
export interface EdiState {
  readonly now: Timestamp
  readonly partner: EdiPartner
  /** The stored file with the received control number; `null` if there is none. */
  readonly earlierFile: EdiFile | null
  /** The newest sent file with each of the queried groups, and with each of the queried control numbers. */
  readonly sentFiles: ReadonlyArray<EdiSentFile>
  /** The stored words of the orders; orders without words have no entry. */
  readonly words: ReadonlyArray<EdiWords>
  /** Whether the reservation still holds. */
  readonly isReserved: boolean
  /** The ids of the queried shipments in which the partner has an order. */
  readonly ownIds: ReadonlyArray<number>
}

/** The changes of a step. */
export interface EdiPlan extends Pick<EdiPartner, "cursorId" | "nextGroup" | "nextInterchange"> {
  /** The file to be added, or `null`; and the fingerprint by which a repetition of a received file is recognised. */
  readonly file: EdiFileDraft | null
  readonly fingerprint?: string | undefined
  /** The ids of the files that have to be sent again. They stay unchanged when absent. */
  readonly due?: ReadonlyArray<number> | undefined
  /**
   * Words of orders. They are stored for `ediRetentionMillis`, or until other words replace them or the partner is removed. If an order
   * occurs twice, its last words count.
   */
  readonly words?: ReadonlyArray<EdiWords> | undefined
  /** Marks the sets of the `sentFiles` of the step with the partner's answers. The sets stay unchanged when absent. */
  readonly mark?: EdiMark | undefined
}

/** The decision of a step: its changes, and the answer to its caller. */
export interface EdiStep<out A> {
  readonly plan: EdiPlan | null
  /** Makes the answer from the added file. */
  readonly answer: (file: EdiFile | null) => A
}

/** The messages after which partners are told about a shipment: it has departed, or a late pallet has changed its load. */
export const adviceTypes = ["SHIPMENT_COMPLETE", "SHIPMENT_DISCREPANCIES"] as const satisfies ReadonlyArray<
  MessageType
>

/** A partner with messages about departures or changes after its cursor, or with files to be resent. */
export interface EdiBehind extends PartnerName, Pick<EdiPartner, "cursorId" | "due" | "facility" | "key"> {}

/** The files that told a partner about a shipment. */
export interface AdviceHistory {
  /** The newest files first: as many as fit into `ediTextLimit` characters, but at least one if there is any. */
  readonly files: ReadonlyArray<Pick<EdiFile, "sets" | "text">>
  /** Whether `files` contains all files about the shipment. */
  readonly isWhole: boolean
}

/** A file with sets that were rejected, or could not be written. */
export interface EdiRejection {
  /** The time of the rejection. A partner rejects a sent file later than the time of the file. */
  readonly at: Timestamp
  readonly file: EdiFileEntry
}

/** The most rejections that are read at once. */
export const rejectionLimit = 1000

/** A filter for lists of files; `undefined` does not filter. */
export interface EdiFileFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
  /** The slug of a partner. If several partners have had the slug, only files of the present one match. */
  readonly partner: string | undefined
  readonly direction: EdiDirection | undefined
  readonly outcome: EdiOutcome | undefined
  /** The id of a shipment of which a set tells. It cannot be combined with `partner`, `direction` or `outcome`. */
  readonly shipmentId: ShipmentId | undefined
}

/** A query of the interchanges to be sent. */
export interface EdiOutboxQuery extends Pick<EdiFileFilter, "facility" | "partner"> {
  readonly business: string
}

/** Partners and the record. */
export class EdiStore extends Context.Service<EdiStore, {
  /** Creates a partner; a business has at most `partnerLimit`. */
  readonly create: (draft: EdiPartnerDraft) => Effect.Effect<
    EdiPartner,
    BusinessNotFound | FacilityNotFound | EdiPartnerExists | TooManyEntries | StorageUnavailable
  >
  /** The partner of a slug; `null` if there is none. */
  readonly find: (name: PartnerName) => Effect.Effect<EdiPartner | null, StorageUnavailable>
  /** The partners of a business, in slug order. */
  readonly list: (
    business: string,
    page: NamePageRequest
  ) => Effect.Effect<Page<EdiPartner>, StorageUnavailable>
  /** Changes the settings of a partner atomically; `null` if no partner has the slug. */
  readonly update: <E>(
    name: PartnerName,
    change: (partner: EdiPartner) => Result.Result<EdiPartnerChange, E>
  ) => Effect.Effect<EdiPartner | null, E | EdiPartnerExists | StorageUnavailable>
  /** Removes a partner; `false` if there is none. The files exchanged with it stay on record. */
  readonly remove: (name: PartnerName) => Effect.Effect<boolean, StorageUnavailable>
  /** The partners of the businesses in scope that exchange interchanges between the two sides of an envelope. */
  readonly between: (
    scope: BusinessScope,
    envelope: EdiEnvelope
  ) => Effect.Effect<ReadonlyArray<EdiAddressee>, StorageUnavailable>
  /**
   * The received file of a partner with a control number and, if given, a fingerprint; `null` if there is none. The file is loaded after
   * `AnswerMemory` has reserved its size.
   */
  readonly fileByControl: (
    partner: PartnerKey,
    control: string,
    fingerprint?: string
  ) => Effect.Effect<EdiFile | null, ReadFailure>
  /** Reserves the control number of an interchange for `ediLeaseMillis`, before any of it is executed; `null` if the partner is gone. */
  readonly reserve: (
    partner: PartnerKey,
    arrival: EdiArrival
  ) => Effect.Effect<EdiReservation | null, StorageUnavailable>
  /** Extends a reservation; `false` if it has ended, because another request has reserved the number since or the partner was removed. */
  readonly renew: (partner: PartnerKey, reservation: number) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends a reservation without a record. */
  readonly release: (partner: PartnerKey, reservation: number) => Effect.Effect<void, StorageUnavailable>
  /**
   * Records an interchange that was refused as a whole as a rejected file without sets, unless it is already on record or the partner is
   * gone. Returns whether it was recorded. The refused file uses up no control number. If the file is recorded, the step `answering` runs
   * in the same transaction.
   */
  readonly refuse: (
    partner: PartnerKey,
    file: EdiRefusedFile,
    answering?: (state: EdiState) => Result.Result<EdiStep<unknown>, never>
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** The stored words of orders; orders without words have no entry. */
  readonly words: (
    partner: PartnerKey,
    orderNumbers: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<EdiWords>, StorageUnavailable>
  /**
   * The files that told a partner about a shipment in the partner's present usage (test or production), including files that could not be
   * written.
   */
  readonly adviceHistory: (
    partner: PartnerKey & Pick<EdiPartner, "usage">,
    shipmentId: ShipmentId
  ) => Effect.Effect<AdviceHistory, StorageUnavailable>
  /** Executes a step in a transaction; `null` if the partner is gone. `decide` is pure, and may be called again. */
  readonly transact: <A, E>(
    partner: PartnerKey,
    about: EdiAbout,
    decide: (state: EdiState) => Result.Result<EdiStep<A>, E>
  ) => Effect.Effect<A | null, E | StorageUnavailable>
  /**
   * Partners that have to be told about shipments, in a fixed order: at most `limit`, after the partner `after`. Partners that get no sets
   * are left out.
   */
  readonly behind: (
    limit: number,
    after?: Pick<EdiBehind, "business" | "key">
  ) => Effect.Effect<ReadonlyArray<EdiBehind>, StorageUnavailable>
  /** Calls a function whenever messages are appended or files have to be resent, as long as the scope lasts. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
  /** The files at places that a client may see, newest first: by time, then by id. */
  readonly files: (
    scopes: ReadonlyArray<ReadScope>,
    filter: EdiFileFilter,
    page: NewestPageRequest
  ) => Effect.Effect<Page<EdiFileEntry>, StorageUnavailable>
  /** The file with an id; `null` if there is none. Its texts are loaded after `AnswerMemory` has reserved their size. */
  readonly file: (id: number, reader: ReadonlyArray<ReadScope>) => Effect.Effect<EdiFile | null, ReadFailure>
  /**
   * The interchanges to be sent, in the order of their ids. Fails with `HistoryExpired` if interchanges after the id `after` were dropped,
   * and with `CursorAhead` if no file of the business has an id as high as `after`. The texts are loaded after `AnswerMemory` has reserved
   * their size.
   */
  readonly outbox: (
    query: EdiOutboxQuery,
    page: PageRequest
  ) => Effect.Effect<Page<EdiOutgoing>, HistoryExpired | CursorAhead | ReadFailure>
  /**
   * The rejections at a business since a time, in the order of their times. If there are more than {@link rejectionLimit}, the latest are
   * returned.
   */
  readonly rejections: (
    business: string,
    since: Timestamp
  ) => Effect.Effect<ReadonlyArray<EdiRejection>, StorageUnavailable>
  /**
   * Drops the files older than `ediRetentionMillis` with the words and the reservations of that age, and returns the number of files. A
   * database also does this by itself; the storage in memory does not.
   */
  readonly dropExpired: Effect.Effect<number, StorageUnavailable>
}>()("@dockline/edi/domain/EdiStore") {}
