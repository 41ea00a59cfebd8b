/** D13.13: what a day was, as a function of its shipments. */
import { countedBy, dayNumbers, dayOf, sumsOf, trendOf } from "@dockline/core/day/Day"
import type { CountedShipment, DayGroup, DayNumber, DayShipment } from "@dockline/core/day/Day"
import { dayAfter, hoursOf, startOfDay } from "@dockline/core/places/Place"
import { assert, describe, it } from "@effect/vitest"

const shipment = (fields: Partial<CountedShipment> = {}): CountedShipment => ({
  id: 1,
  shipmentNumber: "S-1",
  status: "DEPARTED",
  direction: "INBOUND",
  expectedArrivalAt: "2026-11-20T08:00:00.000Z",
  scheduledAt: "2026-11-01T08:00:00.000Z",
  arrivedAt: "2026-11-20T08:10:00.000Z",
  departedAt: "2026-11-20T09:00:30.000Z",
  dockSlug: "D1",
  carrier: "",
  suppliers: [],
  missingPallets: 0,
  unexpectedPallets: 0,
  palletsIn: 3,
  palletsOut: 0,
  ...fields
})

/** What another capability counts. */
const counts = ["exceptions", "openExceptions"]

const numberOf = (group: DayGroup, number: DayNumber): number =>
  (group as unknown as Readonly<Record<string, number>>)[number]!

const rowsOf = (...shipments: ReadonlyArray<CountedShipment>) =>
  dayOf(shipments, { hourOf: hoursOf("UTC"), dates: ["2026-11-20"], detentionMinutes: 60, counts })

describe("D13.13 a day", () => {
  it("counts nothing where there is nothing", () => {
    const groups = rowsOf()
    assert.deepStrictEqual(groups.map(({ id, shipments }) => [id, shipments]), [["TOTAL", 0], [
      "DATE 2026-11-20",
      0
    ]])
    assert.deepStrictEqual([groups[0]!.medianMinutes, groups[0]!.longestMinutes], [0, 0])
  })

  it("adds up what is counted, in every kind of group the same", () => {
    const all = [
      shipment({ counts: { exceptions: 2, openExceptions: 1 } }),
      shipment({
        id: 2,
        dockSlug: "",
        missingPallets: 1,
        unexpectedPallets: 2,
        departedAt: "2026-11-20T10:10:00.000Z"
      }),
      shipment({
        id: 3,
        status: "ARRIVED",
        departedAt: "",
        direction: "OUTBOUND",
        palletsIn: 0,
        palletsOut: 4
      })
    ]
    const groups = rowsOf(...all)
    const [total] = groups
    assert.deepStrictEqual(
      [
        total!.complete,
        total!.short,
        total!.over,
        ...counts.map((number) => numberOf(total!, number)),
        total!.palletsOut
      ],
      [1, 1, 1, 2, 1, 4]
    )
    assert.deepStrictEqual(
      [total!.medianMinutes, total!.longestMinutes, total!.detained, total!.detentionMinutes],
      [50.5, 120, 1, 60]
    )
    for (const group of ["DATE", "HOUR", "DOCK", "CARRIER", "SUPPLIER"]) {
      const same = groups.filter((each) => each.group === group)
      for (
        const count of ["shipments", "late", "onTime", "palletsIn", "short", "detentionMinutes"] as const
      ) {
        assert.strictEqual(
          same.reduce((sum, each) => sum + each[count], 0),
          total![count],
          `${group} ${count}`
        )
      }
    }
    assert.deepStrictEqual(groups.filter(({ group }) => group === "DOCK").map(({ name }) => name), ["D1", ""])
  })

  it("lists what each number of each group counts, in the order of times", () => {
    const rules = { hourOf: hoursOf("UTC"), dates: ["2026-11-20"], detentionMinutes: 60, counts }
    const all = [
      shipment({
        id: 1,
        departedAt: "2026-11-20T10:10:00.000Z",
        missingPallets: 1,
        suppliers: ["Farm", "Mill"]
      }),
      shipment({
        id: 2,
        counts: { exceptions: 2, openExceptions: 1 },
        palletsIn: 0,
        arrivedAt: "2026-11-20T08:30:00.000Z"
      }),
      shipment({
        id: 3,
        status: "SCHEDULED",
        arrivedAt: "",
        departedAt: "",
        direction: "OUTBOUND",
        palletsIn: 0
      }),
      shipment({
        id: 4,
        dockSlug: "",
        carrier: "N",
        departedAt: "2026-11-20T08:50:00.000Z",
        unexpectedPallets: 1
      })
    ]
    const idsOf = (number: DayNumber, group: DayGroup["group"] = "TOTAL", name = "") =>
      countedBy(all, { number, group, name }, rules).map(({ id }) => id)
    assert.deepStrictEqual(idsOf("shipments"), [3, 4, 2, 1])
    assert.deepStrictEqual(idsOf("late"), [2])
    assert.deepStrictEqual(idsOf("detained"), [1])
    assert.deepStrictEqual(idsOf("palletsIn"), [4, 1])
    assert.deepStrictEqual(idsOf("shipments", "DOCK"), [4])
    assert.deepStrictEqual(idsOf("short", "SUPPLIER", "Mill"), [1])
    assert.deepStrictEqual(idsOf("shipments", "HOUR", "08"), [3, 4])
    assert.deepStrictEqual(idsOf("shipments", "DATE", "2026-11-21"), [])
    for (const group of dayOf(all, rules)) {
      for (const number of [...dayNumbers, ...counts]) {
        const ids = idsOf(number, group.group, group.name)
        const isSum = number.startsWith("pallets") || number === "exceptions"
        if (isSum) assert.strictEqual(ids.length > 0, numberOf(group, number) > 0, `${group.id} ${number}`)
        else assert.strictEqual(ids.length, numberOf(group, number), `${group.id} ${number}`)
      }
    }
  })

  it("judges by minutes whether a shipment came in time, if a document said when", () => {
    const late = (arrivedAt: string, fields: Partial<DayShipment> = {}) => {
      const [total] = rowsOf(shipment({ arrivedAt, ...fields }))
      return [total!.onTime, total!.late]
    }
    assert.deepStrictEqual(late("2026-11-20T08:10:00.000Z"), [1, 0])
    assert.deepStrictEqual(late("2026-11-20T08:10:00.001Z"), [0, 1])
    assert.deepStrictEqual(late("2026-11-20T08:20:00.000Z", { scheduledAt: "2026-11-20T08:00:00.000Z" }), [
      0,
      0
    ])
  })
})

describe("D13.7 a day at a facility", () => {
  it("begins at its midnight, also where clocks change and where midnight is left out", () => {
    for (
      const [day, zone, start] of [
        ["2026-11-20", "UTC", "2026-11-20T00:00:00.000Z"],
        ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
        ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
        ["2026-10-26", "Europe/Berlin", "2026-10-25T23:00:00.000Z"],
        ["2026-11-20", "Pacific/Kiritimati", "2026-11-19T10:00:00.000Z"],
        ["2026-11-20", "America/Los_Angeles", "2026-11-20T08:00:00.000Z"],
        ["2026-11-20", "Asia/Kathmandu", "2026-11-19T18:15:00.000Z"],
        ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z"]
      ] as const
    ) {
      assert.strictEqual<string>(startOfDay(day, zone), start, `${day} ${zone}`)
      assert.strictEqual(hoursOf(zone)(start).slice(0, 10), day)
    }
    assert.strictEqual(dayAfter("2026-12-31", 1), "2027-01-01")
  })
})

describe("D13.13 what a day is compared with", () => {
  const daysOf = (...counts: ReadonlyArray<number>) =>
    counts.map((count, at) =>
      sumsOf(
        dayAfter("2026-10-01", at),
        Array.from({ length: count }, () => shipment({ palletsIn: count })),
        60
      )
    )

  it("is averaged over the periods that have shipments, as long as what is asked for", () => {
    const [before, average] = trendOf(daysOf(...Array(24).fill(0), 1, 2, 0, 4, 5), 1)
    assert.deepStrictEqual([before!.date, before!.departed, before!.palletsIn], ["2026-10-28", 4, 16])
    assert.deepStrictEqual([average!.departed, average!.palletsIn, average!.medianMinutes], [2.3, 7, 50.5])
    const weeks = trendOf(daysOf(...Array(28).fill(1), ...Array(7).fill(3)), 7)
    assert.deepStrictEqual(weeks.slice(0, 2).map(({ departed, id }) => [id, departed]), [
      ["BEFORE", 7],
      ["AVERAGE", 7]
    ])
    assert.deepStrictEqual(weeks.slice(-8).map(({ departed }) => departed), [1, 3, 3, 3, 3, 3, 3, 3])
    assert.lengthOf(weeks, 16)
  })
})
