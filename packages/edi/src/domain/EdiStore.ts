/**
 * Port: partners, and the record of what is exchanged with them (D18.3).
 *
 * Guarantee: a step of the exchange is one transaction: it gives the control numbers, moves the cursor and writes the files, or does
 * nothing. Steps of a business run one after another, so that the numbers of a partner have no gaps, and the ids of files grow in the
 * order of commits: a reader that has seen id N never later finds a new id below N. Of files with one control number that come
 * from a partner, one is done at a time, and one is stored; tests and production count apart, and so does a partner made anew.
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

/** A new partner. It is told of what departs from now on. */
export interface EdiPartnerDraft
  extends
    Omit<EdiPartner, "createdAt" | "cursorId" | "due" | "key" | "newPurposes" | "units">,
    Partial<Pick<EdiPartner, "newPurposes" | "units">>
{
  readonly now: Timestamp
}

/** The partner that has a slug. */
export interface PartnerName {
  readonly business: string
  /** The slug of the partner. */
  readonly partner: string
}

/** A partner by its key. A new partner with the same slug has another key, and nothing of this one. */
export type PartnerKey = Pick<EdiPartner, "business" | "key">

/** The envelope of an interchange that came. */
export interface EdiEnvelope {
  readonly sender: EdiParty
  readonly receiver: EdiParty
  /** The control number. */
  readonly control: string
}

/** The partners whose interchange it may be. */
export interface EdiAddressee {
  readonly partner: EdiPartner
  /** The time zone of its facility (D13.7). */
  readonly timeZone: string
  /** Whether a file of the partner came with the control number before. */
  readonly isKnown: boolean
}

/** How long a reservation lasts unless it is renewed, in milliseconds: as long as a storage may be out of reach. */
export const ediLeaseMillis = 30_000

/** An interchange that came, before any of it is done. */
export interface EdiArrival {
  readonly control: string
  /** A hash of its segments: the same interchange again has the same, however it is wrapped. */
  readonly fingerprint: string
}

/** An interchange that was refused as a whole. */
export interface EdiRefusedFile extends Pick<EdiFile, "control" | "text"> {
  /** A hash of its text and partner: the same again has the same. */
  readonly fingerprint: string
  /** Why it was refused, in words. */
  readonly fault: string
}

/**
 * Whether an interchange may be done. `Reserved`: it may, under the id. `Running`: somebody else does it. `Reused`: somebody else does
 * another one with its number. `Known`: it is on record.
 */
export type EdiReservation =
  | { readonly _tag: "Reserved"; readonly id: number }
  | { readonly _tag: "Running" }
  | { readonly _tag: "Reused" }
  | { readonly _tag: "Known" }

/**
 * The words that a partner's sets used for the goods of an order, as the exchange writes them down (D23.5).
 */
export interface EdiWords {
  readonly orderNumber: string
  /** `""` where they are those that are told anyway. */
  readonly words: string
}

/** The query of a step. */
export interface EdiAbout {
  /** The control number of the interchange that came. */
  readonly control?: string | undefined
  /** The id under which its control number is reserved. The plan ends the reservation. */
  readonly reservation?: number | undefined
  /** The control numbers of groups of ours that it acknowledges. */
  readonly groups?: ReadonlyArray<number>
  /** The control numbers of interchanges of ours that it acknowledges as a whole (TA1), of nine digits. */
  readonly interchanges?: ReadonlyArray<string>
  /** The numbers of orders of which it changes some words. */
  readonly orders?: ReadonlyArray<string>
  /** The ids of shipments that may be told of. */
  readonly shipmentIds?: ReadonlyArray<ShipmentId>
}

/** A file that was sent, without its sets: one step may be about very many. */
export interface EdiSentFile extends Pick<EdiFile, "control" | "id"> {
  readonly groups: ReadonlyArray<EdiGroup>
}

/**
 * The new state of a set that was sent under a control number; the same set where nothing changes. The outcome of the file follows from its
 * sets (`outcomeOf`).
 */
export type EdiMark = (set: EdiSet, control: string) => EdiSet

/** The state that a step depends on. Nobody changes it before the step ends. */
export interface EdiState {
  readonly now: Timestamp
  readonly partner: EdiPartner
  /** The file that came with the control number before; `null` if none did. */
  readonly earlierFile: EdiFile | null
  /** The files that were sent with the groups, and under the control numbers. */
  readonly sentFiles: ReadonlyArray<EdiSentFile>
  /** The words that are kept of the orders; none of orders without. */
  readonly words: ReadonlyArray<EdiWords>
  /** Whether the reservation is still held. */
  readonly isReserved: boolean
  /** Which of the shipments that may be told of have an order of the partner. */
  readonly ownIds: ReadonlyArray<number>
}

/** The changes of a step. */
export interface EdiPlan extends Pick<EdiPartner, "cursorId" | "nextGroup" | "nextInterchange"> {
  /** The file that is added, if one is; the fingerprint by which one that came is known again. */
  readonly file: EdiFileDraft | null
  readonly fingerprint?: string | undefined
  /** The files of which the partner is to be told anew; they stay as they are when absent. */
  readonly due?: ReadonlyArray<number> | undefined
  /**
   * Words of orders, which are kept for `ediRetentionMillis`, until other words of them are kept or the partner is removed. Of an order
   * that is there twice the last words hold.
   */
  readonly words?: ReadonlyArray<EdiWords> | undefined
  /** What the partner says of the sets of the files that were sent and that the step sees. They stay as they are when absent. */
  readonly mark?: EdiMark | undefined
}

/** A step: its answer, and what it changes; `null` for nothing. */
export interface EdiStep<out A> {
  readonly plan: EdiPlan | null
  /** The answer, for the file that was added. */
  readonly answer: (file: EdiFile | null) => A
}

/** The messages at which partners are told of a shipment: it has departed, or a pallet that came late has changed what it left with. */
export const adviceTypes = ["SHIPMENT_COMPLETE", "SHIPMENT_DISCREPANCIES"] as const satisfies ReadonlyArray<
  MessageType
>

/** A partner that is to be told: of shipments of its facility that have departed or changed since, or anew. */
export interface EdiBehind extends PartnerName, Pick<EdiPartner, "cursorId" | "due" | "facility" | "key"> {}

/** The files that told a partner of a shipment. */
export interface AdviceHistory {
  /** The newest first: as many as have `ediTextLimit` characters, and one at least. */
  readonly files: ReadonlyArray<Pick<EdiFile, "sets" | "text">>
  /** Whether no older one told of it. */
  readonly isWhole: boolean
}

/** A file of which sets were rejected, or could not be written. */
export interface EdiRejection {
  /** When: a file that was sent is rejected later. */
  readonly at: Timestamp
  readonly file: EdiFileEntry
}

/** The most rejections that are read at once. */
export const rejectionLimit = 1000

/** Narrows a list of files; `undefined` does not narrow. */
export interface EdiFileFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
  /** The slug of a partner: of those that had it, the one that has it now. */
  readonly partner: string | undefined
  readonly direction: EdiDirection | undefined
  readonly outcome: EdiOutcome | undefined
  /** The id of a shipment that a set is about; without partner, direction and outcome. */
  readonly shipmentId: ShipmentId | undefined
}

/** Which of the interchanges that are to be sent are read. */
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
  /** Changes the settings of a partner atomically; `null` if there is none of the slug. */
  readonly update: <E>(
    name: PartnerName,
    change: (partner: EdiPartner) => Result.Result<EdiPartnerChange, E>
  ) => Effect.Effect<EdiPartner | null, E | EdiPartnerExists | StorageUnavailable>
  /** Removes a partner; `false` if there is none. What was exchanged with it stays on record. */
  readonly remove: (name: PartnerName) => Effect.Effect<boolean, StorageUnavailable>
  /** The partners of some businesses between whom and us an interchange is. */
  readonly between: (
    scope: BusinessScope,
    envelope: EdiEnvelope
  ) => Effect.Effect<ReadonlyArray<EdiAddressee>, StorageUnavailable>
  /**
   * The file that came from a partner with a control number, and with a fingerprint if one is said; `null` if none did. It is loaded once the answer
   * has room for it (`AnswerRoom`).
   */
  readonly fileByControl: (
    partner: PartnerKey,
    control: string,
    fingerprint?: string
  ) => Effect.Effect<EdiFile | null, ReadFailure>
  /** Reserves the control number of an interchange for `ediLeaseMillis`, before any of it is done; `null` if the partner is gone. */
  readonly reserve: (
    partner: PartnerKey,
    arrival: EdiArrival
  ) => Effect.Effect<EdiReservation | null, StorageUnavailable>
  /** Reserves a control number for longer; `false` if another has reserved it since. */
  readonly renew: (partner: PartnerKey, reservation: number) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends a reservation without a record. */
  readonly release: (partner: PartnerKey, reservation: number) => Effect.Effect<void, StorageUnavailable>
  /**
   * Records an interchange that was refused as a whole, as a rejected file without sets, unless the same is on record or the partner is
   * gone; whether it is recorded. It takes no control number: none is known by it. A step that answers it is done in the same
   * transaction, if it is recorded.
   */
  readonly refuse: (
    partner: PartnerKey,
    file: EdiRefusedFile,
    answering?: (state: EdiState) => Result.Result<EdiStep<unknown>, never>
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** The words that are kept of orders; none of orders without. */
  readonly words: (
    partner: PartnerKey,
    orderNumbers: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<EdiWords>, StorageUnavailable>
  /** The files that told a partner of a shipment, in its present usage, including those that could not be written. */
  readonly adviceHistory: (
    partner: PartnerKey & Pick<EdiPartner, "usage">,
    shipmentId: ShipmentId
  ) => Effect.Effect<AdviceHistory, StorageUnavailable>
  /** Does a step in a transaction; `null` if the partner is gone. The decision is pure, and may be made again. */
  readonly transact: <A, E>(
    partner: PartnerKey,
    about: EdiAbout,
    decide: (state: EdiState) => Result.Result<EdiStep<A>, E>
  ) => Effect.Effect<A | null, E | StorageUnavailable>
  /** Partners that are to be told of shipments, at most `limit` behind one, in an order of their own; a partner that is told nothing is none. */
  readonly behind: (
    limit: number,
    after?: Pick<EdiBehind, "business" | "key">
  ) => Effect.Effect<ReadonlyArray<EdiBehind>, StorageUnavailable>
  /** Calls a function when messages were appended, or files are due, as long as the scope lasts. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
  /** The files at places that a client may see, newest first: by their times, and then by id. */
  readonly files: (
    scopes: ReadonlyArray<ReadScope>,
    filter: EdiFileFilter,
    page: NewestPageRequest
  ) => Effect.Effect<Page<EdiFileEntry>, StorageUnavailable>
  /** The file of an id; `null` if there is none. Its texts are loaded once the answer has room for them (`AnswerRoom`). */
  readonly file: (id: number, reader: ReadonlyArray<ReadScope>) => Effect.Effect<EdiFile | null, ReadFailure>
  /**
   * The interchanges that are to be sent, in the order of their ids. `HistoryExpired` where some of them after `after` were dropped, and
   * `CursorAhead` where no file of the business has an id as high. Their texts are loaded once the answer has room for them.
   */
  readonly outbox: (
    query: EdiOutboxQuery,
    page: PageRequest
  ) => Effect.Effect<Page<EdiOutgoing>, HistoryExpired | CursorAhead | ReadFailure>
  /** What was rejected at a business at a time or later, in the order of these times; of more than {@link rejectionLimit} the last. */
  readonly rejections: (
    business: string,
    since: Timestamp
  ) => Effect.Effect<ReadonlyArray<EdiRejection>, StorageUnavailable>
  /** Drops the files of before `ediRetentionMillis`, and returns their number. The storage calls this by itself. */
  readonly dropExpired: Effect.Effect<number, StorageUnavailable>
}>()("@dockline/edi/domain/EdiStore") {}
