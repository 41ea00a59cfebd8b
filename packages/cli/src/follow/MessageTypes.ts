/** The types of messages that the command line knows: those of the contract, and a line for each capability that adds some (D20.1). */
import { withWords } from "@dockline/core/access/Operation"
import type { Messages } from "@dockline/core/capability/Capability"
import { kindsOf, wordsOf } from "@dockline/core/capability/ServiceWords"
import { exceptionMessages } from "@dockline/core/exceptions/ExceptionMessages"
import { operations } from "@dockline/core/operations/Operations"

const added: ReadonlyArray<Messages> = [
  exceptionMessages
]

/** The types with their texts and test messages. */
export const kinds = kindsOf(added.map((messages) => ({ messages })))

/** The operation that lists messages, which takes and shows these types. */
export const messages = withWords(operations.messages, wordsOf(added.map((messages) => ({ messages }))))

/** Their names. */
export const messageTypes: ReadonlyArray<string> = Object.keys(kinds)

/** What endpoints get: messages, and interchanges of EDI. */
export const webhookTypes: ReadonlyArray<string> = [...messageTypes, "EDI_INTERCHANGE"]
