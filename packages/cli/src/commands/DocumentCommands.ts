/** `dockline document`: sends documents from files, and shows the record of sent documents. */
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { operations } from "@dockline/core/operations/Operations"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpBody } from "effect/http"
import * as Arguments from "../Arguments.ts"
import { about, noun, readBytes } from "../Arguments.ts"
import { wrongUsage } from "../Failure.ts"
import * as Output from "../Output.ts"
import { call } from "../ServiceCalls.ts"
import { commandOf, listCommand } from "./DerivedCommand.ts"

const types = ["json", "xml"] as const

const mediaTypeOf = (path: string, type: Option.Option<(typeof types)[number]>) => {
  const format = Option.getOrElse(type, () => /\.(json|xml)$/i.exec(path)?.[1]?.toLowerCase())
  return format === undefined
    ? Effect.fail(wrongUsage(`Name the format of ${path} with --type json or --type xml`))
    : Effect.succeed(`application/${format}`)
}

const kinds = { SHIPMENT: "shipment", ORDER: "order", ORDER_ITEM: "item" } as const

/** The number of entities of each kind, without zeros, such as `1 order, 12 items`. */
const counts = (references: IntakeResult["created"]): string =>
  Object.entries(kinds).flatMap(([type, name]) => {
    const count = references.filter((reference) => reference.type === type).length
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? "" : "s"}`]
  }).join(", ")

const outcome = (
  { created, notes, removed, shipment: { id, shipmentNumber, status, version }, updated }: IntakeResult
) => ({
  shipment: `${id === 0 ? "" : `${id} `}(${shipmentNumber}), ${status}`,
  version,
  created: counts(created),
  updated: counts(updated),
  removed: counts(removed),
  ...(notes === undefined ? {} : { notes: notes.join("; ") })
})

const send = Command.make(
  "send",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("File with the document; - for standard input")
    ),
    type: Flag.Literals("type", types).pipe(
      Flag.withDescription("Its format; when absent, by the file's extension"),
      Flag.optional
    ),
    dryRun: Arguments.switchFlag("dry-run", "Write nothing, but show the result"),
    ifNew: Arguments.switchFlag("if-new", "Accept it only if none of its orders exists at the facility"),
    ifVersion: Flag.Int("if-version").pipe(
      Flag.withDescription("Accept it only if its shipment still has this version"),
      Flag.optional
    ),
    idempotencyKey: Arguments.idempotencyKey
  },
  ({ dryRun, file, idempotencyKey, ifNew, ifVersion, type }) =>
    Effect.gen(function*() {
      const mediaType = yield* mediaTypeOf(file, type)
      const bytes = yield* readBytes(file, "file")
      const { body, value } = yield* call(operations.submit, {
        headers: {
          ...Arguments.writeHeaders(idempotencyKey),
          ...(dryRun ? { prefer: "dry-run" } : {}),
          ...(ifNew ? { "if-none-match": "*" } : {}),
          ...Option.match(ifVersion, {
            onNone: () => ({}),
            onSome: (version) => ({ "if-match": `"${version}"` })
          })
        },
        body: HttpBody.uint8Array(bytes, mediaType)
      })
      yield* Output.answer({ body, value: outcome(value) })
      if (dryRun) yield* Output.done("This was a dry run: nothing was written.")
    })
).pipe(
  about(
    "Send a document, in JSON or XML, and show what it created, updated and removed",
    "dockline document send order.json --dry-run",
    "dockline document send order.xml --idempotency-key SO-1001/1",
    "dockline document send order.json --if-version 3"
  )
)

export const document = noun(
  "document",
  "Documents: orders with their shipments and items, and the record of those that were sent",
  [
    listCommand("list", operations.documents, {
      columns: [
        "id",
        "receivedAt",
        "clientId",
        ["facility", ({ business, facility }) => `${business.slug}/${facility.slug}`],
        "shipmentNumber",
        ["outcome", ({ code, outcome }) => `${outcome} ${code}`.trimEnd()],
        ["changed", ({ counts }) => `+${counts.created} ~${counts.updated} -${counts.removed}`]
      ],
      nothing: "No documents.",
      examples: [
        "dockline document list --order-number SO-1001",
        "dockline document list --removed --from 2026-11-20T00:00:00Z",
        "dockline document list --business acme --outcome REFUSED --limit 10"
      ]
    }),
    commandOf("show", operations.document, { examples: ["dockline document show 1"] }),
    send
  ]
)
