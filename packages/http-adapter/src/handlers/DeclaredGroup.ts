/** Answers the endpoints of a group, each by the declared operation of its name. */
import { Context, Effect, Layer, Scope } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { HttpApiGroup } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { DeclaredGroup } from "../api/Api.ts"
import { Authorization } from "../api/Authorization.ts"
import type { Answering } from "../api/Parts.ts"

/** The builder of handlers with types that allow a loop over the endpoints of a group. */
interface Handlers {
  readonly handleRaw: (name: string, answering: Answering) => this
}

/** The services of groups, one by one. */
type ServiceOf<Each> = Each extends string ? HttpApiGroup.Service<"dockline", Each> : never

/** Answers each endpoint of a group. The types of the builder require each endpoint by name, but here a loop adds them. */
const group = (api: typeof Api, name: DeclaredGroup, answers: ReadonlyMap<string, Answering>) =>
  HttpApiBuilder.group(
    api,
    name,
    (handlers) =>
      Array.from(answers).filter(([operation]) => operation in api.groups[name].endpoints).reduce(
        (handlers, [operation, answering]) => handlers.handleRaw(operation, answering),
        handlers as unknown as Handlers
      ) as unknown as HttpApiBuilder.Handlers<Authorization>
  )

/**
 * Answers the endpoints of all groups of declared operations. The builder merges the context that a group is built with into that of each
 * request, so groups are built with only the services that they need; the answers have their own.
 */
export const groups = (
  api: typeof Api,
  names: ReadonlyArray<DeclaredGroup>,
  answers: ReadonlyMap<string, Answering>
) => {
  const all = Layer.mergeAll(
    Layer.empty,
    ...names.map((name) =>
      group(api, name, answers) as Layer.Layer<ServiceOf<DeclaredGroup>, never, Authorization>
    )
  )
  return Layer.effectContext(
    Effect.updateContext(
      Layer.build(all),
      (context: Context.Context<Authorization | Scope.Scope>) =>
        Context.pick(Authorization, Scope.Scope)(context)
    )
  )
}
