/** Alert rules, notices and claims for the suites of alerts, with short names for what their cases repeat. */
import { Intake } from "@dockline/core/document/Intake"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import * as assert from "@dockline/testing/Assert"
import * as Suite from "@dockline/testing/Suite"
import { aBusiness } from "@dockline/testing/worlds/MessageLogWorld"
import type { MovementServices, MovementStores } from "@dockline/testing/worlds/MovementWorld"
import { Effect, Layer, Result } from "effect"
import type { Notice, RuleSettings } from "../domain/AlertRule.ts"
import { AlertStore } from "../domain/AlertStore.ts"
import type { Claim, NoticeDraft, Outcome, RuleName } from "../domain/AlertStore.ts"

/** The port under test, and the ports that it needs, because incidents concern pallets, shipments and webhook endpoints. */
export type AlertStores = AlertStore | DeliveryStore | MovementStores | WebhookEndpointStore

export type AddTest = Suite.AddTest<AlertStores | MovementServices>

export const services = Layer.mergeAll(Intake.layer(), Pallets.layer(), Shipments.layer())

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
export const start = Date.parse("2026-11-20T17:00:00.000Z")

/** Runs an effect a number of seconds after {@link start}. */
export const after = (seconds: number) => Timestamp.asOf(start + seconds * 1000)

export const timeAfter = (seconds: number): Timestamp.Timestamp =>
  Timestamp.fromMillis(start + seconds * 1000)

export const aNotice = (title: string): Notice => ({
  at: timeAfter(0),
  title,
  text: `Text of ${title} 🚚`,
  url: `https://dashboard.example.com/${title}`
})

export const draft = (title: string, seconds = 0, rule = "r"): NoticeDraft => ({
  rule,
  key: title,
  dueAt: timeAfter(seconds),
  notice: aNotice(title)
})

/** The types of messages that the suite reads. */
export const types = ["PALLET_EVENT"]

export const cursorOf = (business: string) =>
  AlertStore.use((store) =>
    Effect.map(store.behind(types, 10_000), (all) => all.find((each) => each.business === business)?.cursorId)
  )

/** A business with the rule `r`. */
export const aRuled = Effect.fnUntraced(function*(fields: Partial<RuleSettings> = {}) {
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

export const isDue = ({ business, rule }: RuleName) =>
  AlertStore.use((store) =>
    Effect.map(
      store.due(10_000),
      (all) => all.some((each) => each.business === business && each.rule === rule)
    )
  )

export const claim = (name: RuleName, id = "m1") => AlertStore.use((store) => store.claim(name, id))

export const settle = (attempt: Claim | null, outcome: Outcome) =>
  AlertStore.use((store) => attempt === null ? Effect.succeed(false) : store.settle(attempt, outcome))

export const shownRule = (name: RuleName) =>
  Effect.map(AlertStore.use((store) => store.find(name)), (rule) => {
    assert.isTrue(rule !== null)
    return rule!
  })

export const titles = (attempt: Claim | null) => attempt?.notices.map(({ title }) => title)

export const [success, later]: readonly [Outcome, (seconds: number) => Outcome] = [
  { kind: "SENT", failure: "" },
  (seconds) => ({ kind: "LATER", at: timeAfter(seconds), failure: "no answer" })
]
