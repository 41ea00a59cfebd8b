/**
 * Generated pallets, and what else happens to shipments in motion. License plates and shipments come from small pools, so
 * that pallets repeat, match and miss.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { checkInSteps } from "@dockline/core/values/Vocabulary"
import * as fc from "fast-check"
import { recently } from "./Recently.ts"
import * as Values from "./Values.ts"

const day = 86_400

/**
 * A second of one minute, as times of occurrence are: before, at and after each other; sometimes far ahead, long past, or so early
 * that a departure of then takes no late pallets any more.
 */
const seconds = fc.oneof(
  { weight: 12, arbitrary: fc.nat(59) },
  { weight: 1, arbitrary: fc.constantFrom(3600, -40 * day, -5 * day, -4 * day) }
)

/** The time that a second stands for. */
export const timeOf = (second: number): Timestamp.Timestamp =>
  Timestamp.fromMillis(Date.parse(recently("17:00:00.000Z")) + second * 1000)

/** The shipments of {@link motions}, each of which is there from the start. */
export const movingNumbers = ["S1", "S2", "S3"] as const

const numbers = fc.constantFrom(...movingNumbers)
const plates = fc.constantFrom("", "L1", "L2", "L3")

/** Mostly what can be recorded, so that pallets go on and off; each refusal comes up too. */
const crossing = fc.record({
  _tag: fc.constant("Pallet" as const),
  eventId: fc.integer({ min: 1, max: 24 }).map((n) => `E${n}`),
  facility: fc.constantFrom("east", "east", "east", "east", "east", "east", "west"),
  dockSlug: fc.constantFrom("D1", "D1", "D1", "D1", "D2", "D2", "D9"),
  direction: Values.crossings,
  second: seconds,
  lpn: fc.constantFrom("L1", "L1", "L2", ""),
  shipmentNumber: fc.constantFrom("S1", "S1", "S1", "S2", "", "", "S9")
})

const motion = fc.oneof(
  { arbitrary: crossing, weight: 6 },
  {
    arbitrary: fc.record({ _tag: fc.constant("Document" as const), number: numbers, lpn: plates }),
    weight: 2
  },
  {
    arbitrary: fc.record({ _tag: fc.constant("Arrive" as const), number: numbers, second: seconds }),
    weight: 1
  },
  {
    arbitrary: fc.record({
      _tag: fc.constant("Depart" as const),
      number: numbers,
      second: fc.option(seconds, { nil: undefined })
    }),
    weight: 1
  },
  {
    arbitrary: fc.record({
      _tag: fc.constant("CheckIn" as const),
      number: numbers,
      step: fc.constantFrom(...checkInSteps),
      dockSlug: fc.constantFrom("", "D1", "D1", "D2", "D9"),
      second: seconds
    }),
    weight: 1
  },
  { arbitrary: fc.record({ _tag: fc.constant("Cancel" as const), number: numbers }), weight: 1 },
  { arbitrary: fc.record({ _tag: fc.constant("Link" as const), number: numbers, other: numbers }), weight: 1 }
)

/** One thing that happens to shipments in motion: a pallet, a document or a step. */
export type Motion = typeof motion extends fc.Arbitrary<infer A> ? A : never

/**
 * What happens to the shipments {@link movingNumbers}, one thing after another; long, as a pallet that comes off again
 * before its shipment departs takes some time to come about.
 */
export const motions: fc.Arbitrary<ReadonlyArray<Motion>> = fc.array(motion, {
  minLength: 1,
  maxLength: 40,
  size: "medium"
})
