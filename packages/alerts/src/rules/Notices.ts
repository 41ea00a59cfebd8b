/**
 * Decides which rules cover an incident, and makes their notices (D26.2), as pure functions.
 */
import type { Incident } from "@dockline/core/capability/Capability"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { noticeOf } from "../domain/AlertRule.ts"
import type { AlertRule } from "../domain/AlertRule.ts"
import { dueAt } from "../domain/AlertRule.ts"
import type { NoticeDraft, RulesNow } from "../domain/AlertStore.ts"

/** Whether a rule covers a kind of incidents at a facility. Every rule of the business matches the facility `null`. */
export const tells = (rule: AlertRule, kind: string, facility: string | null): boolean =>
  rule.enabled && rule.kinds.includes(kind) && (facility === null || rule.facility === facility)

/** The notices of an incident for the rules that cover it. */
export const noticesOf = (
  { at, key, text, title, url }: Incident,
  rules: ReadonlyArray<AlertRule>,
  now: Timestamp
): ReadonlyArray<NoticeDraft> =>
  rules.map((rule) => ({
    rule: rule.slug,
    key,
    dueAt: dueAt(rule, now),
    notice: noticeOf(at, title, text, url)
  }))

/** The earliest time from which rules cover incidents of a kind outside the log; `undefined` if none covers the kind. */
export const sinceOf = ({ rules }: RulesNow, kind: string): Timestamp | undefined =>
  rules.filter((rule) => rule.enabled && rule.kinds.includes(kind)).map(({ since }) => since).toSorted()[0]
