/**
 * Answers the declared operations. Operations of clients use JSON or XML, and each change runs once under its key (D5, D13). Operations of
 * operators use JSON (D11).
 */
import * as Operation from "@dockline/core/access/Operation"
import { declaredOfOperators, wordsOf } from "@dockline/core/capability/DeclaredOperations"
import {
  methodsOf,
  OperationRegistry,
  reading,
  writeOf,
  writing
} from "@dockline/core/capability/OperationRegistry"
import { submitDocument } from "@dockline/core/document/DocumentOperations"
import { operatorHandlers } from "@dockline/core/operator/OperatorHandlers"
import { operatorOperationsOf } from "@dockline/core/operator/OperatorOperations"
import { AuthenticationSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { restType } from "@dockline/wire/Accept"
import { Effect, Struct } from "effect"
import * as Answer from "../answer/Answer.ts"
import { partsOf } from "../api/Parts.ts"
import type { Answering, RestCapability } from "../api/Parts.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as Documents from "./Documents.ts"
import * as KeylessWrites from "./KeylessWrites.ts"
import * as Reads from "./Reads.ts"
import * as Write from "./Write.ts"

const ofClients: Reads.Form = { typeOf: restType, headers: { vary: "accept" } }

const ofOperators: Reads.Form = { typeOf: () => "application/json", headers: {} }

/** Makes the handlers of changes by clients. */
const makeWriting = Effect.fnUntraced(function*(config: HttpConfig) {
  const handle = yield* Write.make(config)
  const registry = yield* OperationRegistry
  const run = writing(registry)
  return (method: string): Answering => {
    const operation = writeOf(registry.operations, method)
    const { creates, isBodyOptional, read, receipt, rest, show, view } = operation
    return ({ params = {} }) =>
      handle<object>({
        operation: [
          rest.replace(/:(\w+)/g, "{$1}"),
          ...Struct.keys(operation.params).map((name) => params[name] ?? "")
        ],
        body: isBodyOptional ? Write.optionalJson : Write.json,
        run: ({ bytes, principal }, once) =>
          run(method, { params, body: Write.readJson(bytes, read), principal, once }),
        rootName: Answer.rootOf(receipt?.view ?? view),
        show: (done) => ({
          status: (typeof creates === "function" ? creates(done) : creates) ? 201 : 200,
          value: receipt !== undefined ? receipt.of(done) : show !== undefined ? show(done) : done
        })
      })
  }
})

const clientAnswers = Effect.fnUntraced(function*(
  config: HttpConfig,
  capabilities: ReadonlyArray<RestCapability>
) {
  const registry = yield* OperationRegistry
  const { operations } = registry
  const parts = yield* Effect.forEach(partsOf(capabilities), ({ handlers }) => handlers(config))
  const read = reading(registry)
  const answerWrite = yield* makeWriting(config)
  return new Map<string, Answering>([
    ...Object.entries(operations).flatMap(([method, operation]): ReadonlyArray<[string, Answering]> =>
      operation.kind === "read" || operation.kind === "list"
        ? [[
          operation.name,
          Reads.answering(operation, (input, principal) => read(method, input, principal), ofClients)
        ]]
        : []
    ),
    ...methodsOf(operations, "write").map((method) =>
      [operations[method]!.name, answerWrite(method)] as const
    ),
    [submitDocument.name, yield* Documents.makeHandler(config)],
    ...parts.flat()
  ])
})

const operatorAnswers = Effect.fnUntraced(function*(config: HttpConfig) {
  const { capabilities, operatorHandlers: ofCapabilities } = yield* OperationRegistry
  const operations: Readonly<Record<string, Operation.AnyOfOperators>> = {
    ...operatorOperationsOf(yield* AuthenticationSchemes, wordsOf(capabilities)),
    ...declaredOfOperators(capabilities)
  }
  const handlers: Readonly<Record<string, Operation.AnyOperatorHandler>> = {
    ...yield* operatorHandlers,
    ...ofCapabilities
  }
  const answerWrite = KeylessWrites.make(config)
  return new Map(
    Object.entries(operations).map(([name, operation]): readonly [string, Answering] => {
      const run: Reads.Run = (input, principal) => handlers[name]!(input, principal)
      return [
        name,
        operation.kind === "write"
          ? answerWrite(operation, run)
          : Reads.answering(operation, run, ofOperators)
      ]
    })
  )
})

/** Makes the answers to the declared operations, and to the parts of the capabilities of the service. */
export const make = Effect.fnUntraced(function*(
  config: HttpConfig,
  capabilities: ReadonlyArray<RestCapability>
) {
  return Object.fromEntries([
    ...yield* clientAnswers(config, capabilities),
    ...yield* operatorAnswers(config)
  ])
})
