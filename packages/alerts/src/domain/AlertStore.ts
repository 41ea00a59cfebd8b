/**
 * Port: rules, their cursors over the log, and the notices that wait to be sent (D26).
 *
 * Guarantee: the transaction that moves a cursor also adds the notices of the messages up to it, and fails to do either if the cursor is
 * not where the reader found it. The same holds for the time of the last check for incidents outside the log. A rule keeps one notice for
 * each key (for `noticeMillis`). Therefore only one of several readers adds notices, and no restart loses or repeats a notice. One sender at
 * a time claims a message. A message has the same id and notices at each try, and has one final outcome.
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
import type { AlertRule, Notice, NoticeState, RuleSettings } from "./AlertRule.ts"

/** The name of a rule, with its business. */
export interface RuleName {
  readonly business: string
  readonly rule: string
}

/** A notice for a rule. */
export interface NoticeDraft {
  readonly rule: string
  /** The key of its incident: a rule reports each key once. */
  readonly key: string
  /** The time at which it is due. */
  readonly dueAt: Timestamp
  readonly notice: Notice
}

/** A business with unread messages in its log. */
export interface Reading {
  readonly business: string
  readonly cursorId: number
}

/** A step that adds the notices of the messages after the cursor, up to `toId`. */
export interface ReadingStep extends Reading {
  /** The id of the last of these messages. */
  readonly toId: number
  readonly notices: ReadonlyArray<NoticeDraft>
}

/** A business that has not been checked for a while. */
export interface Look {
  readonly business: string
  /** The time of the last check. */
  readonly lookedAt: Timestamp
}

/** A step that adds the notices of a check. */
export interface LookStep extends Look {
  readonly notices: ReadonlyArray<NoticeDraft>
}

/** The rules of a business, and the time by the clock of the storage. */
export interface RulesNow {
  readonly now: Timestamp
  readonly rules: ReadonlyArray<AlertRule>
}

/** A truck that has been at a facility, at a dock or without one, longer than the facility allows. */
export interface Detention {
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
  readonly facility: string
  /** `""` if it arrived without a dock. */
  readonly dock: string
  readonly arrivedAt: Timestamp
  readonly detentionMinutes: number
}

/** A webhook endpoint that accepts nothing. */
export interface FailingEndpoint {
  readonly id: number
  /** `null` for all facilities. */
  readonly facility: string | null
  readonly baseUrl: string
  readonly failingSince: Timestamp
}

/** A notice of a rule, with its outcome. */
export interface RuleNotice {
  readonly id: number
  readonly notice: Notice
  readonly state: NoticeState
  /** Why it was not sent, or to whom it was not; for a waiting notice, why the last try failed. `""` without a reason. */
  readonly reason: string
  readonly addedAt: Timestamp
  readonly dueAt: Timestamp
  /** `""` while the notice waits. */
  readonly endedAt: Timestamp | ""
}

/** The sealed address of a rule. */
export interface RuleUrl extends RuleName {
  readonly url: SealedText
}

/** A pallet event, by its message. */
export interface PalletMessage {
  readonly messageId: number
  readonly shipmentId: number
  readonly palletId: number
}

/** Facts about a pallet event that its message does not contain. */
export interface PalletFacts {
  readonly lpn: string
  readonly dock: string
  readonly shipmentNumber: string
  readonly verdict: Verdict
}

/** A message that a sender has claimed. */
export interface Claim {
  /** The time of the claim, by the clock of the storage. */
  readonly now: Timestamp
  readonly rule: AlertRule
  /** The id of the message, the same at each try. */
  readonly messageId: string
  /** The number of earlier tries. */
  readonly attempts: number
  /** The notices, in the order in which they were added. */
  readonly notices: ReadonlyArray<Notice>
  /** The number of incidents beyond `waitingLimit`, which have no notice. */
  readonly surplus: number
  /** Whether it is a test, which is sent at any hour. */
  readonly isTest: boolean
  /** Distinguishes the claim from later ones. */
  readonly epoch: number
}

/** The ways in which a try of a message ends. */
export const outcomeKinds = ["SENT", "LATER", "REFUSED"] as const

/** How a try of a message ended. */
export type Outcome =
  /** `failure` names the recipients that the server refused, or is `""`. */
  | { readonly kind: "SENT"; readonly failure: string }
  /** The next try is at `at`. `failure` is `""` if there was no try. */
  | { readonly kind: "LATER"; readonly at: Timestamp; readonly failure: string }
  | { readonly kind: "REFUSED"; readonly failure: string }

/** The time between two checks of a business, in milliseconds. */
export const lookMillis = 10_000

/** How long an endpoint has to fail before it counts as an incident, in milliseconds: short failures are not reported. */
export const failingMillis = 240_000

/** The most incidents of a kind that a check returns. If there are more, it returns the latest. */
export const incidentLimit = 1000

/** How long a claim of a message lasts, in milliseconds: longer than any try. */
export const leaseMillis = 120_000

/** The stored data of alerts. */
export class AlertStore extends Context.Service<AlertStore, {
  /** The rules of a business in the order of their slugs. */
  readonly list: (
    business: string,
    page: NamePageRequest
  ) => Effect.Effect<Page<AlertRule>, StorageUnavailable>
  /** All rules of a business, for the worker that adds notices. */
  readonly rules: (business: string) => Effect.Effect<RulesNow, StorageUnavailable>
  /** The notices of a rule, the newest first. */
  readonly notices: (name: RuleName, page: PageRequest) => Effect.Effect<Page<RuleNotice>, StorageUnavailable>
  /** The sealed addresses of rules of all businesses, at most `limit`. */
  readonly urls: (limit: number) => Effect.Effect<ReadonlyArray<RuleUrl>, StorageUnavailable>
  /** A rule; `null` if there is none. */
  readonly find: (name: RuleName) => Effect.Effect<AlertRule | null, StorageUnavailable>
  /**
   * Creates or replaces a rule with the settings from `decide`, which gets the present rule. A new rule reports messages appended from then
   * on.
   */
  readonly put: <E = never>(
    name: RuleName,
    decide: (present: AlertRule | null) => Result.Result<RuleSettings, E>
  ) => Effect.Effect<AlertRule, E | BusinessNotFound | FacilityNotFound | StorageUnavailable | TooManyEntries>
  /** Removes a rule with its notices; `false` if there is no such rule. */
  readonly remove: (name: RuleName) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Businesses with rules and with messages of the given types after their cursors, in a fixed order: at most `limit`, after the business
   * `after`.
   */
  readonly behind: (
    types: ReadonlyArray<string>,
    limit: number,
    after?: Reading
  ) => Effect.Effect<ReadonlyArray<Reading>, StorageUnavailable>
  /** The facts about pallet events, by the ids of their messages. Events that are not stored are left out. */
  readonly pallets: (
    business: string,
    messages: ReadonlyArray<PalletMessage>
  ) => Effect.Effect<ReadonlyMap<number, PalletFacts>, StorageUnavailable>
  /** Moves the cursor and adds the notices with new keys. Returns `false` if the cursor has moved since. */
  readonly advance: (step: ReadingStep) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Businesses that have rules for the given kinds and were not checked for {@link lookMillis}, in a fixed order: at most `limit`, after
   * the business `after`.
   */
  readonly looks: (
    kinds: ReadonlyArray<string>,
    limit: number,
    after?: Look
  ) => Effect.Effect<ReadonlyArray<Look>, StorageUnavailable>
  /** Stores the time of a check and adds the notices with new keys. Returns `false` if there was another check meanwhile. */
  readonly look: (step: LookStep) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * The trucks that passed the limit of their facility at the time `since` or later, and have not departed, in the order of these times.
   */
  readonly detentions: (
    business: string,
    since: Timestamp
  ) => Effect.Effect<ReadonlyArray<Detention>, StorageUnavailable>
  /**
   * The endpoints of a business that have failed for {@link failingMillis}, and began to fail at the time `since` or later, in the order of
   * these times.
   */
  readonly failingEndpoints: (
    business: string,
    since: Timestamp
  ) => Effect.Effect<ReadonlyArray<FailingEndpoint>, StorageUnavailable>
  /** Adds a test that is due at once, unless a test already waits; `false` if there is no such rule. */
  readonly test: (name: RuleName, notice: Notice) => Effect.Effect<boolean, StorageUnavailable>
  /** Rules whose next message is due and not claimed, in a fixed order: at most `limit`, after the rule `after`. */
  readonly due: (
    limit: number,
    after?: RuleName
  ) => Effect.Effect<ReadonlyArray<RuleName>, StorageUnavailable>
  /**
   * Claims the next message of a rule for {@link leaseMillis}. A new message gets the id `messageId`. Returns `null` if no message is due, or
   * if an earlier claim still holds.
   */
  readonly claim: (name: RuleName, messageId: string) => Effect.Effect<Claim | null, StorageUnavailable>
  /** Stores the outcome of a try. Returns `false` if the claim no longer holds. */
  readonly settle: (claim: Claim, outcome: Outcome) => Effect.Effect<boolean, StorageUnavailable>
  /** Calls a function whenever messages, a test or notices are added, or a rule is set, as long as the scope lasts. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
}>()("@dockline/alerts/domain/AlertStore") {}
