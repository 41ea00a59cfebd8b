/**
 * The checker notices when a tenant sees another one, when something is refused that is right, and when a system that is
 * well does not answer.
 */
import { assert, describe, it } from "@effect/vitest"
import { tagsOf } from "../../src/history/History.ts"
import { adding, eventAt, reading, Script } from "./Script.ts"

describe("tenants are apart", () => {
  const judge = (script: Script) => script.finds("tenants are apart")

  it("texts say whose they are", () => {
    assert.deepStrictEqual(
      tagsOf("{\"a\":\"T-acme-east-O1\",\"b\":[\"T-globex-main-L2\",\"T-acme-east-O3\"]}"),
      [
        "acme/east",
        "globex/main"
      ]
    )
    assert.deepStrictEqual(tagsOf("ACT-acme-east and acme-east"), [])
  })

  it("a client sees its own business, one of a facility its own facility", () => {
    const script = new Script()
    script.ok(script.begin(reading()), {}, ["acme/east", "acme/west"])
    script.ok(script.begin(reading(), { client: "acme-east-client" }), {}, ["acme/east"])
    assert.deepStrictEqual(judge(script), [])
  })

  it("another's text in an answer, also in a refusal", () => {
    const script = new Script()
    script.ok(script.begin(reading()), {}, ["globex/main"])
    script.refused(script.begin(reading()), "NOT_FOUND", 404, ["globex/main"])
    script.ok(script.begin(reading(), { client: "acme-east-client" }), {}, ["acme/west"])
    // A client of several businesses sees that which it asks about.
    script.ok(script.begin(eventAt(1), { client: "tower" }), {}, ["globex/main"])
    assert.lengthOf(judge(script), 4)
  })

  it("an answer to who asked for what is another's", () => {
    const snoop = { operation: "snoop", target: "T-globex-main-S1" } as const
    const script = new Script()
    script.refused(script.begin(snoop), "FORBIDDEN", 403)
    assert.deepStrictEqual(judge(script), [])
    assert.lengthOf(judge(script.done(snoop)), 1)
  })

  it("another's message at a reader or an endpoint", () => {
    const script = new Script()
      .tell({ type: "reader", reader: "R", client: "acme-east-client", business: "acme", facility: "east" })
      .tell({ type: "endpoint", endpoint: "E", business: "acme", facility: null })
    const seen = {
      type: "seen",
      reader: "R",
      id: 1,
      facility: "east",
      messageType: "PALLET_EVENT",
      digest: ""
    } as const
    const receipt = {
      type: "receipt",
      endpoint: "E",
      path: "",
      webhookId: "msg_1",
      signed: true,
      digest: ""
    } as const
    script.tell({ ...seen, business: "acme", tags: ["acme/east"] }).tell({
      ...receipt,
      receipt: 1,
      tags: ["acme/west"]
    })
    assert.deepStrictEqual(judge(script), [])
    script.tell({ ...seen, business: "acme", tags: ["acme/west"] })
    script.tell({ ...seen, business: "globex", tags: [] })
    script.tell({ ...receipt, receipt: 2, tags: ["globex/main"] })
    assert.lengthOf(judge(script), 3)
  })
})

describe("answers are right", () => {
  const judge = (script: Script) => script.finds("answers are right")
  const refused = (code: string, status: number) => {
    const script = new Script()
    return judge(script.refused(script.begin(adding(["L1"])), code, status))
  }

  it("what is over when it is sent again", () => {
    assert.deepStrictEqual(refused("UNAUTHENTICATED", 401), [])
    assert.deepStrictEqual(refused("NOT_SENT", 0), [])
    assert.deepStrictEqual(refused("IDEMPOTENCY_KEY_IN_USE", 409), [])
  })

  it("what is right and refused", () => {
    for (
      const [code, status] of [["DUPLICATE_ORDER_ITEM_KEY", 409], ["FORBIDDEN", 403], [
        "RATE_LIMITED",
        429
      ]] as const
    ) {
      assert.lengthOf(refused(code, status), 1)
    }
  })

  it("a pallet that came too late, when it may have", () => {
    const late = (late: boolean) => {
      const script = new Script()
      return judge(script.refused(script.begin(eventAt(1, { late })), "SHIPMENT_DEPARTED"))
    }
    assert.deepStrictEqual(late(true), [])
    assert.lengthOf(late(false), 1)
  })

  it("a fault of the service, where 503 is said to come", () => {
    const unknown = (reason: string) => {
      const script = new Script()
      return judge(script.unknown(script.begin(reading()), reason))
    }
    assert.deepStrictEqual(unknown("503 STORAGE_UNAVAILABLE"), [])
    assert.deepStrictEqual(unknown("TimeoutError"), [])
    assert.lengthOf(unknown("500 INTERNAL"), 1)
    assert.lengthOf(unknown("200, no JSON"), 1)
  })

  it("what is strange", () => {
    assert.lengthOf(judge(new Script().tell({ type: "strange", client: "R", text: "FORBIDDEN" })), 1)
  })
})

describe("windows are clear", () => {
  const judge = (script: Script) => script.finds("windows are clear")
  const window = (phase: "begin" | "end") => ({ type: "window", phase }) as const

  it("what is called and answered within one is answered well", () => {
    const script = new Script()
    script.unknown(script.begin(reading())).tell(window("begin")).done(reading()).tell(window("end"))
    const last = script.unknown(script.begin(reading())).tell(window("begin")).begin(reading())
    script.tell(window("end")).unknown(last)
    assert.deepStrictEqual(judge(script), [])
  })

  it("no answer, no connection", () => {
    const script = new Script().tell(window("begin"))
    script.unknown(script.begin(reading())).refused(script.begin(reading()), "NOT_SENT", 0).tell(
      window("end")
    )
    assert.lengthOf(judge(script), 2)
  })
})

describe("live after heal", () => {
  const judge = (script: Script) => script.finds("live after heal")
  const healed = (script = new Script()) => script.tell({ type: "healed" })

  it("what is open is acknowledged, and what is there is collected", () => {
    const script = new Script()
    healed(script.unknown(script.begin(adding(["L1"]), { request: "a" }))).done(adding(["L1"]), {}, {
      request: "a"
    })
    assert.deepStrictEqual(judge(script.tell({ type: "collected" })), [])
  })

  it("never healed, or not collected", () => {
    assert.lengthOf(judge(new Script().tell({ type: "collected" })), 1)
    assert.lengthOf(judge(healed()), 1)
  })

  it("a request that is open for ever, or without an answer", () => {
    const script = new Script()
    script.unknown(script.begin(adding(["L1"])))
    assert.lengthOf(judge(healed(script).tell({ type: "collected" })), 1)
    const silent = healed()
    silent.begin(reading())
    assert.lengthOf(judge(silent.tell({ type: "collected" })), 1)
  })
})
