/** D15.3: `dockline listen` with the payload profile `kargo`. */
import { assert, describe, it } from "vitest"
import * as FakeService from "../../cli/test/FakeService.ts"
import { listen, log, receiver, secret } from "../../cli/test/Listening.ts"

describe("listen", () => {
  it("D15.3 posts Kargo's profile where it is asked for, and signs what it posts", async () => {
    await using service = await FakeService.serve(log)
    await using customer = await receiver(secret, [])
    const environment = { DOCKLINE_WEBHOOK_SECRET: secret }
    const ran = await listen(service.url, customer.url, environment, "--payload-profile", "kargo")
    assert.strictEqual(ran.code, 0, ran.errors)
    assert.deepStrictEqual(customer.got.map((request) => (request as ReadonlyArray<unknown>)[2]), [
      { kargoShipmentId: "7", note: ["Größe 0"] },
      { kargoShipmentId: "7", note: "Größe 1" },
      { kargoShipmentId: "7", note: ["Größe 2"] }
    ])
  })
})
