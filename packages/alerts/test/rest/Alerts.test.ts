/**
 * D26.1 and D26.5 over REST: operators set, read, test and delete rules; addresses of webhooks stay secret, and only allowed ones are
 * called.
 */
import type { AuditView } from "@dockline/core/operator/OperatorView"
import * as OutboundPolicy from "@dockline/webhook-adapter/outbound/OutboundPolicy"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  bodyOf,
  faultsOf,
  get,
  makeBusiness,
  makeClient,
  operate,
  operatorOf,
  vault
} from "../../../../test/http/operator/Operator.ts"
import { serving } from "../../../../test/http/Serving.ts"
import { layerMemory, layerPostgres, refusalOf, unique } from "../../../../test/support/TestServer.ts"
import type { PageView, TestServer } from "../../../../test/support/TestServer.ts"
import type { AlertNoticeView, AlertRuleView } from "../../src/domain/AlertRule.ts"

const options = { vault, outboundUrls: Layer.orDie(OutboundPolicy.layer({ allow: [] })) }

const mail = {
  facility: "east",
  kinds: ["DETENTION"],
  channel: "EMAIL",
  to: ["shift@example.com"]
} as const
const hook = "https://hooks.example.com/services/T0/B0/s3cret"
const slack = { facility: "east", kinds: ["WRONG_PALLET"], channel: "SLACK", url: hook }

const pathOf = (business: string, rule = "") =>
  `businesses/${business}/alert-rules${rule === "" ? "" : `/${rule}`}`

const aBusiness = Effect.gen(function*() {
  const slug = yield* makeBusiness
  bodyOf(yield* operate("POST", `businesses/${slug}/facilities`, { slug: "east", name: "East" }), 201)
  return slug
})

for (
  const [name, server] of [["memory", layerMemory(options)], ["PostgreSQL", layerPostgres(options)]] as const
) {
  serving<TestServer, never>(`alert rules over REST, on ${name}`, server, (test) => {
    test("are created, read, listed, replaced and deleted, each on record", function*() {
      const business = yield* aBusiness
      const path = pathOf(business, "night")
      const rule = bodyOf<AlertRuleView>(yield* operate("PUT", path, mail), 200)
      assert.deepInclude(rule, {
        ...mail,
        slug: "night",
        business,
        host: "",
        quietFrom: "",
        digestMinutes: 0,
        enabled: true,
        waiting: 0,
        lastFailure: ""
      })
      const reply = yield* get(path)
      assert.deepStrictEqual(bodyOf(reply, 200), rule)
      const all = bodyOf<PageView<AlertRuleView>>(yield* get(pathOf(business)), 200)
      assert.deepStrictEqual(all.items, [rule])
      const etag = String(reply.headers["etag"])
      const change = { ...mail, quietFrom: "22:00", quietTo: "06:00", digestMinutes: 30 }
      const headers = { "if-match": etag }
      const after = bodyOf<AlertRuleView>(yield* operate("PUT", path, change, { headers }), 200)
      assert.deepInclude(after, change)
      assert.strictEqual((yield* operate("PUT", path, mail, { headers })).status, 412)
      bodyOf(yield* operate("DELETE", path), 204)
      assert.deepStrictEqual(refusalOf(yield* get(path)), [404, "ALERT_RULE_NOT_FOUND"])
      const { items } = bodyOf<PageView<AuditView>>(yield* get(`audit?business=${business}`), 200)
      assert.includeMembers(items.map(({ action }) => action), ["ALERT_RULE_SET", "ALERT_RULE_REMOVED"])
    })

    test("show no address of a webhook, and keep it until another is sent", function*() {
      const business = yield* aBusiness
      const path = pathOf(business, "yard")
      const reply = yield* operate("PUT", path, slack)
      assert.strictEqual(bodyOf<AlertRuleView>(reply, 200).host, "hooks.example.com")
      const { url: _, ...rest } = slack
      const again = yield* operate("PUT", path, { ...rest, digestMinutes: 5 })
      assert.deepInclude(bodyOf<AlertRuleView>(again, 200), { host: "hooks.example.com", digestMinutes: 5 })
      const record = yield* get(`audit?business=${business}`)
      for (const { text } of [reply, again, record, yield* get(path), yield* get(pathOf(business))]) {
        assert.notInclude(text, "s3cret")
      }
      // An address belongs to its channel.
      const other = yield* operate("PUT", path, { ...rest, channel: "TEAMS" })
      assert.deepStrictEqual(faultsOf(other), { url: "is required" })
    })

    test("refuse addresses that must not be called", function*() {
      const path = pathOf(yield* aBusiness, "yard")
      for (
        const url of [
          "http://hooks.example.com/x",
          "https://127.0.0.1/x",
          "https://169.254.169.254/latest",
          "https://[::1]/x",
          "https://localhost/x",
          "https://10.0.0.1/x",
          "https://user:word@hooks.example.com/x",
          "nothing"
        ]
      ) {
        const reply = yield* operate("PUT", path, { ...slack, url })
        assert.strictEqual(reply.status, 422, url)
        assert.deepStrictEqual(Object.keys(faultsOf(reply)), ["url"], url)
      }
    })

    test("refuse what does not fit, by its path", function*() {
      const path = pathOf(yield* aBusiness, "night")
      const faults = function*(body: object) {
        return Object.keys(faultsOf(yield* operate("PUT", path, body)))
      }
      assert.deepStrictEqual(yield* faults({ ...mail, kinds: [] }), ["kinds"])
      assert.deepStrictEqual(yield* faults({ ...mail, kinds: ["RAIN"] }), ["kinds[0]"])
      assert.deepStrictEqual(yield* faults({ ...mail, to: [] }), ["to"])
      assert.deepStrictEqual(yield* faults({ ...mail, to: ["a\r\nBcc: b@c"] }), ["to[0]"])
      assert.deepStrictEqual(yield* faults({ ...mail, url: hook }), ["url"])
      assert.deepStrictEqual(yield* faults({ ...slack, to: mail.to }), ["to"])
      assert.deepStrictEqual(yield* faults({ ...mail, quietFrom: "22:00" }), ["quietTo"])
      assert.deepStrictEqual(yield* faults({ ...mail, quietFrom: "24:00", quietTo: "06:00" }), ["quietFrom"])
      assert.deepStrictEqual(yield* faults({ ...mail, digestMinutes: 1441 }), ["digestMinutes"])
      const refusal = yield* operate("PUT", path, { ...mail, facility: "nowhere" })
      assert.deepStrictEqual(refusalOf(refusal), [404, "FACILITY_NOT_FOUND"])
      const badName = yield* operate("PUT", path.replace("/night", "/Night%20Shift"), mail)
      assert.deepStrictEqual(Object.keys(faultsOf(badName)), ["rule"])
    })

    test("take the kinds of incidents that capabilities bring", function*() {
      const path = pathOf(yield* aBusiness, "night")
      const kinds = ["EDI_REJECTED", "ENDPOINT_FAILING", "URGENT_EXCEPTION"]
      const rule = bodyOf<AlertRuleView>(
        yield* operate("PUT", path, { ...mail, kinds: [...kinds, "EDI_REJECTED"].toReversed() }),
        200
      )
      assert.deepStrictEqual(rule.kinds, kinds)
    })

    test("are tested at once: the notice waits for the sender", function*() {
      const business = yield* aBusiness
      const path = pathOf(business, "night")
      bodyOf(yield* operate("PUT", path, { ...mail, quietFrom: "00:00", quietTo: "23:59" }), 200)
      assert.strictEqual((yield* operate("POST", `${path}/test`)).status, 202)
      const notices = bodyOf<PageView<AlertNoticeView>>(yield* get(`${path}/notices`), 200)
      assert.deepStrictEqual(notices.items.map(({ state, title }) => [state, title]), [[
        "WAITING",
        "Test of alert rule night"
      ]])
      assert.strictEqual((yield* get(`${path}/notices?after=x`)).status, 400)
      const { nextAt, quietUntil, waiting } = bodyOf<AlertRuleView>(yield* get(path), 200)
      assert.deepStrictEqual([waiting, nextAt === ""], [1, false])
      assert.match(quietUntil, /T23:59:00|^$/)
      assert.deepStrictEqual(refusalOf(yield* operate("POST", `${pathOf(business, "gone")}/test`)), [
        404,
        "ALERT_RULE_NOT_FOUND"
      ])
    })

    test("are those of businesses that the operator operates", function*() {
      const business = yield* aBusiness
      const path = pathOf(business, "night")
      bodyOf(yield* operate("PUT", path, mail), 200)
      const stranger = yield* makeClient(operatorOf(yield* makeBusiness))
      for (
        const [method, where, body] of [
          ["GET", path],
          ["GET", pathOf(business)],
          ["PUT", path, mail],
          ["DELETE", path],
          ["GET", `${path}/notices`],
          ["POST", `${path}/test`]
        ] as const
      ) {
        const reply = yield* operate(method, where, body, stranger.as)
        assert.strictEqual(reply.status, 403, `${method} ${where}`)
      }
      assert.deepStrictEqual(refusalOf(yield* get(pathOf(unique("nowhere")))), [404, "BUSINESS_NOT_FOUND"])
    })
  })
}
