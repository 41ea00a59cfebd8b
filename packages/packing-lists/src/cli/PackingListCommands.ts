/** `dockline packing-list`: previews files of CSV and XLSX, and sends them with progress. */
import {
  about,
  Arguments,
  commandOf,
  listCommand,
  NotTaken,
  noun,
  Output,
  readBytes,
  Screen,
  ServiceCalls,
  valueOf,
  WrongUsage
} from "@dockline/cli/commands/CommandParts"
import type { CapabilityCommand } from "@dockline/cli/commands/CommandParts"
import { Effect, Option, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpBody, HttpClientRequest } from "effect/http"
import { csvType, PackingListAnswer, xlsxType } from "../domain/PackingList.ts"
import type { PackingListOrder } from "../domain/PackingList.ts"
import {
  deletePackingListMapping,
  listPackingListMappings,
  savePackingListMapping
} from "../domain/SavedMapping.ts"

const decode = Schema.decodeUnknownEffect(PackingListAnswer)

type Parameters = Readonly<Record<string, string>>

/** Sends a part of a file. */
const sendPart = (bytes: Uint8Array, type: string, parameters: Parameters) =>
  Effect.flatMap(ServiceCalls, ({ send }) => {
    const path = `/v1/packing-lists?${new URLSearchParams(parameters).toString()}`
    const request = HttpClientRequest.post(path, { body: HttpBody.uint8Array(bytes, type) })
    return send(HttpClientRequest.acceptJson(request), (response) => Effect.flatMap(response.json, decode))
  })

/** A file, with the options for reading it. */
const input = {
  file: Argument.String("file").pipe(
    Argument.withDescription(
      "CSV file, or XLSX file if its name ends in .xlsx; - for CSV from standard input"
    )
  ),
  business: Flag.String("business").pipe(Flag.withDescription("The business of the documents")),
  facility: Flag.String("facility").pipe(Flag.withDescription("The facility of the documents")),
  charset: Arguments.text(
    "charset",
    "The charset of CSV: iso-8859-1 (read as windows-1252) or utf-16; UTF-8 when absent"
  ).pipe(
    Flag.withMetavar("NAME")
  )
}

const typeOf = (file: string, charset: Option.Option<string>): string =>
  file.toLowerCase().endsWith(".xlsx")
    ? xlsxType
    : Option.match(charset, { onNone: () => csvType, onSome: (name) => `${csvType}; charset=${name}` })

/** Reads the JSON of a mapping, and writes it on one line. The service checks its content. */
const readMapping = (text: string): Result.Result<string, string> =>
  Result.mapError(
    Result.try(() => JSON.stringify(JSON.parse(text))),
    () => "must be the JSON of a mapping, as `dockline packing-list suggest` writes it"
  )

const mappingFile = Flag.String("mapping-file").pipe(
  Flag.withDescription("File with the JSON of how the columns are read"),
  Flag.withMetavar("FILE")
)

/** The JSON of a mapping in a file. */
const mappingIn = Effect.fnUntraced(function*(file: string) {
  return yield* valueOf(
    "--mapping-file",
    readMapping(new TextDecoder().decode(yield* readBytes(file, "--mapping-file")))
  )
})

const shownOrders = (orders: ReadonlyArray<PackingListOrder>) =>
  orders.map(({ created, lines, orderNumber, outcome, removed, shipmentNumber, updated }) => ({
    order: orderNumber,
    shipment: shipmentNumber,
    lines,
    outcome,
    created,
    updated,
    removed
  }))

/** The faults of a file, each at its cell. */
const faultsOf = ({ faults, orders }: PackingListAnswer): ReadonlyArray<string> =>
  [...faults, ...orders.flatMap((order) => order.faults)].map(
    ({ column, detail, field, name, row, sheet }) => {
      const cell = row === 0 ? [] : [`${column}${column === "" ? `row ${row}` : row}`]
      const at = [...sheet === "" ? [] : [`sheet ${sheet}`], ...cell].join(", ")
      const what = name === "" || name === column ? field : `${name}${field === "" ? "" : ` (${field})`}`
      return [at, [what, detail].filter((part) => part !== "").join(" ")].filter((part) => part !== "").join(
        ": "
      )
    }
  )

/** Shows the outcomes of orders, and the faults. */
const show = Effect.fnUntraced(function*(body: PackingListAnswer) {
  const { say } = yield* Screen
  yield* Output.answer({ body, value: shownOrders(body.orders) }, "No orders.")
  for (const fault of faultsOf(body)) yield* say(fault)
})

const send = Command.make(
  "send",
  {
    ...input,
    mappingFile: Flag.optional(mappingFile),
    mapping: Arguments.text(
      "mapping",
      "The name of a stored mapping; a dry run without a mapping suggests one"
    ).pipe(Flag.withMetavar("NAME")),
    dryRun: Arguments.switchFlag("dry-run", "Show the expected outcome of each order, and write nothing"),
    faultless: Arguments.switchFlag("faultless", "Send the orders without faults even if others have faults")
  },
  Effect.fnUntraced(
    function*({ business, charset, dryRun, facility, faultless, file, mapping, mappingFile }) {
      if (Option.isSome(mapping) && Option.isSome(mappingFile)) {
        return yield* new WrongUsage({ message: "Name a mapping, or a file with one: not both" })
      }
      const { say } = yield* Screen
      const bytes = yield* readBytes(file, "file")
      const by = yield* Option.match(mappingFile, {
        onNone: () => Effect.succeed(Option.getOrUndefined(mapping)),
        onSome: mappingIn
      })
      const parameters: Parameters = {
        business,
        facility,
        dryRun: String(dryRun),
        faultless: String(faultless),
        ...by === undefined ? {} : { mapping: by }
      }
      let answer = yield* sendPart(bytes, typeOf(file, charset), parameters)
      const orders = [...answer.orders]
      while (answer.next !== null) {
        yield* say(`${orders.length} of ${answer.orderCount} orders`)
        answer = yield* sendPart(bytes, typeOf(file, charset), { ...parameters, from: answer.next })
          .pipe(
            // Shows the completed parts, even if the rest fails.
            Effect.tapError(() => show({ ...answer, orders }))
          )
        orders.push(...answer.orders)
      }
      yield* show({ ...answer, orders })
      const failures = orders.filter(({ outcome }) => outcome === "FAULTY" || outcome === "REFUSED").length
      if (failures > 0 || answer.faults.length > 0) {
        return yield* new NotTaken({
          message: dryRun
            ? `${failures} of ${orders.length} orders would not be taken: mend the cells above`
            : `${failures} of ${orders.length} orders were not taken: mend the cells above, and send the file again`
        })
      }
    }
  )
).pipe(
  about(
    "Send a packing list, and show the outcome of each order; with --dry-run the expected outcome; with each fault at its cell",
    "dockline packing-list send list.csv --business acme --facility east --dry-run",
    "dockline packing-list send list.csv --business acme --facility east --mapping nordwind",
    "dockline packing-list send list.xlsx --business acme --facility east --mapping-file mapping.json --faultless"
  )
)

const suggest = Command.make(
  "suggest",
  input,
  Effect.fnUntraced(function*({ business, charset, facility, file }) {
    const bytes = yield* readBytes(file, "file")
    const { columns, mapping, mappingName } = yield* sendPart(bytes, typeOf(file, charset), {
      business,
      facility,
      dryRun: "true"
    })
    const { data, say } = yield* Screen
    yield* data(JSON.stringify(mapping, null, 2))
    if (mappingName !== "") yield* say(`The business keeps it as ${mappingName}.`)
    for (const { field, letters, name } of columns) {
      if (field === "") yield* say(`Column ${letters} (${name}) has no field.`)
    }
  })
).pipe(
  about(
    "Suggest how the columns of a packing list are read, from stored mappings or by their names, as JSON for --mapping-file",
    "dockline packing-list suggest list.csv --business acme --facility east"
  )
)

const command = noun("packing-list", "Packing lists: files of CSV and XLSX that become documents", [
  send,
  suggest,
  listCommand("mappings", listPackingListMappings, {
    nothing: "No mappings.",
    examples: ["dockline packing-list mappings --business acme"]
  }),
  commandOf("save-mapping", savePackingListMapping, {
    fields: ["business", "name"],
    more: { mappingFile },
    body: (body, { mappingFile }) =>
      Effect.map(mappingIn(mappingFile), (text) => ({ ...body, mapping: JSON.parse(text) })),
    part: ({ business, name, savedAt }) => ({ business, name, savedAt }),
    examples: [
      "dockline packing-list save-mapping --business acme --name nordwind --mapping-file mapping.json"
    ]
  }),
  commandOf("delete-mapping", deletePackingListMapping, {
    examples: ["dockline packing-list delete-mapping --business acme --name nordwind"]
  })
])

/** The commands of the capability. */
export const packingLists: {
  readonly title: "packing lists"
  readonly commands: readonly [CapabilityCommand<"packing-list">]
} = { title: "packing lists", commands: [command] }
