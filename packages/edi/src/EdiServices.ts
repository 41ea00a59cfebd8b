/**
 * The services of EDI: they accept files of X12 from partners on behalf of the interfaces, and tell partners about departed shipments, as
 * long as their layer lives (D18).
 *
 * ```ts
 * // `services` are those of core over a storage, such as `dockline.layer`
 * EdiServices.layer.pipe(Layer.provide(services))
 * ```
 */
import type { Intake } from "@dockline/core/document/Intake"
import type { MessageLog } from "@dockline/core/messages/MessageLog"
import type { Shipments } from "@dockline/core/movement/Shipments"
import type { Directory } from "@dockline/core/places/Place"
import type { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Layer } from "effect"
import type { EdiStore } from "./domain/EdiStore.ts"
import * as AdviceWorker from "./exchange/AdviceWorker.ts"
import * as EdiExchange from "./exchange/EdiExchange.ts"

/** Accepts files: provides `EdiIntake` to an interface over the same services. */
export const intake: Layer.Layer<
  never,
  never,
  Intake | Shipments | Directory | EdiStore | ShipmentStore
> = EdiExchange.layer

/** Tells partners about departed shipments. */
export const advices: Layer.Layer<never, never, Directory | EdiStore | MessageLog | ShipmentStore> =
  AdviceWorker.layer

/** Accepts files and tells partners. */
export const layer: Layer.Layer<
  never,
  never,
  Intake | Shipments | Directory | EdiStore | MessageLog | ShipmentStore
> = Layer.merge(intake, advices)
