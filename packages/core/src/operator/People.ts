/**
 * Manages the people who sign in to the dashboard by an OpenID Connect provider, and their grants, for operators (D14.4).
 *
 * Guarantee: an operator sees and changes only people whose grants are all for businesses that it operates, and gives grants only for these
 * businesses. A person whom the operator may not see blocks no addition, and an addition does not reveal that person.
 */
import { Context, Effect, Layer, Result } from "effect"
import { checkOperator, isWithin, operatedBusinesses, operatorScope } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import { auditing } from "../access/AuditLog.ts"
import type { AuditDraft, AuditLog } from "../access/AuditLog.ts"
import { emailOf, PersonStore, sharesBusiness } from "../access/Principals.ts"
import type { Person } from "../access/Principals.ts"
import { expected } from "../input/Precondition.ts"
import { Directory } from "../places/Place.ts"
import { clip } from "../values/Clip.ts"
import { PersonExists, PersonNotFound } from "../values/OperatorErrors.ts"
import { mapPage, namePage } from "../values/Page.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import { auditDraft, checkGrants, lessGrants, visible, withGrants } from "./internal/GrantRules.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { personState, personView } from "./OperatorView.ts"

/** Manages people: handles the operations on them. */
export class People extends Context.Service<
  People,
  OperatorHandlers<
    | "listPeople"
    | "addPerson"
    | "getPerson"
    | "updatePerson"
    | "addPersonGrants"
    | "withdrawPersonGrants"
    | "removePerson"
  >
>()("@dockline/core/operator/People") {
  /** Manages the people of the store. */
  static readonly layer: Layer.Layer<People, never, PersonStore | Directory | AuditLog> = Layer.effect(
    People,
    Effect.gen(function*() {
      const store = yield* PersonStore
      const directory = yield* Directory
      const audit = yield* auditing

      const find = Effect.fnUntraced(function*(id: string, principal: Principal) {
        yield* Effect.fromResult(checkOperator(principal))
        const person = isId(id) ? yield* store.find(id) : null
        return yield* Effect.fromResult(visible(person, principal, notFound(id)))
      })

      /** Changes a person, and records the change in the audit log. */
      const change = Effect.fnUntraced(function*<E>(
        id: string,
        principal: Principal,
        f: (
          person: Person,
          others: ReadonlyArray<Person>
        ) => Result.Result<Pick<Person, "name" | "grants">, E>,
        details: AuditDraft["details"]
      ) {
        const before: Array<Person> = []
        const update = store.update(id, (person, others) => {
          before[0] = person
          return Result.flatMap(
            visible(person, principal, notFound(id)),
            (person): Result.Result<Pick<Person, "name" | "grants">, E> => f(person, others)
          )
        })
        const personOrRefusal = Effect.filterOrFail(update, (person) => person !== null, () => notFound(id))
        const draftOf = (after: Person) =>
          auditDraft("PERSON_CHANGED", details, ["people", id], ...before, after)
        return personView(yield* audit(principal, personOrRefusal, draftOf))
      })

      return People.of({
        listPeople: Effect.fn("People.list")(function*(query, principal) {
          return mapPage(yield* store.list(yield* operatorScope(principal), namePage(query)), personView)
        }),

        getPerson: Effect.fn("People.get")(function*({ personId }, principal) {
          return personView(yield* find(personId, principal))
        }),

        addPerson: Effect.fn("People.add")(function*({ body }, principal) {
          const { email, grants, name, subject } = body
          yield* checkGrants(directory, principal, grants)
          const person: Person = {
            id: yield* WebCrypto.randomId,
            name,
            email: email === undefined ? null : emailOf(email) ?? null,
            subject: subject ?? null,
            grants
          }
          const create = store.create(person, isSame(person, principal))
          yield* audit(
            principal,
            Effect.filterOrFail(create, (isNew) => isNew, () => exists(person)),
            () => auditDraft("PERSON_ADDED", factsOf(person), ["people", person.id], person)
          )
          return personView(person)
        }),

        updatePerson: Effect.fn("People.update")(function*({ body, personId: id }, principal) {
          const { grants, name } = body
          // A person that the operator may not see counts as missing, so this check comes first.
          const person = yield* find(id, principal)
          const unchanged = yield* expected(personState(personView(person)))
          yield* checkGrants(directory, principal, grants)
          return yield* change(
            id,
            principal,
            (person, others) =>
              Result.flatMap(
                unchanged(personState(personView(person))),
                () =>
                  unlessExists(person, others, principal)({
                    name: name ?? person.name,
                    grants: grants ?? person.grants
                  })
              ),
            { name, grants }
          )
        }),

        addPersonGrants: Effect.fn("People.addGrants")(function*({ body, personId: id }, principal) {
          const { grants: additions } = body
          yield* find(id, principal)
          yield* checkGrants(directory, principal, additions)
          return yield* change(
            id,
            principal,
            (person, others) =>
              Result.flatMap(
                withGrants(person.grants, additions),
                (grants) => unlessExists(person, others, principal)({ name: person.name, grants })
              ),
            { added: additions }
          )
        }),

        withdrawPersonGrants: Effect.fn("People.withdrawGrants")(
          function*({ body, personId: id }, principal) {
            const { grants: withdrawals } = body
            yield* find(id, principal)
            // A withdrawal is never refused because of another person: it takes rights away.
            return yield* change(
              id,
              principal,
              ({ grants, name }) =>
                Result.map(lessGrants(grants, withdrawals, principal), (grants) => ({ name, grants })),
              { withdrawn: withdrawals }
            )
          }
        ),

        removePerson: Effect.fn("People.remove")(function*({ personId: id }, principal) {
          const person = yield* find(id, principal)
          const remove = store.remove(
            id,
            (person) => Result.map(visible(person, principal, notFound(id)), () => undefined)
          )
          yield* audit(
            principal,
            Effect.filterOrFail(remove, (isGone) => isGone, () => notFound(id)),
            () => auditDraft("PERSON_REMOVED", factsOf(person), ["people", id], person)
          )
        })
      })
    })
  )
}

const factsOf = ({ email, grants, name, subject }: Person) => ({ name, email, subject, grants })

/** Whether a text has the form of the ids that `addPerson` makes; other text is not looked up. */
const isId = (id: string): boolean => /^[\da-f-]{36}$/.test(id)

const notFound = (id: string): PersonNotFound => new PersonNotFound({ id: clip(id) })

/**
 * Whether another person with the same address or subject blocks the grants of a person: the operator may see the other person, and both
 * have grants for the same business, or one of them has none.
 */
const isSame = (person: Pick<Person, "grants">, principal: Principal) => (other: Person): boolean =>
  isWithin(other, operatedBusinesses(principal)) && sharesBusiness(other, person)

/** A change of a person, unless another person blocks the new grants who did not block those before. */
const unlessExists =
  (person: Person, others: ReadonlyArray<Person>, principal: Principal) =>
  (next: Pick<Person, "name" | "grants">): Result.Result<Pick<Person, "name" | "grants">, PersonExists> =>
    others.some((other) => isSame(next, principal)(other) && !isSame(person, principal)(other))
      ? Result.fail(exists(person))
      : Result.succeed(next)

const exists = ({ email, subject }: Person): PersonExists =>
  new PersonExists({ knownBy: clip(email ?? subject ?? "") })
