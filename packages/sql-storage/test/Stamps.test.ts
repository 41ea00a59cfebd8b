/** The times of the service's own by which lists go: taken after all that a change waits for (D21.1). */
import { audited, AuditLog } from "@dockline/core/access/AuditLog"
import { Intake } from "@dockline/core/document/Intake"
import { Exceptions } from "@dockline/core/exceptions/Exceptions"
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { exceptionsSql } from "@dockline/sql-storage/exceptions/ExceptionSql"
import { unique } from "@dockline/testing/Unique"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../test/support/Tests.ts"
import { aBusiness, holding, lockWaiters, onNodeOf, servicesWith } from "./Movements.ts"

/** A business with a shipment and a partner, ways to write there, and what the lists of each tell of time. */
const setup = Effect.gen(function*() {
  const acme = yield* aBusiness
  const { id } = yield* acme.submit("S1", "O1", "L1")
  const sql = yield* SqlClient.SqlClient
  const edi = yield* EdiStore
  const partner = yield* edi.create({
    business: acme.slug,
    facility: "east",
    slug: "partner",
    name: "Partner",
    theirs: { qualifier: "ZZ", id: unique("THEIRS"), group: "THEIRS" },
    ours: { qualifier: "ZZ", id: "OURS", group: "OURS" },
    release: "004010",
    usage: "P",
    takes: ["856"],
    tells: [],
    tellsOf: "OWN",
    units: [],
    newPurposes: [],
    nextInterchange: 1,
    nextGroup: 1,
    now: new Date().toISOString()
  })
  const name = { business: acme.slug, key: partner.key }
  const everything = { limit: 100, after: undefined }
  const scopes = [{ business: acme.slug, facilities: "*" as const }]
  return {
    acme,
    lists: {
      documents: Effect.map(
        Intake.use((intake) => intake.records({ business: acme.slug }, acme.principal)),
        ({ items }) => items.map(({ receivedAt }) => receivedAt)
      ),
      exceptions: Effect.map(
        Exceptions.use((exceptions) => exceptions.list({ business: acme.slug }, acme.principal)),
        ({ items }) => items.map(({ reportedAt }) => reportedAt)
      ),
      files: Effect.map(
        edi.files(
          scopes,
          {
            business: undefined,
            facility: undefined,
            partner: undefined,
            direction: undefined,
            outcome: undefined
          },
          everything
        ),
        ({ items }) => items.map(({ at }) => at)
      ),
      audit: Effect.map(
        AuditLog.use((log) =>
          log.list(
            [acme.slug],
            { clientId: undefined, subject: undefined, from: undefined, to: undefined },
            everything
          )
        ),
        ({ items }) => items.map(({ at }) => at)
      )
    },
    locks: {
      shipment: holding(
        sql`select from dockline.shipment where business_id = ${acme.id}::bigint and id = ${id}::bigint for no key update`
      ),
      log: holding(
        sql`select from dockline.message_log where business_id = ${acme.id}::bigint for no key update`
      ),
      exchange: holding(sql`select dockline.edi_lock(${acme.id}::bigint)`, onNodeOf(acme.slug)),
      business: holding(sql`select from dockline.business where slug = ${acme.slug} for update`)
    },
    writes: {
      documents: acme.merge("S1", "O1", "L1"),
      exceptions: Exceptions.use((exceptions) =>
        exceptions.report(
          String(id),
          { kind: "OTHER", priority: "LOW", description: "wet", lpn: "", palletId: "" },
          acme.principal
        )
      ),
      files: edi.transact(
        name,
        {},
        ({ partner: { cursorId, nextGroup, nextInterchange } }) =>
          Result.succeed({
            plan: {
              cursorId,
              nextGroup,
              nextInterchange,
              marked: [],
              file: {
                direction: "IN",
                control: "000000001",
                outcome: "ACCEPTED",
                sets: [],
                faults: [],
                text: "",
                answer: ""
              }
            },
            answer: () => 0
          })
      ),
      refused: edi.refuse(name, { control: "000000002", fingerprint: "f", fault: "damaged", text: "ISA" }),
      audit: Effect.flatMap(audited, (audit) =>
        audit(
          acme.principal,
          sql`update dockline.business set name = 'Other' where slug = ${acme.slug}`,
          () => ({ action: "BUSINESS_CHANGED", business: acme.slug, subject: acme.slug, details: {} })
        ))
    }
  }
})

type Setup = Effect.Success<typeof setup>

const cases = [
  ["documents", "shipment", "documents"],
  ["exceptions", "shipment", "exceptions"],
  ["exceptions", "log", "exceptions"],
  ["files", "exchange", "files"],
  ["refused", "exchange", "files"],
  ["audit", "business", "audit"]
] as const satisfies ReadonlyArray<
  readonly [keyof Setup["writes"], keyof Setup["locks"], keyof Setup["lists"]]
>

over(Exceptions.layer.pipe(Layer.provideMerge(servicesWith([ediSql, exceptionsSql]))))(
  "D21.1 what waited",
  (test) => {
    for (const [write, lock, list] of cases) {
      test(`is of the time when it was written, so that who reads by the clock misses none: ${write}, for the ${lock}`, function*() {
        const { acme, lists, locks, writes } = yield* setup
        // The log is there.
        yield* acme.record({ eventId: "E0", lpn: "L1" })
        const sql = yield* SqlClient.SqlClient
        const before = (yield* lists[list]).length
        const held = yield* locks[lock]
        const waiting = yield* Effect.forkChild(Effect.asVoid(writes[write] as typeof writes["documents"]))
        yield* lockWaiters(1)
        // Whoever reads by the time of the wall clock has read up to here.
        const [clock] = yield* sql<{ read: string }>`select dockline.rfc3339(clock_timestamp()) as read`
        yield* held.commit
        yield* Fiber.join(waiting)
        const [newest, ...others] = yield* lists[list]
        assert.strictEqual(others.length, before)
        assert.isAtLeast(Date.parse(newest!), Date.parse(clock!.read))
      })
    }
  }
)
