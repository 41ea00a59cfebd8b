/**
 * Manages the people who sign in to the dashboard by an OpenID Connect provider, and their grants, for operators (D14.4).
 *
 * Guarantee: an operator sees and changes only people whose grants all lie within the businesses it operates, and grants
 * nothing beyond them. People whom other operators have added are in nobody's way, and are not revealed. What is withdrawn from a person is
 * withdrawn from the sessions at hand.
 */
import { Context, Effect, Layer, Result } from "effect"
import { operatedBusinesses } from "../access/Access.ts"
import type { Authorized, Principal } from "../access/Access.ts"
import type { AuditAction, AuditDraft } from "../access/AuditEntry.ts"
import { audited, businessOf, subjectOf } from "../access/AuditLog.ts"
import type { AuditLog } from "../access/AuditLog.ts"
import { isWithin } from "../access/ClientStore.ts"
import { checkOperator, operatorScope } from "../access/Operators.ts"
import { emailOf, sharesBusiness } from "../access/Person.ts"
import { PersonStore } from "../access/PersonStore.ts"
import type { Person } from "../access/PersonStore.ts"
import { Directory } from "../places/Directory.ts"
import { clip } from "../values/Clip.ts"
import type { Forbidden, InvalidRequest, StorageUnavailable } from "../values/Errors.ts"
import { PersonExists, PersonNotFound } from "../values/OperatorErrors.ts"
import { mapPage, namePage } from "../values/Page.ts"
import type { Page, PageQuery } from "../values/Page.ts"
import * as WebCrypto from "../values/WebCrypto.ts"
import type { PersonChange, PersonInput } from "./ClientInput.ts"
import { checkPlaces, checkReach } from "./GrantRules.ts"
import type { PersonError } from "./OperationErrors.ts"
import { personView } from "./OperatorView.ts"
import type { PersonView } from "./OperatorView.ts"

/** Manages people. Inputs are those that `ClientInput.ts` reads. */
export class People extends Context.Service<People, {
  /** The people that the operator may see, in id order. */
  readonly list: Authorized<[query: PageQuery], Page<PersonView>, Forbidden | StorageUnavailable>
  /** One person. */
  readonly get: Authorized<[id: string], PersonView, PersonError>
  /** Lets somebody sign in, known by an e-mail address or a subject of the provider. */
  readonly add: Authorized<
    [input: PersonInput],
    PersonView,
    PersonExists | Forbidden | InvalidRequest | StorageUnavailable
  >
  /** Changes the given settings; grants are replaced as a whole. */
  readonly update: Authorized<
    [id: string, change: PersonChange],
    PersonView,
    PersonError | PersonExists | InvalidRequest
  >
  /** Removes a person, whose sessions end. */
  readonly remove: Authorized<[id: string], void, PersonError>
}>()("@dockline/core/People") {
  /** Manages the people of the store. */
  static readonly layer: Layer.Layer<People, never, PersonStore | Directory | AuditLog> = Layer.effect(
    People,
    Effect.gen(function*() {
      const store = yield* PersonStore
      const directory = yield* Directory
      const audit = yield* audited

      const find = Effect.fnUntraced(function*(id: string, principal: Principal) {
        yield* Effect.fromResult(checkOperator(principal))
        const found = isId(id) ? yield* store.find(id) : null
        return yield* Effect.fromResult(visible(found, id, principal))
      })

      return People.of({
        list: Effect.fn("People.list")(function*(query, principal) {
          return mapPage(yield* store.list(yield* operatorScope(principal), namePage(query)), personView)
        }),

        get: Effect.fn("People.get")(function*(id, principal) {
          return personView(yield* find(id, principal))
        }),

        add: Effect.fn("People.add")(function*({ email, grants, name, subject }, principal) {
          yield* Effect.fromResult(checkReach(grants, principal))
          yield* checkPlaces(directory, grants)
          const person: Person = {
            id: yield* WebCrypto.randomId,
            name,
            email: email === undefined ? null : emailOf(email) ?? null,
            subject: subject ?? null,
            grants
          }
          const isNew = yield* audit(principal, store.create(person, isSame(person, principal)), (isNew) => {
            const { email, subject } = person
            return isNew ? drafted("PERSON_ADDED", { name, email, subject, grants }, [person]) : null
          })
          if (!isNew) {
            return yield* exists(person)
          }
          return personView(person)
        }),

        update: Effect.fn("People.update")(function*(id, { grants, name }, principal) {
          // A person that the operator may not see counts as missing, so this check comes first.
          yield* find(id, principal)
          if (grants !== undefined) {
            yield* Effect.fromResult(checkReach(grants, principal))
            yield* checkPlaces(directory, grants)
          }
          let before: Person | undefined
          const update = store.update(
            id,
            (person, others) => {
              before = person
              const changed = { name: name ?? person.name, grants: grants ?? person.grants }
              return Result.flatMap(
                visible(person, id, principal),
                () =>
                  grants !== undefined && others.some(isSame(changed, principal))
                    ? Result.fail(exists(person))
                    : Result.succeed(changed)
              )
            }
          )
          const changed = yield* audit(
            principal,
            update,
            (after) => after === null ? null : drafted("PERSON_CHANGED", { name, grants }, [before!, after])
          )
          return personView(changed ?? (yield* notFound(id)))
        }),

        remove: Effect.fn("People.remove")(function*(id, principal) {
          const found = yield* find(id, principal)
          const remove = store.remove(
            id,
            (person) => Result.map(visible(person, id, principal), () => undefined)
          )
          const isGone = yield* audit(principal, remove, (isGone) => {
            const { email, grants, name, subject } = found
            return isGone ? drafted("PERSON_REMOVED", { name, email, subject, grants }, [found]) : null
          })
          if (!isGone) return yield* notFound(id)
        })
      })
    })
  )
}

/** A change of a person, for the audit log; the person before and after say which businesses it concerns. */
const drafted = (
  action: AuditAction,
  details: AuditDraft["details"],
  people: ReadonlyArray<Person>
): AuditDraft => ({
  action,
  business: businessOf(...people.flatMap(({ grants }) => grants)),
  subject: subjectOf("people", people[0]!.id),
  details
})

/** Ids of people are made here: text that none can be is not looked up. */
const isId = (id: string): boolean => /^[\da-f-]{36}$/.test(id)

const notFound = (id: string): PersonNotFound => new PersonNotFound({ id: clip(id) })

/** Whether somebody known by the same thing is the same for an operator: seen by it, and at one of the businesses. */
const isSame = (person: Pick<Person, "grants">, principal: Principal) => (known: Person): boolean =>
  isWithin(known, operatedBusinesses(principal)) && sharesBusiness(known, person)

const exists = ({ email, subject }: Person): PersonExists =>
  new PersonExists({ knownBy: clip(email ?? subject ?? "") })

/** The person, if the principal may see it; another person counts as missing. */
const visible = (person: Person | null, id: string, principal: Principal) =>
  person !== null && isWithin(person, operatedBusinesses(principal))
    ? Result.succeed(person)
    : Result.fail(notFound(id))
