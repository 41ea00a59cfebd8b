/** D24.2 on the command line: the settings of a business, and endpoints that get its events. */
import { assert } from "@effect/vitest"
import { vault } from "../../../../test/http/operator/Operator.ts"
import { layerMemory } from "../../../../test/support/TestServer.ts"
import { commands, dockline } from "../../../cli/test/Operating.ts"

commands(layerMemory({ vault }), (command) => {
  command("epcis set and show the settings of a business", function*() {
    const set = yield* dockline(
      "epcis set globex --company-prefixes 0614141 --company-prefixes 4012345 --publishes --json"
    )
    const settings = { companyPrefixes: ["0614141", "4012345"], publishes: true }
    assert.deepStrictEqual(JSON.parse(set.data), settings, set.errors)
    const view = yield* dockline("epcis show globex --json")
    assert.deepStrictEqual(JSON.parse(view.data), settings)
    const initial = yield* dockline("epcis set globex --json")
    assert.deepStrictEqual(JSON.parse(initial.data), { companyPrefixes: [], publishes: false })
    const wrong = yield* dockline("epcis set globex --company-prefixes 61")
    assert.strictEqual(wrong.code, 1)
    assert.include(wrong.errors, "must be 6 to 12 digits")
  })

  command("webhook create takes the events of EPCIS (D24.5)", function*() {
    const line =
      "webhook create globex --message EPCIS_EVENTS --base-url https://epcis.example.com --auth none --json"
    const result = yield* dockline(line)
    assert.strictEqual(result.code, 0, result.errors)
    assert.deepStrictEqual(JSON.parse(result.data).messageTypes, ["EPCIS_EVENTS"])
  })
})
