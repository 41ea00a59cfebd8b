/**
 * Sends waiting notices to people: claims the next due message of each rule, sends it, and stores the outcome (D26.4). A message is the
 * text of an e-mail, or the body of an incoming webhook of Slack or Teams.
 *
 * Guarantee: a message is tried until its receiver has accepted it or its rule is disabled or removed, by one sender at a time, with the same
 * id and notices at each try. The claim is stored before the try and the outcome after it. A message is therefore sent twice only if an
 * instance ends, an answer is late or the storage is unreachable between the two. The pauses between failed tries grow. A message is given up
 * after {@link tryLimit} tries, or after a final refusal by the receiver. The rule then shows the reason.
 */
import * as Backlog from "@dockline/core/messages/Backlog"
import { clip } from "@dockline/core/values/Clip"
import * as Metrics from "@dockline/core/values/Metrics"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as WebCrypto from "@dockline/core/values/WebCrypto"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import { Effect, Metric, Redacted } from "effect"
import { addressContext, afterQuiet, alertChannels } from "../domain/AlertRule.ts"
import type { AlertChannel, AlertRule, Notice } from "../domain/AlertRule.ts"
import { AlertStore, outcomeKinds } from "../domain/AlertStore.ts"
import type { Claim, Outcome, RuleName } from "../domain/AlertStore.ts"
import { Mail, SendFailure } from "./Mail.ts"

/** Tries of messages by their channels and outcomes. */
const tries = Metrics.counter(
  "dockline_alert_tries_total",
  "Attempts to send an alert by e-mail or chat, by outcome: sent, to be tried later, refused for good",
  [["channel", "chosen"], ["outcome", "chosen"]],
  { series: alertChannels.flatMap((channel) => outcomeKinds.map((outcome) => [channel, outcome])) }
)

/** The number of messages that are sent at once. */
const atOnce = 32

/** The most tries of a message: with their pauses, they last about six hours. */
export const tryLimit = 12

/** The pause after a first failure, and the longest, in milliseconds. */
const [pauseMillis, longestMillis] = [60_000, 3_600_000]

/** The time limit for a webhook's answer, in milliseconds. */
const answerMillis = 15_000

const pauseAfter = (attempts: number): number => Math.min(pauseMillis * 2 ** attempts, longestMillis)

/** Answers after which another try may help. */
const isPassing = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429

/** Makes the function that sends a message. It returns the refused addresses, as text, if others were accepted. */
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

/** Makes a round: it sends the next due message of each rule, and returns whether no message was due. */
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

/** The part of a claim that people read. */
export type AlertMessage = Pick<Claim, "notices" | "surplus"> & {
  readonly rule: Pick<AlertRule, "business" | "facility" | "slug" | "timeZone">
}

/** A time by the clocks of a facility. */
const timeText = (at: Timestamp.Timestamp, timeZone: string): string => {
  const clock = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" })
  return `${clock.format(new Date(at))} ${timeZone}`
}

const placeOf = ({ business, facility }: AlertMessage["rule"]): string => `${business}/${facility}`

/** The subject of a message, in one line. */
export const subjectOf = ({ notices, surplus, rule }: AlertMessage): string => {
  const [first] = notices
  const count = notices.length + surplus
  return `[${placeOf(rule)}] ${count === 1 && first !== undefined ? first.title : `${count} alerts`}`
}

const surplusText = (surplus: number): string =>
  surplus === 0 ? "" : `${surplus} more happened while too many waited; see the dashboard.`

const paragraphs = (parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join("\n\n")

/** The text of an e-mail. */
export const mailText = (message: AlertMessage): string => {
  const { notices, surplus, rule } = message
  return `${
    paragraphs([
      ...notices.map(({ at, text, title, url }) =>
        [title, text, timeText(at, rule.timeZone), url].filter((line) => line !== "").join("\n")
      ),
      surplusText(surplus),
      `--\nAlert rule ${rule.slug} of ${placeOf(rule)}`
    ])
  }\n`
}

/** A text in the markup of Slack, in which three characters are escaped. */
const slackText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** A link in the markup of Slack, which allows no bar in the address or in the text. */
const slackLink = ({ title, url }: Notice): string =>
  url === ""
    ? `*${slackText(title)}*`
    : `<${slackText(url).replaceAll("|", "%7C")}|${slackText(title).replaceAll("|", "/")}>`

/** The body of an incoming webhook of Slack. */
export const slackBody = (message: AlertMessage): string => {
  const { notices, surplus, rule } = message
  return JSON.stringify({
    text: paragraphs([
      `*${slackText(subjectOf(message))}*`,
      ...notices.map((notice) =>
        `${slackLink(notice)}\n${slackText(notice.text)}\n${slackText(timeText(notice.at, rule.timeZone))}`
      ),
      surplusText(surplus)
    ]),
    unfurl_links: false,
    unfurl_media: false
  })
}

/** A text for an adaptive card, with the characters escaped that its Markdown would interpret. */
const cardText = (text: string): string => text.replaceAll(/[\\`*_[\]()#~|>]/g, (sign) => `\\${sign}`)

const block = (text: string, more: object = {}) => ({ type: "TextBlock", text, wrap: true, ...more })

/** The body of an incoming webhook of Teams: an adaptive card. */
export const teamsBody = (message: AlertMessage): string => {
  const { notices, surplus, rule } = message
  return JSON.stringify({
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          block(cardText(subjectOf(message)), { weight: "Bolder", size: "Medium" }),
          ...notices.map(({ at, text, title, url }) => ({
            type: "Container",
            separator: true,
            items: [
              block(cardText(title), { weight: "Bolder" }),
              block(cardText(text)),
              block(cardText(timeText(at, rule.timeZone)), { isSubtle: true })
            ],
            ...(url === "" ? {} : { selectAction: { type: "Action.OpenUrl", title: "Open", url } })
          })),
          ...(surplus === 0 ? [] : [block(surplusText(surplus))])
        ]
      }
    }]
  })
}

/** The body for the incoming webhook of a channel. */
export const chatBody = (channel: AlertChannel, message: AlertMessage): string =>
  channel === "SLACK" ? slackBody(message) : teamsBody(message)
