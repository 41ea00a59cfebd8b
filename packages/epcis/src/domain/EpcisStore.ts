/**
 * Port: what events are made of beside messages, the settings of businesses, and how far their events were published (D24).
 *
 * Guarantee: a cursor moves with the entries of the outbox that it stands for, in one transaction, and only from where its reader has read it:
 * of several readers one publishes, and no restart loses or doubles an event.
 */
import type { BusinessNotFound, StorageUnavailable } from "@dockline/core/values/Errors"
import type { MessageId, PalletId, ShipmentId } from "@dockline/core/values/Id"
import type { OutboxDraft } from "@dockline/core/webhooks/Delivery"
import { Context } from "effect"
import type { Effect, Result, Scope } from "effect"
import type { Facts } from "../events/EventsOfMessage.ts"
import type { EpcisSettings } from "./EpcisSettings.ts"

/** The facts that messages of a business are read with. */
export interface FactsRequest {
  /** Pallets, with what was recorded of them up to a message. */
  readonly pallets: ReadonlyArray<{
    readonly shipmentId: ShipmentId
    readonly palletId: PalletId
    readonly upTo: number
  }>
  readonly dockIds: ReadonlyArray<number>
  /** The slugs of facilities whose clocks are asked for. */
  readonly facilities: ReadonlyArray<string>
  /** Departures, with the pallets that remained when they were recorded. */
  readonly departures: ReadonlyArray<{ readonly shipmentId: ShipmentId; readonly messageId: MessageId }>
}

/** A business with messages that were not published. */
export interface Publication {
  readonly business: string
  readonly cursorId: number
}

/** Events of messages up to one. */
export interface PublicationStep extends Publication {
  /** The id of the last of these messages. */
  readonly toId: number
  /** In the order of the messages. */
  readonly entries: ReadonlyArray<OutboxDraft>
}

/** What is stored of EPCIS. */
export class EpcisStore extends Context.Service<EpcisStore, {
  /** What is known of the pallets, docks and departures of messages; what there is not is left out. */
  readonly facts: (business: string, request: FactsRequest) => Effect.Effect<Facts, StorageUnavailable>
  /** The settings of a business; {@link EpcisSettings} that are the default where nobody has set any. */
  readonly settings: (business: string) => Effect.Effect<EpcisSettings, StorageUnavailable>
  /**
   * Replaces the settings of a business, unless the present ones are refused. Who turns publishing on publishes what is appended to the log
   * from then on.
   */
  readonly setSettings: <E = never>(
    business: string,
    settings: EpcisSettings,
    check?: (present: EpcisSettings) => Result.Result<void, E>
  ) => Effect.Effect<void, E | BusinessNotFound | StorageUnavailable>
  /** Businesses that publish and have messages behind their cursors, at most `limit`, in an order of their own behind one. */
  readonly behind: (
    limit: number,
    after?: Pick<Publication, "business">
  ) => Effect.Effect<ReadonlyArray<Publication>, StorageUnavailable>
  /** Adds entries to the outbox and moves the cursor, if it is where the step has read it and the business publishes; else `false`. */
  readonly publish: (step: PublicationStep) => Effect.Effect<boolean, StorageUnavailable>
  /** Calls a function when messages were appended, as long as the scope lasts. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
}>()("@dockline/epcis/domain/EpcisStore") {}
