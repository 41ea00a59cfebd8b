/**
 * EDI as a capability (D18.3): the exchanged files for clients, the partners for operators, and its incidents (D26.2). A file is an
 * incident if it has rejected sets (by us in a received file, by the partner in a sent file), or sets that could not be written and so were
 * not sent.
 */
import { example } from "@dockline/core/access/Operation"
import * as Capability from "@dockline/core/capability/Capability"
import type { IncidentKinds, Notes } from "@dockline/core/capability/Capability"
import { makeOperatorPart } from "@dockline/core/capability/Capability"
import { dashboardOf, MovementSettings } from "@dockline/core/movement/Movement"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect, Layer } from "effect"
import recorded from "./answers.json" with { type: "json" }
import { ediOutboxes } from "./EdiFile.ts"
import type { EdiFileEntry } from "./EdiFile.ts"
import { EdiFiles } from "./EdiFiles.ts"
import { getEdiFile, listEdiFiles, readEdiOutbox } from "./EdiOperations.ts"
import { ediPartnerOperations } from "./EdiPartnerOperations.ts"
import { EdiPartners } from "./EdiPartners.ts"
import { EdiStore } from "./EdiStore.ts"
import * as MemoryEdi from "./MemoryEdi.ts"

const reasonOf = ({ direction, outcome, rejectedCount, setCount }: EdiFileEntry): string => {
  if (outcome === "UNWRITTEN") return "X12 cannot hold it, and it was not sent"
  const who = direction === "IN" ? "We have" : "The partner has"
  const what = setCount === 0
    ? "the file as a whole"
    : setCount === 1
    ? "its set"
    : `${rejectedCount} of its ${setCount} sets`
  return `${who} rejected ${what}`
}

/** The kinds of incidents of EDI. */
const ediIncidents = {
  EDI_REJECTED: {
    about: "a file of EDI that we or the partner have rejected, or that could not be written",
    source: Effect.map(Effect.all([EdiStore, MovementSettings]), ([store, settings]) => ({
      since: (business: string, time: Timestamp) =>
        Effect.map(store.rejections(business, time), (rejections) =>
          rejections.map(({ at, file }) => ({
            key: `edi:${file.id}`,
            facility: file.location.facility.slug,
            at,
            title: `EDI rejected: ${
              [...file.kinds, file.control].filter((each) => each !== "").join(" ")
            }, partner ${file.partner}`,
            text: reasonOf(file),
            url: `${dashboardOf(settings)}/edi/${file.id}`
          })))
    }))
  }
} as const satisfies IncidentKinds<EdiStore>

/** The requests of operators. */
export const operatorRequests = {
  createEdiPartner: {
    supplier: example("A supplier whose ship notices are taken", {
      slug: "supplier",
      facility: "east",
      name: "Supplier Inc.",
      theirs: { qualifier: "ZZ", id: "SUPPLIER" },
      ours: { qualifier: "ZZ", id: "WAREHOUSE" }
    }),
    depositor: example(
      "A depositor in tests, whose control numbers continue those of the system that sent files until now",
      {
        slug: "depositor",
        facility: "east",
        name: "Depositor Ltd.",
        theirs: { qualifier: "01", id: "123456789", group: "DEPOSITOR" },
        ours: { qualifier: "ZZ", id: "WAREHOUSE" },
        release: "005010",
        usage: "T",
        takes: ["940"],
        tells: ["945"],
        tellsOf: "ALL",
        nextControl: 4712
      }
    )
  },
  updateEdiPartner: {
    production: example("From tests to production", { usage: "P" }),
    otherSets: example("Other sets", { tells: ["945"] })
  }
} as const

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
  description: "Send X12 files on behalf of partners, and read the files exchanged with them",
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
  operators: makeOperatorPart({
    name: "ediPartners",
    title: "Operator: EDI partners",
    description: "With whom files of X12 are exchanged, by which ids, and what they are told",
    operations: ediPartnerOperations,
    handlers: EdiPartners,
    requests: operatorRequests,
    answers: recorded.operatorAnswers
  })
})
