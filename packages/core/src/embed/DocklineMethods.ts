/**
 * The methods of the façade: each reads what it is given and asks the service whose job it is.
 *
 * Guarantee: every call returns its promise, whatever it is given. What a client got wrong is an answer; a principal or
 * options that are wrong reject, because the program made that mistake.
 */
import { Effect } from "effect"
import type { Result } from "effect"
import type { Principal } from "../access/Access.ts"
import { Readiness } from "../access/Readiness.ts"
import * as DocumentInput from "../document/DocumentInput.ts"
import { Intake } from "../document/Intake.ts"
import { describe } from "../input/DocumentCheck.ts"
import * as Given from "../internal/Given.ts"
import { Messages } from "../messages/Messages.ts"
import * as PalletEventInput from "../movement/PalletEventInput.ts"
import { Pallets } from "../movement/Pallets.ts"
import { Shipments } from "../movement/Shipments.ts"
import * as StepInput from "../movement/StepInput.ts"
import { Directory } from "../places/Directory.ts"
import type { CoreConfig } from "./CoreServices.ts"
import type { Dockline, Services, ShipmentId } from "./DocklineApi.ts"
import { callOptions } from "./DocklineCalls.ts"
import type { Calls } from "./DocklineCalls.ts"
import { follow } from "./DocklineFollow.ts"
import { historyReader, readOrderQuery, readPlaces, readShipmentQuery } from "./DocklineInput.ts"

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
    calls.answer(options, () =>
      Effect.flatMap(
        Effect.fromResult(readPlaces(places)),
        (read) => Directory.use((directory) => directory.put(read))
      )),
  follow: (query, principal, options) => follow(calls, query, principal, options),
  ready: (options) => calls.answer(options, () => Effect.flatMap(Readiness, (isReady) => isReady))
})

/** Reads what is given, and does with it what the principal asks for. */
const reading = <Input, A, E, Refusal, R>(
  read: (given: unknown) => Result.Result<Input, Refusal>,
  given: unknown,
  principal: Principal,
  use: (input: Input, principal: Principal) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Refusal, R> => {
  const asking = Given.principalOf(principal)
  return Effect.flatMap(Effect.fromResult(read(given)), (input) => use(input, asking))
}

const writes = (
  calls: Calls<Services>,
  readDocument: DocumentInput.Reader
): Pick<Methods, "submit" | "recordPallet"> => ({
  submit: (document, principal, options) =>
    calls.answer(
      options,
      () =>
        reading(readDocument, document, principal, (read, asking) =>
          Intake.use((intake) =>
            intake.submit(read, asking, { dryRun: options?.dryRun ?? false })
          )),
      { ...callOptions, dryRun: Given.flag }
    ),
  recordPallet: (event, principal, options) =>
    calls.answer(
      options,
      () =>
        reading(PalletEventInput.read, event, principal, (read, asking) =>
          Pallets.use((pallets) =>
            pallets.record(read, asking)
          ))
    )
})

const steps = (calls: Calls<Services>): Pick<Methods, "arrive" | "depart" | "link"> => ({
  arrive: (id, arrival, principal, options) =>
    calls.answer(
      options,
      () =>
        reading(StepInput.readArrive, arrival, principal, (read, asking) =>
          Shipments.use((shipments) =>
            shipments.arrive(textOf(id), read, asking)
          ))
    ),
  depart: (id, departure, principal, options) =>
    calls.answer(
      options,
      () =>
        reading(StepInput.readDepart, departure, principal, (read, asking) =>
          Shipments.use((shipments) =>
            shipments.depart(textOf(id), read, asking)
          ))
    ),
  link: (id, link, principal, options) =>
    calls.answer(
      options,
      () =>
        reading(StepInput.readLink, link, principal, ({ linkedShipmentId }, asking) =>
          Shipments.use((shipments) =>
            shipments.link(textOf(id), linkedShipmentId, asking)
          ))
    )
})

const reads = (
  calls: Calls<Services>,
  messageLimit: number
): Pick<Methods, "shipment" | "shipments" | "orders" | "messages"> => {
  const readHistory = historyReader(messageLimit)
  return {
    shipment: (id, principal, options) =>
      calls.answer(options, () => {
        const asking = Given.principalOf(principal)
        return Shipments.use((shipments) => shipments.get(textOf(id), asking))
      }),
    shipments: (query, principal, options) =>
      calls.answer(
        options,
        () =>
          reading(readShipmentQuery, query, principal, (read, asking) =>
            Shipments.use((shipments) =>
              shipments.list(read, asking)
            ))
      ),
    orders: (query, principal, options) =>
      calls.answer(
        options,
        () =>
          reading(readOrderQuery, query, principal, (read, asking) =>
            Shipments.use((shipments) =>
              shipments.listOrders(read, asking)
            ))
      ),
    messages: (query, principal, options) =>
      calls.answer(
        options,
        () =>
          reading(readHistory, query, principal, (read, asking) =>
            Messages.use((messages) =>
              messages.history(read, asking)
            ))
      )
  }
}

/** An id as `Shipments` takes it. What is neither text nor a number names no shipment. */
const textOf = (id: ShipmentId): string =>
  typeof id === "string" || typeof id === "number" ? String(id) : describe(id)
