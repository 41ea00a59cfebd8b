/** The statements that create the functions and views of the contract, a file a subject. */
import { functionsOf } from "./SqlText.ts"

export const functions: ReadonlyArray<string> = [
  new URL("../../sql/access.sql", import.meta.url),
  new URL("../../sql/answers.sql", import.meta.url),
  new URL("../../sql/basics.sql", import.meta.url),
  new URL("../../sql/deliveries.sql", import.meta.url),
  new URL("../../sql/documents.sql", import.meta.url),
  new URL("../../sql/endpoints.sql", import.meta.url),
  new URL("../../sql/intake.sql", import.meta.url),
  new URL("../../sql/messages.sql", import.meta.url),
  new URL("../../sql/movement.sql", import.meta.url),
  new URL("../../sql/outboxes.sql", import.meta.url),
  new URL("../../sql/pallets.sql", import.meta.url),
  new URL("../../sql/places.sql", import.meta.url),
  new URL("../../sql/replays.sql", import.meta.url),
  new URL("../../sql/retention.sql", import.meta.url),
  new URL("../../sql/search.sql", import.meta.url),
  new URL("../../sql/shipment_lists.sql", import.meta.url),
  new URL("../../sql/shipments.sql", import.meta.url),
  new URL("../../sql/steps.sql", import.meta.url)
].flatMap(functionsOf)
