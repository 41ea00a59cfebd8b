/**
 * Port: stores the people who sign in to the dashboard by an OpenID Connect provider, and their grants (D14.4).
 */
import { Context } from "effect"
import type { Effect, Result } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { NamePageRequest, Page } from "../values/Page.ts"
import type { BusinessScope } from "./Access.ts"
import type { Identity, Person } from "./Person.ts"

export type { Identity, Person } from "./Person.ts"

/** The most people that one identity signs in as. */
export const identityLimit = 100

/** Stores people. */
export class PersonStore extends Context.Service<PersonStore, {
  /** The person with this id, or `null`. */
  readonly find: (id: string) => Effect.Effect<Person | null, StorageUnavailable>
  /**
   * The people known by the subject, then those known by the e-mail address, each in id order: one for each operator who has
   * added them; the first 100.
   */
  readonly findIdentity: (identity: Identity) => Effect.Effect<ReadonlyArray<Person>, StorageUnavailable>
  /**
   * The people in id order. With a list of businesses: the people who have grants, all of them at these businesses. A page
   * ends early instead of holding more than 10,000 facilities.
   */
  readonly list: (
    scope: BusinessScope,
    page: NamePageRequest
  ) => Effect.Effect<Page<Person>, StorageUnavailable>
  /**
   * Adds a person; `false` when there is one with this id, or one known by the same thing of whom `isSame` holds, who stays
   * unchanged. Calls for the same address or subject come one after another.
   */
  readonly create: (
    person: Person,
    isSame: (person: Person) => boolean
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Changes a person atomically; `null` when there is none. `others` are those known by the same address or subject. */
  readonly update: <E>(
    id: string,
    change: (
      person: Person,
      others: ReadonlyArray<Person>
    ) => Result.Result<Pick<Person, "name" | "grants">, E>
  ) => Effect.Effect<Person | null, E | StorageUnavailable>
  /** Removes a person, unless `check` refuses it; `false` when there is no such person. */
  readonly remove: <E>(
    id: string,
    check: (person: Person) => Result.Result<void, E>
  ) => Effect.Effect<boolean, E | StorageUnavailable>
}>()("@dockline/core/access/PersonStore") {}
