/** Operators who change a partner at the same time, each at another instance, on one PostgreSQL database (D11). */
import { ExpectedVersions, versionOf } from "@dockline/core/input/Precondition"
import { Directory } from "@dockline/core/places/Place"
import { ediPartnerState } from "@dockline/edi/domain/EdiPartnerOperations"
import { EdiPartners } from "@dockline/edi/domain/EdiPartners"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import * as Sql from "@dockline/sql-storage/Sql"
import { unique } from "@dockline/testing/generators/Given"
import { whole } from "@dockline/testing/worlds/OperatorWorld"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { over } from "../../../../test/support/Tests.ts"
import { instancesOf } from "../../../sql-storage/test/Instances.ts"
import { times } from "../../../sql-storage/test/Movements.ts"

const { at, layer, outcomes } = instancesOf(Layer.provideMerge(EdiPartners.layer, Sql.layerWith([ediSql])))

const rounds = 10

const side = (id: string) => ({ qualifier: "ZZ", id, group: id })

const partner = "supplier"

/** A business with a partner. */
const aPartner = Effect.gen(function*() {
  const slug = unique("raced")
  const east = { slug: "east", name: "East", docks: [] }
  const terms = { release: "004010", usage: "P", takes: ["856"], tells: [], tellsOf: "OWN" } as const
  const body = {
    slug: partner,
    name: "Supplier",
    facility: "east",
    theirs: side("THEM"),
    ours: side("US"),
    units: [],
    newPurposes: [],
    nextControl: 1,
    ...terms
  }
  yield* at(Effect.andThen(
    Directory.use(({ put }) => put([{ slug, name: slug, fieldMap: [], facilities: [east] }])),
    EdiPartners.use(({ createEdiPartner }) => createEdiPartner({ slug, body }, whole))
  ))
  return slug
})

const get = (slug: string) =>
  at(EdiPartners.use(({ getEdiPartner }) => getEdiPartner({ slug, partner }, whole)))

over(layer)("D11 changes of an EDI partner at once", (test) => {
  test("that expect the same version: one is made, and the others are refused", function*() {
    for (const _ of times(rounds)) {
      const slug = yield* aPartner
      const version = yield* versionOf(ediPartnerState(yield* get(slug)))
      const change = (index: number) =>
        EdiPartners.use(({ updateEdiPartner }) =>
          updateEdiPartner({ slug, partner, body: { name: `new${index}` } }, whole)
        )
      assert.deepStrictEqual(
        yield* outcomes(6, (index) => Effect.provideService(change(index), ExpectedVersions, [version])),
        { ok: 1, PRECONDITION_FAILED: 5 }
      )
    }
  })

  test("of different settings: none is lost", function*() {
    for (const _ of times(rounds)) {
      const slug = yield* aPartner
      const bodies = [{ name: "New" }, { usage: "T" }, { takes: ["940"] }] as const
      assert.deepStrictEqual(
        yield* outcomes(
          3,
          (index) =>
            EdiPartners.use(({ updateEdiPartner }) =>
              updateEdiPartner({ slug, partner, body: bodies[index]! }, whole)
            )
        ),
        { ok: 3 }
      )
      const { name, takes, usage } = yield* get(slug)
      assert.deepStrictEqual({ name, takes, usage }, { name: "New", takes: ["940"], usage: "T" })
    }
  })
})
