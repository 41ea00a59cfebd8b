/**
 * The port in memory. Each method runs synchronously, and so is a transaction of its own.
 */
import { everything } from "@dockline/core/access/Access"
import { MemoryDatabase, stateOf } from "@dockline/core/memory/MemoryDatabase"
import { lpnOf } from "@dockline/core/movement/Pallet"
import { BusinessNotFound, FacilityNotFound } from "@dockline/core/values/Errors"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { cutPage, pageOfNames } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Result } from "effect"
import { messageLimits, noticeMillis, ruleLimit, waitingLimit } from "./AlertRule.ts"
import type { AlertRule, Notice, NoticeState, RuleSettings } from "./AlertRule.ts"
import { AlertStore, failingMillis, incidentLimit, leaseMillis, lookMillis } from "./AlertStore.ts"
import type { Claim, NoticeDraft, Outcome, RuleName } from "./AlertStore.ts"

interface StoredNotice {
  readonly key: string
  readonly notice: Notice
  readonly dueAt: Timestamp.Timestamp
  readonly addedAt: Timestamp.Timestamp
  /** The id of the message that contains the notice; `undefined` until a message does. */
  messageId: string | undefined
  readonly id: number
  state: NoticeState
  reason: string
  endedAt: Timestamp.Timestamp | ""
}

interface StoredRule {
  settings: RuleSettings
  readonly slug: string
  readonly fromId: number
  since: Timestamp.Timestamp
  readonly createdAt: Timestamp.Timestamp
  /** The notices by their keys, in the order in which they were added. */
  readonly notices: Map<string, StoredNotice>
  nextAt: Timestamp.Timestamp | ""
  leasedUntil: Timestamp.Timestamp
  epoch: number
  messageId: string | undefined
  attempts: number
  lastNotice: number
  surplus: number
  lastSentAt: Timestamp.Timestamp | ""
  lastFailedAt: Timestamp.Timestamp | ""
  lastFailure: string
}

interface StoredBusiness {
  cursorId: number
  lookedAt: Timestamp.Timestamp
  readonly rules: Map<string, StoredRule>
}

/** The stored data of businesses with rules, by their slugs. */
const businessesOf = stateOf(() => new Map<string, StoredBusiness>())

/** The key of a test. */
const testKey = "test"

const isTest = ({ key }: StoredNotice): boolean => key === testKey

const waitingOf = (rule: StoredRule): ReadonlyArray<StoredNotice> =>
  Array.from(rule.notices.values()).filter(({ state }) => state === "WAITING")

/** The id and the state of a new notice. */
const newNoticeState = (
  rule: StoredRule
): Pick<StoredNotice, "endedAt" | "id" | "messageId" | "reason" | "state"> => ({
  id: ++rule.lastNotice,
  messageId: undefined,
  state: "WAITING",
  reason: "",
  endedAt: ""
})

/** The time at which the next waiting notice is due. */
const nextDue = (rule: StoredRule): Timestamp.Timestamp | "" =>
  waitingOf(rule).map(({ dueAt }) => dueAt).toSorted()[0] ?? ""

const addNotice = (rule: StoredRule, { dueAt, key, notice }: NoticeDraft, now: Timestamp.Timestamp): void => {
  const oldest = Timestamp.fromMillis(Date.parse(now) - noticeMillis)
  for (const [name, { addedAt, state }] of rule.notices) {
    if (state !== "WAITING" && addedAt < oldest) rule.notices.delete(name)
  }
  if (rule.notices.has(key)) return
  if (waitingOf(rule).length >= waitingLimit) {
    rule.surplus++
    return
  }
  rule.notices.set(key, { ...newNoticeState(rule), key, notice, dueAt, addedAt: now })
  if (rule.messageId === undefined && (rule.nextAt === "" || dueAt < rule.nextAt)) rule.nextAt = dueAt
}

/** Drops the waiting notices. */
const endWaiting = (rule: StoredRule, now: Timestamp.Timestamp): void => {
  for (const notice of waitingOf(rule)) Object.assign(notice, { state: "DROPPED", endedAt: now })
  rule.messageId = undefined
  rule.nextAt = ""
  rule.attempts = 0
  rule.surplus = 0
}

const settleRule = (
  rule: StoredRule,
  { surplus }: Claim,
  outcome: Outcome,
  now: Timestamp.Timestamp
): void => {
  const isSent = outcome.kind === "SENT"
  rule.leasedUntil = Timestamp.earliest
  if (isSent) rule.lastSentAt = now
  if (isSent || outcome.failure !== "") {
    rule.lastFailure = outcome.failure
    if (outcome.failure !== "") rule.lastFailedAt = now
  }
  if (outcome.kind === "LATER") {
    rule.nextAt = outcome.at
    if (outcome.failure !== "") rule.attempts++
    else if (rule.attempts === 0) {
      // The message has not been tried, so its notices are released, and a test can be sent before them.
      const waiting = waitingOf(rule)
      for (const notice of waiting) notice.messageId = undefined
      rule.messageId = undefined
      const test = waiting.find(isTest)
      if (test !== undefined && test.dueAt < outcome.at) rule.nextAt = test.dueAt
    }
    return
  }
  for (const notice of rule.notices.values()) {
    if (notice.state === "WAITING" && notice.messageId === rule.messageId) {
      Object.assign(notice, { state: isSent ? "SENT" : "REFUSED", reason: outcome.failure, endedAt: now })
    }
  }
  rule.messageId = undefined
  rule.attempts = 0
  rule.surplus -= surplus
  rule.nextAt = nextDue(rule)
}

/** Whether a changed rule keeps the time from which it reports incidents. A rule that was disabled does not. */
const isSameWatch = (before: RuleSettings, after: RuleSettings): boolean =>
  before.enabled && before.facility === after.facility && before.kinds.join() === after.kinds.join()

const compareNames = (left: RuleName, right: RuleName): number =>
  left.business === right.business
    ? (left.rule < right.rule ? -1 : 1)
    : (left.business < right.business ? -1 : 1)

/** The port in memory. */
export const memory: Layer.Layer<AlertStore, never, MemoryDatabase> = Layer.effect(
  AlertStore,
  Effect.map(MemoryDatabase, (database) => {
    const businesses = businessesOf(database)
    const { wakeups } = database.messages

    const ruleOf = ({ business, rule }: RuleName) => businesses.get(business)?.rules.get(rule)

    const view = (business: string, rule: StoredRule): AlertRule => ({
      ...rule.settings,
      slug: rule.slug,
      business,
      timeZone: database.places.facility(business, rule.settings.facility)!.timeZone,
      fromId: rule.fromId,
      since: rule.since,
      waiting: waitingOf(rule).length,
      nextAt: rule.nextAt,
      lastSentAt: rule.lastSentAt,
      lastFailedAt: rule.lastFailedAt,
      lastFailure: rule.lastFailure,
      createdAt: rule.createdAt
    })

    const put = <E>(
      { business, rule: slug }: RuleName,
      decide: (present: AlertRule | null) => Result.Result<RuleSettings, E>,
      now: Timestamp.Timestamp
    ): Result.Result<AlertRule, E | BusinessNotFound | FacilityNotFound | TooManyEntries> => {
      if (!database.places.businesses.has(business)) return Result.fail(new BusinessNotFound({ business }))
      const { lastId } = database.messages.logOf(business)
      const own = businesses.get(business) ?? {
        cursorId: lastId,
        lookedAt: Timestamp.earliest,
        rules: new Map<string, StoredRule>()
      }
      const present = own.rules.get(slug)
      const decision = decide(present === undefined ? null : view(business, present))
      if (Result.isFailure(decision)) return Result.fail(decision.failure)
      const settings = decision.success
      const { facility } = settings
      if (database.places.facility(business, facility) === undefined) {
        return Result.fail(new FacilityNotFound({ business, facility }))
      }
      if (present === undefined && own.rules.size >= ruleLimit) {
        return Result.fail(new TooManyEntries({ what: "alert rules of a business", limit: ruleLimit }))
      }
      const rule: StoredRule = present ?? {
        settings,
        slug,
        fromId: lastId,
        since: now,
        createdAt: now,
        notices: new Map(),
        nextAt: "",
        leasedUntil: Timestamp.earliest,
        epoch: 0,
        messageId: undefined,
        attempts: 0,
        lastNotice: 0,
        surplus: 0,
        lastSentAt: "",
        lastFailedAt: "",
        lastFailure: ""
      }
      if (!isSameWatch(rule.settings, settings)) rule.since = now
      rule.settings = settings
      if (!settings.enabled) endWaiting(rule, now)
      // A claimed message is sent at once with the new settings, and has all its attempts again.
      else if (rule.messageId !== undefined) rule.nextAt = now
      rule.attempts = 0
      own.rules.set(slug, rule)
      businesses.set(business, own)
      wakeups.wake(business)
      return Result.succeed(view(business, rule))
    }

    const addNotices = (
      business: string,
      { rules }: StoredBusiness,
      notices: ReadonlyArray<NoticeDraft>,
      now: Timestamp.Timestamp
    ): void => {
      for (const draft of notices) {
        const rule = rules.get(draft.rule)
        if (rule?.settings.enabled === true) addNotice(rule, draft, now)
      }
      if (notices.length > 0) wakeups.wake(business)
    }

    return AlertStore.of({
      list: (business, page) =>
        Effect.sync(() =>
          pageOfNames(
            Array.from(businesses.get(business)?.rules.values() ?? [], (rule) => view(business, rule)),
            ({ slug }) => slug,
            page
          )
        ),
      rules: (business) =>
        Effect.map(Timestamp.now, (now) => ({
          now,
          rules: Array.from(businesses.get(business)?.rules.values() ?? [], (rule) => view(business, rule))
        })),
      notices: (name, { after, limit }) =>
        Effect.sync(() => {
          const rule = ruleOf(name)
          const all = Array.from(rule?.notices.values() ?? []).toSorted((left, right) => right.id - left.id)
            .filter(({ id }) => after === 0 || id < after)
            .map(({ addedAt, dueAt, endedAt, id, messageId, notice, reason, state }) => ({
              id,
              notice,
              state,
              reason: state === "WAITING" && messageId !== undefined && rule!.attempts > 0
                ? rule!.lastFailure
                : reason,
              addedAt,
              dueAt,
              endedAt
            }))
          return cutPage(all, limit, ({ id }) => ({ id: String(id) }))
        }),
      urls: (limit) =>
        Effect.sync(() =>
          Array.from(businesses).flatMap(([business, { rules }]) =>
            Array.from(rules.values()).flatMap(({ settings: { url }, slug }) =>
              url === "" ? [] : [{ business, rule: slug, url }]
            )
          ).toSorted(compareNames).slice(0, limit)
        ),
      find: (name) =>
        Effect.sync(() => {
          const rule = ruleOf(name)
          return rule === undefined ? null : view(name.business, rule)
        }),
      put: (name, decide) =>
        Effect.flatMap(
          Timestamp.now,
          (now) => Effect.suspend(() => Effect.fromResult(put(name, decide, now)))
        ),
      remove: ({ business, rule }) =>
        Effect.sync(() => {
          const own = businesses.get(business)
          const isRemoved = own?.rules.delete(rule) ?? false
          if (own?.rules.size === 0) businesses.delete(business)
          return isRemoved
        }),
      behind: (types, limit, after) =>
        Effect.sync(() =>
          Array.from(businesses).toSorted(([left], [right]) => left < right ? -1 : 1)
            .filter(([business, { cursorId }]) =>
              business > (after?.business ?? "") &&
              database.messages.logOf(business).messages.some(({ id, type }) =>
                id > cursorId && types.includes(type)
              )
            ).slice(0, limit).map(([business, { cursorId }]) => ({ business, cursorId }))
        ),
      pallets: (business, messages) =>
        Effect.sync(() =>
          new Map(messages.flatMap(({ messageId, palletId, shipmentId }) => {
            const shipment = database.shipments.get(shipmentId)
            const event = shipment?.business === business
              ? database.pallets.of(shipmentId).events.find((each) =>
                each.messageId === messageId && each.palletId === palletId
              )
              : undefined
            if (event === undefined) return []
            const facts = {
              lpn: lpnOf(event.labels),
              dock: event.dock.slug,
              shipmentNumber: shipment!.header.number,
              verdict: database.pallets.verdictOn(messageId)
            }
            return [[messageId, facts]]
          }))
        ),
      advance: ({ business, cursorId, notices, toId }) =>
        Effect.map(Timestamp.now, (now) => {
          const own = businesses.get(business)
          if (own === undefined || own.cursorId !== cursorId) return false
          own.cursorId = toId
          addNotices(business, own, notices, now)
          return true
        }),
      looks: (kinds, limit, after) =>
        Effect.map(
          Timestamp.now,
          (now) =>
            Array.from(businesses).toSorted(([left], [right]) => left < right ? -1 : 1)
              .filter(([business, { lookedAt, rules }]) =>
                business > (after?.business ?? "") && Date.parse(lookedAt) <= Date.parse(now) - lookMillis &&
                Array.from(rules.values()).some(({ settings }) =>
                  settings.enabled && settings.kinds.some((kind) => kinds.includes(kind))
                )
              ).slice(0, limit).map(([business, { lookedAt }]) => ({ business, lookedAt }))
        ),
      look: ({ business, lookedAt, notices }) =>
        Effect.map(Timestamp.now, (now) => {
          const own = businesses.get(business)
          if (own === undefined || own.lookedAt !== lookedAt) return false
          own.lookedAt = now
          addNotices(business, own, notices, now)
          return true
        }),
      detentions: (business, since) =>
        Effect.map(
          Timestamp.now,
          (now) =>
            database.shipmentsWithin([{ business, facilities: everything }], {}).flatMap(
              ({ location: { facility }, shipment: { arrivedAt, dock, id, number, status } }) => {
                const detentionMinutes = database.places.facility(business, facility.slug)!.detentionMinutes
                const limitAt = Date.parse(arrivedAt ?? "") + detentionMinutes * 60_000
                return status === "ARRIVED" && arrivedAt !== null && limitAt >= Date.parse(since) &&
                    limitAt < Date.parse(now)
                  ? [{
                    limitAt,
                    truck: {
                      shipmentId: id,
                      shipmentNumber: number,
                      facility: facility.slug,
                      dock: dock?.slug ?? "",
                      arrivedAt,
                      detentionMinutes
                    }
                  }]
                  : []
              }
            ).toSorted((left, right) =>
              left.limitAt - right.limitAt || left.truck.shipmentId - right.truck.shipmentId
            )
              .slice(-incidentLimit).map(({ truck }) => truck)
        ),
      failingEndpoints: (business, since) =>
        Effect.map(Timestamp.now, (now) =>
          database.webhooks.within([business]).flatMap(
            ({ endpoint: { baseUrl, disabledReason, facility, failingSince, id } }) =>
              failingSince !== null && disabledReason !== "OPERATOR" && failingSince >= since &&
                Date.parse(failingSince) <= Date.parse(now) - failingMillis
                ? [{ id, facility, baseUrl, failingSince }]
                : []
          ).toSorted((left, right) => left.failingSince < right.failingSince ? -1 : 1).slice(-incidentLimit)),
      test: (name, notice) =>
        Effect.map(Timestamp.now, (now) => {
          const rule = ruleOf(name)
          if (rule === undefined) return false
          if (rule.notices.get(testKey)?.state !== "WAITING") {
            rule.notices.delete(testKey)
            rule.notices.set(testKey, {
              ...newNoticeState(rule),
              key: testKey,
              notice,
              dueAt: now,
              addedAt: now
            })
          }
          rule.nextAt = now
          rule.attempts = 0
          wakeups.wake(name.business)
          return true
        }),
      due: (limit, after) =>
        Effect.map(
          Timestamp.now,
          (now) =>
            Array.from(businesses).flatMap(([business, { rules }]) =>
              Array.from(rules.values()).flatMap(({ leasedUntil, nextAt, slug }) =>
                nextAt !== "" && nextAt <= now && leasedUntil <= now ? [{ business, rule: slug }] : []
              )
            ).toSorted(compareNames).filter((name) => after === undefined || compareNames(after, name) < 0)
              .slice(0, limit)
        ),
      claim: (name, messageId) =>
        Effect.map(Timestamp.now, (now) => {
          const rule = ruleOf(name)
          if (
            rule === undefined || rule.nextAt === "" || rule.nextAt > now || rule.leasedUntil > now
          ) return null
          if (rule.messageId === undefined) {
            const free = waitingOf(rule)
            const tests = free.filter(isTest)
            rule.messageId = messageId
            for (
              const notice of (tests.length > 0 ? tests : free).slice(0, messageLimits[rule.settings.channel])
            ) {
              notice.messageId = messageId
            }
          }
          const id = rule.messageId
          const notices = waitingOf(rule).filter((each) => each.messageId === id)
          rule.epoch++
          rule.leasedUntil = Timestamp.fromMillis(Date.parse(now) + leaseMillis)
          const claimsTest = notices.some(isTest)
          return {
            now,
            rule: view(name.business, rule),
            messageId: id,
            attempts: rule.attempts,
            notices: notices.map(({ notice }) => notice),
            surplus: claimsTest ? 0 : rule.surplus,
            isTest: claimsTest,
            epoch: rule.epoch
          }
        }),
      settle: (claim, outcome) =>
        Effect.map(Timestamp.now, (now) => {
          const { business, slug } = claim.rule
          const rule = ruleOf({ business, rule: slug })
          if (
            rule === undefined || rule.epoch !== claim.epoch || rule.messageId !== claim.messageId
          ) return false
          settleRule(rule, claim, outcome, now)
          return true
        }),
      watch: (wake) => wakeups.watch(everything, wake)
    })
  })
)
