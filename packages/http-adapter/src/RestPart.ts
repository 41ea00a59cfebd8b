/**
 * The REST part of a capability beside its operations: its own endpoints (ADR 31). They are in the OpenAPI document with their examples,
 * and have the errors, limits, sessions and metrics of every endpoint.
 *
 * Guarantee: a part is served if the service has its capability and all others that the part needs. Otherwise its paths are unknown.
 *
 * ```ts
 * const labels: RestPart = {
 *   name: "labels",
 *   group: securedGroup("labels", "Labels", "Labels of pallets", printLabel),
 *   requests: {},
 *   answers: { printLabel: { schema: "Label", value: { text: "^XA^XZ" } } },
 *   handlers: () => Effect.succeed([["printLabel", textQuery("Label", ["lpn"], ({ lpn }) => labelOf(lpn))]])
 * }
 * HttpAdapter.layer(config, [labels])
 * ```
 */
export { respond, rootOf, show } from "./answer/Answer.ts"
export { only as onlyParameters } from "./answer/Parameters.ts"
export { problems, repeatable, withToken as secured } from "./api/ApiSchemas.ts"
export { about, correlationHeader, count, text, writeHeaders } from "./api/ApiSchemas.ts"
export { securedGroup } from "./api/Endpoints.ts"
export { CurrentPrincipal } from "./api/Parts.ts"
export type { FurtherPages } from "./api/Parts.ts"
export type {
  AnswerExample,
  Answering,
  BodyExample,
  CallInput as Given,
  Query,
  RequestExample,
  RestPart,
  TextAnswer,
  TextExample
} from "./api/Parts.ts"
export { decode } from "./body/Charset.ts"
export { bodyReader, textQuery } from "./handlers/PartHandlers.ts"
export type { Texts } from "./handlers/PartHandlers.ts"
export { document as documentForm, make as makeWrite, receive } from "./handlers/Write.ts"
export type { BodyForm, Write } from "./handlers/Write.ts"
