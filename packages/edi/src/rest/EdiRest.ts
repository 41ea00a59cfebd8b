/**
 * X12 as a part of REST (D18.3): what takes files of partners, beside the operations on what is exchanged with them. `HttpAdapter` serves
 * it where the service has the capability `edi`, over services with `EdiServices.intake`.
 *
 * ```ts
 * HttpAdapter.layer(config, [ediRest])
 * ```
 */
import { InvalidParameter } from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import { BodyAlreadyRead, PayloadTooLarge, UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import { about, correlationHeader, problems, secured } from "@dockline/http-adapter/RestPart"
import type { RestPart } from "@dockline/http-adapter/RestPart"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import recorded from "../domain/answers.json" with { type: "json" }
import { ediX12 } from "../domain/EdiFile.ts"
import { ediTakeErrors } from "../domain/EdiIntake.ts"
import { shipNotice } from "../domain/EdiTexts.ts"
import { EdiAnswer } from "../domain/EdiView.ts"
import * as EdiUpload from "./EdiUpload.ts"

const { sendEdi } = EdiUpload

const x12 = Schema.String.pipe(HttpApiSchema.asText({ contentType: ediX12 }))

const endpoint = HttpApiEndpoint.post(sendEdi, "/v1/edi", {
  headers: correlationHeader,
  query: {
    business: Schema.optionalKey(Field.slug("Slug of the business whose partners alone the file may be of"))
  },
  payload: x12,
  success: [x12, EdiAnswer, HttpApiSchema.NoContent],
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
  "Ship notices (856) and warehouse orders (940) of partners, and acknowledgments (997) of what they were sent, as the body and as \
they are. The answer is X12 too: an acknowledgment for each interchange, which says of each set whether it was taken. With \
`Accept: application/json` it is the record of the interchanges. Each set is taken or rejected by itself; a file that is damaged, or of no \
partner, is refused as a whole. A client that may send to several businesses names one (`business`), as partners of each may have the same ids. The same \
interchange again gets the same answer, and nothing is done twice."
))

/** The taking of files. */
export const ediRest: RestPart = {
  name: "edi",
  endpoints: [endpoint],
  requests: {
    [sendEdi]: {
      description: "The file as it is, in UTF-8 unless Content-Type names another charset.",
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
      200:
        "The acknowledgments of the interchanges, or their record. Each says of its sets whether they were taken.",
      204: "The file held acknowledgments alone, which are not acknowledged."
    },
    createEdiPartner: { 201: "The partner was created: its files are taken." }
  },
  handlers: EdiUpload.make
}
