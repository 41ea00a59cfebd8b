/** `dockline document`: documents in files, and the record of those that were sent. */
import { documentOutcomes } from "@dockline/core/DocumentRecord"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { WrongUsage } from "../Failure.ts"
import { readBytes } from "../FileInput.ts"
import type { FileDocument } from "../OperatorConnection.ts"
import { documents, full, submit } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const { ifGiven, text } = Arguments

const list = Command.make(
  "list",
  {
    ...Arguments.place,
    shipmentNumber: text("shipment-number", "Only those of the shipment of this number"),
    orderNumber: text("order-number", "Only those with the order of this number"),
    correlationId: text("correlation-id", "Only those whose request had this correlation id"),
    outcome: Flag.Literals("outcome", documentOutcomes).pipe(
      Flag.withDescription("Only those of this outcome"),
      Flag.optional
    ),
    from: Arguments.time("from", "Only those that came then or later"),
    to: Arguments.time("to", "Only those that came earlier"),
    extent: Pages.flags
  },
  ({ business, correlationId, extent, facility, from, orderNumber, outcome, shipmentNumber, to }) => {
    const only = {
      ...ifGiven("business", business),
      ...ifGiven("facility", facility),
      ...ifGiven("shipmentNumber", shipmentNumber),
      ...ifGiven("orderNumber", orderNumber),
      ...ifGiven("correlationId", correlationId),
      ...ifGiven("outcome", outcome),
      ...ifGiven("from", from),
      ...ifGiven("to", to)
    }
    return Pages.numbered(
      extent,
      (page) => documents((api) => api.listDocuments({ query: { ...only, ...page }, ...full }))
    ).pipe(Output.list(ShownColumns.documents, "No documents."))
  }
).pipe(
  about(
    "List which client sent which document when, and what it changed, the newest first",
    "dockline document list --order-number SO-1001",
    "dockline document list --business acme --outcome REFUSED --limit 10"
  )
)

const show = Command.make(
  "show",
  { id: Arguments.document },
  (params) =>
    documents((api) => api.getDocument({ params, ...full })).pipe(Output.record(ShownColumns.document))
).pipe(
  about(
    "Show what is recorded of a document; with --json, the entities that it changed too",
    "dockline document show 1"
  )
)

const types = ["json", "xml"] as const

const mediaTypeOf = (path: string, type: Option.Option<(typeof types)[number]>) => {
  const given = Option.getOrElse(type, () => /\.(json|xml)$/i.exec(path)?.[1]?.toLowerCase())
  return given === undefined
    ? Effect.fail(new WrongUsage({ message: `Say what ${path} is written in: --type json or --type xml` }))
    : Effect.succeed<FileDocument["mediaType"]>(given === "json" ? "application/json" : "application/xml")
}

const send = Command.make(
  "send",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("File with the document; - for standard input")
    ),
    type: Flag.Literals("type", types).pipe(
      Flag.withDescription("What it is written in; by the end of its name when absent"),
      Flag.optional
    ),
    dryRun: Arguments.isSet("dry-run", "Write nothing; answer what would be done"),
    idempotencyKey: Arguments.idempotencyKey
  },
  ({ dryRun, file, idempotencyKey, type }) =>
    Effect.gen(function*() {
      const mediaType = yield* mediaTypeOf(file, type)
      const bytes = yield* readBytes(file, "file")
      yield* submit({ bytes, mediaType, dryRun, idempotencyKey: Option.getOrUndefined(idempotencyKey) }).pipe(
        Output.record(ShownColumns.documentOutcome)
      )
      if (dryRun) yield* Output.done("A dry run: nothing was written.")
    })
).pipe(
  about(
    "Send a document, in JSON or XML, and show what it created, updated and removed",
    "dockline document send order.json --dry-run",
    "dockline document send order.xml --idempotency-key SO-1001/1"
  )
)

export const document = Command.make("document").pipe(
  Command.withDescription(
    "Documents: orders with their shipments and items, and the record of those that were sent"
  ),
  Command.withSubcommands([list, show, send])
)
