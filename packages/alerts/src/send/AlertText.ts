/**
 * Messages for people: the text of an e-mail, and the bodies of incoming webhooks of Slack and Teams (D26.4).
 */
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { AlertChannel, AlertRule } from "../domain/AlertRule.ts"
import type { Claim } from "../domain/AlertStore.ts"
import type { Notice } from "../domain/Notice.ts"

/** The part of a claim that people read. */
export type AlertMessage = Pick<Claim, "notices" | "surplus"> & {
  readonly rule: Pick<AlertRule, "business" | "facility" | "slug" | "timeZone">
}

/** A time by the clocks of a facility. */
const timeText = (at: Timestamp, timeZone: string): string => {
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

/** A link allows no bar in its address, nor in its text. */
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

/** A text in an adaptive card, whose Markdown would interpret brackets and stars. */
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

/** The bodies of incoming webhooks. */
export const chatBody = (channel: AlertChannel, message: AlertMessage): string =>
  channel === "SLACK" ? slackBody(message) : teamsBody(message)
