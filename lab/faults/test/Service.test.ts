/** Clients that see what is another's, are refused what is right, or get no answer. */
import { assert, it } from "@effect/vitest"
import type { Asked, AskedOf, Clock } from "../src/history/History.ts"
import { tagsOf } from "../src/history/History.ts"
import { adding, eventAt, history, judges, moment, reading } from "./Script.ts"
import type { Script } from "./Script.ts"

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

judges("tenants are apart", {
  "an answer shows another business": shown("globex/main"),
  "a refusal shows another business": refusedWith("globex/main"),
  "an answer shows another facility": shown("acme/west", "acme-east-client"),
  "a client of several businesses sees another than it asked about": shown(
    "globex/main",
    "tower",
    eventAt(1)
  ),
  "who asks for what is another's is answered": history().done(snoop),
  "a reader sees another facility": seen("acme/west"),
  "a reader sees the log of another business": seen("acme/east", "globex"),
  "an endpoint is sent what is another's": history().endpoint().post(1, 204, { tags: ["globex/main"] })
}, {
  "a client sees its own business": shown("acme/west"),
  "an endpoint is sent what is of its business": history().endpoint().post(1, 204, { tags: ["acme/west"] })
})

const denied = (code: string, status: number) => history().denied(adding(["L1"]), code, status)
/** A pallet of that moment is refused, as the shipment departed at the moment 2, or when the server says. */
const tooLate = (at: number, more: Partial<AskedOf<"event">>, departure?: Partial<AskedOf<"depart">>) =>
  history().done({ operation: "depart", shipmentId: 1, ...departure })
    .denied(eventAt(at, { late: true, ...more }), "SHIPMENT_DEPARTED")
const timed = { occurredAt: moment(2), clock: "usual" } as const
const untimely = (clock: Clock, script = history()) =>
  script.denied(eventAt(1, { clock }), "INVALID_REQUEST", 422)
const cancel = (contested?: boolean) =>
  history().denied({ operation: "cancel", shipmentId: 1, contested }, "INVALID_TRANSITION")
const unknown = (reason: string) => history().lost(reading(), { reason })

judges("answers are right", {
  "a document that is right": denied("DUPLICATE_ORDER_ITEM_KEY", 409),
  "a client with every right": denied("FORBIDDEN", 403),
  "a client that asks seldom": denied("RATE_LIMITED", 429),
  "a pallet that came in time": tooLate(3, { late: false }, timed),
  "a pallet that passed before a departure": tooLate(1, {}, timed),
  "a pallet that passed long before a departure": tooLate(1, {}),
  "a time that is a little ahead": untimely("ahead"),
  "a time that is weeks behind": untimely("behind"),
  "a time that is a little ahead of an instance that is behind": untimely(
    "ahead",
    history().tell({ type: "fault", phase: "begin", kind: "clock-back" })
  ),
  "a step that no other came before": cancel(),
  "a fault of the service": unknown("500 INTERNAL"),
  "a refusal without a time": unknown("503 OVERLOADED, no Retry-After"),
  "an answer that is no JSON": unknown("200, no JSON"),
  "something strange": history().tell({ type: "strange", client: "R", text: "FORBIDDEN" })
}, {
  "a token that is refused": denied("UNAUTHENTICATED", 401),
  "a pallet that passed after a departure": tooLate(3, {}, timed),
  "a pallet of a departure that is weeks ago": tooLate(1, {}, { ...timed, clock: "behind" }),
  "a pallet that may have passed after a departure": tooLate(1, { clock: "ahead" }),
  "a time that is far ahead": untimely("far ahead"),
  "a time that is far behind": untimely("far behind"),
  "a step that another may have come before": cancel(true),
  "the storage is away": unknown("503 STORAGE_UNAVAILABLE")
})

const begin = (script: Script) => script.tell({ type: "window", phase: "begin" })
const end = (script: Script) => script.tell({ type: "window", phase: "end" })
const during = () => begin(history())
const over = () => {
  const script = during()
  const call = script.begin(reading())
  return end(script).unknown(call)
}

judges("windows are clear", {
  "a call within one is not answered": end(during().lost(reading())),
  "nobody takes a call within one": end(during().denied(reading(), "NOT_SENT", 0))
}, {
  "a call before one is not answered": end(begin(unknown("TimeoutError"))),
  "a call is not answered until after one": over()
})

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
const noticed = (reason: string) => {
  const asked = { operation: "notice", partner: "P", control: "7", shipment: "S1", own: {} } as const
  return collected(healed().lost(asked, { request: "a", reason }).done(asked, {}, { request: "a" }))
}

judges("live after heal", {
  "it is never healed": collected(history()),
  "nothing is collected": healed(),
  "a request is open for ever": collected(healed(open())),
  "a call has no answer": silent(),
  "nobody repeats what was begun after a promotion": collected(
    healed(history().copied().promoted().lost(adding(["L2"])))
  ),
  "a notice is told that the storage is away": noticed("503 STORAGE_UNAVAILABLE")
}, {
  "what is open is acknowledged": collected(healed(open()).done(adding(["L1"]), {}, { request: "a" })),
  "nobody repeats what was begun before a promotion": cutOff(),
  "a notice is told that it is being done": noticed("503 OVERLOADED")
})

const probe = (status: number, millis: number) =>
  history().tell({ type: "probe", instance: 0, status, millis })

judges("probes are answered", {
  "late": probe(200, 2500),
  "not at all": probe(0, 15_000),
  "with a failure": probe(503, 1)
}, { "in time": probe(200, 1500) })

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

judges("others are served", {
  "as many as not": atOnce(2),
  "none": atOnce(0),
  "a document for the number has no answer long after it is free": [
    waiting(adding(["L"], "HOT"), 0, 4000, 12_100),
    4
  ]
}, {
  "more of them than not": atOnce(3),
  "what was asked shortly before the end is answered after it": waiting(
    adding(["L"], "S2"),
    3900,
    4000,
    6500
  ),
  "reads need no transaction": waiting(reading("S2"), 0, 4000, 6500),
  "a document for the number is answered after it is free": waiting(adding(["L"], "HOT"), 0, 4000, 4050),
  "a number that was kept for a moment shows nothing": waiting(adding(["L"], "S2"), 0, 2000, 6500)
})

const burden = { type: "burden", kind: "large-reads", business: "bulk1", instance: 0 } as const
const laden = (script = history(), instance = 0) => script.tell({ ...burden, instance, phase: "begin" })
const unladen = (script: Script, answered = 1) => script.tell({ ...burden, phase: "end", answered })
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

judges("others have their share", {
  "another business is refused by REST": beside("503 OVERLOADED"),
  "another business is refused by GraphQL": beside("200 OVERLOADED"),
  "a fifth is refused": mixed(4),
  "nothing of the client is answered": unladen(laden(), 0),
  "others are refused beside the second": unladen(refuse(laden(unladen(laden()))))
}, {
  "the business of the client itself is refused": beside("503 OVERLOADED", "bulk1"),
  "another business is refused for another reason": beside("503 STORAGE_UNAVAILABLE"),
  "others are refused before and after it": around(),
  "others are refused at another instance": refuse(laden(history(), 1)),
  "a small part is refused": mixed(5)
})

const promoted = (how: "kill" | "hang" | "isolation", instances = 1) =>
  history().done(adding(["L0"])).pass(1000).tell({ type: "failover", how, instances })
const writes = (how: "kill" | "hang" | "isolation", millis: number) =>
  promoted(how).pass(millis).done(adding(["L1"]))

judges("writing goes on", {
  "late after a primary was killed": writes("kill", 5001),
  "late after a primary hung": writes("hang", 10_001),
  "late after a primary was isolated": writes("isolation", 10_001),
  "not after the promotion": promoted("kill"),
  "by reads alone": promoted("kill").done(reading()),
  "at one instance of two": promoted("kill", 2).done(adding(["L1"]))
}, { "in time after a primary was killed": writes("kill", 5000), "in time": writes("hang", 10_000) })
