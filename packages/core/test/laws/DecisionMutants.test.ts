/**
 * Mutants of decisions and of their answers: rules with one mistake each, caught by a law as in `Mutants.test.ts`.
 */
import { acme, east } from "@dockline/testing/generators/Given"
import * as AnswerLaws from "@dockline/testing/laws/AnswerLaws"
import * as DecisionLaws from "@dockline/testing/laws/DecisionLaws"
import { Result } from "effect"
import { decide } from "../../src/document/Decision.ts"
import type { Plan } from "../../src/document/Plan.ts"
import { defaultStrategies } from "../../src/document/Strategy.ts"
import type { Mutant } from "./MutantRules.ts"
import { answering, applying, deciding, eachIsCaught, itemsBefore, planning } from "./MutantRules.ts"

/** How many documents the decision that counts them has seen. */
let count = 0

const mutantsOfDecisions: ReadonlyArray<Mutant> = [
  {
    name: "a document is decided with an APPEND that adds what is there",
    caughtBy: DecisionLaws.keysStayUnique((document, snapshot) =>
      decide(document, snapshot, {
        ...defaultStrategies,
        APPEND: applying((_, incoming) => ({ created: incoming }))
      })
    )
  },
  {
    name: "a document without items removes those of its order",
    caughtBy: DecisionLaws.noItemsChangeNone((document, snapshot) =>
      Result.map(decide(document, snapshot), (plan) => ({
        ...plan,
        orders: plan.orders.map((change, index) =>
          document.orders[index]!.items.length > 0
            ? change
            : { ...change, items: { created: [], updated: [], removed: itemsBefore(snapshot, change) } }
        )
      }))
    )
  },
  {
    name: "a document clears the carrier with \"\"",
    caughtBy: DecisionLaws.shipmentsClearNothing((document, snapshot) =>
      Result.map(decide(document, snapshot), (plan): Plan => ({
        ...plan,
        shipment: plan.shipment._tag === "Create"
          ? plan.shipment
          : { ...plan.shipment, shipment: { ...plan.shipment.shipment, carrier: document.carrier } }
      }))
    )
  },
  {
    name: "a document changes a departed shipment",
    caughtBy: DecisionLaws.departedIsFinal(deciding(({ target }) => ({
      target: target === null ? null : { ...target, status: "SCHEDULED" }
    })))
  },
  {
    name: "a document applies the strategy of its first order to all of them",
    caughtBy: DecisionLaws.strategiesArePerOrder((document, snapshot) =>
      decide({
        ...document,
        orders: document.orders.map((order) => ({ ...order, strategy: document.orders[0]!.strategy }))
      }, snapshot)
    )
  },
  {
    name: "a document takes an order from an arrived or linked shipment",
    caughtBy: DecisionLaws.remapsOnlyFromScheduled(deciding(({ candidates }) => ({
      candidates: candidates.map((each) => ({
        ...each,
        shipmentStatus: "SCHEDULED",
        shipmentIsLinked: false
      }))
    })))
  },
  {
    name: "a document takes an order of the other direction",
    caughtBy: DecisionLaws.remapsTheLatest(deciding(({ candidates }) => ({
      candidates: candidates.map((each) => ({ ...each, order: { ...each.order, direction: "OUTBOUND" } }))
    })))
  },
  {
    name: "a decision counts the documents",
    caughtBy: DecisionLaws.isPure(planning(({ shipment }) => ({
      shipment: shipment._tag === "Create"
        ? { ...shipment, shipment: { ...shipment.shipment, carrier: String(++count) } }
        : shipment
    })))
  },
  {
    name: "a document loses its last order",
    caughtBy: DecisionLaws.orderNumbersStayUnique(planning(({ orders }) => ({ orders: orders.slice(0, -1) })))
  },
  {
    name: "a document removes an item that its strategy leaves",
    caughtBy: DecisionLaws.theUnnamedStays(planning(({ orders }, snapshot) => ({
      orders: orders.map((change) => ({
        ...change,
        items: { ...change.items, removed: itemsBefore(snapshot, change).slice(0, 1), updated: [] }
      }))
    })))
  },
  {
    name: "a document clears what it does not say of an order",
    caughtBy: DecisionLaws.ordersClearNothing((document, snapshot) =>
      Result.map(decide(document, snapshot), (plan) => ({
        ...plan,
        orders: plan.orders.map((change, index) =>
          change.order._tag === "Create" ? change : {
            ...change,
            order: { ...change.order, order: { ...change.order.order, ...document.orders[index]!.fields } }
          }
        )
      }))
    )
  },
  {
    name: "a plan says that it changes a shipment that it leaves",
    caughtBy: DecisionLaws.changesAreTold(planning(({ shipment }) => ({
      shipment: shipment._tag === "Create" ? shipment : { ...shipment, isChanged: true }
    })))
  },
  {
    name: "a document is told of its dock before its facility",
    caughtBy: DecisionLaws.refusesWhatItMust((document, snapshot) =>
      decide(
        document,
        document.dockSlug !== "" && snapshot.dock === null
          ? { ...snapshot, business: acme, facility: east }
          : snapshot
      )
    )
  }
]

const mutantsOfAnswers: ReadonlyArray<Mutant> = [
  {
    name: "the answer leaves out the items that an order keeps",
    caughtBy: AnswerLaws.applyingGivesTheAnswer(decide, {
      answer: answering(({ shipment }) => ({
        shipment: { ...shipment, orders: shipment.orders.map((order) => ({ ...order, items: [] })) }
      }))
    })
  },
  {
    name: "the answer names what is created backwards",
    caughtBy: AnswerLaws.createdIsWhatIsPlanned(decide, {
      answer: answering(({ created }) => ({ created: created.toReversed() }))
    })
  },
  {
    name: "the answer is 200 though an item was created",
    caughtBy: AnswerLaws.createdIsWhatIsNew(decide, {
      answer: answering(({ created }) => ({ created: created.filter(({ type }) => type !== "ORDER_ITEM") }))
    })
  },
  {
    name: "the answer does not name the order that it found",
    caughtBy: AnswerLaws.updatedNamesWhatMatched(decide, {
      answer: answering(({ updated }) => ({ updated: updated.filter(({ type }) => type !== "ORDER") }))
    })
  },
  {
    name: "the answer names items by their ids",
    caughtBy: AnswerLaws.referencesFollowTheRules(decide, {
      answer: answering(({ removed }) => ({
        removed: removed.map((each) => ({ ...each, reference: each.id }))
      }))
    })
  },
  {
    name: "the answer names what is removed backwards",
    caughtBy: AnswerLaws.nothingIsNamedTwice(decide, {
      answer: answering(({ removed }) => ({ removed: removed.toReversed() }))
    })
  },
  {
    name: "the answer lists orders backwards",
    caughtBy: AnswerLaws.idsAreInOrder(decide, {
      answer: answering(({ shipment }) => ({
        shipment: { ...shipment, orders: shipment.orders.toReversed() }
      }))
    })
  }
]

eachIsCaught("decisions", mutantsOfDecisions, DecisionLaws.everyLaw(decide))
eachIsCaught("answers", mutantsOfAnswers, AnswerLaws.everyLaw(decide))
