/** Webhooks that were lost, invented, out of order, or counted as delivered without an answer. */
import { judges, Script } from "./Script.ts"

const endpoint = () => new Script().endpoint()
const failed = () => endpoint().post(1, 500)
const backlog = (count: number, enabled: boolean) =>
  endpoint().tell({ type: "backlog", endpoint: "E", count, enabled })
const dropped = (script: Script) => script.tell({ type: "dropped", business: "acme", id: 1, age: null })

judges(
  "delivered or dead",
  [
    "each is answered 2xx in the end, or is dead after all its attempts",
    failed().post(1, 0).post(1, 204).log(1).log(2).delivery(1).delivery(2, "DEAD", 10)
  ],
  ["one is missing", failed().log(1), 1],
  ["one waits for ever", failed().log(1).delivery(1, "PENDING"), 1],
  ["one was given up early", failed().log(1).delivery(1, "DEAD", 9), 1],
  ["one counts as delivered that never came", endpoint().log(1).delivery(1), 1],
  ["one counts as delivered that had no answer", endpoint().post(1, 0).log(1).delivery(1), 1],
  ["one counts as delivered that was redirected", endpoint().post(1, 302).log(1).delivery(1), 1],
  [
    "one was answered by another customer",
    endpoint().endpoint("F").post(1, 204).log(1).delivery(1).delivery(1, "DELIVERED", 1, "F"),
    1
  ],
  ["one has two deliveries", endpoint().post(1, 204).delivery(1).delivery(1).log(1), 1],
  ["one is for another endpoint", endpoint().post(1, 204).delivery(1).log(1, { business: "globex" }), 1],
  ["an endpoint has nothing left", backlog(0, true)],
  ["an endpoint has a backlog", backlog(1, true), 1],
  ["an endpoint is disabled", backlog(0, false), 1],
  ["a dropped one has no record", dropped(endpoint().log(1))],
  ["a dropped one was given up", dropped(endpoint().log(1).delivery(1, "DEAD", 2))],
  ["a dropped one counts as delivered", dropped(endpoint().log(1).delivery(1)), 1]
)

const before = () => endpoint().post(2, 204).log(1).log(2)

judges(
  "order of the shipment",
  [
    "a later one comes when the earlier was delivered, and is followed by a repeat of that",
    failed().post(1, 204).post(2, 204).post(1, 204).log(1).log(2)
  ],
  ["a later one comes before the earlier", endpoint().post(2, 204).post(1, 204).log(1).log(2), 1],
  ["a later one comes before the earlier was answered well", failed().post(2, 204).log(1).log(2), 1],
  ["another shipment does not wait", failed().post(2, 204).log(1).log(2, { shipmentId: 2 })],
  ["nothing waits for the dead", failed().post(2, 204).log(1).log(2).delivery(1, "DEAD", 10)],
  ["nothing waits for what never came and is dead", before().delivery(1, "DEAD", 10)],
  [
    "a later one comes before the earlier is dead",
    failed().post(2, 204).post(1, 500).log(1).log(2).delivery(1, "DEAD", 10),
    1
  ],
  ["an earlier one never came", before(), 1],
  ["an earlier one was dropped", dropped(before())]
)

judges(
  "sent as in the log",
  ["the same each time", failed().post(1, 204).log(1)],
  ["a completion to its own path", endpoint().post(2, 204, { path: "/api/shipmentComplete" }).completion(2)],
  ["another payload", endpoint().post(1, 204, { digest: "other" }).log(1), 1],
  ["to a path that is none", endpoint().post(1, 204, { path: "/astray" }).log(1), 1],
  ["to the path of another type", endpoint().post(1, 204, { path: "/api/shipmentComplete" }).log(1), 1],
  ["under another id", endpoint().post(2, 204).log(1), 1],
  ["without a signature", endpoint().post(1, 204, { signed: false }).log(1), 1]
)
