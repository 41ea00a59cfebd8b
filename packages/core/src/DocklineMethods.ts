/**
 * The methods of the façade: each reads what it is given and asks the service whose job it is.
 */
import { Effect } from "effect"
import type { CoreConfig } from "./CoreServices.ts"
import { Directory } from "./Directory.ts"
import type { Dockline, Services } from "./DocklineApi.ts"
import type { Calls } from "./DocklineCalls.ts"
import { follow } from "./DocklineFollow.ts"
import { historyReader, readOrderQuery, readPlaces, readShipmentQuery } from "./DocklineInput.ts"
import * as DocumentInput from "./DocumentInput.ts"
import { Intake } from "./Intake.ts"
import { Messages } from "./Messages.ts"
import * as PalletEventInput from "./PalletEventInput.ts"
import { Pallets } from "./Pallets.ts"
import { Readiness } from "./Readiness.ts"
import { Shipments } from "./Shipments.ts"
import * as StepInput from "./StepInput.ts"

type Methods = Omit<Dockline, "close" | "layer" | typeof Symbol.asyncDispose>

/** All methods but those that end it. */
export const methods = (
  calls: Calls<Services>,
  rules: DocumentInput.DocumentRules,
  { itemLimit, messageLimit }: CoreConfig
): Methods => ({
  ...writes(calls, DocumentInput.reader(rules, itemLimit)),
  ...steps(calls),
  ...reads(calls, messageLimit),
  places: (places, options) =>
    calls.answer(
      Effect.flatMap(
        Effect.fromResult(readPlaces(places)),
        (read) => Directory.use((directory) => directory.put(read))
      ),
      options
    ),
  follow: (query, principal, options) => follow(calls, query, principal, options),
  ready: (options) => calls.answer(Effect.flatMap(Readiness, (isReady) => isReady), options)
})

const writes = (
  calls: Calls<Services>,
  readDocument: DocumentInput.Reader
): Pick<Methods, "submit" | "recordPallet"> => ({
  submit: (document, principal, { dryRun = false, ...options } = {}) =>
    calls.answer(
      Effect.flatMap(
        Effect.fromResult(readDocument(document)),
        (read) => Intake.use((intake) => intake.submit(read, principal, { dryRun }))
      ),
      options
    ),
  recordPallet: (event, principal, options) =>
    calls.answer(
      Effect.flatMap(
        Effect.fromResult(PalletEventInput.read(event)),
        (read) => Pallets.use((pallets) => pallets.record(read, principal))
      ),
      options
    )
})

const steps = (calls: Calls<Services>): Pick<Methods, "arrive" | "depart" | "link"> => ({
  arrive: (id, arrival, principal, options) =>
    calls.answer(
      Effect.flatMap(
        Effect.fromResult(StepInput.readArrive(arrival)),
        (read) => Shipments.use((shipments) => shipments.arrive(String(id), read, principal))
      ),
      options
    ),
  depart: (id, departure, principal, options) =>
    calls.answer(
      Effect.flatMap(
        Effect.fromResult(StepInput.readDepart(departure)),
        (read) => Shipments.use((shipments) => shipments.depart(String(id), read, principal))
      ),
      options
    ),
  link: (id, link, principal, options) =>
    calls.answer(
      Effect.flatMap(
        Effect.fromResult(StepInput.readLink(link)),
        ({ linkedShipmentId }) =>
          Shipments.use((shipments) => shipments.link(String(id), linkedShipmentId, principal))
      ),
      options
    )
})

const reads = (
  calls: Calls<Services>,
  messageLimit: number
): Pick<Methods, "shipment" | "shipments" | "orders" | "messages"> => {
  const readHistory = historyReader(messageLimit)
  return {
    shipment: (id, principal, options) =>
      calls.answer(Shipments.use((shipments) => shipments.get(String(id), principal)), options),
    shipments: (query, principal, options) =>
      calls.answer(
        Effect.flatMap(
          Effect.fromResult(readShipmentQuery(query)),
          (read) => Shipments.use((shipments) => shipments.list(read, principal))
        ),
        options
      ),
    orders: (query, principal, options) =>
      calls.answer(
        Effect.flatMap(
          Effect.fromResult(readOrderQuery(query)),
          (read) => Shipments.use((shipments) => shipments.listOrders(read, principal))
        ),
        options
      ),
    messages: (query, principal, options) =>
      calls.answer(
        Effect.flatMap(
          Effect.fromResult(readHistory(query)),
          (read) => Messages.use((messages) => messages.history(read, principal))
        ),
        options
      )
  }
}
