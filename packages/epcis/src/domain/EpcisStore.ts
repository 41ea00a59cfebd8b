/**
 * Port: the facts that events need in addition to messages, the settings of businesses, and the cursors of published events (D24).
 *
 * Guarantee: the transaction that moves a cursor also adds the outbox entries up to it, and fails to do either if the cursor is not where
 * the reader found it. Therefore only one of several readers publishes, and no restart loses or repeats an event.
 */
import type { BusinessNotFound, StorageUnavailable } from "@dockline/core/values/Errors"
import type { MessageId, PalletId, ShipmentId } from "@dockline/core/values/Id"
import type { OutboxDraft } from "@dockline/core/webhooks/Delivery"
import { Context } from "effect"
import type { Effect, Result, Scope } from "effect"
import type { Facts } from "../events/EventsOfMessage.ts"
import type { EpcisSettings } from "./EpcisSettings.ts"

/** A request for the facts that the events of some messages need. */
export interface FactsRequest {
  /** Pallets, each with the id of the last message whose records are needed. */
  readonly pallets: ReadonlyArray<{
    readonly shipmentId: ShipmentId
    readonly palletId: PalletId
    readonly upTo: number
  }>
  readonly dockIds: ReadonlyArray<number>
  /** The slugs of facilities whose time zones are needed. */
  readonly facilities: ReadonlyArray<string>
  /** Departures. Their facts include the pallets that remained at that time. */
  readonly departures: ReadonlyArray<{ readonly shipmentId: ShipmentId; readonly messageId: MessageId }>
}

/** A business with unpublished messages. */
export interface Publication {
  readonly business: string
  readonly cursorId: number
}

/** A step that publishes the events of the messages after the cursor, up to `toId`. */
export interface PublicationStep extends Publication {
  /** The id of the last of these messages. */
  readonly toId: number
  /** The entries, in the order of the messages. */
  readonly entries: ReadonlyArray<OutboxDraft>
}

/** The stored data of EPCIS. */
export class EpcisStore extends Context.Service<EpcisStore, {
  /** The facts about pallets, docks, facilities and departures. Those that are not stored are left out. */
  readonly facts: (business: string, request: FactsRequest) => Effect.Effect<Facts, StorageUnavailable>
  /** The settings of a business, by default `defaultSettings`. */
  readonly settings: (business: string) => Effect.Effect<EpcisSettings, StorageUnavailable>
  /**
   * Replaces the settings of a business, unless `check` refuses the present settings. When publishing is turned on, it begins with the
   * messages appended to the log from then on.
   */
  readonly setSettings: <E = never>(
    business: string,
    settings: EpcisSettings,
    check?: (present: EpcisSettings) => Result.Result<void, E>
  ) => Effect.Effect<void, E | BusinessNotFound | StorageUnavailable>
  /** Businesses that publish and have messages after their cursors, in a fixed order: at most `limit`, after the business `after`. */
  readonly behind: (
    limit: number,
    after?: Pick<Publication, "business">
  ) => Effect.Effect<ReadonlyArray<Publication>, StorageUnavailable>
  /** Adds entries to the outbox and moves the cursor. Returns `false` if the cursor has moved since, or the business does not publish. */
  readonly publish: (step: PublicationStep) => Effect.Effect<boolean, StorageUnavailable>
  /** Calls a function whenever messages are appended, as long as the scope lasts. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
}>()("@dockline/epcis/domain/EpcisStore") {}
