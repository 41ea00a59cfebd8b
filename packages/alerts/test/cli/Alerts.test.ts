/** D26 on the command line: rules of a business. */
import { assert } from "@effect/vitest"
import { vault } from "../../../../test/http/operator/Operator.ts"
import { layerMemory } from "../../../../test/support/TestServer.ts"
import { commands, dockline } from "../../../cli/test/Operating.ts"

commands(layerMemory({ vault }), (command) => {
  command("alert sets, shows, lists, tests and deletes rules", function*() {
    const set = yield* dockline(
      "alert set globex night --facility main --kinds DETENTION --kinds WRONG_PALLET --channel EMAIL --to shift@example.com --quiet-from 22:00 --quiet-to 06:00 --json"
    )
    assert.deepInclude(JSON.parse(set.data), {
      slug: "night",
      kinds: ["DETENTION", "WRONG_PALLET"],
      to: ["shift@example.com"],
      quietTo: "06:00",
      enabled: true
    })
    const list = yield* dockline("alert list globex")
    assert.include(list.data, "night")
    const test = yield* dockline("alert test globex night")
    assert.strictEqual(test.code, 0, test.errors)
    const view = yield* dockline("alert show globex night --json")
    assert.strictEqual(JSON.parse(view.data).waiting, 1)
    const notices = yield* dockline("alert notices globex night")
    assert.include(notices.data, "Test of alert rule night")
    const wrong = yield* dockline(
      "alert set globex night --facility main --kinds DETENTION --channel EMAIL --to nobody"
    )
    assert.strictEqual(wrong.code, 1)
    assert.include(wrong.errors, "must be an e-mail address")
    const removal = yield* dockline("alert delete globex night --yes")
    assert.strictEqual(removal.code, 0, removal.errors)
    assert.strictEqual((yield* dockline("alert show globex night")).code, 1)
  })
})
