/**
 * The world of the suites of operators' ports: new businesses, operators of the whole service, and operators of businesses.
 */
import type { Principal } from "@dockline/core/access/Access"
import { Directory } from "@dockline/core/places/Place"
import type { FieldError } from "@dockline/core/values/CatalogueError"
import { Effect } from "effect"
import type { Layer } from "effect"
import { aGrant, aPrincipal, unique } from "../generators/Given.ts"
import * as Suite from "../Suite.ts"

/** Makes suites whose cases use services and the ports under these services. */
export const suiteOver = <S, R>(services: Layer.Layer<S, never, R>) =>
(
  name: string,
  write: (test: Suite.AddTest<S | R>, describe: Suite.Author<never>["describe"]) => void
): Suite.Suite<R> =>
  Suite.make<R>(name, ({ describe, test }) =>
    // `S | R` without `S` is a part of `R`.
    write(Suite.withServices<S | R, S, R>(test as Suite.AddTest<Exclude<S | R, S> | R>, services), describe))

/** An operator of the whole service. */
export const whole = aPrincipal(aGrant("*", "*", ["operator"]))

/** An operator of these businesses. */
export const operatorOf = (...businesses: ReadonlyArray<string>): Principal =>
  aPrincipal(...businesses.map((business) => aGrant(business, "*", ["operator"])))

/** A new slug. */
export const aSlug = (): string => unique("operated")

/** A slug that never exists. */
export const nowhere: string = unique("nowhere")

/** A new business with the facilities `east` (docks D1 and D2) and `west`. */
export const aBusiness = Effect.gen(function*() {
  const directory = yield* Directory
  const slug = aSlug()
  yield* directory.put([{
    slug,
    name: `The ${slug}`,
    fieldMap: [],
    facilities: [
      { slug: "east", name: "East", docks: ["D1", "D2"] },
      { slug: "west", name: "West", docks: [] }
    ]
  }])
  return slug
})

/** The code of a refusal, or `ok`. */
export const outcome = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "ok", onFailure: ({ code }) => code })

/** The faults in a refusal. */
export const faultsOf = <
  A,
  E extends { readonly code: string; readonly errors?: ReadonlyArray<FieldError> },
  R
>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ code, errors = [] }) => ({ code, errors }))
