/**
 * Operators who do the same at once, each at an instance of its own, on one PostgreSQL database.
 */
import { ExpectedVersions, versionOf } from "@dockline/core/input/Precondition"
import { ApiClients } from "@dockline/core/operator/ApiClients"
import { Businesses } from "@dockline/core/operator/Businesses"
import { clientState, personState } from "@dockline/core/operator/OperatorView"
import { People } from "@dockline/core/operator/People"
import { Directory } from "@dockline/core/places/Place"
import * as Sql from "@dockline/sql-storage/Sql"
import { whole } from "@dockline/testing/worlds/OperatorWorld"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { over } from "../../../test/support/Tests.ts"
import { instancesOf } from "./Instances.ts"
import { times } from "./Movements.ts"

const services = Layer.mergeAll(ApiClients.layer, Businesses.layer, People.layer)

const { at, layer, outcomes } = instancesOf(Layer.provideMerge(services, Sql.layerWith([])))

type Services = Layer.Success<typeof services>

const rounds = 10

let count = 0
const aSlug = () => `raced-${++count}`

const aPlace = (slug: string) => ({ slug, name: slug })

const create = at(
  ApiClients.use(({ createClient }) => createClient({ body: { name: "Raced", grants: [] } }, whole))
)

const get = (id: string) => at(ApiClients.use(({ getClient }) => getClient({ clientId: id }, whole)))

over(layer)("operators at once on PostgreSQL", (test) => {
  describe("D11 what is made at once is made once", () => {
    test("a business, a facility, a dock", function*() {
      for (const _ of times(rounds)) {
        const slug = aSlug()
        const of = (
          one: (
            businesses: (typeof Businesses)["Service"]
          ) => Effect.Effect<unknown, { readonly code: string }>
        ) => outcomes(6, () => Businesses.use(one))
        assert.deepStrictEqual(
          [
            yield* of(({ createBusiness }) => createBusiness({ body: aPlace(slug) }, whole)),
            yield* of(({ createFacility }) => createFacility({ slug, body: aPlace("east") }, whole)),
            yield* of(({ createDock }) => createDock({ slug, facility: "east", body: { slug: "D1" } }, whole))
          ],
          [{ ok: 1, BUSINESS_EXISTS: 5 }, { ok: 1, FACILITY_EXISTS: 5 }, { ok: 1, DOCK_EXISTS: 5 }]
        )
      }
    })
  })

  describe("D11 limits hold however many come at once", () => {
    test("1,000 facilities of a business, 1,000 docks of a facility", function*() {
      const slug = aSlug()
      const docks = times(995).map((index) => `D${index}`)
      const facilities = times(995).map((index) => ({
        ...aPlace(`f${index}`),
        docks: index === 0 ? docks : []
      }))
      yield* at(
        Directory.use(({ put }) => put([{ ...aPlace(slug), fieldMap: [], facilities }]))
      )
      assert.deepStrictEqual(
        yield* outcomes(
          20,
          (index) =>
            Businesses.use(({ createFacility }) =>
              createFacility({ slug, body: aPlace(`new${index}`) }, whole)
            )
        ),
        { ok: 5, TOO_MANY_ENTRIES: 15 }
      )
      assert.deepStrictEqual(
        yield* outcomes(
          20,
          (index) =>
            Businesses.use(({ createDock }) =>
              createDock({ slug, facility: "f0", body: { slug: `new${index}` } }, whole)
            )
        ),
        { ok: 5, TOO_MANY_ENTRIES: 15 }
      )
      const entry = yield* at(Directory.use(({ describe }) => describe(slug)))
      assert.deepStrictEqual([entry?.facilities.length, entry?.facilities[0]?.docks.length], [1000, 1000])
    })
  })

  describe("D11 changes at once", () => {
    test("of different settings of a client: none is lost", function*() {
      for (const _ of times(rounds)) {
        const { id, secrets: [first] } = yield* create
        const changes: ReadonlyArray<Effect.Effect<unknown, { readonly code: string }, ApiClients>> = [
          ApiClients.use(({ updateClient }) => updateClient({ clientId: id, body: { name: "New" } }, whole)),
          ApiClients.use(({ updateClient }) =>
            updateClient({ clientId: id, body: { enabled: false } }, whole)
          ),
          ApiClients.use(({ deleteSecret }) => deleteSecret({ clientId: id, secretId: first!.id }, whole))
        ]
        assert.deepStrictEqual(
          yield* outcomes(3, (index) => changes[index]!),
          { ok: 3 }
        )
        const { name, enabled, secrets } = yield* get(id)
        assert.deepStrictEqual({ name, enabled, secrets }, { name: "New", enabled: false, secrets: [] })
      }
    })

    test("that expect the same version: one is made, and the others are refused", function*() {
      for (const round of times(rounds)) {
        const slug = aSlug()
        const { id: clientId } = yield* create
        const { id: personId } = yield* at(
          People.use(({ addPerson }) =>
            addPerson({ body: { name: "Raced", subject: `expected-${round}`, grants: [] } }, whole)
          )
        )
        yield* at(Directory.use(({ put }) => put([{ ...aPlace(slug), fieldMap: [], facilities: [] }])))
        type Change = Effect.Effect<unknown, { readonly code: string }, Services>
        const changes: ReadonlyArray<readonly [state: Change, change: (name: string) => Change]> = [
          [
            Effect.map(ApiClients.use(({ getClient }) => getClient({ clientId }, whole)), clientState),
            (name) => ApiClients.use(({ updateClient }) => updateClient({ clientId, body: { name } }, whole))
          ],
          [
            Effect.map(People.use(({ getPerson }) => getPerson({ personId }, whole)), personState),
            (name) => People.use(({ updatePerson }) => updatePerson({ personId, body: { name } }, whole))
          ],
          [
            Businesses.use(({ getFieldMap }) => getFieldMap({ slug }, whole)),
            (name) =>
              Businesses.use(({ setFieldMap }) =>
                setFieldMap({ slug, body: [{ name, label: "lpn", list: false }] }, whole)
              )
          ]
        ]
        for (const [state, change] of changes) {
          const version = yield* versionOf(yield* at(state))
          assert.deepStrictEqual(
            yield* outcomes(
              6,
              (index) => Effect.provideService(change(`new${index}`), ExpectedVersions, [version])
            ),
            { ok: 1, PRECONDITION_FAILED: 5 }
          )
        }
      }
    })

    test("of grants of a client and of a person, added and taken away: none is lost", function*() {
      const permissions = ["documents:write", "messages:read", "pallets:write", "shipments:write"] as const
      const grant = (index: number) => ({
        grants: [{ business: "*", facilities: "*", permissions: [permissions[index % 4]!] } as const]
      })
      for (const round of times(rounds)) {
        const { id: clientId } = yield* create
        const { id: personId } = yield* at(
          People.use(({ addPerson }) =>
            addPerson({ body: { name: "Raced", subject: `raced-${round}`, grants: [] } }, whole)
          )
        )
        const of = {
          client: {
            add: (index: number) =>
              ApiClients.use(({ addClientGrants }) =>
                addClientGrants({ clientId, body: grant(index) }, whole)
              ),
            withdraw: (index: number) =>
              ApiClients.use(({ withdrawClientGrants }) =>
                withdrawClientGrants({ clientId, body: grant(index) }, whole)
              )
          },
          person: {
            add: (index: number) =>
              People.use(({ addPersonGrants }) => addPersonGrants({ personId, body: grant(index) }, whole)),
            withdraw: (index: number) =>
              People.use(({ withdrawPersonGrants }) =>
                withdrawPersonGrants({ personId, body: grant(index) }, whole)
              )
          }
        }
        type Change = Effect.Effect<unknown, { readonly code: string }, ApiClients | People>
        const both = (verb: "add" | "withdraw") => (index: number): Change =>
          of[index < 4 ? "client" : "person"][verb](index)
        const holder = at(Effect.gen(function*() {
          const client = yield* ApiClients.use(({ getClient }) => getClient({ clientId }, whole))
          const person = yield* People.use(({ getPerson }) => getPerson({ personId }, whole))
          return [client, person].map(({ grants }) =>
            grants.flatMap(({ permissions }) => permissions).toSorted()
          )
        }))
        assert.deepStrictEqual(yield* outcomes(8, both("add")), { ok: 8 })
        assert.deepStrictEqual(yield* holder, [[...permissions], [...permissions]])
        assert.deepStrictEqual(yield* outcomes(7, both("withdraw")), { ok: 7 })
        assert.deepStrictEqual(yield* holder, [[], ["shipments:write"]])
      }
    })
  })
})
