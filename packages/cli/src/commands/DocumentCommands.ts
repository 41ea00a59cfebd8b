/** `dockline document`: documents in files, and the record of those that were sent. */
import { operations } from "@dockline/core/Operations"
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
import * as Filters from "./Filters.ts"

const list = Command.make(
  "list",
  {
    only: Filters.flags(operations.documents),
    extent: Pages.flags
  },
  ({ extent, only: values }) => {
    const only = Filters.given(operations.documents, values)
    return Pages.numbered(
      extent,
      (page) => documents((api) => api.listDocuments({ query: { ...only, ...page }, ...full }))
    ).pipe(Output.list(ShownColumns.documents, "No documents."))
  }
).pipe(
  about(
    "List which client sent which document when, and what it changed, the newest first",
    "dockline document list --order-number SO-1001",
    "dockline document list --removed --from 2026-11-20T00:00:00Z",
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
