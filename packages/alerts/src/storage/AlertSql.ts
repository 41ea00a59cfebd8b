/** Alerts in PostgreSQL (D26): rules, the cursors over logs, notices, and the messages that contain notices. */
import { Verdict } from "@dockline/core/shipment/Verdict"
import { BusinessNotFound, FacilityNotFound } from "@dockline/core/values/Errors"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { cutPage } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { announcing, businessId, operations, watching } from "@dockline/sql-storage/rows/BusinessRows"
import { bigintText, sealedText, texts, timestamp, whole } from "@dockline/sql-storage/rows/RowFields"
import { everyShard, firsts } from "@dockline/sql-storage/schema/ShardAnswers"
import * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import { Effect, Layer, Result, Schema } from "effect"
import {
  alertChannels,
  messageLimits,
  noticeMillis,
  noticeStates,
  ruleLimit,
  waitingLimit
} from "../domain/AlertRule.ts"
import type { AlertRule, RuleSettings } from "../domain/AlertRule.ts"
import { AlertStore, failingMillis, incidentLimit, leaseMillis, lookMillis } from "../domain/AlertStore.ts"
import type { Claim, RuleName } from "../domain/AlertStore.ts"

/** The stored settings of a rule, without its facility, which is a column. */
const StoredSettings = Schema.Struct({
  kinds: texts,
  channel: Schema.Literals(alertChannels),
  to: texts,
  url: Schema.Union([Schema.Literal(""), sealedText]),
  host: Schema.String,
  quietFrom: Schema.String,
  quietTo: Schema.String,
  digestMinutes: whole,
  enabled: Schema.Boolean
})

/** A time, or `""` without one. */
const timeOrNone = Schema.Union([Schema.Literal(""), timestamp])

/** The result of `alert_rule_shown`. */
const RuleBody = Schema.Struct({
  slug: Schema.String,
  business: Schema.String,
  facility: Schema.String,
  timeZone: Schema.String,
  settings: StoredSettings,
  fromId: whole,
  since: timestamp,
  waiting: whole,
  nextAt: timeOrNone,
  lastSentAt: timeOrNone,
  lastFailedAt: timeOrNone,
  lastFailure: Schema.String,
  createdAt: timestamp
})

const ruleOf = ({ settings, ...rule }: typeof RuleBody.Type): AlertRule => ({ ...rule, ...settings })

/** The result of `alert_rule_lock`. */
const LockResult = Schema.NullOr(Schema.Struct({ rule: Schema.NullOr(RuleBody) }))

/** The result of `alert_rule_put`. */
const PutResult = Schema.Union([
  Schema.Struct({ rule: RuleBody }),
  Schema.Struct({ unknown: Schema.Boolean }),
  Schema.Struct({ full: Schema.Boolean })
])

/** The result of `alert_rules_now`. */
const RulesBody = Schema.Struct({ now: timestamp, rules: Schema.Array(RuleBody) })

/** The results of `alert_behind` and `alert_due`. */
const Behind = Schema.Array(
  Schema.Struct({ business: Schema.String, businessId: bigintText, cursorId: whole })
)
const Due = Schema.Array(
  Schema.Struct({ business: Schema.String, businessId: bigintText, rule: Schema.String })
)

/** The result of `alert_urls`. */
const Urls = Schema.Array(
  Schema.Struct({ businessId: bigintText, business: Schema.String, rule: Schema.String, url: sealedText })
)

/** The result of `alert_looks`. */
const Looks = Schema.Array(
  Schema.Struct({ business: Schema.String, businessId: bigintText, lookedAt: timestamp })
)

/** The result of `alert_detentions`. */
const Detentions = Schema.Array(Schema.Struct({
  shipmentId: whole,
  shipmentNumber: Schema.String,
  facility: Schema.String,
  dock: Schema.String,
  arrivedAt: timestamp,
  detentionMinutes: whole
}))

/** The result of `alert_endpoints`. */
const Endpoints = Schema.Array(Schema.Struct({
  id: whole,
  facility: Schema.NullOr(Schema.String),
  baseUrl: Schema.String,
  failingSince: timestamp
}))

/** The result of `alert_pallets`. */
const PalletRows = Schema.Array(Schema.Struct({
  messageId: whole,
  lpn: Schema.String,
  dock: Schema.String,
  shipmentNumber: Schema.String,
  verdict: Verdict
}))

const NoticeBody = Schema.Struct({
  at: timestamp,
  title: Schema.String,
  text: Schema.String,
  url: Schema.String
})

/** The result of `alert_notice_page`. */
const Notices = Schema.Array(Schema.Struct({
  id: whole,
  notice: NoticeBody,
  state: Schema.Literals(noticeStates),
  reason: Schema.String,
  addedAt: timestamp,
  dueAt: timestamp,
  endedAt: timeOrNone
}))

/** The result of `alert_claim`. */
const ClaimBody = Schema.NullOr(Schema.Struct({
  now: timestamp,
  rule: RuleBody,
  messageId: Schema.String,
  attempts: whole,
  epoch: whole,
  notices: Schema.Array(NoticeBody),
  surplus: whole,
  isTest: Schema.Boolean
}))

const interval = (millis: number): string => `${millis} milliseconds`

const stores = Layer.effect(
  AlertStore,
  Effect.gen(function*() {
    const { call, read, transact, write } = yield* operations
    const announce = yield* announcing
    const watch = yield* watching
    const reading = (business: string) => read({ business: businessId(business) })
    const writing = (business: string) => write({ business: businessId(business) })

    const put = Effect.fnUntraced(
      function*<E>(
        { business, rule }: RuleName,
        decide: (present: AlertRule | null) => Result.Result<RuleSettings, E>
      ) {
        const id = businessId(business)
        const lock = yield* call(LockResult)`dockline.alert_rule_lock(${id}, ${rule})`
        if (lock === null) return yield* new BusinessNotFound({ business })
        const present = lock.rule === null ? null : ruleOf(lock.rule)
        const { facility, ...settings } = yield* Effect.fromResult(decide(present))
        const result = yield* call(PutResult)`dockline.alert_rule_put(${id}, ${rule}, ${facility},
          ${JSON.stringify(settings)}, ${ruleLimit}, ${yield* Timestamp.givenNow})`
        if ("unknown" in result) return yield* new FacilityNotFound({ business, facility })
        if ("full" in result) {
          return yield* new TooManyEntries({ what: "alert rules of a business", limit: ruleLimit })
        }
        yield* announce(business)
        return ruleOf(result.rule)
      },
      (effect, { business }) => transact({ business: businessId(business) })(effect)
    )

    return AlertStore.of({
      list: (business, { after, limit }) =>
        reading(business)(Effect.map(
          call(Schema.Array(RuleBody))`dockline.alert_rule_page(${businessId(business)}, ${after}, ${
            limit + 1
          })`,
          (rows) => cutPage(rows.map(ruleOf), limit, ({ slug }) => ({ id: slug }))
        )),
      rules: (business) =>
        writing(business)(Effect.flatMap(Timestamp.givenNow, (now) =>
          Effect.map(
            call(RulesBody)`dockline.alert_rules_now(${businessId(business)}, ${now})`,
            ({ now, rules }) => ({ now, rules: rules.map(ruleOf) })
          ))),
      notices: ({ business, rule }, { after, limit }) =>
        reading(business)(Effect.map(
          call(Notices)`dockline.alert_notice_page(${businessId(business)}, ${rule}, ${after}, ${limit + 1})`,
          (rows) => cutPage(rows, limit, ({ id }) => ({ id: String(id) }))
        )),
      urls: (limit) =>
        write()(Effect.map(
          call(Urls)`dockline.alert_urls(${limit})`,
          (rows) => rows.map(({ business, rule, url }) => ({ business, rule, url }))
        )),
      find: ({ business, rule }) =>
        reading(business)(Effect.map(
          call(Schema.NullOr(RuleBody))`dockline.alert_rule_shown(${businessId(business)}, ${rule})`,
          (row) => row === null ? null : ruleOf(row)
        )),
      put,
      remove: ({ business, rule }) =>
        transact({ business: businessId(business) })(
          call(Schema.Boolean)`dockline.alert_rule_remove(${businessId(business)}, ${rule})`
        ),
      behind: (types, limit, after) =>
        write()(Effect.map(
          call(Behind)`dockline.alert_behind(
            ${after === undefined ? -1 : businessId(after.business)}, ${types}, ${limit})`,
          (rows) => rows.map(({ business, cursorId }) => ({ business, cursorId }))
        )),
      pallets: (business, messages) =>
        messages.length === 0
          ? Effect.succeed(new Map())
          : writing(business)(Effect.map(
            call(PalletRows)`dockline.alert_pallets(${businessId(business)}, ${JSON.stringify(messages)})`,
            (rows) => new Map(rows.map(({ messageId, ...facts }) => [messageId, facts]))
          )),
      advance: Effect.fnUntraced(function*({ business, cursorId, notices, toId }) {
        const isMoved = yield* call(Schema.Boolean)`dockline.alert_advance(
          ${businessId(business)}, ${cursorId}, ${toId}, ${JSON.stringify(notices)}, ${waitingLimit},
          ${interval(noticeMillis)}, ${yield* Timestamp.givenNow})`
        if (isMoved && notices.length > 0) yield* announce(business)
        return isMoved
      }, (effect, { business }) => transact({ business: businessId(business) })(effect)),
      looks: (kinds, limit, after) =>
        write()(Effect.flatMap(Timestamp.givenNow, (now) =>
          Effect.map(
            call(Looks)`dockline.alert_looks(${
              after === undefined ? -1 : businessId(after.business)
            }, ${kinds}, ${interval(lookMillis)}, ${limit}, ${now})`,
            (rows) => rows.map(({ business, lookedAt }) => ({ business, lookedAt }))
          ))),
      look: Effect.fnUntraced(function*({ business, lookedAt, notices }) {
        const isFirst = yield* call(Schema.Boolean)`dockline.alert_look(
          ${businessId(business)}, ${lookedAt}, ${JSON.stringify(notices)}, ${waitingLimit},
          ${interval(noticeMillis)}, ${yield* Timestamp.givenNow})`
        if (isFirst && notices.length > 0) yield* announce(business)
        return isFirst
      }, (effect, { business }) => transact({ business: businessId(business) })(effect)),
      detentions: (business, since) =>
        writing(business)(
          Effect.flatMap(Timestamp.givenNow, (now) =>
            call(Detentions)`dockline.alert_detentions(${
              businessId(business)
            }, ${since}, ${incidentLimit}, ${now})`)
        ),
      failingEndpoints: (business, since) =>
        writing(business)(
          Effect.flatMap(Timestamp.givenNow, (now) =>
            call(Endpoints)`dockline.alert_endpoints(${businessId(business)}, ${since}, ${
              interval(failingMillis)
            }, ${incidentLimit}, ${now})`)
        ),
      test: Effect.fnUntraced(function*({ business, rule }, notice) {
        const isWaiting = yield* call(Schema.Boolean)`dockline.alert_test(
          ${businessId(business)}, ${rule}, ${JSON.stringify(notice)}, ${yield* Timestamp.givenNow})`
        if (isWaiting) yield* announce(business)
        return isWaiting
      }, (effect, { business }) => transact({ business: businessId(business) })(effect)),
      due: (limit, after) =>
        write()(Effect.flatMap(Timestamp.givenNow, (now) =>
          Effect.map(
            call(Due)`dockline.alert_due(
              ${after === undefined ? -1 : businessId(after.business)}, ${
              after?.rule ?? ""
            }, ${limit}, ${now})`,
            (rows) => rows.map(({ business, rule }) => ({ business, rule }))
          ))),
      claim: Effect.fnUntraced(function*({ business, rule }, messageId) {
        const claim = yield* call(ClaimBody)`dockline.alert_claim(
          ${businessId(business)}, ${rule}, ${messageId}, ${JSON.stringify(messageLimits)}, ${
          interval(leaseMillis)
        },
          ${yield* Timestamp.givenNow})`
        return claim === null ? null : { ...claim, rule: ruleOf(claim.rule) } satisfies Claim
      }, (effect, { business }) => transact({ business: businessId(business) })(effect)),
      settle: Effect.fnUntraced(function*({ epoch, messageId, surplus, rule: { business, slug } }, outcome) {
        return yield* call(Schema.Boolean)`dockline.alert_settle(
          ${businessId(business)}, ${slug}, ${messageId}, ${epoch}, ${outcome.kind === "SENT"},
          ${outcome.kind === "LATER" ? outcome.at : null}, ${outcome.failure}, ${surplus},
          ${yield* Timestamp.givenNow})`
      }, (effect, { rule: { business } }) => transact({ business: businessId(business) })(effect)),
      watch
    })
  })
)

/** Alerts in PostgreSQL. */
export const alertsSql = SqlCapability.make("alerts", {
  stores,
  migrations: { "1_rules": SqlCapability.statementsOf(new URL("../../sql/1_rules.sql", import.meta.url)) },
  functions: SqlCapability.functionsOf(new URL("../../sql/alerts.sql", import.meta.url)),
  cluster: {
    tables: ["alert_reader", "alert_rule", "alert_notice"],
    sequences: ["alert_notice_id"],
    spanning: {
      alert_behind: firsts(everyShard, "(e->>'businessId')::bigint", "p_limit"),
      alert_urls: firsts(everyShard, "(e->>'businessId')::bigint, (e->>'rule') collate \"C\"", "p_limit"),
      alert_looks: firsts(everyShard, "(e->>'businessId')::bigint", "p_limit"),
      alert_due: firsts(everyShard, "(e->>'businessId')::bigint, (e->>'rule') collate \"C\"", "p_limit")
    }
  }
})
