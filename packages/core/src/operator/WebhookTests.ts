/**
 * Sends test messages to webhook endpoints for operators, and checks their receivers (D9.9, D9.10).
 *
 * Guarantee: as in `Webhooks.ts`. Only the endpoints of sandboxes get defective messages. A test stores nothing but its entry in the
 * record of operators, which is written before anything is sent. An endpoint has one test at a time, a process {@link testsAtOnce}.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Principal } from "../access/Access.ts"
import type { AuditDraft } from "../access/AuditEntry.ts"
import { audited, subjectOf } from "../access/AuditLog.ts"
import type { AuditLog } from "../access/AuditLog.ts"
import { dashboardOf, defaultMovementConfig } from "../movement/Movement.ts"
import type { MovementConfig } from "../movement/Movement.ts"
import { Directory } from "../places/Directory.ts"
import { InvalidRequest } from "../values/Errors.ts"
import { NotASandbox, TooManyTests } from "../values/OperatorErrors.ts"
import * as Shown from "../values/Shown.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { WebhookType } from "../values/Vocabulary.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import { checksMillis, checksOf, judge, unseen } from "../webhooks/Certification.ts"
import type { Check } from "../webhooks/Certification.ts"
import type { Defect } from "../webhooks/Defect.ts"
import { testPayload } from "../webhooks/MessageKinds.ts"
import { isTaken, remedyOf } from "../webhooks/TestRemedy.ts"
import { TestSender } from "../webhooks/TestSender.ts"
import type { TestMessage, TestOutcome } from "../webhooks/TestSender.ts"
import type { WebhookEndpoint } from "../webhooks/WebhookEndpoint.ts"
import type { WebhookEndpointStore } from "../webhooks/WebhookEndpointStore.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { TestView } from "./OperatorView.ts"
import type { CertificationView } from "./OperatorView.ts"
import { endpointFinder } from "./Webhooks.ts"

/** The most endpoints that a process tests at once. */
export const testsAtOnce = 8

const retryAfterSeconds = 5

/** Tests webhook endpoints: does the work of the operations that send messages to them at once. */
export class WebhookTests extends Context.Service<
  WebhookTests,
  OperatorHandlers<"testWebhookEndpoint" | "certifyWebhookEndpoint">
>()("@dockline/core/WebhookTests") {
  /** Tests the endpoints of the store by the `TestSender` in force; messages link to the dashboard of the config. */
  static readonly layer = (
    config: MovementConfig = defaultMovementConfig
  ): Layer.Layer<WebhookTests, never, WebhookEndpointStore | Directory | AuditLog> =>
    Layer.effect(
      WebhookTests,
      Effect.gen(function*() {
        const { send } = yield* TestSender
        const directory = yield* Directory
        const find = yield* endpointFinder
        const audit = yield* audited
        const make = messageMaker(directory, config)
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
            const { defect, messageType, webhookId } = body
            const endpoint = yield* find(endpointId, principal)
            const type = yield* typeOf(endpoint, messageType)
            const isWrong = defect !== undefined || webhookId !== undefined
            if (isWrong) yield* checkSandbox(directory, endpoint)
            const test = Effect.gen(function*() {
              const made = yield* make(endpoint, type, { defect, webhookId })
              yield* record(principal, endpoint, { messageType: type, webhookId: made.webhookId, defect })
              return testView(made, yield* send(endpoint, made))
            })
            return yield* alone(endpoint, test)
          }),

          certifyWebhookEndpoint: Effect.fn("WebhookTests.certify")(function*({ endpointId }, principal) {
            const endpoint = yield* find(endpointId, principal)
            yield* checkSandbox(directory, endpoint)
            const { messageTypes: [first = "PALLET_EVENT"] } = endpoint
            const checks = checksOf(endpoint.messageTypes)
            const sendOne = Effect.fnUntraced(function*({ type = first, ...options }: CheckOptions) {
              const made = yield* make(endpoint, type, options)
              return { webhookId: made.webhookId, outcome: yield* send(endpoint, made) }
            })
            const details = { messageType: first, checks: checks.map(({ name }) => name) }
            const recorded = record(principal, endpoint, details)
            return yield* alone(endpoint, Effect.andThen(recorded, certification(checks, sendOne)))
          })
        })
      })
    )
}

/** Refuses defective messages where freight may be real. */
const checkSandbox = Effect.fnUntraced(function*(
  directory: Directory["Service"],
  { business }: WebhookEndpoint
) {
  const found = yield* directory.business(business)
  if (found?.sandbox !== true) return yield* new NotASandbox({ business })
})

type CheckView = CertificationView["checks"][number]

interface Checked {
  readonly webhookId: string
  readonly outcome: TestOutcome
}

/** Runs the checks one after the other. When the first has failed, the answers to the others would mean nothing. */
const certification = Effect.fnUntraced(function*<E>(
  checks: ReadonlyArray<Check>,
  send: (options: CheckOptions) => Effect.Effect<Checked, E>
) {
  const end = (yield* Clock.currentTimeMillis) + checksMillis
  const done: Array<CheckView> = []
  for (const check of checks) {
    const [first] = done
    const blocked = first !== undefined && first.verdict !== "PASSED"
      ? "It is sent once the first check has passed."
      : (yield* Clock.currentTimeMillis) >= end
      ? "The time for all checks is over: answer as soon as a message is stored."
      : ""
    if (blocked !== "") {
      done.push({ ...asked(check), verdict: "NOT_SENT", detail: blocked })
      continue
    }
    if (check.pauseMillis !== undefined) yield* Effect.sleep(check.pauseMillis)
    const { ageMillis, defect, isRepeat, type } = check
    const { outcome, webhookId } = yield* send({
      type,
      ageMillis,
      defect,
      webhookId: isRepeat ? first?.webhookId : undefined
    })
    const { durationMs, status } = outcome
    done.push({ ...asked(check), webhookId, status, durationMs, ...judge(check, outcome) })
  }
  const isPassed = done.every(({ verdict }) => verdict === "PASSED")
  const others = isPassed ? unseen(done[0]!.webhookId) : []
  return {
    isPassed,
    checks: [
      ...done,
      ...others.map((check): CheckView => ({ ...asked(check), verdict: "UNSEEN", detail: check.detail }))
    ]
  } satisfies CertificationView
})

const asked = ({ asks, name }: Pick<CheckView, "asks" | "name">) => ({
  name,
  asks,
  webhookId: "",
  status: null,
  durationMs: 0
})

const typeOf = (
  { messageTypes }: WebhookEndpoint,
  asked: WebhookType | undefined
): Effect.Effect<WebhookType, InvalidRequest> => {
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

/** How a message differs from an ordinary test. */
interface MessageOptions {
  readonly defect?: Defect | undefined
  /** The id of an earlier message, to repeat it. */
  readonly webhookId?: string | undefined
  /** How long ago the message says that it occurred, in milliseconds. */
  readonly ageMillis?: number | undefined
}

interface CheckOptions extends MessageOptions {
  /** The first type of the endpoint when absent. */
  readonly type?: WebhookType | undefined
}

const messageMaker = (directory: Directory["Service"], config: MovementConfig) =>
  Effect.fnUntraced(function*(
    { business, facility }: WebhookEndpoint,
    type: WebhookType,
    { ageMillis = 0, defect, webhookId }: MessageOptions
  ) {
    const settings = {
      dashboardUrl: dashboardOf(config),
      fieldMap: (yield* directory.fieldMap(business)) ?? []
    }
    const at = Timestamp.fromMillis((yield* Clock.currentTimeMillis) - ageMillis)
    const payload = testPayload(type, { business, facility: facility ?? "" }, at, settings)
    return {
      webhookId: webhookId ?? `test_${yield* WebCrypto.randomId}`,
      type,
      json: JSON.stringify(payload),
      ...(defect === undefined ? {} : { defect })
    } satisfies TestMessage
  })

/** Refuses a test of an endpoint that is being tested, and a test beyond the limit. An interrupted test makes room again. */
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

const testView = ({ type, webhookId }: TestMessage, outcome: TestOutcome): TestView =>
  Shown.by(TestView, outcome, {
    webhookId,
    messageType: type,
    isTaken: isTaken(outcome),
    remedy: remedyOf(outcome)
  })
