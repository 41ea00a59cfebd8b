/**
 * The values of operators' views: each field by its name, and the bodies of requests as they were sent. A field whose meaning depends on
 * others, such as whether an endpoint is enabled, is shown together with them.
 */
import type {
  DeliveryView,
  EndpointView,
  MessageRecordView,
  TestView
} from "@dockline/core/operator/OperatorView"
import type { ComponentChildren } from "preact"
import type { Declaration } from "../../../pages/Declarations.ts"
import type { Row } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { exactTime } from "../../time.ts"
import type { Column } from "../../ui/lists.tsx"
import { shipmentNumber } from "../../ui/lookup.ts"
import { webhookName } from "../../ui/messages.ts"
import { Badge, Facts, Quote, Time } from "../../ui/Parts.tsx"
import { amount, countText } from "../../ui/words.ts"
import type { BadgeText } from "../../ui/words.ts"
import { addressOf, labelOf } from "./Resource.ts"

/** All businesses, or all facilities of one, including future ones. */
export const everything = "*"

/** Whether a field is secret: shown only once, and hidden while the reader types it. */
export const isSecret = (name: string): boolean => /(secret|password)$/i.test(name)

/** Words for people, in place of the values of some fields. */
const wordsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  permissions: {
    "documents:write": "Send documents",
    "messages:read": "Read messages",
    "pallets:write": "Report pallets",
    "shipments:write": "Move shipments",
    operator: "Operate"
  },
  type: { none: "None", basic: "User name and password", token: "Token of a login", oauth2: "OAuth 2.0" }
}

/** The word for people for a value of a field. */
export const wordIn = (name: string, word: string): string =>
  /^messageTypes?$/.test(name) ? webhookName(word) : wordsOf[name]?.[word] ?? word

/** A grant: permissions at some places. */
export interface Grant {
  readonly business: string
  readonly facilities: "*" | ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
}

export const placesOf = ({ business, facilities }: Grant): string => {
  const name = business === everything ? "All businesses" : business
  return facilities === everything ? name : `${name}: ${facilities.join(", ")}`
}

/** The states of a delivery, and of a message at an endpoint. */
const states: Readonly<Record<string, BadgeText>> = {
  DEAD: ["Given up", "bad"],
  NOT_SENT: ["Not sent", "bad"],
  PENDING: ["Waiting", "warn"],
  QUEUED: ["Queued", "warn"],
  DELIVERED: ["Delivered", "ok"],
  OTHER_TYPE: ["Other type", "none"],
  OTHER_FACILITY: ["Other facility", "none"]
}

const reasons: Readonly<Record<EndpointView["disabledReason"], string>> = {
  "": "Disabled",
  OPERATOR: "Disabled by an operator",
  GONE: "Disabled: it answered 410",
  FAILING: "Disabled: it failed for 5 days"
}

/** Whether an entity is enabled, and whether its deliveries work. */
const conditionOf = (
  { backlog, disabledReason = "", enabled, failingSince, login }: Partial<EndpointView>
): BadgeText => {
  if (enabled !== true) return [reasons[disabledReason], disabledReason === "OPERATOR" ? "none" : "bad"]
  if (login) return ["Waits for its login", "bad"]
  if (failingSince) return ["Failing", "bad"]
  if (backlog === undefined) return ["Enabled", "ok"]
  return backlog > 100 ? ["Behind", "warn"] : ["Delivering", "ok"]
}

/** Whether a delivery waits for an earlier message of its shipment. */
const isBehind = ({ messageId, nextAttemptAt, status }: Partial<DeliveryView>): boolean =>
  status === "PENDING" && nextAttemptAt === null && messageId !== undefined

const stateOf = (row: Row): BadgeText => {
  const state = String(row["state"] ?? row["status"])
  return isBehind(row) ? ["Waiting", "calm"] : states[state] ?? [state, "none"]
}

/** The tones of states; tones that need attention come first. */
const tones: ReadonlyArray<BadgeText[1]> = ["bad", "warn", "calm", "ok", "none"]

const urgencyOf = (row: Row): number =>
  tones.indexOf((typeof row["enabled"] === "boolean" ? conditionOf(row) : stateOf(row))[1])

/** Orders rows by their need for attention, and then newest first. */
export const byUrgency = (one: Row, other: Row): number =>
  urgencyOf(one) - urgencyOf(other) || String(other["at"] ?? "").localeCompare(String(one["at"] ?? ""))

/** The outcome of an attempt, in a few words. */
const outcomeOf = ({ error, status }: Pick<TestView, "error" | "status">): string =>
  status === null ? error || "No answer" : `Answered ${status}${error === "" ? "" : `: ${error}`}`

/** How some fields are shown; this may depend on other fields of the row. */
const cells: Readonly<Record<string, (value: never, row: never) => ComponentChildren>> = {
  action: (action: string) => labelOf(action.toLowerCase()),
  at: (at: string) => <time dateTime={at}>{exactTime(at)}</time>,
  attempts: (attempts: DeliveryView["attempts"]) => lastAttempt(attempts.at(-1)) ?? "Not tried yet",
  authentication: ({ type }: EndpointView["authentication"]) => wordIn("type", type),
  backlog: (backlog: number) => backlog >= 1000 ? "1,000 or more" : String(backlog),
  baseUrl: (url: string, { endpointId }: { readonly endpointId?: string }) =>
    endpointId === undefined ? url : <a href={href(`/webhooks/${endpointId}`)}>{url}</a>,
  business: (business: string, { facility }: { readonly facility?: string | null }) =>
    facility === undefined
      ? business
      : facility === null
      ? `${business}, all facilities`
      : `${business}/${facility}`,
  details: (details: object) =>
    Object.keys(details).length === 0 ? "" : (
      <details>
        <summary>What was set</summary>
        <pre tabindex={0}>{JSON.stringify(details, null, 2)}</pre>
      </details>
    ),
  durationMs: (millis: number) => `${millis} ms`,
  facilities: (facilities: Grant["facilities"]) => facilities === everything ? "All" : facilities.join(", "),
  enabled: (_: boolean, row: Row) => <Badge of={conditionOf(row)} />,
  grants: (grants: ReadonlyArray<Grant>) =>
    grants.map((grant, at) => (
      <span key={at} class="grant">
        {placesOf(grant)}{" "}
        <span class="sub">{grant.permissions.map((each) => wordIn("permissions", each)).join(", ")}</span>
      </span>
    )),
  isTaken: (isTaken: boolean, row: TestView) => {
    const outcome = outcomeOf(row)
    const words = `${isTaken ? "Taken" : "Not taken"}: ${outcome.charAt(0).toLowerCase()}${outcome.slice(1)}`
    return <Badge of={[words, isTaken ? "ok" : "bad"]} />
  },
  lastAttempt: (last: MessageRecordView["endpoints"][number]["lastAttempt"]) => lastAttempt(last),
  login: ({ error, failures }: NonNullable<EndpointView["login"]>) =>
    `It failed ${countText(failures, "time")}: ${error}`,
  messageId: (id: number) => `Message ${id}`,
  nextAttemptAt: (time: string) => (
    <>
      Next attempt <Time time={time} near />
    </>
  ),
  payloadProfile: (profile: string) => profile === "dockline" ? "" : profile,
  ratePerSecond: (rate: number) => rate === 0 ? "" : `At most ${rate} a second`,
  shipmentId: (id: string) => (
    <a class="nowrap" href={href(`/shipments/${id}`)}>{shipmentNumber(id).value ?? id}</a>
  ),
  signatures: (kinds: EndpointView["signatures"]) =>
    kinds.includes("v1a") ? "Also by keys of the service" : "",
  signingSecrets: (secrets: EndpointView["signingSecrets"]) => {
    const until = secrets.find(({ validUntil }) => validUntil !== null)?.validUntil
    return until
      ? (
        <>
          Two secrets sign the deliveries; the older one until <Time time={until} />
        </>
      )
      : ""
  },
  state: (_: string, row: Row) => <Badge of={stateOf(row)} />,
  status: (_: string | number, row: Row) => (
    <>
      <Badge of={stateOf(row)} />
      {isBehind(row) ? <span class="sub">Waits for an earlier message of its shipment</span> : null}
    </>
  ),
  subject: (subject: string) => <a href={href(addressOf(`/v1/operator/${subject}`))}>{subject}</a>,
  warnings: (warnings: ReadonlyArray<string>) => warnings.join(" ")
}

const lastAttempt = (last: DeliveryView["attempts"][number] | null | undefined) =>
  last && (
    <>
      {outcomeOf(last)}, <Time time={last.at} near />
    </>
  )

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)

const textOf = (name: string, value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (Array.isArray(value)) return value.map((each) => textOf(name, each)).join(", ")
  if (typeof value === "object") {
    return Object.values(value).map((each) => textOf(name, each)).join(" ").trim()
  }
  return typeof value === "number" ? amount(value) : wordIn(name, String(value))
}

/** A value for people; `""` for an absent one. */
export const valueOf = (name: string, row: Row): ComponentChildren => {
  const value = row[name]
  const cell = cells[name]
  // The cast relies on the service: fields have the declared types.
  if (cell !== undefined && value !== null && value !== undefined) return cell(value as never, row as never)
  if (typeof value === "boolean") return value ? "Yes" : "No"
  return typeof value === "string" && isTime(value) ? <Time time={value} /> : textOf(name, value)
}

/** Headings for some fields, where the labels of forms are not clear enough beside a value. */
const headings: Readonly<Record<string, string>> = {
  at: "When",
  attempts: "Last attempt",
  backlog: "Waiting",
  baseUrl: "Address",
  clientId: "By",
  durationMs: "After",
  enabled: "Condition",
  isTaken: "Result",
  messageId: "Message",
  messageTypes: "Messages",
  nextAttemptAt: "Then",
  reason: "Why",
  remedy: "What to do",
  shipmentId: "Shipment",
  signingSecrets: "Signing",
  warnings: "To judge"
}

const headingOf = (name: string): string => headings[name] ?? labelOf(name)

/** The fields of an entry of a presentation, one below another. */
const stackOf = (entry: string, row: Row): ReadonlyArray<ComponentChildren> =>
  entry.split(" ").map((name) => valueOf(name, row)).filter((value) => value !== "").map((value, at) =>
    at === 0 ? value : <div class="sub">{value}</div>
  )

/** A column for each entry; the fields of one entry are below one another. The first column identifies the row. */
export const columnsOf = (
  entries: ReadonlyArray<string>,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Column<Row>> =>
  entries.map((entry, at) => {
    const [name = ""] = entry.split(" ")
    const content = (row: Row): ComponentChildren => {
      const stack = stackOf(entry, row)
      return stack.length === 0 ? "–" : stack
    }
    const isNumber = rows.some((row) => typeof row[name] === "number")
    return [headingOf(name), content, at === 0 ? "main" : isNumber ? "number wide" : "wide", headingOf(name)]
  })

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The rows of a list within a view; `undefined` for any other value. */
export const rowsOf = (value: unknown): ReadonlyArray<Row> | undefined =>
  Array.isArray(value) && value.every(isRow) ? value : undefined

/** A body that was sent over the wire, with its headers if they are known; `undefined` for any other value. */
const sentIn = (name: string, value: unknown): string | undefined => {
  if (name === "body" && typeof value === "string") return value
  if (!isRow(value) || typeof value["body"] !== "string") return undefined
  const { body, headers, url } = value
  return [
    ...(url === undefined ? [] : [`POST ${String(url)}`]),
    ...(isRow(headers) ? Object.entries(headers).map(([name, each]) => `${name}: ${String(each)}`) : []),
    ...(body === "" ? [] : ["", body])
  ].join("\n").trim()
}

/** Whether a view contains a body that was sent over the wire. */
export const hasSent = (row: Row): boolean =>
  Object.entries(row).some(([name, value]) => sentIn(name, value) !== undefined)

/** The fields that pages show of a view of an operation. */
export const fieldsOf = ({ presentation }: Declaration, row: Row): ReadonlyArray<string> =>
  presentation?.fields ?? Object.keys(row).filter((name) => name !== "correlationId")

/** Fields of a view: facts, and bodies that were sent over the wire. */
export const View = ({ fields, row }: { readonly row: Row; readonly fields: ReadonlyArray<string> }) => {
  const texts = fields.map((name) => [name, sentIn(name, row[name])] as const)
  const bodies = texts.filter(([, text]) => text !== undefined)
  const facts = texts.filter(([, text]) => text === undefined).map(([name]) =>
    [headingOf(name), valueOf(name, row)] as const
  )
  return (
    <>
      <Facts of={facts} />
      {bodies.length === 0 ? null : (
        <div class="exchange">
          {bodies.map(([name, text]) => <Quote key={name} caption={labelOf(name)}>{text}</Quote>)}
        </div>
      )}
    </>
  )
}
