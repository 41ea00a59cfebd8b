/**
 * `POST /v1/edi`: passes files of X12 to what takes them, and answers with their acknowledgments.
 */
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import type { HttpConfig } from "@dockline/http-adapter/HttpConfig"
import {
  CurrentPrincipal,
  decode,
  onlyParameters,
  receive,
  respond,
  rootOf,
  show
} from "@dockline/http-adapter/RestPart"
import type { Answering, BodyForm } from "@dockline/http-adapter/RestPart"
import { typeOf } from "@dockline/wire/Accept"
import * as ContentType from "@dockline/wire/ContentType"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { EdiRefused } from "../domain/EdiErrors.ts"
import { ediX12 } from "../domain/EdiFile.ts"
import { EdiIntake } from "../domain/EdiIntake.ts"
import type { EdiReceipt } from "../domain/EdiIntake.ts"
import { EdiAnswer, ediFileView } from "../domain/EdiView.ts"

/** The name of the endpoint. */
export const sendEdi = "sendEdi"

const x12: BodyForm = { read: ContentType.textReader(ediX12) }

/** The media types of the answer: X12 unless the client prefers JSON. */
const answerTypes = [ediX12, "application/json"] as const

const headers = { vary: "accept" }

/** Answers the endpoint. */
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
      // The record shows the file itself.
      if (typeOf(accept, answerTypes) === "application/json") {
        yield* (yield* AnswerRoom).take(text.length)
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
  // An acknowledgment is not acknowledged.
  return answer === ""
    ? HttpServerResponse.empty({ status: 204, headers })
    : HttpServerResponse.text(answer, { headers, contentType: `${ediX12}; charset=utf-8` })
}
