/**
 * Port: the facts from which events are made beside messages, the settings of businesses, and the cursors of published events (D24).
 *
 * Guarantee: a cursor moves in one transaction with the entries of the outbox up to it, and only if it is where its reader has read it:
 * among several readers, one publishes, and no restart loses or doubles an event.
 */
import type { BusinessNotFound, StorageUnavailable } from "@dockline/core/values/Errors"
import type { MessageId, PalletId, ShipmentId } from "@dockline/core/values/Id"
import type { OutboxDraft } from "@dockline/core/webhooks/Delivery"
import { Context } from "effect"
import type { Effect, Result, Scope } from "effect"
import type { Facts } from "../events/EventsOfMessage.ts"
import type { EpcisSettings } from "./EpcisSettings.ts"

/** A request for the facts that messages of a business need. */
export interface FactsRequest {
  /** Pallets, each with the message up to which its records count. */
  readonly pallets: ReadonlyArray<{
    readonly shipmentId: ShipmentId
    readonly palletId: PalletId
    readonly upTo: number
  }>
  readonly dockIds: ReadonlyArray<number>
  /** The slugs of facilities whose time zones are needed. */
  readonly facilities: ReadonlyArray<string>
  /** Departures, for which the pallets that remained at that time are needed. */
  readonly departures: ReadonlyArray<{ readonly shipmentId: ShipmentId; readonly messageId: MessageId }>
}

/** A business with unpublished messages. */
export interface Publication {
  readonly business: string
  readonly cursorId: number
}

/** A step that publishes the events of messages up to one. */
export interface PublicationStep extends Publication {
  /** The id of the last of these messages. */
  readonly toId: number
  /** The entries, in the order of the messages. */
  readonly entries: ReadonlyArray<OutboxDraft>
}

/** The stored data of EPCIS. */
export class EpcisStore extends Context.Service<EpcisStore, {
  /** The facts about the pallets, docks and departures of messages; missing ones are left out. */
  readonly facts: (business: string, request: FactsRequest) => Effect.Effect<Facts, StorageUnavailable>
  /** The settings of a business, by default `defaultSettings`. */
  readonly settings: (business: string) => Effect.Effect<EpcisSettings, StorageUnavailable>
  /**
   * Replaces the settings of a business, unless the present ones are refused. When publishing is turned on, it begins with the messages
   * appended to the log from then on.
   */
  readonly setSettings: <E = never>(
    business: string,
    settings: EpcisSettings,
    check?: (present: EpcisSettings) => Result.Result<void, E>
  ) => Effect.Effect<void, E | BusinessNotFound | StorageUnavailable>
  /** Businesses that publish and have messages after their cursors, at most `limit`, after a given one, in a fixed order. */
  readonly behind: (
    limit: number,
    after?: Pick<Publication, "business">
  ) => Effect.Effect<ReadonlyArray<Publication>, StorageUnavailable>
  /** Adds entries to the outbox and moves the cursor. Returns `false` if the cursor has moved since, or the business does not publish. */
  readonly publish: (step: PublicationStep) => Effect.Effect<boolean, StorageUnavailable>
  /** Calls a function whenever messages are appended, as long as the scope lasts. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
}>()("@dockline/epcis/domain/EpcisStore") {}
