/**
 * Answers the declared operations that change something.
 */
import { handlers, writing } from "@dockline/core/internal/operations/Handlers"
import type * as Operation from "@dockline/core/Operation"
import { operations } from "@dockline/core/Operations"
import type { MethodOf } from "@dockline/core/Operations"
import { Effect } from "effect"
import * as Answer from "../answer/Answer.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as Write from "./Write.ts"

/** A request, with the parameters of its path. */
interface Given {
  readonly request: unknown
  readonly params?: Readonly<Record<string, string>>
}

/** Makes the handlers of operations, by the names of their methods. */
export const make = Effect.fnUntraced(function*(config: HttpConfig) {
  const handle = yield* Write.make(config)
  const run = writing(yield* handlers)
  return (method: MethodOf<Operation.AnyWrite>) => {
    const operation: Operation.AnyWrite = operations[method]
    const { creates, isBodyOptional, read, receipt, rest, show, view } = operation
    const body = isBodyOptional ? Write.optionalJson : Write.json
    const rootName = Answer.rootOf(receipt?.view ?? view)
    return ({ params = {} }: Given) =>
      handle<never>({
        operation: [
          rest.replace(/:(\w+)/g, "{$1}"),
          ...Object.keys(operation.params).map((name) => params[name]!)
        ],
        parameters: [],
        body,
        run: ({ bytes, principal }, once) =>
          run(method, { params, body: Write.readJson(bytes, read), principal, once }),
        show: (done) => ({
          status: (typeof creates === "function" ? creates(done) : creates) ? 201 : 200,
          headers: {},
          rootName,
          value: receipt !== undefined ? receipt.of(done) : show !== undefined ? show(done) : done
        })
      })
  }
})
