/** A webhook endpoint: how it is, what has not been delivered, and what each attempt sent and got as an answer. */
import type { DeliveryView, EndpointView } from "@dockline/core/operator/OperatorView"
import { useState } from "preact/hooks"
import { bodyOf } from "../../../api/bodies.ts"
import { call, pageSize } from "../../../api/operator.ts"
import { href, navigate, query } from "../../../router.ts"
import { counted } from "../../../ui/amounts.ts"
import { useActions } from "../../../ui/forms.ts"
import { FaultNote, Loaded, Said, ThingHead } from "../../../ui/Frame.tsx"
import { usePolled } from "../../../ui/loaded.ts"
import { webhookName } from "../../../ui/messageKinds.ts"
import { AskedTwice, Plain, Time } from "../../../ui/Parts.tsx"
import { nameIn } from "../../../ui/tables.ts"
import { schemeWords } from "../Field.tsx"
import { Losing, Secret, Seldom, Settings } from "../Parts.tsx"
import type { ListWork } from "../Parts.tsx"
import { byUrgency, Deliveries, filters } from "./Deliveries.tsx"
import type { Filter, Shown } from "./Deliveries.tsx"
import { backlogOf, choices, Condition, placeOf } from "./Webhooks.tsx"
import { WebhookTest } from "./WebhookTest.tsx"

const route = "/v1/operator/webhook-endpoints/:endpointId"

const specialsOf = ({ headers, payloadProfile, ratePerSecond, signatures }: EndpointView): string =>
  [
    ...(headers.length === 0 ? [] : [`headers ${headers.map(({ name }) => name).join(", ")}`]),
    ...(ratePerSecond === 0 ? [] : [`at most ${counted(ratePerSecond, "request")} a second`]),
    ...(signatures.includes("v1a") ? ["signed by keys of the service too"] : []),
    ...(payloadProfile === "dockline" ? [] : [`payload profile ${payloadProfile}`])
  ].join(" · ")

const factsOf = (endpoint: EndpointView): Parameters<typeof Settings>[0]["facts"] => [
  ["Messages of", placeOf(endpoint)],
  ["Waiting", backlogOf(endpoint)],
  ["Failing since", <Time time={endpoint.failingSince ?? ""} />],
  ["Messages", endpoint.messageTypes.map(webhookName).join(", ")],
  ["Authentication", schemeWords[endpoint.authentication.type] ?? endpoint.authentication.type],
  ["To judge", endpoint.warnings.join(" ")],
  ["Requests", specialsOf(endpoint)],
  [`Its login failed ${counted(endpoint.login?.failures ?? 0, "time")}`, endpoint.login?.error ?? ""]
]

const changeOf = (endpoint: EndpointView) => {
  const now: Readonly<Record<string, unknown>> = { ...endpoint }
  const fields = Object.keys(bodyOf(`PATCH ${route}`)?.properties ?? {}).filter((name) => name !== "enabled")
  return {
    route: `PATCH ${route}`,
    params: { endpointId: endpoint.id },
    title: "Change the endpoint",
    fields,
    values: Object.fromEntries(fields.map((name) => [name, now[name]])),
    differing: choices,
    said: () => "The endpoint has changed."
  } as const
}

const Signing = ({ act, endpoint: { id, signingSecrets } }: Pick<ListWork, "act"> & {
  readonly endpoint: EndpointView
}) => {
  const [made, setMade] = useState("")
  const rotate = async (): Promise<void> =>
    setMade((await call(`POST ${route}/rotate-secret`, { endpointId: id })).signingSecret)
  const old = signingSecrets.find(({ validUntil }) => validUntil !== null)?.validUntil ?? ""
  return (
    <>
      {made === "" ? null : (
        <Secret value={made} close={() => setMade("")}>
          Give this signing secret to the customer. The previous secret also signs for 24 hours.
        </Secret>
      )}
      <section class="card try no-print" aria-label="Signing secret">
        <h2>Signing secret</h2>
        <p class="soft">
          {old === ""
            ? "One secret signs the deliveries. After a rotation, the old and the new secret both sign for 24 hours, so that the customer can switch."
            : (
              <>
                Two secrets sign the deliveries; the older one until <Time time={old} />.
              </>
            )}
        </p>
        <div class="buttons">
          <AskedTwice word="Rotate the secret" act={() => act(rotate)} />
        </div>
      </section>
    </>
  )
}

const Content = ({ filter, reload, shown: { deliveries, endpoint, hasMore } }: {
  readonly shown: Shown
  readonly filter: Filter
  readonly reload: () => void
}) => {
  const { baseUrl, business, enabled, id } = endpoint
  const { act, fault, said, tell } = useActions(reload)
  const replay = ({ id: deliveryId, messageId }: DeliveryView): void =>
    act(
      () => call(`POST ${route}/deliveries/:deliveryId/replay`, { endpointId: id, deliveryId }),
      `Message ${messageId} will be delivered again.`
    )
  return (
    <>
      <ThingHead list="webhooks" title={baseUrl} badges={<Condition endpoint={endpoint} />}>
        <a class="button" href={href("/audit", { subject: `webhook-endpoints/${id}` })}>Audit</a>
        <Plain
          onClick={() =>
            act(
              () => call(`PATCH ${route}`, { endpointId: id, body: { enabled: !enabled } }),
              enabled ? "Deliveries have stopped. New messages wait." : "Deliveries have resumed."
            )}
        >
          {enabled ? "Stop deliveries" : "Resume deliveries"}
        </Plain>
      </ThingHead>
      <Said>{said}</Said>
      <FaultNote fault={fault} />
      <Settings
        title="Overview"
        facts={factsOf(endpoint)}
        change={changeOf(endpoint)}
        note={
          <p class="soft">
            Passwords stay as they are unless you write them. If you change the address, enter them again: the
            service never sends a stored password to another address.
          </p>
        }
        tell={tell}
      />
      <Deliveries
        endpoint={endpoint}
        deliveries={deliveries}
        hasMore={hasMore}
        filter={filter}
        replay={replay}
      />
      <Seldom
        summary="Deliver a range again"
        note="Enter two ids or two times; both ends are included."
        form={{
          route: `POST ${route}/replay`,
          params: { endpointId: id },
          title: "Deliver a range of messages again",
          word: "Deliver again",
          said: ({ count }) => `${counted(count, "message")} will be delivered again.`
        }}
      />
      <WebhookTest endpoint={endpoint} />
      <Signing endpoint={endpoint} act={act} />
      <Losing
        word="Delete the endpoint"
        name={baseUrl}
        what={
          <>
            The endpoint of <b>{business}</b>{" "}
            is deleted with its record of deliveries. Its messages stay in the log.
          </>
        }
        act={() =>
          act(async () => {
            await call(`DELETE ${route}`, { endpointId: id })
            navigate("/webhooks")
          })}
      />
    </>
  )
}

export const Webhook = ({ id }: { readonly id: string }) => {
  const filter = nameIn(filters, query.value.get("status")) ?? "open"
  const state = usePolled(`${id} ${filter}`, async (): Promise<Shown> => {
    const query = { endpointId: id, limit: pageSize }
    const [endpoint, ...pages] = await Promise.all([
      call(`GET ${route}`, { endpointId: id }),
      ...filters[filter][1].map((status) => call(`GET ${route}/deliveries`, { ...query, status }))
    ])
    return {
      endpoint,
      deliveries: pages.flatMap(({ items }) => items).toSorted(byUrgency),
      hasMore: pages.some(({ next }) => next !== null)
    }
  })
  return (
    <>
      {state.value === undefined ? <h1>Webhook endpoint {id}</h1> : null}
      <Loaded state={state}>
        {(shown) => <Content shown={shown} filter={filter} reload={state.reloadNow} />}
      </Loaded>
    </>
  )
}
