/** The rules for alert rules, cursors, notices and messages, for every storage (D26). */
import { Intake } from "@dockline/core/document/Intake"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Directory"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import type { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import * as assert from "@dockline/testing/Assert"
import * as Suite from "@dockline/testing/Suite"
import * as Deliveries from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness, aDraft, append } from "@dockline/testing/worlds/MessageLogWorld"
import { at, aWorld } from "@dockline/testing/worlds/MovementWorld"
import type { MovementServices, MovementStores } from "@dockline/testing/worlds/MovementWorld"
import { Deferred, Effect, Layer, Result } from "effect"
import { messageLimits, ruleLimit, waitingLimit } from "../domain/AlertRule.ts"
import type { Notice, RuleSettings } from "../domain/AlertRule.ts"
import { AlertStore, failingMillis, leaseMillis, lookMillis } from "../domain/AlertStore.ts"
import type { Claim, NoticeDraft, Outcome, RuleName } from "../domain/AlertStore.ts"

/** The port under test, and the ports that it needs, because incidents concern pallets, shipments and webhook endpoints. */
export type AlertStores = AlertStore | DeliveryStore | MovementStores | WebhookEndpointStore

type AddTest = Suite.AddTest<AlertStores | MovementServices>

const services = Layer.mergeAll(Intake.layer(), Pallets.layer(), Shipments.layer())

/** A rule that sends at once. */
export const aRule: RuleSettings = {
  facility: "east",
  kinds: ["SHORT_DEPARTURE", "WRONG_PALLET"],
  channel: "EMAIL",
  to: ["shift@example.com"],
  url: "",
  host: "",
  quietFrom: "",
  quietTo: "",
  digestMinutes: 0,
  enabled: true
}

/** Creates or replaces a rule. */
export const putRule = (name: RuleName, fields: Partial<RuleSettings> = {}) =>
  AlertStore.use((store) => store.put(name, () => Result.succeed({ ...aRule, ...fields })))

/** A moment of the suite, in milliseconds since 1970. */
const start = Date.parse("2026-11-20T17:00:00.000Z")

/** Runs an effect a number of seconds after {@link start}. */
const after = (seconds: number) => Timestamp.asOf(start + seconds * 1000)

const timeAfter = (seconds: number): Timestamp.Timestamp => Timestamp.fromMillis(start + seconds * 1000)

const aNotice = (title: string): Notice => ({
  at: timeAfter(0),
  title,
  text: `Text of ${title} 🚚`,
  url: `https://dashboard.example.com/${title}`
})

const draft = (title: string, seconds = 0, rule = "r"): NoticeDraft => ({
  rule,
  key: title,
  dueAt: timeAfter(seconds),
  notice: aNotice(title)
})

/** The types of messages that the suite reads. */
const types = ["PALLET_EVENT"]

const cursorOf = (business: string) =>
  AlertStore.use((store) =>
    Effect.map(store.behind(types, 10_000), (all) => all.find((each) => each.business === business)?.cursorId)
  )

/** A business with the rule `r`. */
const aRuled = Effect.fnUntraced(function*(fields: Partial<RuleSettings> = {}) {
  const business = yield* aBusiness
  const name = { business, rule: "r" }
  const rule = yield* putRule(name, fields)
  let cursorId = rule.fromId
  /** Adds notices, as a reader does. */
  const add = (...notices: ReadonlyArray<NoticeDraft>) =>
    Effect.gen(function*() {
      const store = yield* AlertStore
      assert.isTrue(yield* store.advance({ business, cursorId, toId: cursorId + 1, notices }))
      cursorId++
    })
  return { business, name, rule, add }
})

const isDue = ({ business, rule }: RuleName) =>
  AlertStore.use((store) =>
    Effect.map(
      store.due(10_000),
      (all) => all.some((each) => each.business === business && each.rule === rule)
    )
  )

const claim = (name: RuleName, id = "m1") => AlertStore.use((store) => store.claim(name, id))

const settle = (attempt: Claim | null, outcome: Outcome) =>
  AlertStore.use((store) => attempt === null ? Effect.succeed(false) : store.settle(attempt, outcome))

const shownRule = (name: RuleName) =>
  Effect.map(AlertStore.use((store) => store.find(name)), (rule) => {
    assert.isTrue(rule !== null)
    return rule!
  })

const titles = (attempt: Claim | null) => attempt?.notices.map(({ title }) => title)

const [success, later]: readonly [Outcome, (seconds: number) => Outcome] = [
  { kind: "SENT", failure: "" },
  (seconds) => ({ kind: "LATER", at: timeAfter(seconds), failure: "no answer" })
]

const rules = (test: AddTest): void => {
  test("D26.1 a rule is created, read, replaced and removed", function*() {
    const store = yield* AlertStore
    const business = yield* aBusiness
    const name = { business, rule: "night" }
    assert.strictEqual(yield* store.find(name), null)
    const created = yield* after(0)(putRule(name, { quietFrom: "22:00", quietTo: "06:00", digestMinutes: 5 }))
    assert.deepStrictEqual(created, {
      ...aRule,
      quietFrom: "22:00",
      quietTo: "06:00",
      digestMinutes: 5,
      slug: "night",
      business,
      timeZone: "UTC",
      fromId: created.fromId,
      since: timeAfter(0),
      waiting: 0,
      nextAt: "",
      lastSentAt: "",
      lastFailedAt: "",
      lastFailure: "",
      createdAt: timeAfter(0)
    })
    assert.deepStrictEqual(yield* store.find(name), created)
    const url = "sealed ä" as SealedText
    const webhook = { channel: "SLACK", to: [], url, host: "hooks.example.com", facility: "west" } as const
    const replacement = yield* after(9)(putRule(name, webhook))
    assert.deepStrictEqual(replacement, {
      ...created,
      ...webhook,
      since: timeAfter(9),
      quietFrom: "",
      quietTo: "",
      digestMinutes: 0
    })
    yield* putRule({ business, rule: "day" })
    const all = yield* store.list(business, { after: "", limit: 10 })
    assert.deepStrictEqual(all.items.map(({ slug }) => slug), ["day", "night"])
    const first = yield* store.list(business, { after: "", limit: 1 })
    assert.deepStrictEqual([first.items.length, first.next], [1, "day"])
    assert.isTrue(yield* store.remove(name))
    assert.isFalse(yield* store.remove(name))
    assert.strictEqual(yield* store.find(name), null)
    assert.strictEqual((yield* store.list(yield* aBusiness, { after: "", limit: 10 })).items.length, 0)
  })

  test("D26.1 a rule stays where the present one is refused, or there is no such place", function*() {
    const store = yield* AlertStore
    const { business, name, rule } = yield* aRuled()
    const refusal = yield* Effect.flip(store.put(name, (present) => Result.fail({ present })))
    assert.deepStrictEqual(refusal, { present: rule })
    const codeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.map(Effect.flip(effect), (error) => (error as { readonly code: string }).code)
    assert.strictEqual(yield* codeOf(putRule({ business: `${business}-x`, rule: "r" })), "BUSINESS_NOT_FOUND")
    assert.strictEqual(yield* codeOf(putRule(name, { facility: "north" })), "FACILITY_NOT_FOUND")
    assert.deepStrictEqual(yield* store.find(name), rule)
  })

  test("D26.1 the addresses of rules are read as they are sealed, those of all businesses", function*() {
    const store = yield* AlertStore
    const { business } = yield* aRuled()
    const url = "sealed ä" as SealedText
    yield* putRule({ business, rule: "chat" }, { channel: "SLACK", to: [], url, host: "hooks.example.com" })
    const all = yield* store.urls(10_000)
    assert.deepStrictEqual(all.filter((each) => each.business === business), [{
      business,
      rule: "chat",
      url
    }])
    assert.strictEqual((yield* store.urls(1)).length, 1)
  })

  test("D26.1 a business has a limited number of rules", function*() {
    const business = yield* aBusiness
    yield* Effect.forEach(Array.from({ length: ruleLimit }), (_, n) => putRule({ business, rule: `r${n}` }))
    const refusal = yield* Effect.flip(putRule({ business, rule: "more" }))
    assert.strictEqual((refusal as { readonly code: string }).code, "TOO_MANY_ENTRIES")
    yield* putRule({ business, rule: "r0" })
  })

  test("D26.2 a rule that is created while the last one is removed is read", function*() {
    const store = yield* AlertStore
    for (let round = 0; round < 10; round++) {
      const business = yield* aBusiness
      yield* putRule({ business, rule: "r" })
      yield* Effect.all([store.remove({ business, rule: "r" }), putRule({ business, rule: "s" })], {
        concurrency: "unbounded"
      })
      yield* append(aDraft(business, 1))
      assert.isTrue((yield* cursorOf(business)) !== undefined)
    }
  })
}

const reading = (test: AddTest): void => {
  test("D26.2 a business with a rule is behind from the end of its log on", function*() {
    const store = yield* AlertStore
    const business = yield* aBusiness
    const [before] = yield* append(aDraft(business, 1))
    assert.strictEqual(yield* cursorOf(business), undefined)
    const rule = yield* putRule({ business, rule: "r" })
    assert.strictEqual(rule.fromId, before!.id)
    assert.strictEqual(yield* cursorOf(business), undefined)
    yield* append(aDraft(business, 2, { type: "SHIPMENT_CANCELLED" }))
    assert.strictEqual(yield* cursorOf(business), undefined)
    const [next] = yield* append(aDraft(business, 3))
    assert.strictEqual(yield* cursorOf(business), before!.id)
    const other = yield* putRule({ business, rule: "s" })
    assert.strictEqual(other.fromId, next!.id)
    assert.strictEqual(yield* cursorOf(business), before!.id)
    yield* store.remove({ business, rule: "s" })
    assert.strictEqual(yield* cursorOf(business), before!.id)
    yield* store.remove({ business, rule: "r" })
    assert.strictEqual(yield* cursorOf(business), undefined)
    yield* putRule({ business, rule: "r" })
    assert.strictEqual(yield* cursorOf(business), undefined)
  })

  test("D26.2 notices are added with the cursor that stands for them, once for each rule and thing", function*() {
    const store = yield* AlertStore
    const { business, name, rule } = yield* aRuled()
    yield* putRule({ business, rule: "s" })
    const [first, second] = yield* append(aDraft(business, 1), aDraft(business, 2))
    const step = {
      business,
      cursorId: rule.fromId,
      toId: first!.id,
      notices: [draft("a"), draft("a"), draft("a", 0, "s"), draft("b", 0, "gone")]
    }
    assert.isTrue(yield* store.advance(step))
    assert.isFalse(yield* store.advance(step))
    assert.strictEqual(yield* cursorOf(business), first!.id)
    assert.isTrue(
      yield* store.advance({
        business,
        cursorId: first!.id,
        toId: second!.id,
        notices: [draft("a"), draft("c")]
      })
    )
    assert.strictEqual(yield* cursorOf(business), undefined)
    assert.deepStrictEqual(titles(yield* after(1)(claim(name))), ["a", "c"])
    assert.deepStrictEqual(titles(yield* after(1)(claim({ business, rule: "s" }))), ["a"])
  })

  test("D26.2 businesses that are behind are found part by part, none twice", function*() {
    const store = yield* AlertStore
    const businesses = [yield* aBusiness, yield* aBusiness, yield* aBusiness]
    for (const business of businesses) {
      yield* putRule({ business, rule: "r" })
      yield* append(aDraft(business, 1))
    }
    const all = yield* store.behind(types, 10_000)
    const parts: Array<(typeof all)[number]> = []
    for (let isMore = true; isMore;) {
      const part = yield* store.behind(types, 2, parts.at(-1))
      parts.push(...part)
      isMore = part.length === 2
    }
    const own = (list: typeof all) => list.filter(({ business }) => businesses.includes(business))
    assert.deepStrictEqual(own(parts), own(all))
    assert.strictEqual(own(all).length, 3)
  })

  test("D26.2 a pallet event is known with its pallet, dock, shipment and verdict, at its business alone", function*() {
    const store = yield* AlertStore
    const world = yield* aWorld()
    const shipmentId = yield* world.submit("S1")
    const { answer } = yield* world.record({ shipmentId, dockSlug: "D2" })
    const messages = [
      { messageId: answer.messageId, shipmentId, palletId: Number(answer.servicePalletId) },
      { messageId: answer.messageId, shipmentId, palletId: 999_999_999 }
    ]
    const facts = yield* store.pallets(world.business, messages)
    assert.deepStrictEqual(Array.from(facts), [[
      answer.messageId,
      { lpn: "L1", dock: "D2", shipmentNumber: "S1", verdict: answer.verdict }
    ]])
    assert.strictEqual((yield* store.pallets(yield* aBusiness, messages)).size, 0)
  })

  test("D26.2 an append wakes who reads", function*() {
    const store = yield* AlertStore
    const business = yield* aBusiness
    const wakeUp = Deferred.makeUnsafe<void>()
    yield* Effect.scoped(Effect.gen(function*() {
      yield* store.watch(() => Deferred.doneUnsafe(wakeUp, Effect.void))
      yield* append(aDraft(business, 1))
      yield* Deferred.await(wakeUp)
    }))
  })
}

const lookOf = (business: string, kinds: ReadonlyArray<string> = ["DETENTION"]) =>
  AlertStore.use((store) =>
    Effect.map(store.looks(kinds, 10_000), (all) => all.find((each) => each.business === business))
  )

const looking = (test: AddTest): void => {
  test("D26.2 a business is looked at where a rule tells of such a kind, once in a while, by one instance", function*() {
    const store = yield* AlertStore
    const { business, name } = yield* aRuled({ kinds: ["WRONG_PALLET", "DETENTION"] })
    yield* putRule({ business, rule: "s" }, { kinds: ["DETENTION"], enabled: false })
    const other = yield* aBusiness
    yield* putRule({ business: other, rule: "r" }, { kinds: ["DETENTION"], enabled: false })
    const look = yield* after(0)(lookOf(business))
    assert.isTrue(look !== undefined)
    assert.strictEqual(yield* after(0)(lookOf(business, ["ENDPOINT_FAILING"])), undefined)
    assert.strictEqual(yield* after(0)(lookOf(other)), undefined)
    const notices = [draft("a"), draft("a"), draft("a", 0, "s"), draft("b", 0, "gone")]
    assert.isTrue(yield* after(0)(store.look({ ...look!, notices })))
    assert.isFalse(yield* after(0)(store.look({ ...look!, notices: [draft("c")] })))
    assert.strictEqual(yield* after(lookMillis / 1000 - 1)(lookOf(business)), undefined)
    const again = yield* after(lookMillis / 1000)(lookOf(business))
    assert.deepStrictEqual(again, { business, lookedAt: timeAfter(0) })
    assert.isTrue(
      yield* after(lookMillis / 1000)(store.look({ ...again!, notices: [draft("a"), draft("d")] }))
    )
    assert.deepStrictEqual(titles(yield* after(60)(claim(name))), ["a", "d"])
  })

  test("D26.2 businesses that are to be looked at are found part by part, none twice", function*() {
    const store = yield* AlertStore
    const businesses = [yield* aBusiness, yield* aBusiness, yield* aBusiness]
    for (const business of businesses) yield* putRule({ business, rule: "r" }, { kinds: ["DETENTION"] })
    const all: Array<string> = []
    for (let last: Parameters<typeof store.looks>[2], isMore = true; isMore;) {
      const part = yield* store.looks(["DETENTION"], 2, last)
      all.push(...part.map(({ business }) => business))
      last = part.at(-1)
      isMore = part.length === 2
    }
    assert.deepStrictEqual(
      all.filter((each) => businesses.includes(each)).toSorted(),
      businesses.toSorted()
    )
  })

  test("D26.2 a rule tells from when it was made, got its kinds or its facility, or was enabled", function*() {
    const { name, rule } = yield* aRuled()
    const since = (seconds: number, fields: Partial<RuleSettings> = {}) =>
      Effect.map(after(seconds)(putRule(name, fields)), (rule) => rule.since)
    assert.strictEqual(yield* since(-5, { digestMinutes: 5 }), rule.since)
    assert.strictEqual(yield* since(10, { kinds: ["DETENTION"] }), timeAfter(10))
    assert.strictEqual(yield* since(20, { kinds: ["DETENTION"], enabled: false }), timeAfter(10))
    assert.strictEqual(yield* since(30, { kinds: ["DETENTION"] }), timeAfter(30))
    assert.strictEqual(yield* since(40, { kinds: ["DETENTION"], facility: "west" }), timeAfter(40))
  })

  test("D26.2 the rules of a business are read with the time of the storage", function*() {
    const store = yield* AlertStore
    const { business } = yield* aRuled()
    yield* putRule({ business, rule: "a" })
    const { now, rules } = yield* after(5)(store.rules(business))
    assert.strictEqual(now, timeAfter(5))
    assert.deepStrictEqual(rules.map(({ slug }) => slug).toSorted(), ["a", "r"])
  })

  test("D26.2 trucks over the limit of their facility are those that stand at a dock, from a time on", function*() {
    const store = yield* AlertStore
    const directory = yield* Directory
    const shipments = yield* Shipments
    const { business, client, submit } = yield* aWorld()
    yield* directory.updateFacility(business, {
      slug: "east",
      detentionMinutes: 60,
      name: undefined,
      timeZone: undefined
    })
    const arrive = Effect.fnUntraced(
      function*(number: string, second: number, dockSlug: string, facility = "east") {
        const id = yield* submit(number, [], facility)
        yield* shipments.arrive(String(id), {
          occurredAt: at(second),
          ...(dockSlug === "" ? {} : { dockSlug })
        }, client)
        return id
      }
    )
    const first = yield* arrive("S1", 1, "D1")
    const second = yield* arrive("S2", 0, "")
    const third = yield* arrive("S3", 2, "D2")
    yield* arrive("S4", 0, "D1", "west")
    yield* submit("S5")
    const departedId = yield* arrive("S6", 0, "D1")
    yield* shipments.depart(String(departedId), { occurredAt: at(9) }, client)
    const limitOf = (second: number, minutes = 60) => Date.parse(at(second)) + minutes * 60_000
    const idsAt = (now: number, since: number) =>
      Effect.map(
        Timestamp.asOf(now)(store.detentions(business, Timestamp.fromMillis(since))),
        (trucks) => trucks.map(({ shipmentId }) => shipmentId)
      )
    const early = limitOf(0) - 3_600_000
    assert.deepStrictEqual(yield* idsAt(limitOf(0), early), [])
    assert.deepStrictEqual(yield* idsAt(limitOf(0) + 1, early), [second])
    assert.deepStrictEqual(yield* idsAt(limitOf(60), early), [second, first, third])
    assert.deepStrictEqual(yield* idsAt(limitOf(60), limitOf(1)), [first, third])
    const trucks = yield* Timestamp.asOf(limitOf(1) + 1)(
      store.detentions(business, Timestamp.fromMillis(limitOf(1)))
    )
    assert.deepStrictEqual(trucks, [{
      shipmentId: first,
      shipmentNumber: "S1",
      facility: "east",
      dock: "D1",
      arrivedAt: at(1),
      detentionMinutes: 60
    }])
    assert.strictEqual((yield* idsAt(limitOf(0, 121), early)).length, 4)
    assert.deepStrictEqual(
      yield* Timestamp.asOf(limitOf(60))(store.detentions(yield* aBusiness, Timestamp.fromMillis(early))),
      []
    )
  })

  test("D26.2 endpoints that fail are those that did for a while, unless an operator has disabled them", function*() {
    const store = yield* AlertStore
    const business = yield* aBusiness
    const { id } = yield* Deliveries.create(business, { facility: "east" })
    const { id: other } = yield* Deliveries.create(business)
    const { id: disabled } = yield* Deliveries.create(business)
    yield* Deliveries.create(business)
    const fail = Effect.fnUntraced(function*(endpoint: number, second: number | null) {
      const { lease } = yield* Deliveries.open(endpoint)
      yield* Deliveries.settle(lease, 0, { failingSince: second === null ? null : Deliveries.at(second) })
    })
    yield* fail(other, 2)
    yield* fail(id, 1)
    yield* fail(disabled, 1)
    yield* Deliveries.update(disabled, { enabled: false, disabledReason: "OPERATOR" })
    const failingAt = (seconds: number, since: number) =>
      Timestamp.asOf(Deliveries.start + seconds * 1000 + failingMillis)(
        store.failingEndpoints(business, Deliveries.at(since))
      )
    assert.deepStrictEqual(yield* failingAt(1, 0), [{
      id,
      facility: "east",
      baseUrl: "https://customer.example:8443/hooks",
      failingSince: Deliveries.at(1)
    }])
    assert.deepStrictEqual((yield* failingAt(2, 0)).map(({ facility, id }) => [id, facility]), [
      [id, "east"],
      [other, null]
    ])
    assert.deepStrictEqual((yield* failingAt(2, 2)).map(({ id }) => id), [other])
    yield* fail(other, null)
    assert.deepStrictEqual((yield* failingAt(9, 0)).map(({ id }) => id), [id])
  })
}

const telling = (test: AddTest): void => {
  test("D26.4 a message is due with its first notice, gathers those that wait, and ends once", function*() {
    const { add, name } = yield* aRuled()
    yield* add(draft("a", 60), draft("b", 90))
    assert.isFalse(yield* after(59)(isDue(name)))
    assert.strictEqual(yield* after(59)(claim(name)), null)
    assert.isTrue(yield* after(60)(isDue(name)))
    const attempt = yield* after(60)(claim(name))
    assert.deepStrictEqual(
      [attempt?.messageId, attempt?.attempts, attempt?.notices, attempt?.surplus, attempt?.isTest],
      ["m1", 0, [aNotice("a"), aNotice("b")], 0, false]
    )
    assert.isTrue(yield* after(61)(settle(attempt, success)))
    assert.isFalse(yield* after(61)(settle(attempt, success)))
    const rule = yield* shownRule(name)
    assert.deepStrictEqual([rule.waiting, rule.nextAt, rule.lastSentAt], [0, "", timeAfter(61)])
    // The notice `a` was sent, so it is not added again.
    yield* add(draft("a", 70), draft("c", 80))
    assert.deepStrictEqual(titles(yield* after(80)(claim(name, "m2"))), ["c"])
  })

  test("D26.4 one sender has a message at a time; an unsettled one is claimed again under its id", function*() {
    const { add, name } = yield* aRuled()
    yield* add(draft("a"))
    const earlier = yield* after(0)(claim(name))
    const lease = leaseMillis / 1000
    assert.strictEqual(yield* after(lease - 1)(claim(name, "m2")), null)
    assert.isFalse(yield* after(lease - 1)(isDue(name)))
    yield* add(draft("b"))
    const attempt = yield* after(lease)(claim(name, "m2"))
    assert.deepStrictEqual([attempt?.messageId, titles(attempt)], ["m1", ["a"]])
    assert.isFalse(yield* after(lease)(settle(earlier, success)))
    assert.isTrue(yield* after(lease)(settle(attempt, success)))
    assert.deepStrictEqual(titles(yield* after(lease)(claim(name, "m3"))), ["b"])
  })

  test("D26.4 a failure is shown, and tried again then; a refusal ends the message", function*() {
    const { add, name } = yield* aRuled()
    yield* add(draft("a"))
    yield* after(1)(settle(yield* after(0)(claim(name)), later(60)))
    yield* add(draft("b"))
    const failing = yield* shownRule(name)
    assert.deepStrictEqual(
      [failing.lastFailure, failing.lastFailedAt, failing.nextAt, failing.waiting],
      ["no answer", timeAfter(1), timeAfter(60), 2]
    )
    assert.strictEqual(yield* after(59)(claim(name, "m2")), null)
    const attempt = yield* after(60)(claim(name, "m2"))
    assert.deepStrictEqual([attempt?.messageId, attempt?.attempts, titles(attempt)], ["m1", 1, ["a"]])
    // A delay without a failure does not count as a try.
    yield* after(60)(settle(attempt, { kind: "LATER", at: timeAfter(70), failure: "" }))
    const again = yield* after(70)(claim(name, "m2"))
    assert.strictEqual(again?.attempts, 1)
    yield* after(71)(settle(again, { kind: "REFUSED", failure: "no such address" }))
    const rule = yield* shownRule(name)
    assert.deepStrictEqual(
      [rule.lastFailure, rule.lastFailedAt, rule.lastSentAt, rule.waiting],
      ["no such address", timeAfter(71), "", 1]
    )
    const next = yield* after(71)(claim(name, "m2"))
    assert.deepStrictEqual([next?.messageId, next?.attempts, titles(next)], ["m2", 0, ["b"]])
    yield* after(72)(settle(next, success))
    assert.strictEqual((yield* shownRule(name)).lastFailure, "")
  })

  test("D26.4 a message has a limited number of notices, and so has a rule; the rest is counted", function*() {
    const { add, name } = yield* aRuled()
    const limit = messageLimits.EMAIL
    const many = Array.from({ length: waitingLimit + 2 }, (_, n) => draft(`n${n}`))
    yield* add(...many)
    assert.strictEqual((yield* shownRule(name)).waiting, waitingLimit)
    const attempt = yield* after(0)(claim(name))
    assert.deepStrictEqual(titles(attempt), many.slice(0, limit).map(({ key }) => key))
    assert.strictEqual(attempt?.surplus, 2)
    yield* after(0)(settle(attempt, success))
    const next = yield* after(0)(claim(name, "m2"))
    assert.deepStrictEqual(titles(next), many.slice(limit, 2 * limit).map(({ key }) => key))
    assert.strictEqual(next?.surplus, 0)
    const teams = yield* aRuled({
      channel: "TEAMS",
      to: [],
      url: "sealed" as SealedText,
      host: "hooks.example.com"
    })
    yield* teams.add(...many.slice(0, 2 * messageLimits.TEAMS))
    assert.strictEqual((yield* after(0)(claim(teams.name)))?.notices.length, messageLimits.TEAMS)
  })

  test("D26.4 a message that waits before its first try lets a test go first, and has its tries again after one", function*() {
    const store = yield* AlertStore
    const { add, name } = yield* aRuled()
    yield* add(draft("a"))
    yield* after(0)(settle(yield* after(0)(claim(name)), { kind: "LATER", at: timeAfter(600), failure: "" }))
    assert.strictEqual((yield* shownRule(name)).nextAt, timeAfter(600))
    yield* add(draft("b", 600))
    yield* after(1)(store.test(name, aNotice("t")))
    const attempt = yield* after(1)(claim(name, "m2"))
    assert.deepStrictEqual([titles(attempt), attempt?.isTest], [["t"], true])
    yield* after(1)(settle(attempt, success))
    const both = yield* after(600)(claim(name, "m3"))
    assert.deepStrictEqual([both?.messageId, titles(both)], ["m3", ["a", "b"]])
    yield* after(600)(settle(both, later(660)))
    yield* after(601)(store.test(name, aNotice("t")))
    assert.strictEqual((yield* after(601)(claim(name, "m4")))?.attempts, 0)
  })

  test("D26.6 the notices of a rule are listed, the newest first, with what became of them and why", function*() {
    const store = yield* AlertStore
    const { add, name } = yield* aRuled()
    yield* add(draft("a"), draft("b", 90))
    const list = (afterId = 0, limit = 10) => store.notices(name, { after: afterId, limit })
    const entries = Effect.map(
      list(),
      ({ items }) =>
        items.map(({ endedAt, notice: { title }, reason, state }) => [title, state, reason, endedAt])
    )
    assert.deepStrictEqual(yield* entries, [["b", "WAITING", "", ""], ["a", "WAITING", "", ""]])
    yield* after(1)(settle(yield* after(0)(claim(name)), later(60)))
    assert.deepStrictEqual((yield* entries)[1], ["a", "WAITING", "no answer", ""])
    yield* after(61)(settle(yield* after(60)(claim(name)), { kind: "SENT", failure: "refused for x" }))
    assert.deepStrictEqual((yield* entries)[1], ["a", "SENT", "refused for x", timeAfter(61)])
    yield* add(draft("c"))
    yield* after(91)(
      settle(yield* after(90)(claim(name, "m2")), { kind: "REFUSED", failure: "no such address" })
    )
    yield* add(draft("d"))
    yield* after(92)(putRule(name, { enabled: false }))
    assert.deepStrictEqual((yield* entries).filter(([title]) => title !== "b"), [
      ["d", "DROPPED", "", timeAfter(92)],
      ["c", "REFUSED", "no such address", timeAfter(91)],
      ["a", "SENT", "refused for x", timeAfter(61)]
    ])
    const first = yield* list(0, 3)
    assert.strictEqual(first.items.length, 3)
    const rest = yield* list(Number(first.next), 3)
    assert.deepStrictEqual([rest.items.map(({ notice }) => notice), rest.next], [[aNotice("a")], null])
    assert.deepStrictEqual(rest.items[0]?.dueAt, timeAfter(0))
    assert.strictEqual(
      (yield* store.notices({ ...name, rule: "gone" }, { after: 0, limit: 3 })).items.length,
      0
    )
  })

  test("D26.1 a rule that was disabled while its log was read tells nobody", function*() {
    const { add, name } = yield* aRuled()
    yield* putRule(name, { enabled: false })
    yield* add(draft("a"))
    const rule = yield* shownRule(name)
    assert.deepStrictEqual([rule.waiting, rule.nextAt], [0, ""])
  })

  test("D26.5 a test is due at once and told alone, once however often it is asked for", function*() {
    const store = yield* AlertStore
    const { add, name } = yield* aRuled()
    yield* add(draft("a", 1000))
    assert.isTrue(yield* after(0)(store.test(name, aNotice("t1"))))
    assert.isTrue(yield* after(0)(store.test(name, aNotice("t2"))))
    assert.isFalse(yield* store.test({ ...name, rule: "gone" }, aNotice("t")))
    const attempt = yield* after(0)(claim(name))
    assert.deepStrictEqual([titles(attempt), attempt?.isTest], [["t1"], true])
    yield* after(0)(settle(attempt, success))
    assert.strictEqual((yield* shownRule(name)).nextAt, timeAfter(1000))
    yield* after(1)(store.test(name, aNotice("t3")))
    assert.deepStrictEqual(titles(yield* after(1)(claim(name, "m2"))), ["t3"])
  })

  test("D26.1 a rule that is disabled ends what waits, and one that is replaced tries at once", function*() {
    const { add, name } = yield* aRuled()
    yield* add(draft("a"))
    yield* after(0)(settle(yield* after(0)(claim(name)), later(3600)))
    yield* after(10)(putRule(name, { to: ["other@example.com"] }))
    const attempt = yield* after(10)(claim(name, "m2"))
    assert.deepStrictEqual([attempt?.messageId, attempt?.attempts, attempt?.rule.to], ["m1", 0, [
      "other@example.com"
    ]])
    yield* after(11)(putRule(name, { enabled: false }))
    assert.isFalse(yield* after(12)(settle(attempt, success)))
    const rule = yield* shownRule(name)
    assert.deepStrictEqual([rule.waiting, rule.nextAt], [0, ""])
    yield* putRule(name)
    assert.isFalse(yield* after(10_000)(isDue(name)))
  })

  test("D26.4 rules that are due are found part by part, none twice", function*() {
    const store = yield* AlertStore
    const names = yield* Effect.forEach(Array.from({ length: 3 }), () =>
      Effect.gen(function*() {
        const { add, business, name } = yield* aRuled()
        yield* putRule({ business, rule: "s-2" })
        yield* putRule({ business, rule: "s1" })
        yield* add(draft("a"), draft("a", 0, "s-2"), draft("a", 0, "s1"))
        return [name, { business, rule: "s-2" }, { business, rule: "s1" }]
      }))
    const dueNames: Array<RuleName> = []
    for (let isMore = true; isMore;) {
      const part = yield* after(0)(store.due(2, dueNames.at(-1)))
      dueNames.push(...part)
      isMore = part.length === 2
    }
    const textOf = ({ business, rule }: RuleName) => `${business}/${rule}`
    for (const name of names.flat()) {
      assert.strictEqual(dueNames.filter((each) => textOf(each) === textOf(name)).length, 1)
    }
  })
}

/** The suite of the stored data of alerts. */
export const alertStoreSuite: Suite.Suite<AlertStores> = Suite.ofParts(
  "what is stored of alerts",
  { rules, reading, looking, telling },
  services
)
