/** What may be wrong about times that others report, and about pallets that come late. */
import type { AskedOf, Clock } from "../src/history/History.ts"
import { eventAt, history, judges, moment } from "./Script.ts"

const far = eventAt(1, { clock: "far ahead" })

judges("times are bounded", {
  "a pallet of a time that is far ahead is taken": history().done(far),
  "a step of a time that is far behind is taken": history().done({
    operation: "arrive",
    shipmentId: 1,
    occurredAt: moment(1),
    clock: "far behind"
  }),
  "a pallet of a time that is far ahead is told": history().lost(far).log(1)
}, {
  "times that are far off are refused": history().denied(far, "INVALID_REQUEST", 422),
  "others are taken": history().done(eventAt(1, { clock: "behind" })).log(1)
})

/** A pallet passes, the shipment departs, and one more pallet is reported, with an answer and a message as given. */
const reportedLate = (verdict: string, late?: true, departure: Partial<AskedOf<"depart">> = {}) =>
  history().done(eventAt(1), { messageId: 1, verdict: "EXPECTED" }).log(1)
    .done({ operation: "depart", shipmentId: 1, ...departure }).completion(2)
    .done(eventAt(3, { late: true }), { messageId: 3, verdict }).log(3, { late })
const departsAt = (at: number, clock: Clock = "usual") => ({ occurredAt: moment(at), clock })

judges("late pallets are marked", {
  "a message is not marked": reportedLate("EXPECTED LATE"),
  "a verdict is not marked": reportedLate("EXPECTED", true),
  "a pallet in time is marked": history().log(1, { late: true }).completion(2),
  "one is taken that passed after the departure": reportedLate("EXPECTED LATE", true, departsAt(2)),
  "one is taken weeks after the departure": reportedLate("EXPECTED LATE", true, departsAt(4, "behind"))
}, {
  "one passed before the departure": reportedLate("EXPECTED LATE", true, departsAt(4)),
  "one passed before a departure that is now": reportedLate("EXPECTED LATE", true)
})
