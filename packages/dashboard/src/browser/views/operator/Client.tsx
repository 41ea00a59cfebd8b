/** A client: what it may do, and its secrets, of which two are valid at once, so that one can replace the other. */
import type { ClientView } from "@dockline/core/operator/OperatorView"
import { useState } from "preact/hooks"
import { call } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { useActions } from "../../ui/forms.ts"
import { FaultNote, Loaded, PageHead, Said, ThingHead } from "../../ui/Frame.tsx"
import { Rows } from "../../ui/lists.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { AskedTwice, Plain, Time } from "../../ui/Parts.tsx"
import { Enabled, Enabling } from "./Clients.tsx"
import { GrantChanges } from "./Grants.tsx"
import { Secret, Settings } from "./Parts.tsx"
import type { ListWork } from "./Parts.tsx"

const route = "/v1/operator/clients/:clientId"

const Secrets = (
  { act, client: { id, secrets } }: Pick<ListWork, "act"> & { readonly client: ClientView }
) => {
  const [made, setMade] = useState("")
  return (
    <>
      <PageHead
        title="Secrets"
        lead="Two are valid at once. To rotate: create the second, let the program use it, and delete the first."
        isPart
      >
        <Plain
          onClick={() =>
            act(async () => setMade((await call(`POST ${route}/secrets`, { clientId: id })).clientSecret))}
        >
          Create a secret
        </Plain>
      </PageHead>
      {made === "" ? null : (
        <Secret value={made} close={() => setMade("")}>
          This is a new secret of <code>{id}</code>.
        </Secret>
      )}
      <section class="card" aria-label="Secrets">
        {secrets.length === 0
          ? <p class="soft none">None: the client gets no tokens.</p>
          : (
            <Rows
              rows={secrets}
              id={(secret) => secret.id}
              columns={[
                ["Secret", (secret) => secret.id, "main mono"],
                [
                  "Created",
                  ({ createdAt }) => createdAt === null ? "From the settings" : <Time time={createdAt} />
                ],
                ["Change", (secret) => (
                  <AskedTwice
                    word="Delete"
                    of={secret.id}
                    act={() =>
                      act(
                        () =>
                          call(`DELETE ${route}/secrets/:secretId`, { clientId: id, secretId: secret.id }),
                        "The secret gets no new tokens. Issued tokens stay valid until they expire."
                      )}
                  />
                ), "number wide"]
              ]}
            />
          )}
      </section>
    </>
  )
}

export const Client = ({ id }: { readonly id: string }) => {
  const state = usePolled(`client ${id}`, () => call(`GET ${route}`, { clientId: id }))
  const { act, fault, said, tell } = useActions(state.reloadNow)
  return (
    <Loaded state={state} head={<ThingHead list="clients" title={id} />}>
      {(client) => (
        <>
          <ThingHead list="clients" title={client.name} badges={<Enabled enabled={client.enabled} />}>
            <a class="button" href={href("/audit", { subject: `clients/${id}` })}>Audit</a>
            <Enabling client={client} act={act} />
          </ThingHead>
          <Said>{said}</Said>
          <FaultNote fault={fault} />
          <Settings
            title="Client"
            facts={[
              ["Client id", <span class="mono">{client.id}</span>]
            ]}
            change={{
              route: `PATCH ${route}`,
              params: { clientId: id },
              title: `Change ${client.name}`,
              fields: ["name"],
              values: { name: client.name },
              said: ({ name }) => `It is called ${name} now.`
            }}
            tell={tell}
          />
          <GrantChanges
            of={{ path: "clients/:clientId", params: { clientId: id } }}
            name={client.name}
            grants={client.grants}
            act={act}
            tell={tell}
          />
          <Secrets client={client} act={act} />
        </>
      )}
    </Loaded>
  )
}
