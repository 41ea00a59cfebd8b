/** D9.10: what became of a message at an endpoint follows from the endpoint, the message and the record. */
import { assert, describe, it } from "@effect/vitest"
import * as Timestamp from "../../src/values/Timestamp.ts"
import type { Delivery } from "../../src/webhooks/Delivery.ts"
import { messageState } from "../../src/webhooks/Delivery.ts"

const endpoint = {
  facility: null,
  messageTypes: ["PALLET_EVENT"],
  enabled: true,
  cursorId: 10,
  login: null
}
const message = { id: 7, facility: "east", type: "PALLET_EVENT" }
const at = Timestamp.of("2026-11-20T12:00:00.000Z")
const delivery: Delivery = {
  messageId: 7,
  messageType: "PALLET_EVENT",
  shipmentId: 1,
  status: "PENDING",
  tries: 1,
  failedSince: at,
  attempts: [{ at, status: 500, durationMs: 1, response: "", error: "" }],
  nextAttemptAt: at
}
const login = { failures: 2, retryAt: at, error: "the login answered 401" }

describe("D9.10 a message at an endpoint", () => {
  it.each([
    ["that took it", {}, {}, { ...delivery, status: "DELIVERED" as const }, "DELIVERED", /took it/],
    ["that failed", {}, {}, delivery, "PENDING", /tries again/],
    ["where it is due", {}, {}, { ...delivery, attempts: [] }, "PENDING", /is due/],
    ["behind another", {}, {}, { ...delivery, nextAttemptAt: null }, "PENDING", /earlier message/],
    ["that is disabled", { enabled: false }, {}, delivery, "PENDING", /disabled/],
    ["whose login fails", { login }, {}, delivery, "PENDING", /answered 401/],
    ["that was given up", {}, {}, { ...delivery, status: "DEAD" as const }, "DEAD", /gave up/],
    ["of another facility", { facility: "west" }, {}, undefined, "OTHER_FACILITY", /only messages of west/],
    ["of its facility", { facility: "east" }, { id: 11 }, undefined, "QUEUED", /waits for earlier/],
    ["of other types", {}, { type: "SHIPMENT_COMPLETE" }, undefined, "OTHER_TYPE", /SHIPMENT_COMPLETE/],
    ["that has not reached it", { login }, { id: 11 }, undefined, "QUEUED", /answered 401/],
    ["that is disabled before it", { enabled: false }, { id: 11 }, undefined, "QUEUED", /disabled/],
    ["that came later", {}, {}, undefined, "NOT_SENT", /replay/]
  ])("%s", (_, settings, fields, record, state, reason) => {
    const result = messageState({ ...endpoint, ...settings }, { ...message, ...fields }, record)
    assert.strictEqual(result.state, state)
    assert.match(result.reason, reason)
  })
})
