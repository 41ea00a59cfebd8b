/** One command against a service that answers as a test says: how it ends, and that it never shows its secret. */
import { plainSettings } from "@dockline/core/webhooks/WebhookEndpoint"
import { assert } from "vitest"
import * as FakeService from "./FakeService.ts"
import { runLine } from "./Running.ts"
import type { RunInput } from "./Running.ts"

/** The secret of every run. */
export const secret = "canary-client-secret"

/** Where the service is, and who asks. */
export const env = (url: string) => ({
  DOCKLINE_URL: url,
  DOCKLINE_CLIENT_ID: "operator",
  DOCKLINE_CLIENT_SECRET: secret
})

/** A business. */
export const acme = { slug: "acme", name: "Acme" }

/** A webhook endpoint. */
export const endpoint = (authentication: object = { type: "none" }) => ({
  id: "1",
  business: "acme",
  facility: null,
  baseUrl: "https://acme.example",
  messageTypes: ["PALLET_EVENT"],
  authentication,
  ...plainSettings,
  enabled: true,
  disabledReason: "",
  createdAt: "2026-11-20T17:00:00.000Z",
  cursorId: 0,
  failingSince: null,
  login: null,
  warnings: [],
  expiredUpTo: null,
  backlog: 0,
  signingSecrets: [{ validUntil: null }]
})

/** Runs `business show acme` at a service that answers like this. */
export const show = async (
  handler: FakeService.Handler,
  tokens?: FakeService.Handler,
  input: RunInput = {},
  ...more: ReadonlyArray<string>
) => {
  await using service = await FakeService.serve(handler, tokens)
  const ran = await runLine(["business", "show", "acme", ...more], {
    ...input,
    env: { ...env(service.url), ...input.env }
  })
  assert.notInclude(ran.data + ran.errors, secret)
  return { ...ran, requests: service.requests, url: service.url }
}

/** What is said, when nothing is shown. */
export const errorsOf = async (
  code: number,
  ran: Promise<{ readonly code: number; readonly data: string; readonly errors: string }>
) => {
  const { code: actual, data, errors } = await ran
  assert.deepStrictEqual({ code: actual, data }, { code, data: "" }, errors)
  return errors
}
