/**
 * Laws of remapping: which order on another shipment a document means (WIRE.md, processing rules 3 and 4; D3.3).
 */
import * as assert from "@dockline/testing/Assert"
import { candidates, orderKeys } from "@dockline/testing/generators/Situations"
import * as Law from "@dockline/testing/Law"
import * as fc from "fast-check"
import type { Candidate, chooseCandidate } from "../../src/document/Plan.ts"

/** The rule: the candidate that a document means, if any. */
export type Choose = typeof chooseCandidate

interface Choice {
  readonly candidates: ReadonlyArray<Candidate>
  readonly orderNumber: string
  readonly direction: string
}

const choices = fc.tuple(candidates, orderKeys).map(([candidates, order]): Choice => ({
  candidates,
  ...order
}))

const law = (
  name: string,
  choose: Choose,
  holds: (candidate: Candidate | undefined, choice: Choice) => void
): Law.Law =>
  Law.make(
    name,
    choices,
    (choice) => holds(choose(choice.candidates)(choice.orderNumber, choice.direction), choice),
    400,
    Law.brief
  )

/** A law of what is taken, where anything is. */
const ofTaken = (
  name: string,
  choose: Choose,
  holds: (candidate: Candidate, choice: Choice) => void
): Law.Law =>
  law(name, choose, (candidate, choice) => {
    if (candidate !== undefined) holds(candidate, choice)
  })

/** D3.3: an order is never taken from a shipment that has arrived or departed. */
export const neverFromArrived = (choose: Choose): Law.Law =>
  ofTaken(
    "D3.3 none is taken from a shipment that has arrived",
    choose,
    ({ shipmentStatus }) => assert.strictEqual(shipmentStatus, "SCHEDULED")
  )

/** D3.3: an order is never taken from a shipment that is linked to another. */
export const neverFromLinked = (choose: Choose): Law.Law =>
  ofTaken(
    "D3.3 none is taken from a linked shipment",
    choose,
    ({ shipmentIsLinked }) => assert.isFalse(shipmentIsLinked)
  )

/** D3.3: what is taken is one of the candidates, of the document's direction and number. */
export const keepsNumberAndDirection = (choose: Choose): Law.Law =>
  ofTaken("D3.3 what is taken has the number and the direction", choose, (candidate, choice) => {
    assert.include(choice.candidates, candidate)
    assert.strictEqual(candidate.order.number, choice.orderNumber)
    assert.strictEqual(candidate.order.direction, choice.direction)
  })

const eligible = ({ candidates, direction, orderNumber }: Choice): ReadonlyArray<Candidate> =>
  candidates.filter(({ order, shipmentIsLinked, shipmentStatus }) =>
    order.number === orderNumber && order.direction === direction && shipmentStatus === "SCHEDULED" &&
    !shipmentIsLinked
  )

/** D3.3: of several that may be taken none is later than the one that is; of two made at once the later id. */
export const takesTheLatest = (choose: Choose): Law.Law =>
  ofTaken(
    "D3.3 of those that may be taken none is later than the one that is",
    choose,
    (candidate, choice) => {
      for (const other of eligible(choice)) {
        assert.isTrue(other.createdAt <= candidate.createdAt)
        if (other.createdAt === candidate.createdAt) {
          assert.isTrue(BigInt(other.order.id) <= BigInt(candidate.order.id))
        }
      }
    }
  )

/** D3.3: one is taken if any may be. */
export const takesOneIfAny = (choose: Choose): Law.Law =>
  law(
    "D3.3 one is taken if any may be",
    choose,
    (candidate, choice) => assert.strictEqual(candidate !== undefined, eligible(choice).length > 0)
  )

/** The choice does not depend on the order in which a storage lists the candidates. */
export const ignoresTheirOrder = (choose: Choose): Law.Law =>
  law(
    "the choice does not depend on the order in which they stand",
    choose,
    (candidate, choice) =>
      assert.strictEqual(
        choose(choice.candidates.toReversed())(choice.orderNumber, choice.direction),
        candidate
      )
  )

/** What the rule of remapping promises. */
export const everyChoice = (choose: Choose): ReadonlyArray<Law.Law> => [
  neverFromArrived(choose),
  neverFromLinked(choose),
  keepsNumberAndDirection(choose),
  takesTheLatest(choose),
  takesOneIfAny(choose),
  ignoresTheirOrder(choose)
]
