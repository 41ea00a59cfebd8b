/**
 * Reads, creates, replaces, deletes and tests rules for operators (D26.1).
 *
 * Guarantee: an operator sees and changes only the rules of the businesses that it operates, and each change is in the operators' record.
 * The address of a webhook is sealed before it is stored, and never shown; an address that must not be called is refused.
 */
import type { Principal } from "@dockline/core/access/Access"
import { auditing, subjectOf } from "@dockline/core/access/AuditLog"
import type { AuditAction, AuditDraft, AuditLog } from "@dockline/core/access/AuditLog"
import type { OperatorHandlersOf } from "@dockline/core/capability/Capability"
import { expected } from "@dockline/core/input/Precondition"
import { dashboardOf, MovementSettings } from "@dockline/core/movement/Movement"
import { operatedFacility } from "@dockline/core/operator/Businesses"
import * as Authorize from "@dockline/core/places/Authorize"
import { Directory, slugFault } from "@dockline/core/places/Place"
import { clip } from "@dockline/core/values/Clip"
import { InvalidRequest } from "@dockline/core/values/Errors"
import { idPage, mapPage, namePage } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { slugPattern } from "@dockline/core/values/Vocabulary"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { OutboundUrls } from "@dockline/core/webhooks/WebhookEndpoint"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { addressContext, afterQuiet, AlertRuleNotFound, noticeOf, ruleState, ruleView } from "./AlertRule.ts"
import type { AlertRule, alertRuleOperations, RuleInput, RuleSettings } from "./AlertRule.ts"
import { AlertStore } from "./AlertStore.ts"

const invalid = (path: string, detail: string) => new InvalidRequest({ errors: [{ path, detail }] })

/** The state for preconditions; `null` for a missing rule. */
const stateOf = (rule: AlertRule | null) => rule === null ? null : ruleState(rule)

/** Shows a rule at a time. */
const viewAt = (rule: AlertRule, now: Timestamp.Timestamp) => {
  const end = afterQuiet(rule, rule.timeZone, now)
  return ruleView(rule, end > now ? end : "")
}

/** The new settings of a rule. The rule keeps its address unless the input has another. */
const settingsOf = (
  { url: _url, ...words }: RuleInput,
  address: Pick<RuleSettings, "host" | "url"> | undefined,
  present: AlertRule | null
): Result.Result<RuleSettings, InvalidRequest> => {
  if (words.channel === "EMAIL") return Result.succeed({ ...words, url: "", host: "" })
  if (address !== undefined) return Result.succeed({ ...words, ...address })
  return present?.channel === words.channel && present.url !== ""
    ? Result.succeed({ ...words, url: present.url, host: present.host })
    : Result.fail(invalid("url", "is required"))
}

const auditDraft = (
  action: AuditAction,
  { business, slug }: Pick<AlertRule, "business" | "slug">,
  details: AuditDraft["details"] = {}
): AuditDraft => ({
  action,
  business,
  subject: subjectOf("businesses", business, "alert-rules", slug),
  details
})

/** The handlers of the operations of operators on rules. */
export class AlertRules extends Context.Service<AlertRules, OperatorHandlersOf<typeof alertRuleOperations>>()(
  "@dockline/alerts/domain/AlertRules"
) {
  static readonly layer: Layer.Layer<
    AlertRules,
    never,
    AlertStore | AuditLog | Directory | OutboundUrls | SecretsVault
  > = Layer.effect(
    AlertRules,
    Effect.gen(function*() {
      const store = yield* AlertStore
      const directory = yield* Directory
      const vault = yield* SecretsVault
      const urls = yield* OutboundUrls
      const audit = yield* auditing
      const dashboardUrl = dashboardOf(yield* MovementSettings)

      const missing = (business: string, rule: string) =>
        new AlertRuleNotFound({ business, rule: clip(rule) })

      const find = Effect.fnUntraced(function*(business: string, rule: string, principal: Principal) {
        yield* Authorize.operatorOf(directory, principal, business)
        // No rule has a malformed slug.
        const row = slugPattern.test(rule) ? yield* store.find({ business, rule }) : null
        return row ?? (yield* missing(business, rule))
      })

      /** Seals an address that may be called. */
      const addressOf = Effect.fnUntraced(function*({ url }: RuleInput, business: string) {
        if (url === undefined) return undefined
        const text = Redacted.value(url)
        const target = URL.parse(text)
        const fault = target?.protocol === "https:"
          ? urls.fault(text)
          : "must be an address that begins with https://"
        if (target === null || fault !== undefined) {
          return yield* invalid("url", fault ?? "must be an address")
        }
        return { url: yield* vault.seal(url, addressContext(business)), host: target.host }
      })

      return AlertRules.of({
        listAlertRules: Effect.fn("Alerts.list")(function*({ slug, ...query }, principal) {
          yield* Authorize.operatorOf(directory, principal, slug)
          const rules = yield* store.list(slug, namePage(query))
          const now = yield* Timestamp.now
          return mapPage(rules, (rule) => viewAt(rule, now))
        }),

        listAlertNotices: Effect.fn("Alerts.notices")(
          function*({ rule, slug: business, ...query }, principal) {
            yield* find(business, rule, principal)
            const page = yield* Effect.fromResult(idPage(query))
            return mapPage(
              yield* store.notices({ business, rule }, page),
              ({ dueAt, endedAt, id, notice, reason, state }) => ({
                id: String(id),
                ...notice,
                state,
                reason,
                dueAt,
                endedAt
              })
            )
          }
        ),

        getAlertRule: Effect.fn("Alerts.get")(function*({ rule, slug }, principal) {
          return viewAt(yield* find(slug, rule, principal), yield* Timestamp.now)
        }),

        setAlertRule: Effect.fn("Alerts.set")(function*({ body, rule, slug: business }, principal) {
          yield* operatedFacility(directory, principal, business, body.facility)
          const fault = slugFault(rule)
          if (fault !== undefined) return yield* invalid("rule", fault)
          const unchanged = yield* expected(stateOf(yield* store.find({ business, rule })))
          const address = yield* addressOf(body, business)
          const change = store.put(
            { business, rule },
            (present) => Result.andThen(unchanged(stateOf(present)), settingsOf(body, address, present))
          )
          return viewAt(
            yield* audit(
              principal,
              change,
              (row) =>
                auditDraft("ALERT_RULE_SET", row, { ...ruleState(row), isNewAddress: address !== undefined })
            ),
            yield* Timestamp.now
          )
        }),

        deleteAlertRule: Effect.fn("Alerts.remove")(function*({ rule, slug: business }, principal) {
          const before = yield* find(business, rule, principal)
          yield* audit(
            principal,
            Effect.filterOrFail(
              store.remove({ business, rule }),
              (isRemoved) => isRemoved,
              () => missing(business, rule)
            ),
            () => auditDraft("ALERT_RULE_REMOVED", before, ruleState(before))
          )
        }),

        testAlertRule: Effect.fn("Alerts.test")(function*({ rule, slug: business }, principal) {
          const before = yield* find(business, rule, principal)
          const notice = noticeOf(
            yield* Timestamp.now,
            `Test of alert rule ${rule}`,
            "This is a test: nothing has happened.",
            dashboardUrl
          )
          yield* audit(
            principal,
            Effect.filterOrFail(
              store.test({ business, rule }, notice),
              (isWaiting) => isWaiting,
              () => missing(business, rule)
            ),
            () => auditDraft("ALERT_RULE_TESTED", before)
          )
        })
      })
    })
  )
}
