/**
 * What holds for people, what operators do with them, and their store, whatever they are stored in (D14.4).
 */
import { Effect, Result } from "effect"
import type { AuditLog } from "../../access/AuditLog.ts"
import { PersonStore } from "../../access/PersonStore.ts"
import type { Person } from "../../access/PersonStore.ts"
import { People } from "../../operator/People.ts"
import type { Directory } from "../../places/Directory.ts"
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
  pagesOf,
  suiteOver,
  whole
} from "../worlds/OperatorWorld.ts"

const anEmail = (): string => `${aSlug()}@example.com`

/** A person as stored, known by e-mail. */
const aPerson = (fields: Partial<Person> = {}): Person => ({
  id: aSlug(),
  name: "Ada",
  email: anEmail(),
  subject: null,
  grants: [],
  ...fields
})

const suiteOf = suiteOver(People.layer)

/** The suite of the store of people. */
export const personStoreSuite: Suite<PersonStore | Directory | AuditLog> = suiteOf(
  "the store of people",
  (test, describe) => {
    describe("D14.4 operators and people", () => {
      test(
        "somebody is added with grants, changed, and removed",
        Effect.gen(function*() {
          const { add, get, remove, update } = yield* People
          const acme = yield* aBusiness
          const email = anEmail()
          const grants = [aGrant(acme, ["east"], ["messages:read"])]
          const made = yield* add({ name: "Ada", email: email.toUpperCase(), grants }, operatorOf(acme))
          assert.deepStrictEqual(made, { id: made.id, name: "Ada", email, subject: null, grants })
          assert.deepStrictEqual(yield* get(made.id, operatorOf(acme)), made)
          const renamed = yield* update(made.id, { name: "Ada L." }, operatorOf(acme))
          assert.deepStrictEqual(renamed, { ...made, name: "Ada L." })
          const granted = yield* update(made.id, { grants: [aGrant(acme)] }, operatorOf(acme))
          assert.deepStrictEqual(granted, { ...made, name: "Ada L.", grants: [aGrant(acme)] })
          yield* remove(made.id, operatorOf(acme))
          for (
            const operation of [
              get(made.id, whole),
              update(made.id, {}, whole),
              remove(made.id, whole)
            ]
          ) {
            assert.strictEqual(
              yield* outcome<unknown, { readonly code: string }, never>(operation),
              "PERSON_NOT_FOUND"
            )
          }
        })
      )

      test(
        "an operator of a business sees, changes and grants nothing beyond it",
        Effect.gen(function*() {
          const { add, get, list, remove, update } = yield* People
          const [acme, globex] = [yield* aBusiness, yield* aBusiness]
          const own = yield* add({ name: "Own", email: anEmail(), grants: [aGrant(acme)] }, whole)
          const both = yield* add(
            { name: "Both", subject: aSlug(), grants: [aGrant(acme), aGrant(globex)] },
            whole
          )
          const none = yield* add({ name: "None", subject: aSlug(), grants: [] }, whole)
          const operator = operatorOf(acme)
          const seen = yield* pagesOf((query) => list(query, operator), 1)
          assert.deepStrictEqual(seen.flat().map(({ id }) => id), [own.id])
          for (const { id } of [both, none]) {
            assert.strictEqual(yield* outcome(get(id, operator)), "PERSON_NOT_FOUND")
            assert.strictEqual(yield* outcome(update(id, { name: "Mine" }, operator)), "PERSON_NOT_FOUND")
            assert.strictEqual(yield* outcome(remove(id, operator)), "PERSON_NOT_FOUND")
          }
          assert.strictEqual((yield* get(both.id, whole)).name, "Both")
          for (const grants of [[aGrant(globex)], [aGrant("*")], []]) {
            assert.strictEqual(yield* outcome(update(own.id, { grants }, operator)), "FORBIDDEN")
            const added = add({ name: "More", email: anEmail(), grants }, operator)
            assert.strictEqual(yield* outcome(added), "FORBIDDEN")
          }
          const ordinary = aPrincipal(aGrant(acme))
          assert.strictEqual(yield* outcome(list({ limit: 9, after: "" }, ordinary)), "FORBIDDEN")
          assert.strictEqual(yield* outcome(get(own.id, ordinary)), "FORBIDDEN")
          assert.strictEqual(yield* outcome(remove(own.id, ordinary)), "FORBIDDEN")
        })
      )

      test(
        "two people are not known by the same thing, and grants name places that exist",
        Effect.gen(function*() {
          const { add } = yield* People
          const [email, subject] = [anEmail(), aSlug()]
          yield* add({ name: "One", email, grants: [] }, whole)
          yield* add({ name: "Two", subject, grants: [] }, whole)
          const again = add({ name: "Three", email: email.toUpperCase(), grants: [] }, whole)
          assert.strictEqual(yield* outcome(again), "PERSON_EXISTS")
          assert.strictEqual(
            yield* outcome(add({ name: "Four", subject, grants: [] }, whole)),
            "PERSON_EXISTS"
          )
          const lost = add({ name: "Five", email: anEmail(), grants: [aGrant(nowhere)] }, whole)
          assert.deepStrictEqual(yield* faultsOf(lost), {
            code: "INVALID_REQUEST",
            errors: [{ path: "grants[0].business", detail: `Unknown business: ${nowhere}` }]
          })
        })
      )
    })

    describe("the store of people", () => {
      test(
        "finds people by the subject first, then by the address, and as they were written",
        Effect.gen(function*() {
          const store = yield* PersonStore
          const byEmail = aPerson()
          const bySubject = aPerson({ email: null, subject: aSlug(), grants: [aGrant("acme")] })
          for (const person of [byEmail, bySubject]) {
            assert.isTrue(yield* store.create(person))
            assert.isFalse(yield* store.create({ ...person, email: anEmail(), subject: aSlug() }))
            assert.isFalse(yield* store.create({ ...person, id: aSlug() }))
            assert.deepStrictEqual(yield* store.find(person.id), person)
          }
          const found = (subject: string, email: string | null) => store.findIdentity({ subject, email })
          assert.deepStrictEqual(yield* found(nowhere, byEmail.email), byEmail)
          assert.deepStrictEqual(yield* found(bySubject.subject!, null), bySubject)
          assert.deepStrictEqual(yield* found(bySubject.subject!, byEmail.email), bySubject)
          assert.isNull(yield* found(nowhere, null))
          assert.isNull(yield* found(nowhere, anEmail()))
          assert.isNull(yield* found(byEmail.email!, bySubject.subject))
          assert.isNull(yield* store.find(nowhere))
        })
      )

      test(
        "lists in pages to some businesses who has grants, and all of them there",
        Effect.gen(function*() {
          const store = yield* PersonStore
          const [acme, globex] = [aSlug(), aSlug()]
          const people = [
            aPerson({ grants: [aGrant(acme), aGrant(acme, ["east"])] }),
            aPerson({ grants: [aGrant(acme), aGrant(globex)] }),
            aPerson({ grants: [aGrant(acme)] }),
            aPerson(),
            aPerson({ grants: [aGrant("*")] })
          ]
          for (const person of people) yield* store.create(person)
          const [one, both, two] = people
          const idsOf = (...scope: ReadonlyArray<string>) =>
            Effect.map(
              pagesOf((page) => store.list(scope, page), 2),
              (pages) => pages.map((page) => page.map(({ id }) => id))
            )
          assert.deepStrictEqual(yield* idsOf(acme), [[one!.id, two!.id].toSorted()])
          const all = [one!.id, both!.id, two!.id].toSorted()
          assert.deepStrictEqual(yield* idsOf(globex, acme), [all.slice(0, 2), all.slice(2)])
          assert.deepStrictEqual(yield* idsOf(globex), [[]])
          const everybody = yield* pagesOf((page) => store.list("*", page), 1000)
          for (const person of people) {
            assert.deepStrictEqual(everybody.flat().find(({ id }) => id === person.id), person)
          }
        })
      )

      test(
        "changes and removes somebody as they are, or not at all",
        Effect.gen(function*() {
          const store = yield* PersonStore
          const [person, other] = [aPerson(), aPerson()]
          for (const each of [person, other]) yield* store.create(each)
          const expected = { ...person, name: "New", grants: [aGrant("acme")] }
          const changed = yield* store.update(person.id, (known) => {
            assert.deepStrictEqual(known, person)
            return Result.succeed(expected)
          })
          assert.deepStrictEqual(changed, expected)
          const refuse = () => Result.fail("no" as const)
          assert.strictEqual(yield* Effect.flip(store.update(person.id, refuse)), "no")
          assert.strictEqual(yield* Effect.flip(store.remove(person.id, refuse)), "no")
          assert.deepStrictEqual(yield* store.find(person.id), expected)
          assert.isNull(yield* store.update(nowhere, refuse))
          assert.isFalse(yield* store.remove(nowhere, refuse))
          assert.isTrue(yield* store.remove(person.id, () => Result.void))
          assert.isNull(yield* store.find(person.id))
          assert.deepStrictEqual(yield* store.find(other.id), other)
          assert.isTrue(yield* store.create({ ...person, id: aSlug() }))
        })
      )
    })
  }
)
