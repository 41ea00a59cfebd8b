/**
 * Alert rules: a rule determines which incidents of a facility are reported, to whom and when (D26.1). Also the operations of operators on
 * rules, and notices. A notice describes one incident to people. It may be sent once the time for collecting its digest is over, and outside
 * quiet hours, which follow the clocks of the facility (D26.3).
 */
import type { OpenWords } from "@dockline/core/access/OpenWords"
import * as Operation from "@dockline/core/access/Operation"
import type { Faults } from "@dockline/core/input/Faults"
import * as RequestInput from "@dockline/core/input/RequestInput"
import { placeErrors } from "@dockline/core/places/Authorize"
import { CatalogueError } from "@dockline/core/values/CatalogueError"
import { clip, nameText } from "@dockline/core/values/Clip"
import {
  BusinessNotFound,
  Forbidden,
  InvalidParameter,
  InvalidRequest,
  StorageUnavailable
} from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import { SecretsKeyMissing, TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { PreconditionFailed } from "@dockline/core/values/RequestErrors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as ViewField from "@dockline/core/values/ViewField"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { Redacted, Schema, Struct } from "effect"

/** The most characters of a title and of a text. */
const [titleLimit, textLimit] = [150, 500]

/** The states of a notice: it waits, was sent, was refused permanently, or was dropped because its rule was disabled. */
export const noticeStates = ["WAITING", "SENT", "REFUSED", "DROPPED"] as const

/** The state of a notice. */
export type NoticeState = (typeof noticeStates)[number]

/** A description of one incident for people. */
export interface Notice {
  readonly at: Timestamp.Timestamp
  /** A few words. */
  readonly title: string
  readonly text: string
  /** Its page on the dashboard; `""` without one. */
  readonly url: string
}

/** Makes a notice, and cuts its title and its text to their limits. */
export const noticeOf = (at: Timestamp.Timestamp, title: string, text: string, url: string): Notice => ({
  at,
  title: clip(title, titleLimit),
  text: clip(text, textLimit),
  url
})

/** The channels over which messages are sent. */
export const alertChannels = ["EMAIL", "SLACK", "TEAMS"] as const

/** A channel over which messages are sent. */
export type AlertChannel = (typeof alertChannels)[number]

/** The most rules of a business. */
export const ruleLimit = 100

/** The most addresses of a rule. */
const recipientLimit = 20

/** The most waiting notices of a rule. Further incidents are only counted. */
export const waitingLimit = 1000

/** The most notices of one message. Teams accepts 28 KB. */
export const messageLimits: Readonly<Record<AlertChannel, number>> = { EMAIL: 30, SLACK: 30, TEAMS: 10 }

/**
 * How long a notice is kept after it was added, in milliseconds: 90 days, or longer while it waits. As long as it is kept, the same incident
 * makes no second notice.
 */
export const noticeMillis = 90 * 86_400_000

const texts = {
  facility: "Slug of the facility of the rule",
  kinds: "The kinds of incidents that it reports",
  channel: "How it sends messages: EMAIL, or an incoming webhook of SLACK or TEAMS",
  to: "The addresses for EMAIL",
  url: "The secret address of the incoming webhook of SLACK or TEAMS; the stored address when absent",
  quietFrom:
    "When quiet hours begin, such as 22:00, in the facility's time zone; incidents of these hours are reported when they end. Empty for none",
  quietTo: "When quiet hours end, such as 06:00",
  digestMinutes: "The minutes for which incidents are gathered into one message; 0 to send each at once",
  enabled: "Whether the rule sends messages; incidents while it is disabled are not reported later"
}

/**
 * The fields of a rule that operators set, in the form in which operators see them. The types, the state and the view of rules derive from
 * this list.
 */
const stateFields = {
  facility: ViewField.text(texts.facility),
  kinds: ViewField.list(Schema.String, texts.kinds),
  channel: ViewField.word(alertChannels, texts.channel),
  to: ViewField.list(Schema.String, texts.to),
  host: ViewField.text("The host of the incoming webhook, whose address is secret; empty for EMAIL"),
  quietFrom: ViewField.text(texts.quietFrom),
  quietTo: ViewField.text(texts.quietTo),
  digestMinutes: ViewField.whole(texts.digestMinutes),
  enabled: Field.flag(texts.enabled)
}

/** The fields of a rule, except its address. */
type RuleFields = Omit<Schema.Struct.Type<typeof stateFields>, "host">

/**
 * The hours in which a rule sends nothing, as times of day at the facility, such as `22:00` to `06:00`. Both are `""` without quiet hours.
 */
export type QuietHours = Pick<RuleFields, "quietFrom" | "quietTo">

/** The settings of a rule, which operators decide. */
export interface RuleSettings extends RuleFields {
  /** The address of an incoming webhook of `SLACK` or `TEAMS`, sealed; `""` for `EMAIL`. */
  readonly url: SealedText | ""
  /** The host of that address, for people. */
  readonly host: string
}

/** A rule in the form in which operators send it. */
export interface RuleInput extends RuleFields {
  /** The address of a webhook; `undefined` keeps the present one. */
  readonly url: Redacted.Redacted | undefined
}

/** A rule, with the state of its messages. */
export interface AlertRule extends RuleSettings {
  /** Its name in addresses, unique within the business. */
  readonly slug: string
  readonly business: string
  /** The time zone of its facility. */
  readonly timeZone: string
  /** The rule reports incidents in messages of the log after this one. */
  readonly fromId: number
  /**
   * The rule reports incidents outside the log that began at this time or later. It is the time when the rule was created or enabled, or
   * last got a new facility or new kinds.
   */
  readonly since: Timestamp.Timestamp
  /** The number of waiting notices. */
  readonly waiting: number
  /** The time at which its next message is due; `""` if nothing waits. */
  readonly nextAt: Timestamp.Timestamp | ""
  readonly lastSentAt: Timestamp.Timestamp | ""
  readonly lastFailedAt: Timestamp.Timestamp | ""
  /** Why the last attempt failed, or which recipients the server refused; `""` after a message was sent to all. */
  readonly lastFailure: string
  readonly createdAt: Timestamp.Timestamp
}

/** The context that seals the addresses of a business. */
export const addressContext = (business: string): string => `alert:${business}`

/** The business has no rule with this name. */
export class AlertRuleNotFound extends CatalogueError("ALERT_RULE_NOT_FOUND", "notFound", {
  when: "the business has no alert rule of that name",
  example: { business: "acme", rule: "night-shift" },
  message: ({ business, rule }) => `Unknown alert rule: ${nameText(rule)} of business ${nameText(business)}`
}) {}

const optional = Schema.optionalKey

const addressFault = (text: string): string | undefined =>
  text.length <= 254 && /^[^\s@<>(),;:"\\[\]]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(text)
    ? undefined
    : "must be an e-mail address, such as shift@example.com"

const clockFault = (text: string): string | undefined =>
  text === "" || /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)
    ? undefined
    : "must be a time of day, such as 22:00, or empty"

const kindFault = (text: string): string | undefined =>
  /^[A-Z][A-Z_]{0,63}$/.test(text) ? undefined : "must be a kind of incidents, such as WRONG_PALLET"

/** The field for the kinds of a rule: it accepts the kinds of the service, or any kind if they are unknown. */
const kindsField = (incidents: OpenWords["incidents"]) => {
  const names = Object.keys(incidents)
  const about = names.map((name) => `${name} (${incidents[name]})`).join(", ")
  const [kind, atMost, description] = names.length === 0
    ? [Field.stringField("A kind of incidents", kindFault), 100, texts.kinds]
    : [Schema.Literals(names), names.length, `The kinds of incidents that it reports: ${about}`]
  return Schema.Array<Schema.Codec<string>>(kind).check(Field.atMost(atMost)).annotate({ description })
}

const ruleInput = (incidents: OpenWords["incidents"]) =>
  Schema.Struct({
    facility: Field.slug(texts.facility),
    kinds: kindsField(incidents),
    channel: Field.name<AlertChannel>(alertChannels, texts.channel),
    to: optional(
      Schema.Array(Field.stringField("An e-mail address", addressFault, { maxLength: 254 }))
        .check(Field.atMost(recipientLimit)).annotate({ description: texts.to })
    ),
    url: optional(Field.text(texts.url)),
    quietFrom: optional(Field.stringField(texts.quietFrom, clockFault)),
    quietTo: optional(Field.stringField(texts.quietTo, clockFault)),
    digestMinutes: optional(Field.wholeUpTo(1440, texts.digestMinutes)),
    enabled: optional(Field.flag(texts.enabled))
  }).annotate({
    identifier: "AlertRuleInput",
    description: "Which incidents a rule reports, to whom and when."
  })

const checkWhole = (input: Readonly<Record<string, unknown>>, faults: Faults): void => {
  const { channel, kinds, quietFrom = "", quietTo = "", to = [], url = "" } = input
  const isMail = channel === "EMAIL"
  if (Array.isArray(kinds) && kinds.length === 0) faults.add("must name at least one kind", "kinds")
  if (isMail && Array.isArray(to) && to.length === 0) {
    faults.add("must have at least one address for EMAIL", "to")
  }
  if (!isMail && Array.isArray(to) && to.length > 0) faults.add("is for EMAIL alone", "to")
  if (isMail && url !== "") faults.add("is for SLACK and TEAMS alone", "url")
  if ((quietFrom === "") !== (quietTo === "")) {
    faults.add("must be set with the other end of quiet hours", quietFrom === "" ? "quietFrom" : "quietTo")
  } else if (quietFrom !== "" && quietFrom === quietTo) {
    faults.add("must differ from quietFrom", "quietTo")
  }
}

/** The values of fields that are missing from the input of a rule. */
const defaults = { to: [], quietFrom: "", quietTo: "", digestMinutes: 0, enabled: true } as const

const ruleReader = (body: ReturnType<typeof ruleInput>): RequestInput.Reader<RuleInput> =>
  RequestInput.map(RequestInput.reader(body, "an alert rule", checkWhole), ({ url, ...input }) => {
    const rule = { ...defaults, ...input }
    return {
      ...rule,
      kinds: Array.from(new Set(rule.kinds)).toSorted(),
      to: Array.from(new Set(rule.to)),
      url: url === undefined || url === "" ? undefined : Redacted.make(url)
    }
  })

/** A rule as operators see it. */
export const AlertRuleView = Schema.Struct({
  slug: ViewField.text("Its name in addresses"),
  business: ViewField.text("Business slug"),
  ...stateFields,
  waiting: ViewField.whole("The number of waiting notices"),
  quietUntil: ViewField.text("When its quiet hours end, RFC 3339 in UTC; empty outside them"),
  nextAt: ViewField.text("When its next message is due, RFC 3339 in UTC; empty if nothing waits"),
  lastSentAt: ViewField.text("When its last message was sent, RFC 3339 in UTC, or empty"),
  lastFailedAt: ViewField.text("When a message last failed, RFC 3339 in UTC, or empty"),
  lastFailure: ViewField.text(
    "Why it failed, or which addresses were refused; empty once a message was sent to all"
  ),
  createdAt: ViewField.text("When it was created, RFC 3339 in UTC")
}).annotate({ identifier: "AlertRule", description: "Which incidents a rule reports, to whom and when." })

/** A rule as operators see it. */
export type AlertRuleView = typeof AlertRuleView.Type

/** The fields of a rule that operators set, without its secret address. */
export const ruleState = (rule: Pick<AlertRule, keyof typeof stateFields>) =>
  Struct.pick(rule, Struct.keys(stateFields))

/** Shows a rule. */
export const ruleView = (rule: AlertRule, quietUntil: Timestamp.Timestamp | ""): AlertRuleView =>
  Struct.pick({ ...rule, quietUntil }, Struct.keys(AlertRuleView.fields))

/** A notice of a rule as operators see it. */
export const AlertNoticeView = Schema.Struct({
  id: ViewField.text("Its id"),
  at: ViewField.text("When it happened, RFC 3339 in UTC"),
  title: ViewField.text("What happened, in a few words"),
  text: ViewField.text("What happened"),
  url: ViewField.text("Its page on the dashboard, or empty"),
  state: ViewField.word(
    noticeStates,
    "WAITING, SENT, REFUSED permanently, or DROPPED because the rule was disabled"
  ),
  reason: ViewField.text("Why it was not sent, or to which addresses; empty otherwise"),
  dueAt: ViewField.text("When it is due, RFC 3339 in UTC"),
  endedAt: ViewField.text("When it was sent, refused or dropped, RFC 3339 in UTC; empty while it waits")
}).annotate({
  identifier: "AlertNotice",
  description: "An incident that a rule reports, and the state of its message."
})

/** A notice of a rule as operators see it. */
export type AlertNoticeView = typeof AlertNoticeView.Type

const business = { slug: Operation.id("The business's slug") }
const params = { ...business, rule: Operation.id("The rule's slug") }
const ruleErrors = [BusinessNotFound, AlertRuleNotFound, Forbidden, StorageUnavailable] as const

/** Lists the rules of a business in the order of their slugs. */
export const listAlertRules = Operation.list("listAlertRules", {
  rest: "GET /v1/operator/businesses/:slug/alert-rules",
  params: business,
  filters: {},
  cursor: "name",
  row: AlertRuleView,
  page: "AlertRulePage",
  columns: Operation.columnsOf(AlertRuleView),
  errors: [BusinessNotFound, Forbidden, StorageUnavailable],
  summary: "List the alert rules of a business",
  description: "In slug order, with the state of their messages."
})

/** Lists the notices of a rule, the newest first (D26.6). */
export const listAlertNotices = Operation.list("listAlertNotices", {
  rest: "GET /v1/operator/businesses/:slug/alert-rules/:rule/notices",
  params,
  filters: {},
  cursor: "name",
  row: AlertNoticeView,
  page: "AlertNoticePage",
  columns: Operation.columnsOf(AlertNoticeView),
  errors: [InvalidParameter, ...ruleErrors],
  summary: "List the notices of an alert rule",
  description:
    "The incidents that the rule reports, with the state of each and the reason, newest first. Notices are kept for 90 days."
})

/** Reads a rule. */
export const getAlertRule = Operation.read("getAlertRule", {
  rest: "GET /v1/operator/businesses/:slug/alert-rules/:rule",
  params,
  view: AlertRuleView,
  stateOf: ruleState,
  errors: ruleErrors,
  summary: "Read an alert rule",
  description: "Which incidents it reports, to whom and when, and the state of its messages."
})

/** Creates or replaces a rule, for the kinds of incidents of a service. */
const setAlertRule = (incidents: OpenWords["incidents"]) => {
  const body = ruleInput(incidents)
  return Operation.keylessWrite("setAlertRule", {
    rest: "PUT /v1/operator/businesses/:slug/alert-rules/:rule",
    params,
    body,
    read: ruleReader(body),
    view: AlertRuleView,
    stateOf: ruleState,
    errors: [...placeErrors, InvalidRequest, PreconditionFailed, SecretsKeyMissing, TooManyEntries],
    summary: "Create or replace an alert rule",
    description:
      "A new rule reports incidents from then on. Waiting notices are sent by the rule as it is when they are sent. Fields that are left \
out get their defaults; the address of a webhook stays unless another is sent."
  })
}

/** Deletes a rule. */
export const deleteAlertRule = Operation.keylessWrite("deleteAlertRule", {
  rest: "DELETE /v1/operator/businesses/:slug/alert-rules/:rule",
  params,
  view: Schema.Void,
  errors: ruleErrors,
  summary: "Delete an alert rule",
  description: "Waiting notices are dropped."
})

/** Sends a test message (D26.5). */
export const testAlertRule = Operation.keylessWrite("testAlertRule", {
  rest: "POST /v1/operator/businesses/:slug/alert-rules/:rule/test",
  params,
  view: Schema.Void,
  isAccepted: true,
  errors: ruleErrors,
  summary: "Test an alert rule",
  description:
    "Sends a message without an incident within seconds, at any hour and even if the rule is disabled. The rule then shows when it was \
sent, or why it failed."
})

/** The operations by their names, with the kinds of incidents of a service. */
export const alertRuleOperationsWith = ({ incidents }: Pick<OpenWords, "incidents">) => ({
  listAlertRules,
  getAlertRule,
  listAlertNotices,
  setAlertRule: setAlertRule(incidents),
  deleteAlertRule,
  testAlertRule
} as const)

/** The operations for unknown kinds of incidents. */
export const alertRuleOperations = alertRuleOperationsWith({ incidents: {} })

const [minuteMillis, dayMinutes] = [60_000, 1440]

const minutesOf = (clock: string): number => {
  const [hours, minutes] = clock.split(":")
  return Number(hours) * 60 + Number(minutes)
}

/** The minute of the day at a time in a zone. */
const minutesIn = (timeZone: string, time: number): number =>
  minutesOf(
    new Intl.DateTimeFormat("sv", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
      .format(time)
  )

/** The minutes of quiet hours that are left at a time; 0 outside them. */
const quietMinutes = ({ quietFrom, quietTo }: QuietHours, timeZone: string, time: number): number => {
  if (quietFrom === "") return 0
  const [from, to, now] = [minutesOf(quietFrom), minutesOf(quietTo), minutesIn(timeZone, time)]
  const sinceFrom = (now - from + dayMinutes) % dayMinutes
  const length = (to - from + dayMinutes) % dayMinutes
  return sinceFrom < length ? length - sinceFrom : 0
}

/** The end of the quiet hours that contain a time, or else the time itself. Clocks that are set back before that end delay it. */
export const afterQuiet = (
  hours: QuietHours,
  timeZone: string,
  time: Timestamp.Timestamp
): Timestamp.Timestamp => {
  const millis = Date.parse(time)
  const rest = quietMinutes(hours, timeZone, millis)
  if (rest === 0) return time
  const end = Math.floor(millis / minuteMillis) * minuteMillis + rest * minuteMillis
  // Clocks that were set forward before the end show a later time there.
  const excess = (minutesIn(timeZone, end) - minutesOf(hours.quietTo) + dayMinutes) % dayMinutes
  const earlier = end - excess * minuteMillis
  const isEarlier = excess < dayMinutes / 2 && earlier > millis &&
    quietMinutes(hours, timeZone, earlier) === 0
  return isEarlier ? Timestamp.fromMillis(earlier) : afterQuiet(hours, timeZone, Timestamp.fromMillis(end))
}

/** When a rule sends a notice that is added now. */
export const dueAt = (
  rule: QuietHours & { readonly digestMinutes: number; readonly timeZone: string },
  now: Timestamp.Timestamp
): Timestamp.Timestamp =>
  afterQuiet(
    rule,
    rule.timeZone,
    Timestamp.fromMillis(Date.parse(now) + rule.digestMinutes * minuteMillis)
  )
