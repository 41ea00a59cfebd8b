/** The rules for telling people about incidents by messages, for every storage (D26). */
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import * as assert from "@dockline/testing/Assert"
import { Effect } from "effect"
import { messageLimits, waitingLimit } from "../domain/AlertRule.ts"
import { AlertStore, leaseMillis } from "../domain/AlertStore.ts"
import type { RuleName } from "../domain/AlertStore.ts"
import {
  after,
  aNotice,
  aRuled,
  claim,
  draft,
  isDue,
  later,
  putRule,
  settle,
  shownRule,
  success,
  timeAfter,
  titles
} from "./AlertWorld.ts"
import type { AddTest } from "./AlertWorld.ts"

/** The cases about messages: when they are due, what they gather, and how they end. */
export const telling = (test: AddTest): void => {
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
