/** The rules for alert rules, cursors, notices and messages, for every storage (D26). */
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import * as assert from "@dockline/testing/Assert"
import * as Suite from "@dockline/testing/Suite"
import * as Deliveries from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness, aDraft, append } from "@dockline/testing/worlds/MessageLogWorld"
import { at, aWorld } from "@dockline/testing/worlds/MovementWorld"
import { Deferred, Effect, Result } from "effect"
import { ruleLimit } from "../domain/AlertRule.ts"
import type { RuleSettings } from "../domain/AlertRule.ts"
import { AlertStore, failingMillis, lookMillis } from "../domain/AlertStore.ts"
import {
  after,
  aRule,
  aRuled,
  claim,
  cursorOf,
  draft,
  putRule,
  services,
  timeAfter,
  titles,
  types
} from "./AlertWorld.ts"
import type { AddTest, AlertStores } from "./AlertWorld.ts"
import { telling } from "./TellingCases.ts"

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

/** The suite of the stored data of alerts. */
export const alertStoreSuite: Suite.Suite<AlertStores> = Suite.ofParts(
  "what is stored of alerts",
  { rules, reading, looking, telling },
  services
)
