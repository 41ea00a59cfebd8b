/** The values of operators' views: each field by its name, lists of rows as tables, and sent content as it went over the wire. */
import type { ComponentChildren } from "preact"
import type { Row } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { exactTime } from "../../time.ts"
import { amount } from "../../ui/amounts.ts"
import type { Column } from "../../ui/lists.tsx"
import { shipmentNumber } from "../../ui/lookup.ts"
import { webhookName } from "../../ui/messageKinds.ts"
import { Badge, Facts, Quote, Time } from "../../ui/Parts.tsx"
import type { Toned } from "../../ui/tables.ts"
import { addressOf, labelOf } from "./Resource.ts"

/** All businesses, or all facilities of one, including future ones. */
export const everything = "*"

/** Whether a value is shown only once, and hidden while it is written. */
export const isSecret = (name: string): boolean => /(secret|password)$/i.test(name)

/** The words of some fields, for people. */
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

/** The name of a word of a field, for people. */
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

/** The states of a message at an endpoint; those that need attention come first. */
export const passages: Readonly<Record<string, Toned>> = {
  DEAD: ["Given up", "bad"],
  NOT_SENT: ["Not sent", "bad"],
  PENDING: ["Waiting", "warn"],
  QUEUED: ["Queued", "warn"],
  DELIVERED: ["Delivered", "ok"],
  OTHER_TYPE: ["Other type", "none"],
  OTHER_FACILITY: ["Other facility", "none"]
}

/** Fields with a presentation of their own. */
const cells: Readonly<Record<string, (value: never) => ComponentChildren>> = {
  action: (action: string) => labelOf(action.toLowerCase()),
  at: (at: string) => <time dateTime={at}>{exactTime(at)}</time>,
  details: (details: object) =>
    Object.keys(details).length === 0 ? null : (
      <details>
        <summary>What was set</summary>
        <pre tabindex={0}>{JSON.stringify(details, null, 2)}</pre>
      </details>
    ),
  facilities: (facilities: Grant["facilities"]) => facilities === everything ? "All" : facilities.join(", "),
  enabled: (enabled: boolean) => <Badge of={enabled ? ["Enabled", "ok"] : ["Disabled", "bad"]} />,
  grants: (grants: ReadonlyArray<Grant>) =>
    grants.map((grant, at) => (
      <span key={at} class="grant">
        {placesOf(grant)}{" "}
        <span class="sub">{grant.permissions.map((each) => wordIn("permissions", each)).join(", ")}</span>
      </span>
    )),
  shipmentId: (id: string) => <a href={href(`/shipments/${id}`)}>{shipmentNumber(id).value ?? id}</a>,
  status: (status: string | number) => <Badge of={passages[status] ?? [String(status), "none"]} />,
  subject: (subject: string) => <a href={href(addressOf(`/v1/operator/${subject}`))}>{subject}</a>
}

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
  // The answer has the type that the operation declares, and so have these fields.
  if (cell !== undefined && value !== null && value !== undefined) return cell(value as never)
  if (typeof value === "boolean") return value ? "Yes" : "No"
  return typeof value === "string" && isTime(value) ? <Time time={value} /> : textOf(name, value)
}

/** A field with its name. */
export const factOf = (name: string, row: Row) => [labelOf(name), valueOf(name, row)] as const

/** Columns of fields; the first identifies the row. */
export const columnsOf = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Column<Row>> =>
  names.map((name, at) => [
    labelOf(name),
    (row) => valueOf(name, row) || "–",
    at === 0 ? "main" : rows.some((row) => typeof row[name] === "number") ? "number wide" : "wide",
    labelOf(name)
  ])

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The rows of a list that a view holds; `undefined` for another value. */
export const rowsOf = (value: unknown): ReadonlyArray<Row> | undefined =>
  Array.isArray(value) && value.every(isRow) ? value : undefined

/** A body that went over the wire, with its headers if they are known; `undefined` for another value. */
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

/** Whether a view contains a body that went over the wire. */
export const hasSent = (row: Row): boolean =>
  Object.entries(row).some(([name, value]) => sentIn(name, value) !== undefined)

/** A view without its lists: facts, and bodies that went over the wire. */
export const View = ({ facts, row, without = [] }: {
  readonly row: Row
  /** The facts; by default its fields. */
  readonly facts: Parameters<typeof Facts>[0]["of"] | undefined
  readonly without?: ReadonlyArray<string>
}) => {
  const fields = Object.entries(row).filter(([name]) => !without.includes(name))
    .map(([name, value]) => [name, sentIn(name, value)] as const)
  const texts = fields.filter(([, text]) => text !== undefined)
  return (
    <>
      <Facts
        of={facts ?? fields.filter(([, text]) => text === undefined).map(([name]) => factOf(name, row))}
      />
      {texts.length === 0 ? null : (
        <div class="exchange">
          {texts.map(([name, text]) => <Quote key={name} caption={labelOf(name)}>{text}</Quote>)}
        </div>
      )}
    </>
  )
}
