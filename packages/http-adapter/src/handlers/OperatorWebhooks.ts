/**
 * The handlers of the operator side, continued: webhook endpoints and their deliveries (D11).
 */
import { Deliveries } from "@dockline/core/Deliveries"
import * as OperatorInput from "@dockline/core/OperatorInput"
import { AuthenticationSchemes } from "@dockline/core/WebhookEndpoint"
import * as WebhookInput from "@dockline/core/WebhookInput"
import { Webhooks } from "@dockline/core/Webhooks"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { HttpConfig } from "../api/HttpConfig.ts"
import * as OperatorRequests from "./OperatorRequests.ts"
import { pathOf, unwrapped } from "./OperatorRequests.ts"

/** The group `webhookEndpoints`. */
export const webhookEndpoints = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "webhookEndpoints",
    Effect.fnUntraced(function*(handlers) {
      const core = yield* Webhooks
      const schemes = yield* AuthenticationSchemes
      const readEndpoint = WebhookInput.endpointReader(schemes)
      const readPatch = WebhookInput.endpointPatchReader(schemes)
      const { read, list, write, act, remove } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listWebhookEndpoints", ({ query }) => list((principal) => core.list(query, principal)))
        .handleRaw("createWebhookEndpoint", () =>
          write(
            readEndpoint,
            (input, principal) => Effect.map(core.create(input, principal), unwrapped("signingSecret")),
            { status: 201, location: ({ id }) => pathOf("webhook-endpoints", id) }
          ))
        .handleRaw("getWebhookEndpoint", ({ params: { endpointId } }) =>
          read((principal) => core.get(endpointId, principal)))
        .handleRaw("updateWebhookEndpoint", ({ params: { endpointId } }) =>
          write(readPatch, (patch, principal) =>
            core.update(endpointId, patch, principal), {
            status: 200
          }))
        .handleRaw("deleteWebhookEndpoint", ({ params: { endpointId } }) =>
          remove((principal) =>
            core.remove(endpointId, principal)
          ))
        .handleRaw("rotateSigningSecret", ({ params: { endpointId } }) =>
          act(
            (principal) =>
              Effect.map(core.rotateSecret(endpointId, principal), unwrapped("signingSecret")),
            { status: 200 }
          ))
    })
  )

/** The group `deliveries`. */
export const deliveries = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "deliveries",
    Effect.fnUntraced(function*(handlers) {
      const core = yield* Deliveries
      const { list, write, act } = OperatorRequests.make(config)
      return handlers
        .handleRaw("listDeliveries", ({ params: { endpointId }, query }) =>
          list((principal) => core.list(endpointId, query, principal)))
        .handleRaw("replayDelivery", ({ params: { endpointId, deliveryId } }) =>
          act((principal) =>
            core.replay(endpointId, deliveryId, principal), { status: 202 }))
        .handleRaw("replayDeliveries", ({ params: { endpointId } }) =>
          write(
            OperatorInput.readReplay,
            (range, principal) =>
              core.replayRange(endpointId, range, principal),
            { status: 202 }
          ))
    })
  )
