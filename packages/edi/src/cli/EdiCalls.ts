/**
 * Sends files of X12 to the service.
 */
import { ServiceCalls } from "@dockline/cli/commands/CommandParts"
import { Effect, Schema } from "effect"
import { HttpBody, HttpClientRequest } from "effect/http"
import { ediX12 } from "../domain/EdiFile.ts"
import { EdiAnswer } from "../domain/EdiView.ts"
import type { EdiFileView } from "../domain/EdiView.ts"

/** Sends a file byte for byte: the record of its interchanges, with their acknowledgments. */
export const send = (
  bytes: Uint8Array,
  { business, charset }: { readonly business?: string | undefined; readonly charset?: string | undefined }
) =>
  Effect.flatMap(ServiceCalls, ({ send }) => {
    const type = charset === undefined ? ediX12 : `${ediX12}; charset=${charset}`
    const path = business === undefined ? "/v1/edi" : `/v1/edi?business=${encodeURIComponent(business)}`
    const request = HttpClientRequest.post(path, { body: HttpBody.uint8Array(bytes, type) })
    return send(HttpClientRequest.acceptJson(request), (response) =>
      Effect.gen(function*() {
        const body = yield* response.json
        return { body, value: yield* Schema.decodeUnknownEffect(EdiAnswer)(body) }
      }))
  })

/** What is wrong with files, each fault with its set. */
export const faultsOf = (files: ReadonlyArray<EdiFileView>): ReadonlyArray<string> =>
  files.flatMap(({ faults, sets }) => [
    ...faults,
    ...sets.flatMap(({ control, faults, kind }) => faults.map((fault) => `set ${kind} ${control}: ${fault}`))
  ])
