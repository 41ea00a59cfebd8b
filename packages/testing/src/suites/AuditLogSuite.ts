/** The rules for the record of operators' changes, for every storage (D13.8). */
import type { Principal } from "@dockline/core/access/Access"
import { auditing, AuditLog, RequestOrigin } from "@dockline/core/access/AuditLog"
import type { AuditDraft } from "@dockline/core/access/AuditLog"
import { Audit } from "@dockline/core/operator/Audit"
import { Businesses } from "@dockline/core/operator/Businesses"
import type { Directory } from "@dockline/core/places/Place"
import { cursorOf } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Result } from "effect"
import * as assert from "../Assert.ts"
import { aGrant, unique } from "../generators/Given.ts"
import type { Suite } from "../Suite.ts"
import { aBusiness, faultsOf, operatorOf, outcome, suiteOver, whole } from "../worlds/OperatorWorld.ts"
import { pagesOf } from "../worlds/ReadWorld.ts"

const suiteOf = suiteOver(Layer.mergeAll(Audit.layer, Businesses.layer))

/** An operator whose entries can be distinguished from those of others. */
const anOperator = (): Principal => ({
  clientId: unique("operator"),
  grants: [aGrant("*", "*", ["operator"])]
})

const draft = (fields: Partial<AuditDraft> = {}): AuditDraft => ({
  action: "BUSINESS_CHANGED",
  business: "*",
  subject: "businesses/x",
  details: {},
  ...fields
})

/** The suite of the record. Changes of a directory make its entries. */
export const auditLogSuite: Suite<AuditLog | Directory> = suiteOf(
  "the record of operators",
  (test, describe) => {
    describe("D13.8 entries", () => {
      test("say who did what, when, and from which address, newest first", function*() {
        const { listAudit } = yield* Audit
        const { createDock, renameBusiness } = yield* Businesses
        const business = yield* aBusiness
        const me = anOperator()
        const before = new Date().toISOString()
        yield* Effect.provideService(
          renameBusiness({ slug: business, body: { name: "Another" } }, me),
          RequestOrigin,
          {
            address: "192.0.2.7"
          }
        )
        yield* createDock({ slug: business, facility: "east", body: { slug: "D3" } }, me)
        const { items, next } = yield* listAudit({ clientId: me.clientId }, whole)
        const after = new Date().toISOString()
        assert.isNull(next)
        assert.deepStrictEqual(items.map(({ at: _at, id: _id, ...entry }) => entry), [
          {
            clientId: me.clientId,
            address: "",
            action: "DOCK_CREATED",
            business,
            subject: `businesses/${business}/facilities/east/docks/D3`,
            details: {}
          },
          {
            clientId: me.clientId,
            address: "192.0.2.7",
            action: "BUSINESS_CHANGED",
            business,
            subject: `businesses/${business}`,
            details: { name: "Another" }
          }
        ])
        for (const { at } of items) assert.isTrue(at >= before && at <= after, at)
      })

      test("are there exactly when their changes are", function*() {
        const { listAudit } = yield* Audit
        const { createBusiness, createDock, createFacility, renameBusiness } = yield* Businesses
        const business = yield* aBusiness
        const me = anOperator()
        const refusals = [
          outcome(createBusiness({ body: { slug: business, name: "Again" } }, me)),
          outcome(createFacility({ slug: business, body: { slug: "east", name: "Again" } }, me)),
          outcome(createDock({ slug: business, facility: "east", body: { slug: "D1" } }, me)),
          outcome(renameBusiness({ slug: unique("none"), body: { name: "None" } }, me))
        ]
        assert.deepStrictEqual(yield* Effect.all(refusals), [
          "BUSINESS_EXISTS",
          "FACILITY_EXISTS",
          "DOCK_EXISTS",
          "BUSINESS_NOT_FOUND"
        ])
        assert.deepStrictEqual((yield* listAudit({ clientId: me.clientId }, whole)).items, [])
      })

      test("keep texts to the last character, and of a very long detail the beginning", function*() {
        const { listAudit } = yield* Audit
        const audit = yield* auditing
        const me = anOperator()
        const name = "ä\u0001\"\\ \u{1F69A} ' $1 ;--\n"
        const long = Array.from({ length: 5000 }, () => "x")
        yield* audit(
          me,
          Effect.void,
          () => draft({ details: { name, long, absent: undefined, list: [1, null] } })
        )
        const { items: [entry] } = yield* listAudit({ clientId: me.clientId }, whole)
        const { long: details, ...others } = assert.present(entry).details
        assert.deepStrictEqual(others, { name, list: [1, null] })
        assert.strictEqual(details, `${JSON.stringify(long).slice(0, 4096)}…`)
      })
    })

    describe("D13.8 lists", () => {
      test("come in pages, newest first, also of entries of one moment", function*() {
        const { listAudit } = yield* Audit
        const log = yield* AuditLog
        const me = anOperator()
        const at = (second: number) => Timestamp.of(`2026-11-20T17:00:0${second}.000Z`)
        for (const second of [1, 3, 2, 2, 2, 1, 4]) {
          const record = { ...draft(), at: at(second), clientId: me.clientId, address: "" }
          yield* log.record(Effect.void, () => record)
        }
        const all = (yield* listAudit({ clientId: me.clientId }, whole)).items
        assert.deepStrictEqual(all.map((entry) => entry.at), [4, 3, 2, 2, 2, 1, 1].map(at))
        const ids = all.map(({ id }) => Number(id))
        assert.isTrue(
          assert.at(ids, 2) > assert.at(ids, 3) && assert.at(ids, 3) > assert.at(ids, 4) &&
            assert.at(ids, 5) > assert.at(ids, 6)
        )
        for (const limit of [1, 2, 3, 7]) {
          const pages = yield* pagesOf(
            (page) => listAudit({ ...page, clientId: me.clientId }, whole),
            limit
          )
          assert.deepStrictEqual(pages.flat(), all, `${limit}`)
          assert.isTrue(pages.every(({ length }) => length <= limit))
        }
        const within = yield* listAudit({ clientId: me.clientId, from: at(2), to: at(3) }, whole)
        assert.deepStrictEqual(within.items, all.slice(1, 5))
        const offset = yield* listAudit({ clientId: me.clientId, from: "2026-11-20T18:00:04+01:00" }, whole)
        assert.deepStrictEqual(offset.items, all.slice(0, 1))
        const rest = {
          clientId: me.clientId,
          to: at(3),
          after: cursorOf({ at: at(2), id: assert.at(ids, 3) })
        }
        assert.deepStrictEqual((yield* listAudit(rest, whole)).items, all.slice(4))
      })

      test("are narrowed by business, client and subject, alone and together", function*() {
        const { listAudit } = yield* Audit
        const { createDock, renameBusiness } = yield* Businesses
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const [me, you] = [anOperator(), anOperator()]
        yield* renameBusiness({ slug: acme, body: { name: "1" } }, me)
        yield* renameBusiness({ slug: globex, body: { name: "2" } }, me)
        yield* createDock({ slug: acme, facility: "west", body: { slug: "D9" } }, you)
        yield* renameBusiness({ slug: acme, body: { name: "3" } }, you)
        const subject = `businesses/${acme}`
        const dock = { slug: "D9" }
        const cases: ReadonlyArray<
          readonly [query: Parameters<typeof listAudit>[0], details: ReadonlyArray<unknown>]
        > = [
          [{ business: acme }, ["3", dock, "1"]],
          [{ business: acme, clientId: me.clientId }, ["1"]],
          [{ clientId: me.clientId }, ["2", "1"]],
          [{ subject }, ["3", "1"]],
          [{ subject, clientId: you.clientId, business: acme }, ["3"]],
          [{ subject, business: globex }, []],
          [{ business: acme, clientId: "", subject: "", from: "", to: "", after: "" }, ["3", dock, "1"]]
        ]
        for (const [query, expected] of cases) {
          const { items } = yield* listAudit(query, whole)
          const rows = items.map(({ details, subject }) =>
            details["name"] ?? { slug: subject.split("/").at(-1) }
          )
          assert.deepStrictEqual(rows, expected, JSON.stringify(query))
        }
      })

      test("show operators their businesses, and nothing of others or of the whole service", function*() {
        const { listAudit } = yield* Audit
        const { renameBusiness } = yield* Businesses
        const audit = yield* auditing
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        yield* renameBusiness({ slug: acme, body: { name: "1" } }, whole)
        yield* renameBusiness({ slug: globex, body: { name: "2" } }, whole)
        const me = anOperator()
        yield* audit(me, Effect.void, () => draft())
        const namesOf = (query: Parameters<typeof listAudit>[0], principal: Principal) =>
          Effect.map(
            listAudit(query, principal),
            ({ items }) => items.map(({ details }) => details["name"])
          )
        assert.deepStrictEqual(yield* namesOf({}, operatorOf(acme)), ["1"])
        assert.deepStrictEqual(yield* namesOf({}, operatorOf(acme, globex)), ["2", "1"])
        assert.deepStrictEqual(yield* namesOf({ subject: `businesses/${globex}` }, operatorOf(acme)), [])
        assert.deepStrictEqual(yield* namesOf({ clientId: me.clientId }, operatorOf(acme)), [])
        assert.deepStrictEqual((yield* listAudit({ clientId: me.clientId }, whole)).items.length, 1)
        assert.strictEqual(yield* outcome(listAudit({ business: globex }, operatorOf(acme))), "FORBIDDEN")
        assert.strictEqual(yield* outcome(listAudit({ business: "*" }, operatorOf(acme))), "FORBIDDEN")
        const customer = { clientId: "c", grants: [aGrant(acme, "*", ["documents:write"])] }
        assert.strictEqual(yield* outcome(listAudit({}, customer)), "FORBIDDEN")
      })

      test("refuse times and cursors that cannot be read, each by name", function*() {
        const { listAudit } = yield* Audit
        for (const after of ["x", "1", "2026-11-20T17:00:00Z_1", "2026-11-20T17:00:00.000Z_01", "_1"]) {
          const { code, errors } = yield* faultsOf(listAudit({ after, from: "soon", to: "later" }, whole))
          assert.strictEqual(code, "INVALID_PARAMETER")
          assert.deepStrictEqual(errors.map(({ path }) => path), ["after", "from", "to"], after)
        }
        assert.isTrue(
          Result.isSuccess(yield* Effect.result(listAudit({ to: "2020-01-01" }, whole))) === false
        )
      })
    })
  }
)
