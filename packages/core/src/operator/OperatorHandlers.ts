/**
 * The handlers of the operations of operators, over the services of core, which check permissions.
 *
 * Guarantee: each handler acts for the principal that it gets. Its entry in the record of operators has the address of `RequestOrigin`,
 * which an interface provides around the handler if it knows the address.
 */
import { Effect } from "effect"
import { Messages } from "../messages/Messages.ts"
import { ApiClients } from "./ApiClients.ts"
import { Audit } from "./Audit.ts"
import { Businesses } from "./Businesses.ts"
import { Deliveries } from "./Deliveries.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { People } from "./People.ts"
import { Webhooks } from "./Webhooks.ts"
import { WebhookTests } from "./WebhookTests.ts"

/** The handlers of all operations of operators, over the services of the context. */
export const operatorHandlers = Effect.gen(function*() {
  const { advance } = yield* Messages
  return {
    ...(yield* Businesses),
    ...(yield* ApiClients),
    ...(yield* People),
    ...(yield* Webhooks),
    ...(yield* WebhookTests),
    ...(yield* Deliveries),
    ...(yield* Audit),
    /** Advances the ids of all logs of messages beyond any id that consumers may have seen (D7.5). */
    advanceMessages: ({ body }, principal) => advance(body, principal)
  } satisfies OperatorHandlers
})
