/**
 * EDI as a capability (D18.3): the exchanged files for clients, and the partners for operators.
 */
import * as Capability from "@dockline/core/capability/Capability"
import type { Notes } from "@dockline/core/capability/Capability"
import * as OperatorPart from "@dockline/core/capability/OperatorPart"
import { Effect, Layer } from "effect"
import recorded from "./answers.json" with { type: "json" }
import { operatorRequests } from "./EdiExamples.ts"
import { ediOutboxes } from "./EdiFile.ts"
import { EdiFiles } from "./EdiFiles.ts"
import { ediIncidents } from "./EdiIncidents.ts"
import { getEdiFile, listEdiFiles, readEdiOutbox } from "./EdiOperations.ts"
import { ediPartnerOperations } from "./EdiPartnerOperations.ts"
import { EdiPartners } from "./EdiPartners.ts"
import * as MemoryEdi from "./MemoryEdi.ts"

/** A note to a field of each type of files. */
const ofFiles = (field: string, note: string): Record<string, string> =>
  Object.fromEntries(["EdiFile", "EdiFileEntry", "EdiOutgoing"].map((type) => [`${type}.${field}`, note]))

/** The descriptions of fields and words of EDI in GraphQL and the reference. */
export const notes: Notes = {
  names: {
    ...ofFiles("direction", "EdiDirection"),
    ...ofFiles("outcome", "EdiOutcome"),
    "EdiSet.outcome": "EdiOutcome"
  },
  descriptions: {
    ...ofFiles("facility", "The facility of its partner"),
    EdiDirection: "Which way a file of X12 goes.",
    "EdiDirection.IN": "It came from a partner",
    "EdiDirection.OUT": "It goes to a partner",
    EdiOutcome: "What became of a file of X12, or of one of its sets.",
    "EdiOutcome.ACCEPTED": "It is taken",
    "EdiOutcome.NOTED": "It is taken, with errors noted",
    "EdiOutcome.PARTIAL": "Some of its sets are taken",
    "EdiOutcome.REJECTED": "It is rejected",
    "EdiOutcome.WAITING": "Its partner has not acknowledged it",
    "EdiOutcome.UNWRITTEN": "X12 cannot hold it, and it was not sent"
  }
}

/** The exchange of files of X12 with partners. */
export const edi = Capability.make("edi", {
  title: "EDI",
  description: "Send files of X12 as partners do, and read what is exchanged with them",
  operations: {
    /** The files exchanged with EDI partners at places that the client may see, newest first (D18.3). */
    ediFiles: listEdiFiles,
    /** A file exchanged with an EDI partner, with its text (D18.3). */
    ediFile: getEdiFile,
    /** The interchanges to be sent to EDI partners, in the order of their ids (D18.3). */
    ediOutbox: readEdiOutbox
  },
  services: Layer.merge(EdiFiles.layer, EdiPartners.layer),
  handlers: Effect.map(EdiFiles, (files) => ({
    ediFiles: files.list,
    ediFile: ({ id }, principal) => files.get(id, principal),
    ediOutbox: files.outbox
  })),
  memory: MemoryEdi.memory,
  answers: recorded.answers,
  outbox: ediOutboxes,
  incidents: ediIncidents,
  audit: ["EDI_PARTNER_CREATED", "EDI_PARTNER_CHANGED", "EDI_PARTNER_REMOVED", "EDI_FILE_RESENT"],
  notes,
  operators: OperatorPart.make({
    name: "ediPartners",
    title: "Operator: EDI partners",
    description: "With whom files of X12 are exchanged, by which ids, and what they are told",
    operations: ediPartnerOperations,
    handlers: EdiPartners,
    requests: operatorRequests,
    answers: recorded.operatorAnswers
  })
})
