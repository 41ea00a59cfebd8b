/**
 * Sends files of X12 to the service.
 */
import { EdiAnswer } from "@dockline/edi/domain/EdiView"
import type { EdiFileView } from "@dockline/edi/domain/EdiView"
import { ediX12 } from "@dockline/wire/Accept"
import { Effect, Schema } from "effect"
import { HttpBody, HttpClientRequest } from "effect/http"
import { ServiceCalls } from "../../ServiceCalls.ts"

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
