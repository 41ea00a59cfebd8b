/** Messages that are invented, out of order, or told wrong, to readers, by webhook, and when they expire. */
import { adding, eventAt, history, judges, passing } from "./Script.ts"
import type { Script } from "./Script.ts"

const once = () => history().done(eventAt(1))
const depart = { operation: "depart", shipmentId: 1 } as const
const about = { exception: { id: 7, description: "X1" } }

judges("nothing is invented", {
  "nothing caused a message of a pallet": history().log(1),
  "nothing caused a completion": history().completion(1),
  "something that was refused caused one": history().denied(eventAt(1), "SHIPMENT_DEPARTED").log(1),
  "a message is in the log of another business": once().log(1, { business: "globex" }),
  "a message is of another facility": once().log(1, { facility: "west" }),
  "a message is of another shipment": once().log(1, { shipmentId: 2 }),
  "nothing caused an arrival": history().told(1, "SHIPMENT_ARRIVED"),
  "nothing caused a cancellation": history().told(1, "SHIPMENT_CANCELLED"),
  "nothing caused a report": history().told(1, "EXCEPTION_REPORTED", about),
  "a message is of a type that nobody knows": history().told(1, "SHIPMENT_LOST"),
  "a message tells of another direction": history().done(eventAt(1, { direction: "UNLOADING" })).log(1)
}, {
  "an arrival was caused by the first pallet": once().told(1, "SHIPMENT_ARRIVED").log(2, passing(1))
})

judges("ids in real-time order", {
  "what was acknowledged before has the larger id": once().done(eventAt(2)).log(3, passing(1)).log(2),
  "a departure counts by its completion": history().done(depart).done(eventAt(1, { shipmentId: 2 }))
    .log(1, { shipmentId: 2 }).completion(2)
}, {
  "what happened at the same time has any": history().during(eventAt(2), {}, (all) => all.done(eventAt(1)))
    .log(1).log(2),
  "what happened at another business has any": history().done(eventAt(2))
    .done(eventAt(1), {}, { business: "globex" }).log(1, { business: "globex" }).log(2)
})

judges("sentAt grows", { "it goes back": history().log(1, { sentAt: 5 }).log(2, { sentAt: 4 }) }, {
  "it is of each business": history().log(1, { sentAt: 5 }).log(3, { business: "globex", sentAt: 1 })
})

const reader = (facility: string | null = null) => history().reader(facility)
const three = (script: Script) => script.log(1).log(2).log(3)
const expired = (script: Script, afterId: number, droppedId: number) =>
  script.tell({ type: "expired", reader: "R", afterId, droppedId })
/** Messages 1 and 2 are copied, 3 and 4 are lost, and 10 comes after them. */
const after = (...ids: ReadonlyArray<number>) =>
  reader().copied().promoted({ acme: 2 }, 3, 4).sees(...ids).log(1).log(2).log(10)

judges("readers see the log", {
  "one of another facility": reader("east").sees(1).log(1, { facility: "west" }),
  "a gap at the beginning": three(reader().sees(2, 3)),
  "a gap in between": three(reader().sees(1, 3)),
  "a gap at the end": three(reader().sees(1, 2)),
  "nothing at all": reader().log(1),
  "a repeat": reader().sees(1, 1, 2).log(1).log(2),
  "another order": reader().sees(2, 1).log(1).log(2),
  "one that the log does not hold": reader().sees(1, 2).log(1),
  "another payload": reader().sees([1, { digest: "another" }]).log(1),
  "another facility": reader().sees([1, { facility: "west" }]).log(1),
  "another type": reader().sees([1, { messageType: "SHIPMENT_COMPLETE" }]).log(1),
  "a reader that nobody knows": reader().sees([1, { reader: "other" }]),
  "others than expired ones are left out": three(expired(reader().sees(1), 1, 3).sees(5)).log(4).log(5),
  "more are left out than were told": three(expired(reader().sees(1), 2, 3).sees(4)).log(4),
  "not what came after a promotion": after(1, 2, 3),
  "not what was there before a promotion": after(1, 10),
  "the end only of what is lost": after(1, 2, 4, 10)
}, {
  "of one facility its own": reader("east").sees(1, 3).log(1).log(2, { facility: "west" }).log(3),
  "expired ones are left out": three(expired(reader().sees(1), 1, 3).sees(4)).log(4),
  "nothing of what is lost": after(1, 2, 10),
  "the first that is lost": after(1, 2, 3, 10),
  "all that is lost": after(1, 2, 3, 4, 10)
})

const ahead = (script: Script, asked = script.history.length) =>
  script.tell({ type: "ahead", reader: "R", afterId: 3, newestId: 2, asked })
const advanced = (script: Script) => script.tell({ type: "advanced", newestId: 9 })
const beyond = () => reader().sees(1, 3).copied().promoted({ acme: 2 }, 3)
const toldTwice = () => {
  const script = ahead(beyond())
  const asked = script.history.length
  return ahead(advanced(script), asked)
}

judges("readers are told", {
  "a reader beyond the log is not told": advanced(beyond()),
  "a reader is told after ids were moved on": [ahead(advanced(beyond())), 2],
  "ids are not moved on": ahead(beyond()),
  "somebody is told without a promotion": ahead(reader().sees(1))
}, {
  "a reader beyond the log is told": advanced(ahead(beyond())),
  "a reader is told as ids are moved on": toldTwice(),
  "a reader within the log is not told": advanced(reader().sees(1).copied().promoted({ acme: 2 }, 3))
})

judges("ids are given once", {
  "a reader gets another one": reader().sees(1, [1, { digest: "another" }]),
  "an endpoint gets another one": reader().post(1, 204).post(1, 204, { digest: "another" })
}, { "a message comes again under its id": reader().sees(1, 1).post(1, 204).post(1, 204) })

const swept = (left: number) => history().tell({ type: "swept", instance: 0, expired: 9, left, millis: 100 })

judges("expired messages go", { "one is left": swept(1) }, { "none is left": swept(0) })

const retention = () => three(history().tell({ type: "retention", millis: 3000 }).reader())
const drop = (script: Script, id: number, age: number | null) =>
  script.tell({ type: "dropped", business: "acme", id, age })
const dropped = () => drop(retention(), 1, 4000)

judges("nothing else goes", {
  "what is too young is dropped": drop(retention(), 1, 2900),
  "something is dropped where messages do not expire": drop(history(), 1, 1e9),
  "a reader is told of what was not dropped": expired(dropped(), 0, 2),
  "a reader is told of what it has read": expired(dropped(), 1, 1)
}, {
  "what is old enough is dropped, or where clocks are wrong": drop(drop(retention(), 1, 3001), 2, null),
  "a reader is told of what was dropped": expired(dropped(), 0, 1)
})

const endpoint = () => history().endpoint()
const failed = () => endpoint().post(1, 500)
const backlog = (count: number, enabled: boolean) =>
  endpoint().tell({ type: "backlog", endpoint: "E", count, enabled })
const gone = (script: Script) => script.tell({ type: "dropped", business: "acme", id: 1, age: null })

judges("delivered or dead", {
  "one is missing": failed().log(1),
  "one waits for ever": failed().log(1).delivery(1, "PENDING"),
  "one was given up early": failed().log(1).delivery(1, "DEAD", 9),
  "one counts as delivered that never came": endpoint().log(1).delivery(1),
  "one counts as delivered that had no answer": endpoint().post(1, 0).log(1).delivery(1),
  "one counts as delivered that was redirected": endpoint().post(1, 302).log(1).delivery(1),
  "one was answered by another customer": endpoint().endpoint("F").post(1, 204).log(1).delivery(1)
    .delivery(1, "DELIVERED", 1, "F"),
  "one has two deliveries": endpoint().post(1, 204).delivery(1).delivery(1).log(1),
  "one is for another endpoint": endpoint().post(1, 204).delivery(1).log(1, { business: "globex" }),
  "an endpoint has a backlog": backlog(1, true),
  "an endpoint is disabled": backlog(0, false),
  "a dropped one counts as delivered": gone(endpoint().log(1).delivery(1))
}, {
  "each is answered 2xx in the end, or is dead after all its attempts": failed().post(1, 0).post(1, 204)
    .log(1).log(2).delivery(1).delivery(2, "DEAD", 10),
  "a dropped one has no record": gone(endpoint().log(1)),
  "a dropped one was given up": gone(endpoint().log(1).delivery(1, "DEAD", 2))
})

const before = () => endpoint().post(2, 204).log(1).log(2)

judges("order of the shipment", {
  "a later one comes before the earlier": endpoint().post(2, 204).post(1, 204).log(1).log(2),
  "a later one comes before the earlier was answered well": failed().post(2, 204).log(1).log(2),
  "a later one comes before the earlier is dead": failed().post(2, 204).post(1, 500).log(1).log(2)
    .delivery(1, "DEAD", 10),
  "an earlier one never came": before()
}, {
  "a later one comes when the earlier was delivered, and is followed by a repeat of that": failed()
    .post(1, 204).post(2, 204).post(1, 204).log(1).log(2),
  "another shipment does not wait": failed().post(2, 204).log(1).log(2, { shipmentId: 2 }),
  "nothing waits for the dead": failed().post(2, 204).log(1).log(2).delivery(1, "DEAD", 10),
  "nothing waits for what never came and is dead": before().delivery(1, "DEAD", 10),
  "an earlier one was dropped": gone(before())
})

judges("sent as in the log", {
  "another payload": endpoint().post(1, 204, { digest: "other" }).log(1),
  "to a path that is none": endpoint().post(1, 204, { path: "/astray" }).log(1),
  "to the path of another type": endpoint().post(1, 204, { path: "/api/shipmentComplete" }).log(1),
  "under another id": endpoint().post(2, 204).log(1),
  "without a signature": endpoint().post(1, 204, { signed: false }).log(1)
}, { "a document has none": endpoint().done(adding(["L1"])) })
