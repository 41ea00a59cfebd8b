/**
 * Sends test messages to webhook endpoints for operators (D9.9).
 *
 * Guarantee: as in `Webhooks.ts`. A test stores nothing but its entry in the record of operators, which is written before
 * anything is sent. One endpoint is tested once at a time, and at most {@link testsAtOnce} of this process.
 */
import { Context, Effect, Layer } from "effect"
import type { Authorized } from "../access/Access.ts"
import { audited, subjectOf } from "../access/AuditLog.ts"
import type { AuditLog } from "../access/AuditLog.ts"
import { dashboardOf, defaultMovementConfig } from "../movement/Movement.ts"
import type { MovementConfig } from "../movement/Movement.ts"
import { testPayload } from "../movement/Payload.ts"
import { Directory } from "../places/Directory.ts"
import { InvalidRequest } from "../values/Errors.ts"
import { TooManyTests } from "../values/OperatorErrors.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import { isTaken, remedyOf } from "../webhooks/TestRemedy.ts"
import { TestSender } from "../webhooks/TestSender.ts"
import type { TestMessage, TestOutcome } from "../webhooks/TestSender.ts"
import type { WebhookEndpoint } from "../webhooks/WebhookEndpoint.ts"
import type { WebhookEndpointStore } from "../webhooks/WebhookEndpointStore.ts"
import type { EndpointError } from "./OperationErrors.ts"
import type { TestInput } from "./OperatorInput.ts"
import type { TestView } from "./OperatorView.ts"
import { endpointFinder } from "./Webhooks.ts"

/** The most endpoints that a process tests at once. */
export const testsAtOnce = 8

/** After how many seconds to try again. */
const retryAfterSeconds = 5

/** Tests webhook endpoints. Ids are decimal text, as in a path; other text names no endpoint. */
export class WebhookTests extends Context.Service<WebhookTests, {
  /** Sends a test message to an endpoint, enabled or not, and returns what came of it. */
  readonly send: Authorized<
    [id: string, input: TestInput],
    TestView,
    EndpointError | InvalidRequest | TooManyTests
  >
}>()("@dockline/core/WebhookTests") {
  /** Tests the endpoints of the store by the `TestSender` in force; messages link to the dashboard of the config. */
  static readonly layer = (
    config: MovementConfig = defaultMovementConfig
  ): Layer.Layer<WebhookTests, never, WebhookEndpointStore | Directory | AuditLog> =>
    Layer.effect(
      WebhookTests,
      Effect.gen(function*() {
        const { send } = yield* TestSender
        const find = yield* endpointFinder
        const audit = yield* audited
        const make = yield* messageMaker(config)
        const alone = oneAtATime()
        return WebhookTests.of({
          send: Effect.fn("WebhookTests.send")(function*(id, input, principal) {
            const endpoint = yield* find(id, principal)
            const type = yield* typeOf(endpoint, input.messageType)
            const test = Effect.gen(function*() {
              const message = yield* make(endpoint, type)
              yield* audit(principal, Effect.void, () => ({
                action: "WEBHOOK_TESTED",
                business: endpoint.business,
                subject: subjectOf("webhook-endpoints", endpoint.id),
                details: { messageType: type, webhookId: message.webhookId }
              }))
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
  asked: MessageType | undefined
): Effect.Effect<MessageType, InvalidRequest> => {
  const [first] = messageTypes
  const type = asked ?? first
  return type !== undefined && messageTypes.includes(type)
    ? Effect.succeed(type)
    : Effect.fail(
      new InvalidRequest({
        errors: [{
          path: "messageType",
          detail: `must be one that the endpoint gets: ${messageTypes.join(", ")}`
        }]
      })
    )
}

const messageMaker = (config: MovementConfig) =>
  Effect.map(
    Directory,
    (directory) =>
      Effect.fnUntraced(function*({ business, facility }: WebhookEndpoint, type: MessageType) {
        const settings = {
          dashboardUrl: dashboardOf(config),
          fieldMap: (yield* directory.fieldMap(business)) ?? []
        }
        const payload = testPayload(
          type,
          { business, facility: facility ?? "" },
          yield* Timestamp.now,
          settings
        )
        return { webhookId: `test_${yield* WebCrypto.randomId}`, type, json: JSON.stringify(payload) }
      })
  )

/** Refuses a test of an endpoint that is being tested, and one too many. */
const oneAtATime = () => {
  const running = new Set<number>()
  return <A, E>({ id }: WebhookEndpoint, test: Effect.Effect<A, E>): Effect.Effect<A, E | TooManyTests> =>
    Effect.suspend((): Effect.Effect<A, E | TooManyTests> => {
      if (running.has(id) || running.size >= testsAtOnce) {
        return Effect.fail(new TooManyTests({ retryAfterSeconds }))
      }
      running.add(id)
      return Effect.ensuring(test, Effect.sync(() => running.delete(id)))
    })
}

const testView = ({ type, webhookId }: TestMessage, outcome: TestOutcome): TestView => ({
  webhookId,
  messageType: type,
  isTaken: isTaken(outcome),
  at: outcome.at,
  request: outcome.request,
  status: outcome.status,
  durationMs: outcome.durationMs,
  answer: outcome.answer,
  error: outcome.error,
  remedy: remedyOf(outcome)
})
