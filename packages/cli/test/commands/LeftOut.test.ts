/** Commands of capabilities that the service leaves out. */
import { assert, describe, it } from "vitest"
import * as FakeService from "../FakeService.ts"
import { runLine } from "../Running.ts"

describe("a service that leaves a capability out", () => {
  it.each([
    ["day show acme east", "days"],
    ["trace --lot L1", "traces"],
    ["sku list --business acme --facility east", "an SKU master"],
    ["exception list", "exceptions"],
    ["shipment exceptions 1", "exceptions"],
    ["edi files", "EDI"],
    ["edi-partner list acme", "EDI"],
    ["epcis show acme", "EPCIS"],
    ["packing-list send /dev/null --business acme --facility east", "packing lists"],
    ["alert list acme", "alerts"]
  ])("is said by `%s` not to have %s", async (line, title) => {
    await using service = await FakeService.serve(FakeService.nothingThere)
    const { code, errors } = await runLine(line.split(" "), {
      env: { DOCKLINE_URL: service.url, DOCKLINE_CLIENT_ID: "me", DOCKLINE_CLIENT_SECRET: "s" }
    })
    assert.strictEqual(code, 1)
    assert.match(errors, new RegExp(`^dockline: This service does not have ${title}: `))
  })
})
