/**
 * Every kind of refusal that only operators meet, and when it occurs, for the responses in the OpenAPI document (see
 * `OpenApiErrors.ts`).
 */
import { CursorAhead, HistoryExpired } from "@dockline/core/Errors"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import * as OperatorErrors from "@dockline/core/OperatorErrors"

/** The instances of the error classes of a module. */
export type InstancesOf<Module> = {
  [Name in keyof Module]: Module[Name] extends abstract new(...parameters: never) => infer Instance ? Instance
    : never
}[keyof Module]

/** The codes of core's catalogue for operators that no operation has: they are in the log of the dispatcher. */
export const foreignOperatorCodes = ["SECRET_UNREADABLE"] as const

/** The codes of these refusals. */
export type OperatorErrorCode =
  | Exclude<InstancesOf<typeof OperatorErrors>["code"], (typeof foreignOperatorCodes)[number]>
  | HistoryExpired["code"]
  | CursorAhead["code"]

/** A refusal of each code, and when it occurs, as the end of a sentence. */
export const operatorErrors: Readonly<
  Record<OperatorErrorCode, readonly [when: string, example: CatalogueError]>
> = {
  BUSINESS_EXISTS: [
    "there is a business of that slug already",
    new OperatorErrors.BusinessExists({ business: "acme" })
  ],
  FACILITY_EXISTS: [
    "the business has a facility of that slug already",
    new OperatorErrors.FacilityExists({ business: "acme", facility: "east" })
  ],
  DOCK_EXISTS: [
    "the facility has a dock of that slug already",
    new OperatorErrors.DockExists({ facility: "east", dock: "D1" })
  ],
  TOO_MANY_ENTRIES: [
    "there are as many of them as there can be",
    new OperatorErrors.TooManyEntries({ what: "facilities of a business", limit: 1000 })
  ],
  CLIENT_NOT_FOUND: [
    "there is no client of that id, or none that the asking client may see",
    new OperatorErrors.ClientNotFound({ id: "5f0c8e0e-7d0b-4e6f-9a56-0a4b8f6d2c11" })
  ],
  SECRET_NOT_FOUND: [
    "the client has no secret of that id",
    new OperatorErrors.SecretNotFound({ id: "c2c5ad9d-8f7b-4c8e-9a8e-2b9f6d3f1a10" })
  ],
  TOO_MANY_SECRETS: [
    "two secrets of the client are valid already",
    new OperatorErrors.TooManySecrets({ clientId: "5f0c8e0e-7d0b-4e6f-9a56-0a4b8f6d2c11", limit: 2 })
  ],
  WEBHOOK_ENDPOINT_NOT_FOUND: [
    "there is no endpoint of that id, or none that the client may see",
    new OperatorErrors.WebhookEndpointNotFound({ id: "12" })
  ],
  DELIVERY_NOT_FOUND: [
    "the endpoint has no delivery of that id",
    new OperatorErrors.DeliveryNotFound({ id: "90071" })
  ],
  TOO_MANY_DELIVERIES: [
    "the range holds more messages than one request replays",
    new OperatorErrors.TooManyDeliveries({ limit: 100_000 })
  ],
  ADVANCE_TOO_FAR: [
    "ids would move on by more than 10^12",
    new OperatorErrors.AdvanceTooFar({ newestId: 90_071, limit: 1_000_000_000_000 })
  ],
  SECRETS_KEY_MISSING: [
    "the service has no key to encrypt secrets with",
    new OperatorErrors.SecretsKeyMissing()
  ],
  HISTORY_EXPIRED: [
    "some of the messages from `fromId` on have been dropped by age",
    new HistoryExpired({ business: "acme", droppedId: 90_070 })
  ],
  CURSOR_AHEAD: [
    "`fromId` lies beyond the id after the newest of the log",
    new CursorAhead({ business: "acme", newestId: 90_071 })
  ]
}
