/** The rules of exceptions at their bounds (D13.5); the suite of the port holds the rest. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Principal } from "../../src/access/Access.ts"
import { decideReport, decideResolve, maxExceptions } from "../../src/exceptions/ExceptionRules.ts"
import type { ReportSnapshot } from "../../src/exceptions/ExceptionRules.ts"
import { readReport, readResolve } from "../../src/exceptions/ShipmentException.ts"
import type { ShipmentException } from "../../src/exceptions/ShipmentException.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"

const principal: Principal = {
  clientId: "wms",
  grants: [{ business: "acme", facilities: "*", permissions: ["pallets:write"] }]
}

const snapshot: ReportSnapshot = {
  now: Timestamp.of("2026-11-20T17:00:00.000Z"),
  location: { business: { slug: "acme", name: "Acme" }, facility: { slug: "east", name: "East" } },
  shipmentNumber: "S1",
  shipment: { dock: { id: 41, slug: "D1" }, orders: ["O1", "O2"] },
  newExceptionId: 9,
  exceptions: 0,
  pallet: null
}

const report = { kind: "OTHER", priority: "LOW", description: "Wet" } as const

const asking = { shipmentId: "7", principal, dashboardUrl: "https://dashboard.example" }

const decision = (fields: Partial<ReportSnapshot>) => decideReport(report, { ...snapshot, ...fields }, asking)

const exception: ShipmentException = {
  ...report,
  id: 9,
  palletId: null,
  lpn: "",
  reportedAt: snapshot.now,
  reportedBy: "wms",
  resolution: null
}

/** What the messages about the exception tell, beside its resolution. */
const message = {
  businessSlug: "acme",
  facilitySlug: "east",
  serviceShipmentId: "7",
  shipmentNumber: "S1",
  orders: ["O1", "O2"],
  url: "https://dashboard.example/shipments/7",
  dockId: "41",
  occurredAt: snapshot.now
}

const view = {
  ...report,
  ...snapshot.location,
  id: "9",
  palletId: "",
  lpn: "",
  shipmentId: 7,
  shipmentNumber: "S1"
}

describe("D15.1 the messages about an exception", () => {
  it("tell what was reported, as lists show it", () => {
    assert.deepStrictEqual(Result.getOrThrow(decision({})).message, {
      business: "acme",
      facility: "east",
      type: "EXCEPTION_REPORTED",
      shipmentId: 7,
      payload: {
        ...message,
        exception: {
          ...view,
          status: "OPEN",
          reportedAt: snapshot.now,
          reportedBy: "wms",
          resolvedAt: "",
          resolvedBy: "",
          note: ""
        }
      }
    })
  })

  it("tell when and how it was resolved, and nothing of a resolution that is there", () => {
    const later = Timestamp.of("2026-11-20T18:00:00.000Z")
    const resolve = (exception: ShipmentException) =>
      Result.getOrThrow(
        decideResolve(
          { note: "Dried" },
          { ...snapshot, now: later, exception },
          { ...asking, exceptionId: "9" }
        )
      )
    const resolution = { note: "Dried", at: later, by: "wms" }
    assert.deepStrictEqual(resolve(exception), {
      exception: { ...exception, resolution },
      message: {
        business: "acme",
        facility: "east",
        type: "EXCEPTION_RESOLVED",
        shipmentId: 7,
        payload: {
          ...message,
          occurredAt: later,
          exception: {
            ...view,
            status: "RESOLVED",
            reportedAt: snapshot.now,
            reportedBy: "wms",
            resolvedAt: later,
            resolvedBy: "wms",
            note: "Dried"
          }
        }
      }
    })
    assert.isNull(resolve({ ...exception, resolution }))
  })
})

describe("D13.5 a report", () => {
  it("is taken up to the limit of a shipment, and refused from there on", () => {
    assert.deepStrictEqual(
      Result.map(decision({ exceptions: maxExceptions - 1 }), ({ exception }) => exception),
      Result.succeed(exception)
    )
    const refusal = Result.getOrThrow(Result.flip(decision({ exceptions: maxExceptions })))
    assert.strictEqual(refusal.code, "TOO_MANY_EXCEPTIONS")
    assert.strictEqual(
      refusal.message,
      "TOO_MANY_EXCEPTIONS: shipmentNumber=S1; a shipment has at most 1000 exceptions"
    )
  })
})

describe("D13.5 a pallet of a report", () => {
  const pallet = { id: 815, lpn: "L1" }

  it.each([
    ["is named by its id", { palletId: "815" }, pallet, { palletId: 815, lpn: "L1" }],
    ["is named by its LPN", { lpn: "L1" }, pallet, { palletId: 815, lpn: "L1" }],
    ["is named by both", { palletId: "815", lpn: "L1" }, pallet, { palletId: 815, lpn: "L1" }],
    ["may be one that nobody has seen", { lpn: "L2" }, null, { palletId: null, lpn: "L2" }],
    [
      "of another LPN than its id says is not there",
      { palletId: "815", lpn: "L2" },
      pallet,
      "PALLET_NOT_FOUND"
    ],
    [
      "of an unknown id is not there, whatever its LPN",
      { palletId: "816", lpn: "L2" },
      null,
      "PALLET_NOT_FOUND"
    ]
  ])("%s", (_title, names, pallet, expected) => {
    const decision = decideReport({ ...report, ...names }, { ...snapshot, pallet }, asking)
    assert.deepStrictEqual(
      Result.match(decision, {
        onFailure: ({ code }): unknown => code,
        onSuccess: ({ exception: { lpn, palletId } }) => ({ palletId, lpn })
      }),
      expected
    )
  })
})

const refusalOf = (input: unknown, read: typeof readReport | typeof readResolve = readReport) => {
  const { code, errors } = Result.getOrThrow(
    Result.flip<unknown, { code: string; errors: ReadonlyArray<unknown> }>(read(input))
  )
  return [code, ...errors]
}

describe("D13.5 the body of a report", () => {
  it.each([
    [{}, [
      "INVALID_REQUEST",
      { path: "kind", detail: "is required" },
      { path: "priority", detail: "is required" },
      { path: "description", detail: "is required" }
    ]],
    [{ ...report, description: "x".repeat(1025) }, [
      "INVALID_REQUEST",
      { path: "description", detail: "must be at most 1024 characters long" }
    ]],
    [{ ...report, kind: "BROKEN" }, [
      "INVALID_REQUEST",
      { path: "kind", detail: "must be one of DAMAGED, SHORT, OVER, OTHER" }
    ]],
    [{ ...report, priority: "" }, [
      "INVALID_REQUEST",
      { path: "priority", detail: "must be one of LOW, HIGH" }
    ]]
  ])("is refused where it is wrong: %o", (input, expected) => {
    assert.deepStrictEqual(refusalOf(input), expected)
  })

  it("may leave the pallet out, and hold a description of 1024 characters", () => {
    assert.isTrue(Result.isSuccess(readReport({ ...report, palletId: null, description: "x".repeat(1024) })))
  })

  it("of a resolution says how", () => {
    assert.deepStrictEqual(refusalOf({}, readResolve), [
      "INVALID_REQUEST",
      { path: "note", detail: "is required" }
    ])
  })
})
