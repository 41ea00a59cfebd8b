/**
 * Sends test messages to webhook endpoints for operators (D9.9).
 *
 * Guarantee: an operator tests only the endpoints of the businesses that it operates. A test stores nothing but its entry in the record of
 * operators, which is written before anything is sent. A process runs one test at a time for each endpoint, and at most {@link testsAtOnce}
 * in all.
 */
import { Context, Effect, Layer } from "effect"
import type { Principal } from "../access/Access.ts"
import { auditing, subjectOf } from "../access/AuditLog.ts"
import type { AuditDraft, AuditLog } from "../access/AuditLog.ts"
import { dashboardOf, defaultMovementConfig } from "../movement/Movement.ts"
import type { MovementConfig } from "../movement/Movement.ts"
import { Directory } from "../places/Place.ts"
import { InvalidRequest } from "../values/Errors.ts"
import { TooManyTests } from "../values/OperatorErrors.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as ViewField from "../values/ViewField.ts"
import type { WebhookType } from "../values/Vocabulary.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import {
  isTaken,
  MessageKinds,
  Outboxes,
  remedyOf,
  testContent,
  TestSender
} from "../webhooks/MessageKinds.ts"
import type { Kinds, OutboxKinds, TestMessage, TestOutcome } from "../webhooks/MessageKinds.ts"
import type { WebhookEndpoint, WebhookEndpointStore } from "../webhooks/WebhookEndpoint.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { TestView } from "./OperatorView.ts"
import { endpointFinder } from "./Webhooks.ts"

/** The most endpoints that a process tests at once. */
export const testsAtOnce = 8

const retryAfterSeconds = 5

/** Tests webhook endpoints: handles the operation that sends a test message at once. */
export class WebhookTests extends Context.Service<
  WebhookTests,
  OperatorHandlers<"testWebhookEndpoint">
>()("@dockline/core/WebhookTests") {
  /** Tests the endpoints of the store with the `TestSender` of the service. Messages link to the configured dashboard. */
  static readonly layer = (
    config: MovementConfig = defaultMovementConfig
  ): Layer.Layer<WebhookTests, never, WebhookEndpointStore | Directory | AuditLog> =>
    Layer.effect(
      WebhookTests,
      Effect.gen(function*() {
        const { send } = yield* TestSender
        const directory = yield* Directory
        const find = yield* endpointFinder
        const audit = yield* auditing
        const make = messageMaker(
          directory,
          { kinds: yield* MessageKinds, outboxes: yield* Outboxes },
          config
        )
        const alone = oneAtATime()

        const record = (
          principal: Principal,
          { business, id }: WebhookEndpoint,
          details: AuditDraft["details"]
        ) =>
          audit(principal, Effect.void, () => ({
            action: "WEBHOOK_TESTED",
            business,
            subject: subjectOf("webhook-endpoints", id),
            details
          }))

        return WebhookTests.of({
          testWebhookEndpoint: Effect.fn("WebhookTests.send")(function*({ body, endpointId }, principal) {
            const endpoint = yield* find(endpointId, principal)
            const type = yield* typeOf(endpoint, body.messageType)
            const test = Effect.gen(function*() {
              const message = yield* make(endpoint, type)
              yield* record(principal, endpoint, { messageType: type, webhookId: message.webhookId })
              return testView(message, yield* send(endpoint, message))
            })
            return yield* alone(endpoint, test)
          })
        })
      })
    )
}

const typeOf = (
  { messageTypes }: WebhookEndpoint,
  choice: WebhookType | undefined
): Effect.Effect<WebhookType, InvalidRequest> => {
  const [first] = messageTypes
  const type = choice ?? first
  return type !== undefined && messageTypes.includes(type)
    ? Effect.succeed(type)
    : Effect.fail(
      new InvalidRequest({
        errors: [{
          path: "messageType",
          detail: `must be one that the endpoint receives: ${messageTypes.join(", ")}`
        }]
      })
    )
}

const messageMaker = (
  directory: Directory["Service"],
  types: { readonly kinds: Kinds; readonly outboxes: OutboxKinds },
  config: MovementConfig
) =>
  Effect.fnUntraced(function*({ business, facility }: WebhookEndpoint, type: WebhookType) {
    const settings = {
      dashboardUrl: dashboardOf(config),
      fieldMap: (yield* directory.fieldMap(business)) ?? []
    }
    const place = { business, facility: facility ?? "" }
    const content = testContent(type, place, yield* Timestamp.now, settings, types)
    return { webhookId: `test_${yield* WebCrypto.randomId}`, content } satisfies TestMessage
  })

/** Refuses a test of an endpoint that is being tested, and tests beyond the limit. An interrupted test no longer counts. */
export const oneAtATime = () => {
  const running = new Set<number>()
  return <A, E>({ id }: Pick<WebhookEndpoint, "id">, test: Effect.Effect<A, E>) =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        if (running.has(id) || running.size >= testsAtOnce) {
          return Effect.fail(new TooManyTests({ retryAfterSeconds }))
        }
        running.add(id)
        return Effect.void
      }),
      () => test,
      () => Effect.sync(() => running.delete(id))
    )
}

const testView = ({ content, webhookId }: TestMessage, outcome: TestOutcome): TestView =>
  ViewField.show(TestView, outcome, {
    webhookId,
    messageType: content.type,
    isTaken: isTaken(outcome),
    remedy: remedyOf(outcome)
  })
