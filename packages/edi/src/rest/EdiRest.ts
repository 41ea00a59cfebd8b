/**
 * X12 as a part of REST (D18.3): the endpoint that accepts files of partners, beside the operations on the exchanged files. `HttpAdapter`
 * serves it if the service has the capability `edi`, over services with `EdiServices.intake`.
 *
 * ```ts
 * HttpAdapter.layer(config, [ediRest])
 * ```
 */
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
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
  show
} from "@dockline/http-adapter/RestPart"
import type { Answering, BodyForm, RestPart } from "@dockline/http-adapter/RestPart"
import { textTypeReader, typeOf } from "@dockline/wire/MediaType"
import { Effect, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import recorded from "../domain/answers.json" with { type: "json" }
import { EdiRefused } from "../domain/EdiErrors.ts"
import { EdiAnswer, ediFileView, ediX12 } from "../domain/EdiFile.ts"
import { EdiIntake, ediTakeErrors } from "../domain/EdiIntake.ts"
import type { EdiReceipt } from "../domain/EdiIntake.ts"

/** Joins segments into a text with one segment on each line. */
const lines = (...segments: ReadonlyArray<string>): string =>
  segments.map((segment) => `${segment}~`).join("\n")

/** A ship notice (856) of a supplier, as a file of X12 with one interchange. */
export const shipNotice = lines(
  "ISA*00*          *00*          *ZZ*SUPPLIER       *ZZ*WAREHOUSE      *261120*1700*U*00401*000000101*0*P*>",
  "GS*SH*SUPPLIER*WAREHOUSE*20261120*1700*101*X*004010",
  "ST*856*0001",
  "BSN*00*ASN-1*20261120*1700",
  "HL*1**S",
  "HL*2*1*O",
  "PRF*PO-1",
  "HL*3*2*T",
  "MAN*GM*00106141411234567897",
  "HL*4*3*I",
  "LIN**SK*SKU-1",
  "SN1**12*CA",
  "SE*11*0001",
  "GE*1*101",
  "IEA*1*000000101"
)

/** The name of the endpoint. */
export const sendEdi = "sendEdi"

const x12: BodyForm = { read: textTypeReader(ediX12) }

/** The media types of the answer: X12, unless the client prefers JSON. */
const answerTypes = [ediX12, "application/json"] as const

const headers = { vary: "accept" }

/** Makes the handler of the endpoint. */
export const make = (config: HttpConfig) =>
  Effect.map(answering(config), (answer) => [[sendEdi, answer]] as const)

const answering = ({ bodyLimit }: HttpConfig) =>
  Effect.map(EdiIntake, ({ take }): Answering => () =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const principal = yield* CurrentPrincipal
      const { bytes, type: { charset = "utf-8" } } = yield* receive(request, x12, bodyLimit)
      yield* onlyParameters("business")
      const business = new URL(request.url, "http://service").searchParams.get("business") ?? undefined
      const text = yield* Effect.mapError(Effect.fromResult(decode(bytes, charset)), () =>
        new EdiRefused({
          segment: 1,
          segmentId: "",
          element: 0,
          detail: `the file is not in ${charset.toUpperCase()}`,
          remedy: `Name its charset, as in ${ediX12}; charset=iso-8859-1.`
        }))
      const { accept } = request.headers
      // The record in the JSON answer contains the file itself.
      if (typeOf(accept, answerTypes) === "application/json") {
        yield* (yield* AnswerMemory).reserve(text.length)
      }
      return answerOf(
        yield* take(text, principal, { business: business === "" ? undefined : business }),
        accept
      )
    }).pipe(Effect.catch(respond)))

const answerOf = (
  receipts: ReadonlyArray<EdiReceipt>,
  accept: string | undefined
): HttpServerResponse.HttpServerResponse => {
  if (typeOf(accept, answerTypes) === "application/json") {
    const value = { files: receipts.map(({ file }) => ediFileView(file)) }
    return show(rootOf(EdiAnswer), value, "application/json", headers)
  }
  const answer = receipts.map(({ file }) => file.answer).filter((text) => text !== "").join("\n")
  // A file that contains only acknowledgments gets no acknowledgment.
  return answer === ""
    ? HttpServerResponse.empty({ status: 204, headers })
    : HttpServerResponse.text(answer, { headers, contentType: `${ediX12}; charset=utf-8` })
}

const x12Text = Schema.String.pipe(HttpApiSchema.asText({ contentType: ediX12 }))

const endpoint = HttpApiEndpoint.post(sendEdi, "/v1/edi", {
  headers: correlationHeader,
  query: {
    business: Schema.optionalKey(Field.slug("Slug of the business whose partners sent the file"))
  },
  payload: x12Text,
  success: [x12Text, EdiAnswer, HttpApiSchema.NoContent],
  error: problems(
    ...ediTakeErrors,
    InvalidParameter,
    PayloadTooLarge,
    UnsupportedMediaType,
    BodyAlreadyRead,
    ...secured
  )
}).annotateMerge(about(
  "Send a file of X12",
  "The body is the file, unchanged: ship notices (856) and warehouse orders (940) from partners, and their acknowledgments (997) of the \
files that they got. The answer is X12 too: an acknowledgment for each interchange, with the outcome of each set. With \
`Accept: application/json` it is the record of the interchanges. Each set is accepted or rejected by itself; a file that is damaged, or \
that comes from no partner, is refused as a whole. A client that may send to several businesses names one (`business`), because their \
partners may have the same ids. A repeated interchange gets the same answer, and nothing is done twice."
))

/** The part of REST that accepts files. */
export const ediRest: RestPart = {
  name: "edi",
  endpoints: [endpoint],
  requests: {
    [sendEdi]: {
      description: "The unchanged file, in UTF-8 unless Content-Type names another charset.",
      name: "notice",
      summary: "A ship notice",
      contentType: ediX12,
      text: shipNotice
    }
  },
  answers: {
    [sendEdi]: {
      contentType: ediX12,
      text: recorded.answers.ediFile.answer,
      json: { schema: "EdiAnswer", valueOf: ({ ediFile }) => ({ files: [ediFile] }) }
    }
  },
  successes: {
    [sendEdi]: {
      200: "The acknowledgments of the interchanges, or their record, with the outcome of each set.",
      204: "The file contained only acknowledgments, which are not acknowledged."
    },
    createEdiPartner: { 201: "The partner was created: its files are accepted." }
  },
  handlers: make
}
