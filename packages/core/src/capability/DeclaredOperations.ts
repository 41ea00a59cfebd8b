/** The declared operations of a service, as values: importing them loads no service. */
import * as Operation from "../access/Operation.ts"
import { operations } from "../operations/Operations.ts"
import * as Capability from "./Capability.ts"
import * as Extension from "./Extension.ts"
import { wordsOf } from "./ServiceWords.ts"

const ofContract: Readonly<Record<string, Operation.Any>> = operations

/** The operations of the contract and of capabilities, as capabilities extend them, by the names of their methods. */
export const declaredOperations = (
  capabilities: Capability.List
): Readonly<Record<string, Operation.Any>> =>
  Object.fromEntries(
    Object.entries({ ...ofContract, ...Capability.operationsOf(capabilities) }).map(([method, operation]) => [
      method,
      Operation.withWords(
        Extension.declarationOf(operation, Capability.extensionsOf(capabilities, method)),
        wordsOf(capabilities)
      )
    ])
  )
