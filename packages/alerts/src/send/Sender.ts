/**
 * Sends waiting notices to people: claims the next due message of each rule, sends it, and stores the outcome (D26.4).
 *
 * Guarantee: a message is sent at least once, by one sender at a time, with the same id and notices at each try. It is noted before and
 * after, so that it is sent twice only if, in between, an instance ends, an answer is late or the storage is away. The pauses between
 * failed tries grow; a message is refused for good after {@link tryLimit} tries, or when the other side refuses it finally. The rule then
 * has the reason.
 */
import * as Backlog from "@dockline/core/messages/Backlog"
import { clip } from "@dockline/core/values/Clip"
import * as Metrics from "@dockline/core/values/Metrics"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as WebCrypto from "@dockline/core/values/WebCrypto"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import { Effect, Metric, Redacted } from "effect"
import { addressContext, alertChannels } from "../domain/AlertRule.ts"
import { AlertStore, outcomeKinds } from "../domain/AlertStore.ts"
import type { Claim, Outcome, RuleName } from "../domain/AlertStore.ts"
import { afterQuiet } from "../domain/QuietTime.ts"
import { chatBody, mailText, subjectOf } from "./AlertText.ts"
import { Mail, SendFailure } from "./Mail.ts"

/** Tries of messages by their channels and outcomes. */
const tries = Metrics.counter(
  "dockline_alert_tries_total",
  "Attempts to send an alert by e-mail or chat, by outcome: sent, to be tried later, refused for good",
  [["channel", "chosen"], ["outcome", "chosen"]],
  { known: alertChannels.flatMap((channel) => outcomeKinds.map((outcome) => [channel, outcome])) }
)

/** The number of messages that are sent at once. */
const atOnce = 32

/** The most tries of a message: some six hours. */
export const tryLimit = 12

/** The pause after a first failure, and the longest, in milliseconds. */
const [pauseMillis, longestMillis] = [60_000, 3_600_000]

/** The time limit for a webhook's answer, in milliseconds. */
const answerMillis = 15_000

const pauseAfter = (attempts: number): number => Math.min(pauseMillis * 2 ** attempts, longestMillis)

/** Answers after which another try may help. */
const isPassing = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429

/** Makes the function that sends a message, and returns those of several people who did not get it. */
const sending = Effect.gen(function*() {
  const mail = yield* Mail
  const http = yield* OutboundHttp
  const vault = yield* SecretsVault

  const post = Effect.fnUntraced(
    function*(claim: Claim, url: Claim["rule"]["url"]) {
      const { business, channel } = claim.rule
      if (url === "") return yield* new SendFailure({ reason: "the rule has no address", isFinal: true })
      const address = yield* vault.open(url, addressContext(business))
      const request = {
        url: Redacted.value(address),
        headers: { "Content-Type": "application/json" },
        body: chatBody(channel, claim),
        timeoutMillis: answerMillis
      }
      const { status } = yield* http.post(request)
      if (status >= 200 && status <= 299) return []
      return yield* new SendFailure({ reason: `the webhook answered ${status}`, isFinal: !isPassing(status) })
    },
    Effect.catchTags({
      OutboundFailure: ({ error }) => Effect.fail(new SendFailure({ reason: error, isFinal: false })),
      SecretUnreadable: ({ message }) => Effect.fail(new SendFailure({ reason: message, isFinal: false }))
    })
  )

  return (claim: Claim): Effect.Effect<ReadonlyArray<string>, SendFailure> => {
    const { messageId, rule } = claim
    return rule.channel === "EMAIL"
      ? mail.send({ id: messageId, to: rule.to, subject: subjectOf(claim), text: mailText(claim) })
      : post(claim, rule.url)
  }
})

const outcomeOf = (
  { attempts, now }: Claim,
  { isFinal, reason }: SendFailure
): Outcome =>
  isFinal || attempts + 1 >= tryLimit
    ? { kind: "REFUSED", failure: clip(reason, 300) }
    : {
      kind: "LATER",
      at: Timestamp.fromMillis(Date.parse(now) + pauseAfter(attempts)),
      failure: clip(reason, 300)
    }

/** Makes a round: it sends the next due message of each rule, and returns whether there was none. */
export const makeRound = Effect.gen(function*() {
  const store = yield* AlertStore
  const send = yield* sending

  const work = Effect.fnUntraced(function*(name: RuleName) {
    const claim = yield* store.claim(name, yield* WebCrypto.randomId)
    if (claim === null) return
    const { isTest, now, rule } = claim
    const quietUntil = afterQuiet(rule, rule.timeZone, now)
    if (!isTest && quietUntil > now) {
      yield* store.settle(claim, { kind: "LATER", at: quietUntil, failure: "" })
      return
    }
    const outcome = yield* Effect.matchEffect(send(claim), {
      onSuccess: (refusals): Effect.Effect<Outcome> =>
        Effect.succeed({
          kind: "SENT",
          failure: refusals.length === 0 ? "" : clip(`refused for ${refusals.join(", ")}`, 300)
        }),
      onFailure: (failure) => Effect.succeed(outcomeOf(claim, failure))
    })
    yield* store.settle(claim, outcome)
    yield* Metric.update(tries.of(rule.channel, outcome.kind), 1)
    if (outcome.failure !== "") {
      const end =
        { SENT: "sent to the others", LATER: "it is tried again later", REFUSED: "given up" }[outcome.kind]
      yield* Effect.logWarning(`Alert rule ${name.rule} of ${name.business}: ${outcome.failure}; ${end}`)
    }
  })

  return Backlog.makeRound({
    behind: store.due,
    keyOf: ({ business, rule }) => `${business}/${rule}`,
    work,
    failureOf: ({ business, rule }) => `Telling alerts of rule ${rule} of ${business} failed`,
    atOnce
  })
})
