/** D15.3: webhooks with the payload profile `kargo`, over real sockets. */
import { assert } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { vault } from "../../../test/http/operator/Operator.ts"
import { sentTo } from "../../../test/http/operator/SentTest.ts"
import { serving } from "../../../test/http/Serving.ts"
import { messaging } from "../../../test/support/TestMessaging.ts"
import { layerMemory } from "../../../test/support/TestServer.ts"

serving("D15.3 an endpoint with the profile kargo", layerMemory(messaging(vault)), (test) => {
  test("Kargo's profile has its names, and is what is signed and shown", function*() {
    const { made, received, view } = yield* sentTo({ payloadProfile: "kargo" })
    const payload = new Webhook(made.signingSecret).verify(
      received.body,
      received.headers as Record<string, string>
    ) as Record<string, unknown>
    assert.deepInclude(payload, { kargoShipmentId: "0", kargoPalletId: "0", LPN: [], SKUs: [], test: true })
    assert.notProperty(payload, "serviceShipmentId")
    assert.strictEqual(view.request!.body, received.body)
  })
})
