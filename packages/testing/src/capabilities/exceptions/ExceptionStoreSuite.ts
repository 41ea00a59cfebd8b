/** The rules for exceptions of shipments, for every storage (D13.5). */
import type { Permission } from "@dockline/core/access/Access"
import type { NotRun } from "@dockline/core/access/Idempotency"
import { Intake } from "@dockline/core/document/Intake"
import {
  decideReport,
  decideResolve,
  exceptionMessages,
  maxExceptions
} from "@dockline/core/exceptions/ExceptionRules"
import { Exceptions, ExceptionStore } from "@dockline/core/exceptions/Exceptions"
import type { ExceptionQuery } from "@dockline/core/exceptions/Exceptions"
import type { ExceptionView } from "@dockline/core/exceptions/ShipmentException"
import { payloadOf } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { MovementSettings } from "@dockline/core/movement/Movement"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import type { Page } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, dashboardUrl, labelsOf } from "../../generators/Given.ts"
import * as Suite from "../../Suite.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"
import { aWorld, breaking, codeOf } from "../../worlds/MovementWorld.ts"
import type { MovementServices, MovementStores } from "../../worlds/MovementWorld.ts"

/** The port under test, and the ports that it needs: exceptions belong to shipments and their pallets. */
export type ExceptionStores = ExceptionStore | MovementStores

type AddTest = Suite.AddTest<ExceptionStore | Exceptions | MovementServices>

const services = Layer.mergeAll(
  Intake.layer(),
  Pallets.layer({ dashboardUrl }),
  Shipments.layer({ dashboardUrl }),
  Layer.provide(Exceptions.layer, Layer.succeed(MovementSettings, { dashboardUrl }))
)

const report = { kind: "DAMAGED", priority: "HIGH", description: "Crushed" } as const

/** A shipment of a new business, and functions to read and report its exceptions. */
const aShipment = Effect.gen(function*() {
  const world = yield* aWorld()
  const exceptions = yield* Exceptions
  const log = yield* MessageLog
  const id = String(yield* world.submit("S1"))
  const types = [...messageTypes, ...Object.keys(exceptionMessages)]
  const messages = Effect.map(
    log.read({ business: world.business, facility: undefined, types }, { afterId: 0 }, 1000),
    ({ messages }) => messages
  )
  const all = Effect.map(exceptions.ofShipment(id, {}, world.client), ({ items }) => items)
  const may = (...permissions: ReadonlyArray<Permission>) =>
    aClient(permissions.join(), world.business, ["east"], ...permissions)
  return { ...world, messages, exceptions, id, all, may }
})

const counting = (test: AddTest): void => {
  test("D13.13 D13.15 shipments and facilities count their exceptions, the open and the urgent ones", function*() {
    const { client, exceptions, id, submit } = yield* aShipment
    const { countsOf, openAt } = yield* ExceptionStore
    const other = yield* submit("S2")
    const [none, place] = [yield* submit("S3"), {
      business: assert.at(client.grants, 0).business,
      facility: "east"
    }]
    const { id: first } = yield* exceptions.report(id, report, client)
    yield* exceptions.report(id, report, client)
    yield* exceptions.report(id, { ...report, priority: "LOW" }, client)
    yield* exceptions.report(String(other), { ...report, priority: "LOW" }, client)
    yield* exceptions.resolve(id, first, { note: "Repacked" }, client)
    const counts = yield* countsOf(place, [Number(id), none, other])
    assert.deepStrictEqual(counts, [
      { shipmentId: Number(id), reported: 3, open: 2, urgent: 1 },
      { shipmentId: other, reported: 1, open: 1, urgent: 0 }
    ])
    assert.deepStrictEqual(yield* countsOf(place, []), [])
    assert.deepStrictEqual(yield* openAt(place, 1000), { open: 3, urgent: 1 })
    assert.deepStrictEqual(yield* openAt(place, 2), { open: 2, urgent: 1 })
    assert.deepStrictEqual(yield* openAt({ ...place, facility: "west" }, 1000), { open: 0, urgent: 0 })
  })
}

const reporting = (test: AddTest): void => {
  test("D13.5 an exception of a shipment is open, with who reported it and when", function*() {
    const { all, client, exceptions, id } = yield* aShipment
    const before = new Date().toISOString()
    const exception = yield* exceptions.report(id, report, client)
    const { business, facility } = exception
    assert.match(exception.id, /^\d+$/)
    assert.strictEqual(business.slug, assert.at(client.grants, 0).business)
    assert.deepStrictEqual(yield* all, [{
      id: exception.id,
      palletId: "",
      lpn: "",
      ...report,
      status: "OPEN",
      reportedAt: exception.reportedAt,
      reportedBy: client.clientId,
      resolvedAt: "",
      resolvedBy: "",
      note: "",
      business: { slug: business.slug, name: business.name },
      facility: { slug: facility.slug, name: facility.name },
      shipmentId: Number(id),
      shipmentNumber: "S1"
    }])
    assert.isTrue(exception.reportedAt >= before && exception.reportedAt <= new Date().toISOString())
  })

  test("D22 a report names the pallet in each form of its SSCC", function*() {
    const { client, exceptions, id, record } = yield* aShipment
    const sscc = "106141411234567897"
    const { answer } = yield* record({ shipmentId: Number(id), labels: labelsOf(["lpn", `00${sscc}`]) })
    const { servicePalletId } = answer
    const about = (of: { readonly lpn: string; readonly palletId?: string }) =>
      Effect.map(exceptions.report(id, { ...report, ...of }, client), ({ lpn, palletId }) => [palletId, lpn])
    for (const lpn of [sscc, `]C100${sscc}\u001d`, `(00)${sscc}`]) {
      for (const target of [{ lpn }, { lpn, palletId: servicePalletId }]) {
        assert.deepStrictEqual(yield* about(target), [servicePalletId, `00${sscc}`])
      }
    }
    assert.deepStrictEqual(yield* about({ lpn: `${sscc}0` }), ["", `${sscc}0`])
  })

  test("D15.1 a report and a resolution are told once, with the exception as it is then", function*() {
    const { all, client, exceptions, id, messages, record } = yield* aShipment
    yield* record({ shipmentId: Number(id), labels: labelsOf(["lpn", "L1"]) })
    const before = yield* messages
    const exception = yield* exceptions.report(id, { ...report, lpn: "L1" }, client)
    const resolution = yield* exceptions.resolve(id, exception.id, { note: "Repacked" }, client)
    yield* exceptions.resolve(id, exception.id, { note: "Again" }, client)
    assert.deepStrictEqual(yield* all, [resolution])
    assert.deepStrictEqual(
      (yield* messages).slice(before.length).map((each) => [
        each.type,
        each.shipmentId,
        payloadOf(each)["exception"]
      ]),
      [
        ["EXCEPTION_REPORTED", Number(id), exception],
        ["EXCEPTION_RESOLVED", Number(id), resolution]
      ]
    )
  })

  test("D15.1 a report or a resolution whose message breaks leaves nothing", function*() {
    const { all, client, exceptions, id, messages } = yield* aShipment
    const store = yield* ExceptionStore
    const { id: exceptionId } = yield* exceptions.report(id, report, client)
    const before = [yield* all, yield* messages]
    const asking = { shipmentId: id, exceptionId, principal: client, dashboardUrl: "" }
    const changes = [
      store.report(
        Number(id),
        { palletId: null, lpn: "" },
        (snapshot) => Result.map(decideReport(report, snapshot, asking), (plan) => breaking(plan, "message"))
      ),
      store.resolve(
        Number(id),
        Number(exceptionId),
        (snapshot) =>
          Result.map(
            decideResolve({ note: "Repacked" }, snapshot, asking),
            (plan) => breaking(assert.present(plan), "message")
          )
      )
    ]
    for (const change of changes) {
      const exit = yield* Effect.exit(Effect.asVoid<unknown, unknown, never>(change))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual([yield* all, yield* messages], before)
    }
  })

  test(
    "D7.1 a report and a resolution wake those who follow the log",
    Effect.gen(function*() {
      const { business, client, exceptions, id } = yield* aShipment
      const log = yield* MessageLog
      const follower = yield* log.follow(
        { business, facility: undefined, types: Object.keys(exceptionMessages) },
        { afterId: undefined, buffer: 10 }
      )
      const wakeUp = Effect.map(
        Effect.timeout(follower.next, "20 seconds"),
        (messages) => messages.map(({ type }) => type)
      )
      const { id: exceptionId } = yield* exceptions.report(id, report, client)
      assert.deepStrictEqual(yield* wakeUp, ["EXCEPTION_REPORTED"])
      yield* exceptions.resolve(id, exceptionId, { note: "Repacked" }, client)
      assert.deepStrictEqual(yield* wakeUp, ["EXCEPTION_RESOLVED"])
    }).pipe(Effect.scoped),
    { pollMillis: 3_600_000 }
  )

  test("D13.5 an exception of a pallet has its lpn; a pallet of another shipment is missing", function*() {
    const { all, client, exceptions, id, record, submit } = yield* aShipment
    const other = String(yield* submit("S2"))
    const { answer } = yield* record({ shipmentId: Number(id), labels: labelsOf(["lpn", "L1"]) })
    const palletId = answer.servicePalletId
    yield* exceptions.report(id, { ...report, palletId }, client)
    assert.deepStrictEqual((yield* all).map(({ lpn, palletId }) => ({ lpn, palletId })), [
      { lpn: "L1", palletId }
    ])
    for (
      const [shipment, pallet] of [[other, palletId], [id, "9007199254740991"], [id, "x"], [
        id,
        "0"
      ]] as const
    ) {
      const refusal = exceptions.report(shipment, { ...report, palletId: pallet }, client)
      assert.strictEqual(yield* codeOf(refusal), "PALLET_NOT_FOUND", `${pallet} of ${shipment}`)
    }
    assert.strictEqual((yield* all).length, 1)
  })

  test("D13.5 an lpn names the pallet seen with it, or none, and stays as it was reported", function*() {
    const { all, client, exceptions, id, record } = yield* aShipment
    const stateOf = (lpn: string) =>
      Effect.map(
        record({ eventId: lpn, shipmentId: Number(id), labels: labelsOf(["lpn", lpn]) }),
        ({ answer }) => answer.servicePalletId
      )
    const palletId = yield* stateOf("L1")
    yield* exceptions.report(id, { ...report, lpn: "L1" }, client)
    yield* exceptions.report(id, { ...report, lpn: "L1", palletId }, client)
    yield* exceptions.report(id, { ...report, lpn: "l1" }, client)
    const contradictory = exceptions.report(id, { ...report, lpn: "L2", palletId }, client)
    assert.strictEqual(yield* codeOf(contradictory), "PALLET_NOT_FOUND")
    yield* stateOf("l1")
    assert.deepStrictEqual((yield* all).map(({ lpn, palletId }) => ({ lpn, palletId })), [
      { lpn: "L1", palletId },
      { lpn: "L1", palletId },
      { lpn: "l1", palletId: "" }
    ])
  })

  test("D13.5 texts are kept to the last character", function*() {
    const { all, client, exceptions, id } = yield* aShipment
    const description = "ä\u0001\"\\ \u{1F69A} ' $1 ;--\n"
    const exception = yield* exceptions.report(id, { ...report, description }, client)
    yield* exceptions.resolve(id, exception.id, { note: description }, client)
    assert.deepStrictEqual((yield* all).map(({ description, note }) => [description, note]), [
      [description, description]
    ])
  })
}

const resolving = (test: AddTest): void => {
  test("D13.5 a resolution says how, who and when; repeating it changes nothing, whoever does", function*() {
    const { all, client, exceptions, id, may } = yield* aShipment
    const exception = yield* exceptions.report(id, report, client)
    const second = yield* exceptions.report(id, report, client)
    const resolver = may("shipments:write")
    const resolution = yield* exceptions.resolve(id, exception.id, { note: "Replaced" }, resolver)
    const { resolvedAt } = resolution
    assert.deepStrictEqual(resolution, {
      ...exception,
      status: "RESOLVED",
      resolvedAt,
      resolvedBy: resolver.clientId,
      note: "Replaced"
    })
    assert.isTrue(resolvedAt >= exception.reportedAt)
    const again = yield* exceptions.resolve(id, exception.id, { note: "Something else" }, client)
    assert.deepStrictEqual(again, resolution)
    assert.deepStrictEqual(yield* all, [resolution, second])
  })

  test("D13.5 an exception that the shipment has not is missing, another shipment's too", function*() {
    const { all, client, exceptions, id, submit } = yield* aShipment
    const other = String(yield* submit("S2"))
    const exception = yield* exceptions.report(id, report, client)
    for (
      const [shipment, exceptionId] of [[other, exception.id], [id, "9007199254740991"], [id, "x"]] as const
    ) {
      const refusal = exceptions.resolve(shipment, exceptionId, { note: "Done" }, client)
      assert.strictEqual(yield* codeOf(refusal), "EXCEPTION_NOT_FOUND", `${exceptionId} of ${shipment}`)
    }
    assert.deepStrictEqual((yield* all).map(({ status }) => status), ["OPEN"])
  })
}

const access = (test: AddTest): void => {
  test("D13.5 a shipment that does not exist has no exceptions", function*() {
    const { client, exceptions } = yield* aShipment
    for (const id of ["9007199254740991", "0", "x", ""]) {
      assert.strictEqual(yield* codeOf(exceptions.report(id, report, client)), "SHIPMENT_NOT_FOUND", id)
      const refusal = exceptions.resolve(id, "1", { note: "Done" }, client)
      assert.strictEqual(yield* codeOf(refusal), "SHIPMENT_NOT_FOUND", id)
      assert.strictEqual(yield* codeOf(exceptions.ofShipment(id, {}, client)), "SHIPMENT_NOT_FOUND", id)
    }
  })
}

const bounds = (test: AddTest): void => {
  test("D13.5 pages follow each other by id", function*() {
    const { all, client, exceptions, id } = yield* aShipment
    for (const description of ["one", "two", "three"]) {
      yield* exceptions.report(id, { ...report, description }, client)
    }
    const whole = yield* all
    assert.deepStrictEqual(whole.map(({ description }) => description), ["one", "two", "three"])
    const first = yield* exceptions.ofShipment(id, { limit: 2 }, client)
    assert.deepStrictEqual(first, { items: whole.slice(0, 2), next: assert.at(whole, 1).id })
    const second = yield* exceptions.ofShipment(id, { limit: 2, after: Number(first.next) }, client)
    assert.deepStrictEqual(second, { items: whole.slice(2), next: null })
  })

  test("D13.5 a report at the limit is refused, and reports that come at once do not pass it", function*() {
    const { client, exceptions, id, submit } = yield* aShipment
    const store = yield* ExceptionStore
    const counts: Array<number> = []
    const about = { palletId: null, lpn: "" }
    // The decision refuses a fourth report, so the storage must count correctly.
    const other = yield* submit("S2")
    const asking = { shipmentId: String(other), principal: client, dashboardUrl: "" }
    const one = store.report<unknown>(other, about, (snapshot) => {
      counts.push(snapshot.exceptions)
      return snapshot.exceptions >= 3 ? Result.fail("full") : decideReport(report, snapshot, asking)
    })
    const results = yield* Effect.all(Array.from({ length: 8 }, () => Effect.result(one)), {
      concurrency: "unbounded"
    })
    assert.strictEqual(results.filter(Result.isSuccess).length, 3)
    assert.deepStrictEqual(counts.toSorted((left, right) => left - right).slice(0, 3), [0, 1, 2])
    assert.strictEqual((yield* exceptions.ofShipment(String(other), {}, client)).items.length, 3)
    assert.isTrue(maxExceptions > 3)
    assert.deepStrictEqual((yield* exceptions.ofShipment(id, {}, client)).items, [])
  })

  test("D13.5 of resolutions that come at once, the first stays", function*() {
    const { all, client, exceptions, id } = yield* aShipment
    const exception = yield* exceptions.report(id, report, client)
    const answers = yield* Effect.all(
      Array.from({ length: 8 }, (_, n) => exceptions.resolve(id, exception.id, { note: `${n}` }, client)),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
    assert.deepStrictEqual(yield* all, [assert.at(answers, 0)])
  })
}

const listing = (test: AddTest): void => {
  test("D13.5 those of all shipments are listed newest first, by status and priority", function*() {
    const { business, client, exceptions, id, submit } = yield* aShipment
    const other = String(yield* submit("S2"))
    const views: Array<ExceptionView> = []
    for (
      const [shipment, priority] of [[id, "LOW"], [other, "HIGH"], [id, "HIGH"], [other, "LOW"]] as const
    ) {
      views.unshift(yield* exceptions.report(shipment, { ...report, priority }, client))
    }
    const resolve = assert.at(views, 1)
    const exception = yield* exceptions.resolve(
      String(resolve.shipmentId),
      resolve.id,
      { note: "Done" },
      client
    )
    const all = views.map((each) => each === resolve ? exception : each)
    const list = (query: ExceptionQuery) => exceptions.list({ business, facility: "east", ...query }, client)
    assert.deepStrictEqual(yield* list({}), { items: all, next: null })
    assert.deepStrictEqual((yield* list({ status: "", priority: "" })).items, all)
    for (const status of ["OPEN", "RESOLVED"] as const) {
      const expected = all.filter((each) => each.status === status)
      assert.deepStrictEqual((yield* list({ status })).items, expected)
      for (const priority of ["HIGH", "LOW"] as const) {
        assert.deepStrictEqual(
          (yield* list({ status, priority })).items,
          expected.filter((each) => each.priority === priority)
        )
      }
    }
    const first = yield* list({ limit: 3 })
    assert.deepStrictEqual(first, {
      items: all.slice(0, 3),
      next: `${assert.at(all, 2).reportedAt}_${assert.at(all, 2).id}`
    })
    assert.deepStrictEqual(yield* list({ limit: 3, after: assert.present(first.next) }), {
      items: all.slice(3),
      next: null
    })
  })

  test("D13.5 of several businesses the newest come first, by time and not by the ids that each counts for itself", function*() {
    const [one, two] = [yield* aShipment, yield* aShipment]
    const { exceptions } = one
    const grants = [...one.client.grants, ...two.client.grants]
    const client = { ...one.client, grants }
    const views: Array<ExceptionView> = []
    const now = Date.parse(yield* Timestamp.now)
    for (const [n, { id }] of [one, one, one, two, one, two, two, one].entries()) {
      // Some exceptions are reported later than exceptions with a higher id, and two at the same time.
      const at = now + assert.present([0, 5, 3, 1, 5, 2, 9, 8][n])
      views.push(yield* Timestamp.asOf(at)(exceptions.report(id, report, client)))
    }
    const newestFirst = views.toSorted((left, right) =>
      right.reportedAt.localeCompare(left.reportedAt) || Number(right.id) - Number(left.id)
    )
    assert.deepStrictEqual((yield* exceptions.list({}, client)).items, newestFirst)
    const pages: Array<ReadonlyArray<ExceptionView>> = []
    for (let after: string | null = ""; after !== null;) {
      const page: Page<ExceptionView> = yield* exceptions.list({ limit: 3, after }, client)
      pages.push(page.items)
      after = page.next
    }
    assert.deepStrictEqual(pages.map(({ length }) => length), [3, 3, 2])
    assert.deepStrictEqual(pages.flat(), newestFirst)
    const after = (position: string) =>
      Effect.map(exceptions.list({ after: position }, client), ({ items }) => items)
    assert.deepStrictEqual(yield* after("9999-12-31T23:59:59.999Z_1"), newestFirst)
    assert.deepStrictEqual(yield* after("0001-01-01T00:00:00.000Z_1"), [])
  })

  test("D13.5 a cursor may name any time: before the first time all are listed, and after the last one none", function*() {
    const { business, client, exceptions, id } = yield* aShipment
    yield* exceptions.report(id, report, client)
    const counts: ReadonlyArray<readonly [after: string, count: number]> = [
      ["9999-12-31T23:59:59.999Z_9007199254740991", 1],
      ["2100-01-01T00:00:00.000Z_1", 1],
      ["1969-12-31T23:59:59.999Z_1", 0],
      ["0001-01-01T00:00:00.000Z_1", 0]
    ]
    for (const [after, count] of counts) {
      assert.strictEqual((yield* exceptions.list({ business, after }, client)).items.length, count, after)
    }
  })

  test("D13.5 those of places that the client may not see are not listed", function*() {
    const { business, client, exceptions, id } = yield* aShipment
    const exception = yield* exceptions.report(id, report, client)
    const at = (facilities: ReadonlyArray<string>) => aClient("reader", business, facilities, "messages:read")
    assert.deepStrictEqual((yield* exceptions.list({}, at(["east"]))).items, [exception])
    assert.deepStrictEqual((yield* exceptions.list({}, at(["west"]))).items, [])
    assert.deepStrictEqual((yield* exceptions.list({}, { clientId: "none", grants: [] })).items, [])
    assert.strictEqual(
      yield* codeOf(exceptions.list({ business, facility: "east" }, at(["west"]))),
      "FORBIDDEN"
    )
  })
}

/** A call of the store that reports an exception, or resolves one of several exceptions. */
const aChange = (isReport: boolean) =>
  Effect.gen(function*() {
    const { all, client, exceptions, id } = yield* aShipment
    const store = yield* ExceptionStore
    const asking = { shipmentId: id, exceptionId: "", principal: client, dashboardUrl: "" }
    const many = isReport ? 0 : 16
    const views = yield* Effect.replicateEffect(exceptions.report(id, report, client), many)
    let next = 0
    const call: KeptCall<never> = {
      call: (keep, deciding) =>
        Effect.suspend((): Effect.Effect<unknown, unknown> =>
          isReport
            ? store.report<unknown, NotRun>(
              Number(id),
              { palletId: null, lpn: "" },
              (snapshot) => deciding(() => decideReport(report, snapshot, asking)),
              keep
            )
            : store.resolve<unknown, NotRun>(
              Number(id),
              Number(assert.present(views[next++]).id),
              (snapshot) => deciding(() => decideResolve({ note: "Seen to" }, snapshot, asking)),
              keep
            )
        ),
      writeCount: Effect.map(
        Effect.provideContext(all, yield* Effect.context<ExceptionStore | MovementServices | Exceptions>()),
        (exceptions) =>
          isReport ? exceptions.length : exceptions.filter(({ status }) => status === "RESOLVED").length
      )
    }
    return call
  })

/** Cases of stored answers of reports and resolutions. */
const keeping = (test: AddTest): void => {
  keepsAnswers(test, "the answer of a report", aChange(true))
  keepsAnswers(test, "the answer of a resolution", aChange(false))
}

/** The suite of `ExceptionStore`. */
export const exceptionStoreSuite: Suite.Suite<ExceptionStores> = Suite.ofParts(
  "exceptions",
  { reporting, resolving, listing, counting, access, bounds, keeping },
  services
)
