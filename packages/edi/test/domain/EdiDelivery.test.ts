/** D18.3: the interchanges to be sent to partners, in memory, and their entries in the outbox. */
import * as Memory from "@dockline/core/memory/Memory"
import { contractProfile } from "@dockline/core/places/MessageField"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { deliveryBody } from "@dockline/core/webhooks/Delivery"
import { testContent } from "@dockline/core/webhooks/MessageKinds"
import { ediDeliverySuite } from "@dockline/edi/suites/EdiDeliverySuite"
import * as Suite from "@dockline/testing/Suite"
import { assert, describe, it } from "@effect/vitest"
import { runner } from "../../../../test/support/Runner.ts"
import { shouting } from "../../../core/test/webhooks/Shouting.ts"
import { edi } from "../../src/domain/EdiCapability.ts"
import { ediEntry, ediInterchange, ediOutboxes } from "../../src/domain/EdiFile.ts"

Suite.register(runner, ediDeliverySuite, Memory.layerWith([edi]))

const place = { business: "acme", facility: "east" }

describe("the body of a delivery of EDI", () => {
  it("D18.3: is an interchange byte for byte, in whichever profile", () => {
    const text = "ISA*00*~\nä \"\\ 🚚\u0085~"
    const entry = ediEntry({ ...place, shipmentId: 7 }, text)
    assert.deepInclude(entry, { ...place, shipmentId: 7, type: ediInterchange })
    for (const profile of [contractProfile, shouting]) {
      assert.deepStrictEqual(deliveryBody(profile, entry), {
        path: "/api/edi",
        contentType: "application/edi-x12",
        body: text
      })
    }
  })

  it("D9.9: of a test is an interchange for tests, of the time of the test", () => {
    const settings = { dashboardUrl: "", fieldMap: [] }
    const kinds = { kinds: {}, outboxes: ediOutboxes }
    const { body } = deliveryBody(
      contractProfile,
      testContent(ediInterchange, place, Timestamp.of("2026-11-20T17:04:59.000Z"), settings, kinds)
    )
    const [isa = "", iea, ...rest] = body.split("~")
    const elements = isa.split("*")
    assert.strictEqual(isa.length, 105)
    assert.deepStrictEqual([elements[9], elements[10], elements[15]], ["261120", "1704", "T"])
    assert.deepStrictEqual([iea, rest], ["\nIEA*0*000000001", [""]])
  })
})
