/**
 * Random histories of webhook endpoints: what operators, dispatchers and the log do, one thing after another.
 */
import { messageTypes } from "@dockline/core/values/Vocabulary"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import type { DeliveryResult } from "@dockline/core/webhooks/Delivery"
import * as fc from "fast-check"

const of = fc.constantFrom(0, 0, 1, 2)
/** The type of what is in the outbox. */
export const letter = "LETTER"

const types = fc.constantFrom<ReadonlyArray<MessageType>>(
  messageTypes,
  ["PALLET_EVENT"],
  ["SHIPMENT_COMPLETE"],
  [...messageTypes, letter],
  ["PALLET_EVENT", letter],
  [letter]
)
const rarely = fc.nat(19).map((n) => n === 0)
const mostly = fc.nat(3).map((n) => n > 0)

/** One thing that happens. Numbers stand for what there is at the time, counted round. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("append"),
      shipments: fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
      facility: fc.constantFrom("east", "west"),
      type: fc.constantFrom<MessageType>("PALLET_EVENT", "PALLET_EVENT", "SHIPMENT_COMPLETE")
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("post"),
      shipment: fc.nat(3),
      facility: fc.constantFrom("east", "west")
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("create"),
      facility: fc.constantFrom<string | null>(null, null, "west"),
      types,
      from: fc.option(fc.nat(9))
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("open"), of }) },
  {
    weight: 8,
    arbitrary: fc.record({
      _tag: fc.constant("take"),
      of,
      limit: fc.integer({ min: 1, max: 12 }),
      text: fc.integer({ min: 1, max: 120 }),
      again: rarely
    })
  },
  {
    weight: 10,
    arbitrary: fc.record({
      _tag: fc.constant("settle"),
      of,
      fates: fc.uniqueArray(
        fc.record({
          of: fc.nat(30),
          status: fc.constantFrom<DeliveryResult["status"]>("DELIVERED", "DELIVERED", "PENDING", "DEAD"),
          again: fc.nat(30)
        }),
        { maxLength: 6, selector: (fate) => fate.of }
      ),
      moves: mostly,
      stale: rarely,
      disable: fc.nat(30).map((n) => n === 0 ? "GONE" : n === 1 ? "FAILING" : undefined),
      waits: rarely
    })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("update"), of, enabled: mostly, types }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("replay"), of, message: fc.nat(30) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("replayRange"),
      of,
      from: fc.nat(30),
      to: fc.nat(30),
      times: fc.boolean()
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("drop") }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("remove"), of: fc.constantFrom(1, 2) }) }
)

export type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** Histories of endpoints, long enough for backlogs, retries and replays to meet. */
export const deliveryHistories: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(step, {
  minLength: 20,
  maxLength: 60
}).map(
  (steps): ReadonlyArray<Step> => [
    { _tag: "create", facility: null, types: messageTypes, from: null },
    ...steps
  ]
)
