/** The test message of an endpoint, as its receiver gets it. */
import type { TestView } from "@dockline/core/operator/OperatorView"
import { Effect } from "effect"
import * as CustomerServer from "../../../packages/webhook-adapter/test/CustomerServer.ts"
import { bodyOf, makeEndpoint, operate } from "./Operator.ts"

/** Makes an endpoint, and sends it a test. */
export const sentTo = Effect.fnUntraced(
  function*(fields: Readonly<Record<string, unknown>>, test: object = {}) {
    const customer = yield* CustomerServer.http((_, response) => response.writeHead(204).end())
    const made = yield* makeEndpoint("acme", { baseUrl: customer.url, enabled: false, ...fields })
    const view = bodyOf<TestView>(yield* operate("POST", `webhook-endpoints/${made.id}/test`, test), 200)
    return { made, view, received: customer.received[0]! }
  }
)
