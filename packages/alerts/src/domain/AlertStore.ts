/**
 * Port: rules, how far the log was read for them, and the notices that wait to be told (D26).
 *
 * Guarantee: a cursor moves with the notices that it stands for, in one transaction, and only from where its reader has read it, and so is
 * a look at what is not in the log; a notice is kept once for each rule and thing. So of several readers one adds, and no restart loses or doubles a notice. A message is claimed by
 * one sender at a time, has the same id and notices at each try, and ends once.
 */
import type { Verdict } from "@dockline/core/shipment/Verdict"
import type { BusinessNotFound, FacilityNotFound, StorageUnavailable } from "@dockline/core/values/Errors"
import type { ShipmentId } from "@dockline/core/values/Id"
import type { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import type { NamePageRequest, Page, PageRequest } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { Context } from "effect"
import type { Effect, Result, Scope } from "effect"
import type { AlertRule, RuleSettings } from "./AlertRule.ts"
import type { Notice, NoticeState } from "./Notice.ts"

/** A rule by its names. */
export interface RuleName {
  readonly business: string
  readonly rule: string
}

/** A notice for a rule. */
export interface NoticeDraft {
  readonly rule: string
  /** The thing that it is about: a rule tells of a thing once. */
  readonly key: string
  /** When it is to be told. */
  readonly dueAt: Timestamp
  readonly notice: Notice
}

/** A business whose log was not read to its end. */
export interface Reading {
  readonly business: string
  readonly cursorId: number
}

/** The notices of messages up to one. */
export interface ReadingStep extends Reading {
  /** The id of the last of these messages. */
  readonly toId: number
  readonly notices: ReadonlyArray<NoticeDraft>
}

/** A business that was not looked at for a while. */
export interface Look {
  readonly business: string
  /** When it was looked at. */
  readonly lookedAt: Timestamp
}

/** The notices of a look. */
export interface LookStep extends Look {
  readonly notices: ReadonlyArray<NoticeDraft>
}

/** The rules of a business, and the time by the clock of the storage. */
export interface RulesNow {
  readonly now: Timestamp
  readonly rules: ReadonlyArray<AlertRule>
}

/** A truck that stands at a dock longer than its facility allows. */
export interface Detention {
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
  readonly facility: string
  /** `""` where it arrived without a dock. */
  readonly dock: string
  readonly arrivedAt: Timestamp
  readonly detentionMinutes: number
}

/** A webhook endpoint that takes nothing. */
export interface FailingEndpoint {
  readonly id: number
  /** `null` for all facilities. */
  readonly facility: string | null
  readonly baseUrl: string
  readonly failingSince: Timestamp
}

/** A notice of a rule, and what became of it. */
export interface RuleNotice {
  readonly id: number
  readonly notice: Notice
  readonly state: NoticeState
  /** Why it was not sent, or to whom; of one that waits, why the last try failed. `""` where there is nothing to say. */
  readonly reason: string
  readonly addedAt: Timestamp
  readonly dueAt: Timestamp
  /** `""` while it waits. */
  readonly endedAt: Timestamp | ""
}

/** The address of a rule, as it is sealed. */
export interface RuleUrl extends RuleName {
  readonly url: SealedText
}

/** A pallet event, by its message. */
export interface PalletMessage {
  readonly messageId: number
  readonly shipmentId: number
  readonly palletId: number
}

/** What is known of a pallet event beside its message. */
export interface PalletFacts {
  readonly lpn: string
  readonly dock: string
  readonly shipmentNumber: string
  readonly verdict: Verdict
}

/** A message that a sender has claimed. */
export interface Claim {
  /** When it was claimed, by the clock of the storage. */
  readonly now: Timestamp
  readonly rule: AlertRule
  /** The same at each try. */
  readonly messageId: string
  /** How often it was tried before. */
  readonly attempts: number
  /** In the order in which they were added. */
  readonly notices: ReadonlyArray<Notice>
  /** How many more there were that did not fit into the queue. */
  readonly surplus: number
  /** Whether it is a test, which is sent at any hour. */
  readonly isTest: boolean
  /** Tells the claim from later ones. */
  readonly epoch: number
}

/** The ways in which a try of a message ends. */
export const outcomeKinds = ["SENT", "LATER", "REFUSED"] as const

/** How a try of a message ended. */
export type Outcome =
  /** `failure` says who of several people did not get it, or is `""`. */
  | { readonly kind: "SENT"; readonly failure: string }
  /** It is tried again then; `failure` is `""` where it was not tried. */
  | { readonly kind: "LATER"; readonly at: Timestamp; readonly failure: string }
  | { readonly kind: "REFUSED"; readonly failure: string }

/** How long after a look a business is looked at again, in milliseconds. */
export const lookMillis = 10_000

/** How long an endpoint has failed before people are told, in milliseconds: some faults pass. */
export const failingMillis = 240_000

/** The most incidents of a kind that a look finds: the last ones. */
export const incidentLimit = 1000

/** How long a sender has for a message, in milliseconds: longer than any try takes. */
export const leaseMillis = 120_000

/** What is stored of alerts. */
export class AlertStore extends Context.Service<AlertStore, {
  /** The rules of a business in the order of their slugs. */
  readonly list: (
    business: string,
    page: NamePageRequest
  ) => Effect.Effect<Page<AlertRule>, StorageUnavailable>
  /** All rules of a business, for who tells people. */
  readonly rules: (business: string) => Effect.Effect<RulesNow, StorageUnavailable>
  /** The notices of a rule, the newest first. */
  readonly notices: (name: RuleName, page: PageRequest) => Effect.Effect<Page<RuleNotice>, StorageUnavailable>
  /** The sealed addresses of rules of all businesses, at most `limit`. */
  readonly urls: (limit: number) => Effect.Effect<ReadonlyArray<RuleUrl>, StorageUnavailable>
  /** A rule; `null` where there is none. */
  readonly find: (name: RuleName) => Effect.Effect<AlertRule | null, StorageUnavailable>
  /** Creates or replaces a rule by what `decide` makes of the present one. A new one tells of what is appended to the log from then on. */
  readonly put: <E = never>(
    name: RuleName,
    decide: (present: AlertRule | null) => Result.Result<RuleSettings, E>
  ) => Effect.Effect<AlertRule, E | BusinessNotFound | FacilityNotFound | StorageUnavailable | TooManyEntries>
  /** Removes a rule with what waits; `false` where there is none. */
  readonly remove: (name: RuleName) => Effect.Effect<boolean, StorageUnavailable>
  /** Businesses with rules whose logs have messages of some types behind their cursors, at most `limit`, in an order of their own behind one. */
  readonly behind: (
    types: ReadonlyArray<string>,
    limit: number,
    after?: Reading
  ) => Effect.Effect<ReadonlyArray<Reading>, StorageUnavailable>
  /** What is known of pallet events, by the ids of their messages; what there is not is left out. */
  readonly pallets: (
    business: string,
    messages: ReadonlyArray<PalletMessage>
  ) => Effect.Effect<ReadonlyMap<number, PalletFacts>, StorageUnavailable>
  /** Moves the cursor and adds the notices that are news, if the cursor is where the step has read it; else `false`. */
  readonly advance: (step: ReadingStep) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Businesses with rules of some kinds that were not looked at for {@link lookMillis}, at most `limit`, in an order of their own behind
   * one.
   */
  readonly looks: (
    kinds: ReadonlyArray<string>,
    limit: number,
    after?: Look
  ) => Effect.Effect<ReadonlyArray<Look>, StorageUnavailable>
  /** Notes a look and adds the notices that are news, if nobody has looked meanwhile; else `false`. */
  readonly look: (step: LookStep) => Effect.Effect<boolean, StorageUnavailable>
  /** The trucks that passed the limits of their facilities at a time or later, and have not departed, in the order in which they did. */
  readonly detentions: (
    business: string,
    since: Timestamp
  ) => Effect.Effect<ReadonlyArray<Detention>, StorageUnavailable>
  /** The endpoints of a business that have failed for some minutes, and began to at a time or later, in that order. */
  readonly failingEndpoints: (
    business: string,
    since: Timestamp
  ) => Effect.Effect<ReadonlyArray<FailingEndpoint>, StorageUnavailable>
  /** Adds a test to a rule, which is due at once, unless one waits; `false` where there is no such rule. */
  readonly test: (name: RuleName, notice: Notice) => Effect.Effect<boolean, StorageUnavailable>
  /** Rules whose next message is due and claimed by nobody, at most `limit`, in an order of their own behind one. */
  readonly due: (
    limit: number,
    after?: RuleName
  ) => Effect.Effect<ReadonlyArray<RuleName>, StorageUnavailable>
  /** Claims the next message of a rule for {@link leaseMillis}; a new one has `messageId`. `null` where none is due. */
  readonly claim: (name: RuleName, messageId: string) => Effect.Effect<Claim | null, StorageUnavailable>
  /** Ends a try, if its claim still holds; else `false`. */
  readonly settle: (claim: Claim, outcome: Outcome) => Effect.Effect<boolean, StorageUnavailable>
  /** Calls a function when messages were appended, or a test or notices added, as long as the scope lasts. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
}>()("@dockline/alerts/domain/AlertStore") {}
