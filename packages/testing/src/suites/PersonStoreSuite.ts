/**
 * The rules for people, the operations of operators on them, and their store, for every storage (D14.4).
 */
import type { AuditLog } from "@dockline/core/access/AuditLog"
import { PersonStore } from "@dockline/core/access/Principals"
import type { Person } from "@dockline/core/access/Principals"
import { People } from "@dockline/core/operator/People"
import type { Directory } from "@dockline/core/places/Place"
import { Effect, Result } from "effect"
import * as assert from "../Assert.ts"
import { aGrant, aPrincipal } from "../generators/Given.ts"
import type { Suite } from "../Suite.ts"
import {
  aBusiness,
  aSlug,
  faultsOf,
  nowhere,
  operatorOf,
  outcome,
  suiteOver,
  whole
} from "../worlds/OperatorWorld.ts"
import { pagesOf } from "../worlds/ReadWorld.ts"

const anEmail = (): string => `${aSlug()}@example.com`

/** A stored person, identified by e-mail. */
const aPerson = (fields: Partial<Person> = {}): Person => ({
  id: aSlug(),
  name: "Ada",
  email: anEmail(),
  subject: null,
  grants: [],
  ...fields
})

/** Values of `isSame`: every person with the same address or subject counts as the same, or no person does. */
const [anybody, nobody] = [() => true, () => false]

const suiteOf = suiteOver(People.layer)

/** The suite of the store of people. */
export const personStoreSuite: Suite<PersonStore | Directory | AuditLog> = suiteOf(
  "the store of people",
  (test, describe) => {
    describe("D14.4 operators and people", () => {
      test("somebody is added with grants, changed, and removed", function*() {
        const { addPerson, getPerson, removePerson, updatePerson } = yield* People
        const acme = yield* aBusiness
        const email = anEmail()
        const grants = [aGrant(acme, ["east"], ["messages:read"])]
        const person = yield* addPerson(
          { body: { name: "Ada", email: email.toUpperCase(), grants } },
          operatorOf(acme)
        )
        assert.deepStrictEqual(person, { id: person.id, name: "Ada", email, subject: null, grants })
        assert.deepStrictEqual(yield* getPerson({ personId: person.id }, operatorOf(acme)), person)
        const personAfter = yield* updatePerson(
          { personId: person.id, body: { name: "Ada L." } },
          operatorOf(acme)
        )
        assert.deepStrictEqual(personAfter, { ...person, name: "Ada L." })
        const personAfterGrant = yield* updatePerson(
          { personId: person.id, body: { grants: [aGrant(acme)] } },
          operatorOf(acme)
        )
        assert.deepStrictEqual(personAfterGrant, { ...person, name: "Ada L.", grants: [aGrant(acme)] })
        yield* removePerson({ personId: person.id }, operatorOf(acme))
        for (
          const operation of [
            getPerson({ personId: person.id }, whole),
            updatePerson({ personId: person.id, body: {} }, whole),
            removePerson({ personId: person.id }, whole)
          ]
        ) {
          assert.strictEqual(
            yield* outcome<unknown, { readonly code: string }, never>(operation),
            "PERSON_NOT_FOUND"
          )
        }
      })

      test("an operator of a business sees, changes and grants nothing beyond it", function*() {
        const { addPerson, getPerson, listPeople, removePerson, updatePerson } = yield* People
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const own = yield* addPerson(
          { body: { name: "Own", email: anEmail(), grants: [aGrant(acme)] } },
          whole
        )
        const both = yield* addPerson({
          body: { name: "Both", subject: aSlug(), grants: [aGrant(acme), aGrant(globex)] }
        }, whole)
        const none = yield* addPerson({ body: { name: "None", subject: aSlug(), grants: [] } }, whole)
        const operator = operatorOf(acme)
        const pages = yield* pagesOf((query) => listPeople(query, operator), 1)
        assert.deepStrictEqual(pages.flat().map(({ id }) => id), [own.id])
        for (const { id } of [both, none]) {
          assert.strictEqual(yield* outcome(getPerson({ personId: id }, operator)), "PERSON_NOT_FOUND")
          assert.strictEqual(
            yield* outcome(updatePerson({ personId: id, body: { name: "Mine" } }, operator)),
            "PERSON_NOT_FOUND"
          )
          assert.strictEqual(yield* outcome(removePerson({ personId: id }, operator)), "PERSON_NOT_FOUND")
        }
        assert.strictEqual((yield* getPerson({ personId: both.id }, whole)).name, "Both")
        for (const grants of [[aGrant(globex)], [aGrant("*")], []]) {
          assert.strictEqual(
            yield* outcome(updatePerson({ personId: own.id, body: { grants } }, operator)),
            "FORBIDDEN"
          )
          const addition = addPerson({ body: { name: "More", email: anEmail(), grants } }, operator)
          assert.strictEqual(yield* outcome(addition), "FORBIDDEN")
        }
        const ordinary = aPrincipal(aGrant(acme))
        assert.strictEqual(yield* outcome(listPeople({ limit: 9, after: "" }, ordinary)), "FORBIDDEN")
        assert.strictEqual(yield* outcome(getPerson({ personId: own.id }, ordinary)), "FORBIDDEN")
        assert.strictEqual(yield* outcome(removePerson({ personId: own.id }, ordinary)), "FORBIDDEN")
      })

      test("each operator adds an address for its own businesses, and learns nothing of others", function*() {
        const { addPerson, getPerson, listPeople, removePerson, updatePerson } = yield* People
        const store = yield* PersonStore
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const email = anEmail()
        const person = yield* addPerson(
          { body: { name: "Taken", email, grants: [aGrant(acme)] } },
          operatorOf(acme)
        )
        const spanning = { name: "Both", email, grants: [aGrant(acme), aGrant(globex)] }
        assert.strictEqual(yield* outcome(addPerson({ body: spanning }, whole)), "PERSON_EXISTS")
        const own = yield* addPerson(
          { body: { name: "Own", email, grants: [aGrant(globex)] } },
          operatorOf(globex)
        )
        assert.deepStrictEqual(
          (yield* pagesOf((query) => listPeople(query, operatorOf(globex)), 9)).flat(),
          [own]
        )
        assert.strictEqual(
          yield* outcome(getPerson({ personId: person.id }, operatorOf(globex))),
          "PERSON_NOT_FOUND"
        )
        assert.strictEqual(
          yield* outcome(getPerson({ personId: own.id }, operatorOf(acme))),
          "PERSON_NOT_FOUND"
        )
        const people = yield* store.findIdentity({ subject: nowhere, email })
        assert.deepStrictEqual(
          people.map(({ id, name }) => ({ id, name })),
          [{ id: person.id, name: "Taken" }, { id: own.id, name: "Own" }].toSorted((left, right) =>
            left.id < right.id ? -1 : 1
          )
        )
        // An operator only changes or removes persons of its own business.
        yield* updatePerson(
          { personId: person.id, body: { grants: [aGrant(acme, ["east"])] } },
          operatorOf(acme)
        )
        yield* removePerson({ personId: person.id }, operatorOf(acme))
        assert.deepStrictEqual(
          yield* store.findIdentity({ subject: nowhere, email }),
          people.filter(({ id }) => id === own.id)
        )
        // The operators of a business do not see a person whom an operator of the whole service has added for several businesses.
        yield* removePerson({ personId: own.id }, whole)
        const both = yield* addPerson({ body: spanning }, whole)
        yield* addPerson({ body: { name: "Mine", email, grants: [aGrant(acme)] } }, operatorOf(acme))
        assert.strictEqual((yield* getPerson({ personId: both.id }, whole)).name, "Both")
      })

      test("nobody is added twice at a business, and grants name places that exist", function*() {
        const { addPerson, getPerson, removePerson, updatePerson } = yield* People
        const [email, subject] = [anEmail(), aSlug()]
        yield* addPerson({ body: { name: "One", email, grants: [] } }, whole)
        yield* addPerson({ body: { name: "Two", subject, grants: [] } }, whole)
        const again = addPerson({ body: { name: "Three", email: email.toUpperCase(), grants: [] } }, whole)
        assert.strictEqual(yield* outcome(again), "PERSON_EXISTS")
        assert.strictEqual(
          yield* outcome(addPerson({ body: { name: "Four", subject, grants: [] } }, whole)),
          "PERSON_EXISTS"
        )
        // A person without grants gets some.
        const addition = addPerson({
          body: { name: "Granted", subject, grants: [aGrant(yield* aBusiness)] }
        }, whole)
        assert.strictEqual(yield* outcome(addition), "PERSON_EXISTS")
        const acme = yield* aBusiness
        const here = { email: anEmail(), grants: [aGrant(acme)] }
        const person = yield* addPerson({ body: { name: "Here", ...here } }, operatorOf(acme))
        for (const asking of [operatorOf(acme), whole]) {
          const twice = addPerson(
            { body: { name: "Twice", ...here, grants: [aGrant(acme, ["east"])] } },
            asking
          )
          assert.strictEqual(yield* outcome(twice), "PERSON_EXISTS")
        }
        yield* removePerson({ personId: person.id }, operatorOf(acme))
        yield* addPerson({ body: { name: "Here again", ...here } }, operatorOf(acme))
        // Nor can a person be moved to a business that already has the same person.
        const globex = yield* aBusiness
        const both = operatorOf(acme, globex)
        const there = yield* addPerson({
          body: { name: "There", email: here.email, grants: [aGrant(globex)] }
        }, both)
        assert.strictEqual(
          yield* outcome(updatePerson({ personId: there.id, body: { grants: [aGrant(acme)] } }, both)),
          "PERSON_EXISTS"
        )
        assert.deepStrictEqual((yield* getPerson({ personId: there.id }, both)).grants, there.grants)
        yield* updatePerson({ personId: there.id, body: { grants: [aGrant(globex, ["east"])] } }, both)
        const loss = addPerson(
          { body: { name: "Five", email: anEmail(), grants: [aGrant(nowhere)] } },
          whole
        )
        assert.deepStrictEqual(yield* faultsOf(loss), {
          code: "INVALID_REQUEST",
          errors: [{ path: "grants[0].business", detail: `Unknown business: ${nowhere}` }]
        })
      })
    })

    describe("the store of people", () => {
      test("finds people by the subject first, then by the address, and as they were written", function*() {
        const store = yield* PersonStore
        const byEmail = aPerson()
        const bySubject = aPerson({ email: null, subject: aSlug(), grants: [aGrant("acme")] })
        for (const person of [byEmail, bySubject]) {
          assert.isTrue(yield* store.create(person, anybody))
          assert.isFalse(yield* store.create({ ...person, email: anEmail(), subject: null }, nobody))
          assert.isFalse(yield* store.create({ ...person, id: aSlug() }, anybody))
          assert.deepStrictEqual(yield* store.find(person.id), person)
        }
        const identitiesOf = (subject: string, email: string | null) => store.findIdentity({ subject, email })
        assert.deepStrictEqual(yield* identitiesOf(nowhere, byEmail.email), [byEmail])
        assert.deepStrictEqual(yield* identitiesOf(assert.present(bySubject.subject), null), [bySubject])
        assert.deepStrictEqual(yield* identitiesOf(assert.present(bySubject.subject), byEmail.email), [
          bySubject,
          byEmail
        ])
        assert.deepStrictEqual(yield* identitiesOf(nowhere, null), [])
        assert.deepStrictEqual(yield* identitiesOf(nowhere, anEmail()), [])
        assert.deepStrictEqual(yield* identitiesOf(assert.present(byEmail.email), bySubject.subject), [])
        assert.isNull(yield* store.find(nowhere))
      })

      test("adds somebody once of many at a time, and the same human being as several people", function*() {
        const store = yield* PersonStore
        const email = anEmail()
        const many = Array.from({ length: 5 }, () => aPerson({ email }))
        const additions = yield* Effect.forEach(many, (person) => store.create(person, anybody), {
          concurrency: "unbounded"
        })
        assert.strictEqual(additions.filter((isNew) => isNew).length, 1)
        const more = [aPerson({ email }), aPerson({ email: null, subject: aSlug() })]
        for (const person of more) assert.isTrue(yield* store.create(person, nobody))
        const [first, second] = [assert.present(many[additions.indexOf(true)]), assert.at(more, 0)]
        const ids = [first.id, second.id].toSorted()
        const people = yield* store.findIdentity({
          subject: assert.present(assert.at(more, 1).subject),
          email
        })
        assert.deepStrictEqual(people.map(({ id }) => id), [assert.at(more, 1).id, ...ids])
        yield* store.remove(first.id, () => Result.void)
        assert.deepStrictEqual(yield* store.findIdentity({ subject: nowhere, email }), [second])
      })

      test("lists in pages to some businesses who has grants, and all of them there", function*() {
        const store = yield* PersonStore
        const [acme, globex] = [aSlug(), aSlug()]
        const people = [
          aPerson({ grants: [aGrant(acme), aGrant(acme, ["east"])] }),
          aPerson({ grants: [aGrant(acme), aGrant(globex)] }),
          aPerson({ grants: [aGrant(acme)] }),
          aPerson(),
          aPerson({ grants: [aGrant("*")] })
        ]
        for (const person of people) yield* store.create(person, anybody)
        const [one, both, two] = people
        const idsOf = (...scope: ReadonlyArray<string>) =>
          Effect.map(
            pagesOf((page) => store.list(scope, page), 2),
            (pages) => pages.map((page) => page.map(({ id }) => id))
          )
        assert.deepStrictEqual(yield* idsOf(acme), [
          [assert.present(one).id, assert.present(two).id].toSorted()
        ])
        const all = [assert.present(one).id, assert.present(both).id, assert.present(two).id].toSorted()
        assert.deepStrictEqual(yield* idsOf(globex, acme), [all.slice(0, 2), all.slice(2)])
        assert.deepStrictEqual(yield* idsOf(globex), [[]])
        const everybody = yield* pagesOf((page) => store.list("*", page), 1000)
        for (const person of people) {
          assert.deepStrictEqual(everybody.flat().find(({ id }) => id === person.id), person)
        }
      })

      test("changes and removes somebody as they are, or not at all", function*() {
        const store = yield* PersonStore
        const [person, other] = [aPerson(), aPerson()]
        for (const each of [person, other]) yield* store.create(each, anybody)
        const expected = { ...person, name: "New", grants: [aGrant("acme")] }
        const change = yield* store.update(person.id, (before) => {
          assert.deepStrictEqual(before, person)
          return Result.succeed(expected)
        })
        assert.deepStrictEqual(change, expected)
        const refuse = () => Result.fail("no" as const)
        assert.strictEqual(yield* Effect.flip(store.update(person.id, refuse)), "no")
        assert.strictEqual(yield* Effect.flip(store.remove(person.id, refuse)), "no")
        assert.deepStrictEqual(yield* store.find(person.id), expected)
        assert.isNull(yield* store.update(nowhere, refuse))
        assert.isFalse(yield* store.remove(nowhere, refuse))
        assert.isTrue(yield* store.remove(person.id, () => Result.void))
        assert.isNull(yield* store.find(person.id))
        assert.deepStrictEqual(yield* store.find(other.id), other)
        assert.isTrue(yield* store.create({ ...person, id: aSlug() }, anybody))
      })
    })
  }
)
