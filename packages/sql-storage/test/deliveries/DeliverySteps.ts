/**
 * Random histories of webhook endpoints: what operators, dispatchers and the log do, one thing after another.
 */
import { messageTypes } from "@dockline/core/values/Vocabulary"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import type { DeliveryResult } from "@dockline/core/webhooks/Delivery"
import * as fc from "fast-check"

/** What became of a message that was handed out, or of another one of the record. */
interface Fate {
  readonly of: number
  readonly status: DeliveryResult["status"]
  readonly again: number
}

/** One thing that happens. Numbers stand for what there is at the time, counted round. */
export type Step =
  | {
    readonly _tag: "append"
    readonly shipments: ReadonlyArray<number>
    readonly facility: string
    readonly type: MessageType
  }
  | {
    readonly _tag: "create"
    readonly facility: string | null
    readonly types: ReadonlyArray<MessageType>
    readonly from: number | null
  }
  | { readonly _tag: "open"; readonly of: number }
  | {
    readonly _tag: "take"
    readonly of: number
    readonly limit: number
    readonly text: number
    readonly again: boolean
  }
  | {
    readonly _tag: "settle"
    readonly of: number
    readonly fates: ReadonlyArray<Fate>
    readonly moves: boolean
    readonly stale: boolean
    readonly disable: "GONE" | "FAILING" | undefined
    readonly waits: boolean
  }
  | {
    readonly _tag: "update"
    readonly of: number
    readonly enabled: boolean
    readonly types: ReadonlyArray<MessageType>
  }
  | { readonly _tag: "replay"; readonly of: number; readonly message: number }
  | {
    readonly _tag: "replayRange"
    readonly of: number
    readonly from: number
    readonly to: number
    readonly times: boolean
  }
  | { readonly _tag: "drop" }
  | { readonly _tag: "remove"; readonly of: number }

const of = fc.constantFrom(0, 0, 1, 2)
const types = fc.constantFrom<ReadonlyArray<MessageType>>(messageTypes, ["PALLET_EVENT"], [
  "SHIPMENT_COMPLETE"
])
const rarely = fc.nat(19).map((n) => n === 0)
const mostly = fc.nat(3).map((n) => n > 0)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("append"),
      shipments: fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
      facility: fc.constantFrom("east", "west"),
      type: fc.constantFrom("PALLET_EVENT", "PALLET_EVENT", "SHIPMENT_COMPLETE")
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("create"),
      facility: fc.constantFrom(null, null, "west"),
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
          status: fc.constantFrom("DELIVERED", "DELIVERED", "PENDING", "DEAD"),
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
  { weight: 1, arbitrary: fc.constant<Step>({ _tag: "drop" }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("remove"), of: fc.constantFrom(1, 2) }) }
) as fc.Arbitrary<Step>

/** Histories of endpoints, long enough for backlogs, retries and replays to meet. */
export const deliveryHistories: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(step, {
  minLength: 20,
  maxLength: 60
}).map(
  (steps) => [
    { _tag: "create", facility: null, types: messageTypes, from: null } satisfies Step,
    ...steps
  ]
)
