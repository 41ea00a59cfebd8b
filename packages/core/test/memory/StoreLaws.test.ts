/** The services over the stores in memory keep their laws; over stores that are wrong in one way each they do not. */
import * as Law from "@dockline/testing/Law"
import * as IntakeLaws from "@dockline/testing/laws/IntakeLaws"
import * as MovementLaws from "@dockline/testing/laws/MovementLaws"
import * as SerialLaws from "@dockline/testing/laws/SerialLaws"
import { assert, describe, it } from "@effect/vitest"
import type { Layer } from "effect"
import { often, runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import * as Snapshots from "./WrongSnapshots.ts"
import * as Storages from "./WrongStorages.ts"

const lawsOver = (stores: Layer.Layer<Memory.Stores>) =>
  [
    ["documents", IntakeLaws.everyLaw(stores)],
    ["shipments in motion", MovementLaws.everyLaw(stores)],
    ["documents at once", SerialLaws.everyLaw(stores)]
  ] as const

for (const [name, laws] of lawsOver(Memory.layer)) Law.register(runner, name, laws, often)

describe("a storage that", () => {
  type Stores = ReturnType<typeof Storages.storage>
  type StoreLaw = IntakeLaws.IntakeLaw | MovementLaws.MovementLaw | SerialLaws.SerialLaw
  const storages: ReadonlyArray<readonly [string, Stores, ReadonlyArray<StoreLaw>]> = [
    ["writes dry runs", Storages.writesDryRuns, [
      IntakeLaws.createdIsWhatIsNew,
      IntakeLaws.removedIsWhatIsGone,
      IntakeLaws.dryRunsChangeNothing,
      IntakeLaws.refusedLeavesNothing
    ]],
    ["forgets case serials", Storages.forgetsCaseSerials, [IntakeLaws.theAnswerIsStored]],
    ["uses ids again", Storages.reusesIds, [IntakeLaws.idsAreNeverUsedAgain]],
    ["updates the first of several orders", Snapshots.updatesTheFirst, [IntakeLaws.whatIsDecidedIsDone]],
    ["does not see departures", Snapshots.departsTwice, [IntakeLaws.departedIsFinal]],
    ["forgets numbers", Snapshots.forgetsNumbers, [IntakeLaws.numbersNameOneShipment]],
    ["ignores directions", Snapshots.ignoresDirections, [IntakeLaws.ordersKeepTheirNames]],
    ["sees no orders elsewhere", Snapshots.seesNoOrdersElsewhere, [
      IntakeLaws.oneOrderIsEligible,
      IntakeLaws.leavesOutOnlyWhatIsNotChosen
    ]],
    ["takes orders from anywhere", Snapshots.takesFromAnywhere, [IntakeLaws.otherShipmentsStay]],
    ["loses updates", Storages.losesUpdates, [SerialLaws.onOneOrder, SerialLaws.onAFacility]],
    ["tells twice", Snapshots.tellsTwice, [MovementLaws.eachIsToldOnce]],
    ["completes twice", Snapshots.completesTwice, [MovementLaws.completionsComeLast]],
    ["forgets events", Snapshots.forgetsEvents, [MovementLaws.eventsHaveOneAnswer]],
    ["lets a shipment arrive again", Snapshots.arrivesAgain, [MovementLaws.statusGoesForward]],
    ["forgets earlier steps of a check-in", Snapshots.forgetsCheckIns, [MovementLaws.checkInsGoForward]],
    ["lets a shipment arrive whose departure it refuses", Snapshots.arrivesOnRefusal, [
      MovementLaws.refusalsAndRepeatsChangeNothing
    ]],
    ["forgets when shipments arrived", Snapshots.forgetsArrivals, [MovementLaws.timesKeepTheirOrder]],
    ["believes every clock", Snapshots.believesClocks, [MovementLaws.timesAreBelieved]],
    ["forgets where pallets were seen", Snapshots.forgetsSightings, [MovementLaws.verdictsAgree]],
    ["forgets pallets", Snapshots.forgetsPallets, [
      MovementLaws.completionsListWhatIsLeft,
      MovementLaws.discrepanciesAreTold
    ]]
  ]

  it.each(storages)("%s breaks the law of it", async (_, stores, laws) => {
    const storeLaws = laws.map((law) => law(stores))
    const brokenLaws = await Law.brokenLaws(storeLaws, { seed: 20_261_121, factor: 4, breaksBy: "first" })
    assert.deepStrictEqual(brokenLaws.map(({ name }) => name), storeLaws.map(({ name }) => name))
  })

  it("is wrong in some way breaks each law", () => {
    const names = new Set(storages.flatMap(([, stores, laws]) => laws.map((law) => law(stores).name)))
    const lawNames = lawsOver(Memory.layer).flatMap(([, laws]) => laws.map(({ name }) => name))
    assert.deepStrictEqual(lawNames.filter((name) => !names.has(name)), [])
  })
})
