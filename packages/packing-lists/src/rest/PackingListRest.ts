/**
 * Packing lists as a part of REST (D25): a client sends a file unchanged, and the answer contains the outcome.
 *
 * ```ts
 * HttpAdapter.layer(config, [packingListRest])
 * ```
 */
import * as JsonText from "@dockline/core/input/JsonText"
import { slugFault } from "@dockline/core/places/Place"
import { InvalidParameter } from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import { BodyAlreadyRead, PayloadTooLarge, UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import type { HttpConfig } from "@dockline/http-adapter/HttpConfig"
import {
  about,
  correlationHeader,
  CurrentPrincipal,
  decode,
  onlyParameters,
  problems,
  receive,
  respond,
  rootOf,
  secured,
  show,
  text
} from "@dockline/http-adapter/RestPart"
import type { Answering, RestPart } from "@dockline/http-adapter/RestPart"
import { textTypeReader } from "@dockline/wire/MediaType"
import type { Charset } from "@dockline/wire/MediaType"
import { Effect, Result, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import recorded from "../domain/answers.json" with { type: "json" }
import { csvType, PackingListAnswer, xlsxType } from "../domain/PackingList.ts"
import { packingListErrors, PackingListIntake, PackingListRefused } from "../domain/PackingListIntake.ts"
import type { PackingListIntakeService } from "../domain/PackingListIntake.ts"
import type { PackingListFile } from "../file/FileReader.ts"
import { readMapping } from "../mapping/Mapping.ts"
import type { Mapping } from "../mapping/Mapping.ts"

/** The name of the endpoint. */
export const sendPackingList = "sendPackingList"

/** An example of a packing list. */
export const packingList = [
  "Order;Pallet;Article;Qty;Unit;Best before",
  "PO-1;00106141411234567897;SKU-1;12;CASE;30.11.2027",
  "PO-1;00106141411234567903;SKU-2;7,5;CASE;",
  ""
].join("\n")

const file = { read: textTypeReader(csvType, xlsxType) }

const invalid = (path: string, detail: string) => new InvalidParameter({ errors: [{ path, detail }] })

/** Reads a parameter whose value is `true` or `false`. */
const flagOf = (name: string, value: string | null) =>
  value === null || value === "" || value === "false"
    ? Effect.succeed(false)
    : value === "true"
    ? Effect.succeed(true)
    : Effect.fail(invalid(name, "must be true or false"))

const readJson = (value: string): Effect.Effect<Mapping, InvalidParameter> =>
  JsonText.read(new TextEncoder().encode(value), readMapping.shape).pipe(
    Effect.flatMap(({ isWhole, value }) => Effect.fromResult(readMapping(value, isWhole))),
    Effect.mapError(({ errors }) =>
      new InvalidParameter({
        errors: errors.map(({ detail, path }) => ({
          path: path === "" ? "mapping" : `mapping.${path}`,
          detail
        }))
      })
    )
  )

/** Reads the parameter `mapping`: the JSON of a mapping, or the name of a saved mapping. */
const mappingOf = (value: string | null): Effect.Effect<Mapping | string | undefined, InvalidParameter> => {
  if (value === null || value === "") return Effect.undefined
  if (value.trimStart().startsWith("{")) return readJson(value)
  return slugFault(value) === undefined
    ? Effect.succeed(value)
    : Effect.fail(invalid("mapping", "must be the JSON of a mapping, or the name of one that is kept"))
}

const parameterNames = ["business", "facility", "mapping", "dryRun", "faultless", "from"] as const

const answering = ({ bodyLimit }: HttpConfig, { take }: PackingListIntakeService): Answering => () =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const principal = yield* CurrentPrincipal
    const { bytes, type: { charset = "utf-8" } } = yield* receive(request, file, bodyLimit)
    yield* onlyParameters(...parameterNames)
    const parameters = new URL(request.url, "http://service").searchParams
    const required = (name: string) => {
      const value = parameters.get(name) ?? ""
      return value === "" ? Effect.fail(invalid(name, "is required")) : Effect.succeed(value)
    }
    const answer = yield* take({
      business: yield* required("business"),
      facility: yield* required("facility"),
      mapping: yield* mappingOf(parameters.get("mapping")),
      dryRun: yield* flagOf("dryRun", parameters.get("dryRun")),
      faultless: yield* flagOf("faultless", parameters.get("faultless")),
      from: parameters.get("from") ?? "",
      file: yield* fileOf(bytes, request.headers["content-type"], charset)
    }, principal)
    return show(rootOf(PackingListAnswer), answer, "application/json", {})
  }).pipe(Effect.catch(respond))

const fileOf = (
  bytes: Uint8Array,
  type: string | undefined,
  charset: Charset
): Effect.Effect<PackingListFile, PackingListRefused> =>
  type?.split(";", 1)[0]!.trim().toLowerCase() === xlsxType
    ? Effect.succeed({ format: "xlsx", bytes })
    : Effect.fromResult(
      Result.mapBoth(decode(bytes, charset), {
        onSuccess: (text): PackingListFile => ({ format: "csv", text }),
        onFailure: () =>
          new PackingListRefused({
            row: 0,
            detail: `it is not in ${charset.toUpperCase()}`,
            remedy: `Name its charset, as in ${csvType}; charset=iso-8859-1.`
          })
      })
    )

const optional = Schema.optionalKey

const csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: csvType }))

const xlsx = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: xlsxType }))

const endpoint = HttpApiEndpoint.post(sendPackingList, "/v1/packing-lists", {
  headers: correlationHeader,
  query: {
    business: Field.slug("Slug of the business"),
    facility: Field.slug("Slug of the facility"),
    mapping: optional(
      text(
        "How the columns are read: a GivenPackingListMapping as JSON, or the name of a mapping that the business keeps. A dry run suggests \
one where it is absent or has no columns."
      )
    ),
    dryRun: optional(text("true: answer with the expected outcome of each order, and write nothing.")),
    faultless: optional(text("true: send the orders without faults even if others have faults.")),
    from: optional(text("The next of the answer before; the beginning of the file when absent."))
  },
  payload: [csv, xlsx],
  success: PackingListAnswer,
  error: problems(
    ...packingListErrors,
    PayloadTooLarge,
    UnsupportedMediaType,
    BodyAlreadyRead,
    ...secured
  )
}).annotateMerge(about(
  "Send a packing list",
  "The body is a file of CSV or XLSX. Its lines become documents, one for each shipment, by a mapping of its columns. A cell whose content \
its field does not accept has a fault. With `dryRun=true` nothing is written, and the answer has the expected outcome of each order. A \
request handles up to 50 shipments: send the file again with `from` as the `next` of the answer until that is null."
))

/** The part of REST that accepts packing lists. */
export const packingListRest: RestPart = {
  name: "packing-lists",
  endpoints: [endpoint],
  requests: {
    [sendPackingList]: {
      description:
        "The unchanged file: CSV in UTF-8 unless Content-Type names UTF-16 or ISO-8859-1 (read as windows-1252), or XLSX.",
      name: "list",
      summary: "A packing list",
      contentType: csvType,
      text: packingList
    }
  },
  answers: {
    [sendPackingList]: {
      schema: "PackingListAnswer",
      value: recorded.answers.sendPackingList,
      contentTypes: ["application/json"]
    }
  },
  handlers: (config) =>
    Effect.map(PackingListIntake, (intake) => [[sendPackingList, answering(config, intake)]])
}
