/** The guarantees for reported times (D21): which are accepted, and what happens to late pallets. */
import type { AskedOf } from "../history/History.ts"
import { found, isOk } from "./Facts.ts"
import type { Call, Facts, Finding } from "./Facts.ts"
import { isPallet, reportedOf } from "./MovementRules.ts"

/** Whether a time is outside the accepted range, however wrong the clocks of instances are. */
const isFar = (asked: object): boolean =>
  "clock" in asked && (asked.clock === "far ahead" || asked.clock === "far behind")

/** Whether a time is refused for a reason: it is far off. The clocks of instances do not count. */
export const isUntimely = ({ invoke: { asked }, outcome }: Call): boolean =>
  outcome?.type === "refused" && outcome.code === "INVALID_REQUEST" && isFar(asked)

/** A time that is far off is refused, and no message mentions it (D21.2). */
export const timesAreBounded = function*(facts: Facts): Finding {
  for (const call of facts.calls.filter(isOk)) {
    const { asked } = call.invoke
    if (isFar(asked)) yield found(`${asked.operation} was acknowledged, the time of which is far off`, call)
  }
  const far = new Map(
    facts.of("event").filter(({ asked }) => isFar(asked)).map((each) => [each.asked.occurredAt, each])
  )
  for (const message of facts.log) {
    const request = far.get(message.pallets[0]?.occurredAt ?? "")
    if (request !== undefined) {
      yield found(`message ${message.id} has a time that is far off`, request, message)
    }
  }
}

/**
 * Whether a departed shipment accepts a pallet, by the time of its departure. Without a reported time, that is the time of the server, to
 * which only a pallet with a clock that is ahead may not be earlier. A departure that is long past accepts none.
 */
const takesLate = (facts: Facts, { clock, occurredAt, shipmentId }: AskedOf<"event">) => {
  const departures = facts.of("depart").filter(({ asked }) => asked.shipmentId === shipmentId)
  const departure = departures.find(({ isRefused }) => !isRefused)?.asked
  if (departure?.occurredAt === undefined) return clock === "ahead" ? "perhaps" : "yes"
  return departure.clock !== "behind" && occurredAt <= departure.occurredAt ? "yes" : "no"
}

/** Whether a pallet may have come too late. */
export const isTooLate = (facts: Facts, { invoke: { asked }, outcome }: Call): boolean =>
  asked.operation === "event" && asked.late && outcome?.type === "refused" &&
  outcome.code === "SHIPMENT_DEPARTED" && takesLate(facts, asked) !== "yes"

/** A pallet after the departure is marked in its message and its verdict, no other is, and none is accepted too late (D21.4). */
export const latePalletsAreMarked = function*(facts: Facts): Finding {
  const completions = new Map(
    facts.log.filter(({ messageType }) => messageType === "SHIPMENT_COMPLETE")
      .map((each) => [each.shipmentId, each])
  )
  const requests = reportedOf(facts)
  for (const message of facts.log.filter(isPallet)) {
    const completion = completions.get(message.shipmentId)
    const isLate = message.id > (completion?.id ?? Infinity)
    const request = requests.get(`${message.business} ${message.pallets[0]?.occurredAt}`)
    const verdict = request?.acknowledged?.answer.verdict
    const text = isLate !== (message.late === true)
      ? `is ${message.late === true ? "" : "not "}marked as late`
      : verdict !== undefined && verdict.endsWith(" LATE") !== isLate
      ? `was answered as ${verdict}`
      : isLate && request !== undefined && takesLate(facts, request.asked) === "no"
      ? "was taken too late"
      : undefined
    if (text === undefined) continue
    const place = isLate ? "after" : "not after"
    yield found(
      `message ${message.id}, which is ${place} the departure, ${text}`,
      request,
      completion,
      message
    )
  }
}
