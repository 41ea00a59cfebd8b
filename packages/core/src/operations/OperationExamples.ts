/**
 * The example requests of the operations of clients, by the names of their methods, which the compiler asks for; those of documents are
 * `DocumentExamples`.
 */
import { example } from "../access/Operation.ts"
import type * as Operation from "../access/Operation.ts"
import recorded from "./answers.json" with { type: "json" }
import type { MethodOf, Operations } from "./Operations.ts"
import { events } from "./PalletExamples.ts"

/** The requests of each operation that changes something, by the names of the examples. */
export const requests: {
  readonly [Method in MethodOf<Operation.AnyWrite>]: Readonly<
    Record<string, Operation.RequestExample<Operations[Method]["body"]["Encoded"]>>
  >
} = {
  recordPallet: events,
  arrive: {
    now: example("Now", {}),
    later: example("With time and dock", { occurredAt: "2026-11-20T16:42:00Z", dockSlug: "D1" })
  },
  depart: {
    now: example("Now", {}),
    later: example("With time", { occurredAt: "2026-11-20T18:05:00Z" })
  },
  checkIn: {
    there: example("At the facility, now", { step: "AT_FACILITY" }),
    door: example("A door is assigned", {
      step: "DOOR_ASSIGNED",
      dockSlug: "D1",
      occurredAt: "2026-11-20T16:35:00Z"
    })
  },
  cancel: { now: example("Now", {}) },
  link: { link: example("A shipment of the same business", { linkedShipmentId: 2 }) }
}

/** The recorded answer to an example of each operation: what REST answers, or entries of a list. */
export const answers = recorded.answers

/** The recorded answers to a document that creates its shipment, and to one that changes it. */
export const submit = recorded.submit

/** The recorded payload of a message of each type. */
export const payloads = recorded.payloads
