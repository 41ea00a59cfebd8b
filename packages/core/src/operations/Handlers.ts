/**
 * The handlers of the declared operations, over the services of core, and the functions that submit documents.
 */
import { Effect, Result } from "effect"
import type { Principal } from "../access/Access.ts"
import { keepView, run } from "../access/Idempotency.ts"
import type { KeyRefusal, Once, Outcome } from "../access/Idempotency.ts"
import { ownPlace } from "../access/Operation.ts"
import type * as Operation from "../access/Operation.ts"
import type { Document } from "../document/Document.ts"
import type { DocumentReadFailure } from "../document/DocumentInput.ts"
import { submitDocument } from "../document/DocumentOperations.ts"
import type { DocumentPrecondition } from "../document/DocumentPrecondition.ts"
import { Intake } from "../document/Intake.ts"
import type { DocumentAlongside, KeepingOptions } from "../document/Intake.ts"
import type { IntakeResult } from "../document/Outcome.ts"
import { Messages } from "../messages/Messages.ts"
import { Pallets } from "../movement/Pallets.ts"
import { Shipments } from "../movement/Shipments.ts"
import { Search } from "../search/Search.ts"
import type { CatalogueError } from "../values/CatalogueError.ts"
import type { MethodOf, Operations } from "./Operations.ts"

/** The handler of each operation except uploads, by the name of its method. Interfaces pass uploads to their service directly. */
export type Handlers = {
  readonly [Method in Exclude<keyof Operations, MethodOf<Operation.AnyUpload>>]: Operation.Handler<
    Operations[Method]
  >
}

interface OperationServices {
  readonly intake: Intake["Service"]
  readonly shipments: Shipments["Service"]
  readonly pallets: Pallets["Service"]
  readonly messages: Messages["Service"]
  readonly search: Search["Service"]
}

/** The handlers over these services. */
export const handlersOf = (
  { intake, messages, pallets, search, shipments }: OperationServices
): Handlers => ({
  shipment: ({ id }, principal) => shipments.get(id, principal),
  shipments: shipments.list,
  orders: shipments.listOrders,
  items: ({ id, ...query }, principal) => shipments.items(id, query, principal),
  discrepancies: ({ id, ...query }, principal) => shipments.discrepancies(id, query, principal),
  arrive: ({ body, id }, principal, keep) => shipments.arrive(id, body, principal, keep),
  depart: ({ body, id }, principal, keep) => shipments.depart(id, body, principal, keep),
  checkIn: ({ body, id }, principal, keep) => shipments.checkIn(id, body, principal, keep),
  link: ({ body: { linkedShipmentId }, id }, principal, keep) =>
    shipments.link(id, linkedShipmentId, principal, keep),
  cancel: ({ id }, principal, keep) => shipments.cancel(id, principal, keep),
  recordPallet: ({ body }, principal, keep) => pallets.record(body, principal, keep),
  pallet: ({ id, palletId }, principal) => pallets.get(id, palletId, principal),
  shipmentPallets: ({ id, ...page }, principal) => pallets.ofShipment(id, page, principal),
  pallets: pallets.list,
  document: ({ id }, principal) => intake.record(id, principal),
  documents: intake.records,
  messages: messages.list,
  search: search.search,
  dockBoard: shipments.dockBoard
})

/** The handlers over the services of the context. */
export const handlers = Effect.gen(function*() {
  return handlersOf({
    intake: yield* Intake,
    shipments: yield* Shipments,
    pallets: yield* Pallets,
    messages: yield* Messages,
    search: yield* Search
  })
})

/** The options of a submission; `once` runs a submission with a key at most once for that key. */
export interface Submission {
  readonly principal: Principal
  readonly dryRun: boolean
  readonly precondition?: DocumentPrecondition | undefined
  readonly once: Once | undefined
}

type Receive<Input> = <F>(
  read: Effect.Effect<Input, DocumentReadFailure<CatalogueError>>,
  principal: Principal,
  options: KeepingOptions<IntakeResult, F>
) => Effect.Effect<IntakeResult, CatalogueError | F>

const submission = <Body>(receive: Receive<Body>) =>
(
  read: Effect.Effect<Body, DocumentReadFailure<CatalogueError>>,
  { dryRun, once, precondition, principal }: Submission
): Effect.Effect<Outcome<IntakeResult>, KeyRefusal> =>
  run<IntakeResult, CatalogueError>(once, submitDocument.may, (keep) =>
    keepView(
      keep,
      (answer: IntakeResult) => Result.succeed({ place: ownPlace(answer.shipment), answer }),
      (keep) => receive(read, principal, { dryRun, keep, precondition })
    ))

/** Makes the function that submits documents. Refusals of unreadable documents are recorded (D13.6). */
export const submitting = ({ receive }: Intake["Service"]) => submission<Document>(receive)

/** Makes the function that submits documents with other parts of their requests, all or nothing (D17.2, D17.3). */
export const submittingAlongside = ({ receiveAlongside }: Intake["Service"]) =>
  submission<DocumentAlongside>(receiveAlongside)
