/** Clients that see what is another's, are refused what is right, or get no answer. */
import { assert, it } from "@effect/vitest"
import type { Asked } from "../../src/history/History.ts"
import { tagsOf } from "../../src/history/History.ts"
import { adding, eventAt, judges, reading, Script } from "./Script.ts"

const history = () => new Script()

it("texts say whose they are", () => {
  const text = "{\"a\":\"T-acme-east-O1\",\"b\":[\"T-globex-main-L2\",\"T-acme-east-O3\"]}"
  assert.deepStrictEqual(tagsOf(text), ["acme/east", "globex/main"])
  assert.deepStrictEqual(tagsOf("ACT-acme-east and acme-east"), [])
})

const shown = (tag: string, client = "acme-client", asked: Asked = reading()) => {
  const script = history()
  return script.ok(script.begin(asked, { client }), {}, [tag])
}
const refusedWith = (tag: string) => {
  const script = history()
  return script.refused(script.begin(reading()), "NOT_FOUND", 404, [tag])
}
const snoop: Asked = { operation: "snoop", target: "T-globex-main-S1" }
const seen = (tag: string, business = "acme") => history().reader("east").sees([1, { tags: [tag], business }])

judges(
  "tenants are apart",
  ["a client sees its own business", shown("acme/west")],
  ["a client of a facility sees its own facility", shown("acme/east", "acme-east-client")],
  ["an answer shows another business", shown("globex/main"), 1],
  ["a refusal shows another business", refusedWith("globex/main"), 1],
  ["an answer shows another facility", shown("acme/west", "acme-east-client"), 1],
  [
    "a client of several businesses sees another than it asked about",
    shown("globex/main", "tower", eventAt(1)),
    1
  ],
  ["who asks for what is another's is refused", history().denied(snoop, "FORBIDDEN", 403)],
  ["who asks for what is another's is answered", history().done(snoop), 1],
  ["a reader sees its own facility", seen("acme/east")],
  ["a reader sees another facility", seen("acme/west"), 1],
  ["a reader sees the log of another business", seen("acme/east", "globex"), 1],
  ["an endpoint is sent what is of its business", history().endpoint().post(1, 204, { tags: ["acme/west"] })],
  ["an endpoint is sent what is another's", history().endpoint().post(1, 204, { tags: ["globex/main"] }), 1]
)

const denied = (code: string, status: number) => history().denied(adding(["L1"]), code, status)
const late = (late: boolean) => history().denied(eventAt(1, { late }), "SHIPMENT_DEPARTED")
const cancel = (contested: object) =>
  history().denied({ operation: "cancel", shipmentId: 1, ...contested }, "INVALID_TRANSITION")
const unknown = (reason: string) => history().lost(reading(), { reason })

judges(
  "answers are right",
  ["a token that is refused", denied("UNAUTHENTICATED", 401)],
  ["nobody takes the connection", denied("NOT_SENT", 0)],
  ["a key in use", denied("IDEMPOTENCY_KEY_IN_USE", 409)],
  ["a document that is right", denied("DUPLICATE_ORDER_ITEM_KEY", 409), 1],
  ["a client with every right", denied("FORBIDDEN", 403), 1],
  ["a client that asks seldom", denied("RATE_LIMITED", 429), 1],
  ["a pallet that may have come too late", late(true)],
  ["a pallet that came in time", late(false), 1],
  ["a step that another may have come before", cancel({ contested: true })],
  ["a step that no other came before", cancel({}), 1],
  ["the storage is away", unknown("503 STORAGE_UNAVAILABLE")],
  ["no answer in time", unknown("TimeoutError")],
  ["a fault of the service", unknown("500 INTERNAL"), 1],
  ["a refusal without a time", unknown("503 OVERLOADED, no Retry-After"), 1],
  ["an answer that is no JSON", unknown("200, no JSON"), 1],
  ["something strange", history().tell({ type: "strange", client: "R", text: "FORBIDDEN" }), 1]
)

const begin = (script: Script) => script.tell({ type: "window", phase: "begin" })
const end = (script: Script) => script.tell({ type: "window", phase: "end" })
const during = () => begin(history())

judges(
  "windows are clear",
  ["a call within one is answered", end(during().done(reading()))],
  ["a call before one is not answered", end(begin(unknown("TimeoutError")))],
  [
    "a call is not answered until after one",
    (() => {
      const script = during()
      const call = script.begin(reading())
      return end(script).unknown(call)
    })()
  ],
  ["a call within one is not answered", end(during().lost(reading())), 1],
  ["nobody takes a call within one", end(during().denied(reading(), "NOT_SENT", 0)), 1]
)

const healed = (script = history()) => script.tell({ type: "healed" })
const collected = (script: Script) => script.tell({ type: "collected" })
const open = (request = "a") => history().lost(adding(["L1"]), { request })
const silent = () => {
  const script = healed()
  script.begin(reading())
  return collected(script)
}
const cutOff = () => {
  const script = history()
  const call = script.begin(adding(["L1"]))
  return collected(healed(script.copied().promoted().unknown(call)))
}

judges(
  "live after heal",
  ["what is open is acknowledged", collected(healed(open()).done(adding(["L1"]), {}, { request: "a" }))],
  ["it is never healed", collected(history()), 1],
  ["nothing is collected", healed(), 1],
  ["a request is open for ever", collected(healed(open())), 1],
  ["a call has no answer", silent(), 1],
  ["nobody repeats what was begun before a promotion", cutOff()],
  [
    "nobody repeats what was begun after a promotion",
    collected(healed(history().copied().promoted().lost(adding(["L2"])))),
    1
  ]
)

const probe = (status: number, millis: number) =>
  history().tell({ type: "probe", instance: 0, status, millis })

judges(
  "probes are answered",
  ["in time", probe(200, 1500)],
  ["late", probe(200, 2500), 1],
  ["not at all", probe(0, 15_000), 1],
  ["with a failure", probe(503, 1), 1]
)

const hot = { business: "acme", facility: "east", shipment: "HOT", instance: 0 } as const
const others = ["S2", "S3", "S4", "S5"]
const held = () => history().tell({ type: "held", phase: "begin", ...hot })
const freed = (script: Script) => script.tell({ type: "held", phase: "end", ...hot })

/** Some writes for others, of which so many are answered at once, one not at all, and the rest in the end. */
const atOnce = (count: number) => {
  const script = held()
  const calls = others.map((name) => script.begin(adding(["L"], name)))
  script.pass(100)
  for (const call of calls.slice(0, count)) script.ok(call)
  const [first, ...rest] = calls.slice(count)
  if (first !== undefined) script.unknown(first, "503 STORAGE_UNAVAILABLE")
  freed(script.pass(3900)).pass(50)
  for (const call of rest) script.ok(call)
  return script
}
/** The number is kept from one time to another, while a document waits for it or for another one. */
const waiting = (asked: Asked, askedAt: number, keptFor: number, answeredAt: number) => {
  const script = held().pass(askedAt)
  const calls = others.map(() => script.begin(asked))
  freed(script.pass(keptFor - askedAt)).pass(answeredAt - keptFor)
  for (const call of calls) script.ok(call)
  return script
}

judges(
  "others are served",
  ["all at once", atOnce(4)],
  ["more of them than not", atOnce(3)],
  ["as many as not", atOnce(2), 1],
  ["none", atOnce(0), 1],
  [
    "what was asked shortly before the end is answered after it",
    waiting(adding(["L"], "S2"), 3900, 4000, 6500)
  ],
  ["reads need no transaction", waiting(reading("S2"), 0, 4000, 6500)],
  ["a document for the number is answered after it is free", waiting(adding(["L"], "HOT"), 0, 4000, 4050)],
  [
    "a document for the number has no answer long after it is free",
    waiting(adding(["L"], "HOT"), 0, 4000, 12_100),
    4
  ],
  ["a number that was kept for a moment shows nothing", waiting(adding(["L"], "S2"), 0, 2000, 6500)]
)

const burden = { type: "burden", kind: "large-reads", business: "bulk1", instance: 0 } as const
const laden = (script = history(), instance = 0) => script.tell({ ...burden, instance, phase: "begin" })
const unladen = (script: Script, answered?: number) =>
  script.tell({ ...burden, phase: "end", ...(answered === undefined ? {} : { answered }) })
const refuse = (script: Script, reason = "503 OVERLOADED", business = "acme") =>
  script.lost(reading(), { business, reason })
const beside = (reason: string, business?: string) => unladen(refuse(laden(), reason, business))
const mixed = (answered: number) => {
  const script = laden()
  for (let left = answered; left > 0; left--) script.done(reading())
  return unladen(refuse(script))
}
const around = () => {
  const script = laden(refuse(history()))
  const call = script.begin(reading())
  return refuse(unladen(script).unknown(call, "503 OVERLOADED"))
}

judges(
  "others have their share",
  [
    "another business is refused by REST",
    beside("503 OVERLOADED"),
    /^1 of 1 calls .* beside large-reads of bulk1$/
  ],
  ["another business is refused by GraphQL", beside("200 OVERLOADED"), 1],
  ["the business of the client itself is refused", beside("503 OVERLOADED", "bulk1")],
  ["another business is refused for another reason", beside("503 STORAGE_UNAVAILABLE")],
  ["another business has no answer in time", beside("TimeoutError")],
  ["others are refused before and after it", around()],
  ["others are refused at another instance", refuse(laden(history(), 1))],
  ["a small part is refused", mixed(5)],
  ["a fifth is refused", mixed(4), 1],
  ["something of the client is answered", unladen(laden(), 1)],
  ["nothing of the client is answered", unladen(laden(), 0), /nothing of large-reads of bulk1 was answered/],
  ["others are refused beside the second", unladen(refuse(laden(unladen(laden())))), 1]
)

const promoted = (how: "kill" | "hang" | "isolation", instances = 1) =>
  history().done(adding(["L0"])).pass(1000).tell({ type: "failover", how, instances })
const writes = (how: "kill" | "hang" | "isolation", millis: number) =>
  promoted(how).pass(millis).done(adding(["L1"]))

judges(
  "writing goes on",
  ["in time after a primary was killed", writes("kill", 5000)],
  ["late after a primary was killed", writes("kill", 5001), 1],
  ["in time after a primary hung", writes("hang", 10_000)],
  ["late after a primary hung", writes("hang", 10_001), 1],
  ["in time after a primary was isolated", writes("isolation", 10_000)],
  ["late after a primary was isolated", writes("isolation", 10_001), 1],
  ["not after the promotion", promoted("kill"), 1],
  ["by reads alone", promoted("kill").done(reading()), 1],
  [
    "at one instance of two",
    promoted("kill", 2).done(adding(["L1"])),
    /^instance 1 acknowledged no write for Infinity ms/
  ]
)
