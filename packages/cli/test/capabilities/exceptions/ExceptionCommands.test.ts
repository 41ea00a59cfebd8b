/** The commands about exceptions. */
import { assert } from "@effect/vitest"
import * as Facility from "../../../../../test/http/facility/Facility.ts"
import { layerMemory } from "../../../../../test/support/GraphqlServer.ts"
import { asking, columnsOf, commands, customer, dockline, refusalOf } from "../../Operating.ts"

const { json, run } = asking(customer)

commands(layerMemory(), (command) => {
  command("exception report, list, resolve; shipment exceptions", function*() {
    const shipment = yield* Facility.scheduled()
    const id = String(shipment.id)
    const words = ["--kind", "OTHER", "--priority", "LOW", "--description", "The seal was broken"]
    const { exceptionId } = yield* json("exception", "report", id, ...words)
    const once = [...words, "--idempotency-key", `seal-${id}`]
    const first = yield* json("exception", "report", id, ...once)
    assert.deepStrictEqual(yield* json("exception", "report", id, ...once), first)
    const report = yield* run("exception", "report", id, ...words)
    assert.match(report, /^exception id {2}\d+\n$/)
    const list = yield* run("shipment", "exceptions", id)
    assert.strictEqual(
      columnsOf(list).replaceAll(/ +/g, " "),
      "ID KIND PRIORITY SHIPMENT PALLET REPORTED DESCRIPTION RESOLVED"
    )
    assert.match(list, /OTHER {2}LOW .* by acme-client .*The seal was broken {2}-\n/)
    const resolution = yield* run("exception", "resolve", id, exceptionId, "--note", "Sealed again")
    assert.match(resolution, /^status +RESOLVED$/m)
    assert.match(resolution, /^resolved by +acme-client$/m)
    assert.match(resolution, /^note +Sealed again$/m)
    const { items } = yield* json("message", "list", "acme", "--type", "EXCEPTION_REPORTED")
    const after = String(items[0].id - 1)
    const output = yield* run(
      "message",
      "tail",
      "acme",
      "--after",
      after,
      "--type",
      "EXCEPTION_REPORTED",
      "--limit",
      "1"
    )
    assert.match(output, new RegExp(`EXCEPTION_REPORTED .* OTHER on shipment ${id}\\b`))
    const unknown = yield* dockline(
      ["exception", "report", id, ...words, "--pallet", "999999"],
      customer
    )
    assert.include(refusalOf(unknown), `Unknown pallet: 999999 of shipment ${id}`)
  })
})
