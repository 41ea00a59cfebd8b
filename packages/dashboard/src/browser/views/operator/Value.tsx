/** How a value of a view of operators is shown, by the name of its field. */
import type { ComponentChildren } from "preact"
import type { Row } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { amount } from "../../ui/amounts.ts"
import { Badge, Time } from "../../ui/Parts.tsx"
import { everything, wordIn } from "./Field.tsx"
import { addressOf } from "./Resource.ts"

/** What somebody may do at some places. */
export interface Grant {
  readonly business: string
  readonly facilities: "*" | ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
}

export const placesOf = ({ business, facilities }: Grant): string => {
  const name = business === everything ? "All businesses" : business
  return facilities === everything ? name : `${name}: ${facilities.join(", ")}`
}

/** Fields that people read better in words of their own. */
const cells: Readonly<Record<string, (value: never) => ComponentChildren>> = {
  action: (action: string) => {
    const words = action.toLowerCase().replaceAll("_", " ")
    return words.charAt(0).toUpperCase() + words.slice(1)
  },
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

/** A value for people; `""` for nothing. */
export const valueOf = (name: string, row: Row): ComponentChildren => {
  const value = row[name]
  const cell = cells[name]
  // The service answers as the operation is declared, and so do these fields.
  if (cell !== undefined && value !== null && value !== undefined) return cell(value as never)
  if (typeof value === "boolean") return value ? "Yes" : "No"
  return typeof value === "string" && isTime(value) ? <Time time={value} /> : textOf(name, value)
}
