/** The clients of an operator: who may do what, and a way to shut one out at once. */
import type { ClientView } from "@dockline/core/operator/OperatorView"
import { useState } from "preact/hooks"
import { call } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { session } from "../../session.ts"
import { AskedTwice, Badge, over, Plain } from "../../ui/Parts.tsx"
import { grantEditor, Grants, newGrants } from "./Grants.tsx"
import { Listing, Secret } from "./Parts.tsx"
import type { ListWork } from "./Parts.tsx"

export const Enabled = ({ enabled }: Pick<ClientView, "enabled">) => (
  <Badge of={enabled ? ["Enabled", "ok"] : ["Disabled", "bad"]} />
)

/** Lets a client get tokens, or no more. */
export const Enabling = ({ act, client: { enabled, id } }: Pick<ListWork, "act"> & {
  readonly client: ClientView
}) => {
  const set = (next: boolean): void =>
    act(() => call("PATCH /v1/operator/clients/:clientId", { clientId: id, body: { enabled: next } }))
  if (id === session.value?.clientId) return <span class="soft">You</span>
  return enabled
    ? <AskedTwice word="Disable" of={id} act={() => set(false)} />
    : <Plain of={id} onClick={() => set(true)}>Enable</Plain>
}

export const Clients = () => {
  const [made, setMade] = useState<{ readonly id: string; readonly clientSecret: string }>()
  return (
    <>
      {made === undefined ? null : (
        <Secret value={made.clientSecret} close={() => setMade(undefined)}>
          The program asks for tokens as <code>{made.id}</code> with this secret.
        </Secret>
      )}
      <Listing
        list="GET /v1/operator/clients"
        title="Clients"
        lead="These programs may use the interfaces, each with the permissions that its grants name."
        idOf={({ id }) => id}
        columns={({ act }) => [
          [
            "Client",
            ({ id, name }) => over(<a href={href(`/clients/${encodeURIComponent(id)}`)}>{id}</a>, name),
            "main"
          ],
          ["State", ({ enabled }) => <Enabled enabled={enabled} />, "end"],
          ["May act at", ({ grants }) => <Grants grants={grants} />, "wide"],
          ["Secrets", ({ secrets }) => secrets.length, "number wide", "Secrets"],
          ["Change", (client) => <Enabling client={client} act={act} />, "number wide above"]
        ]}
        create={{
          route: "POST /v1/operator/clients",
          title: "Create a client",
          values: { grants: newGrants(), enabled: true },
          editors: { grants: grantEditor },
          made: setMade,
          said: ({ name }) => `${name} may use the interfaces now.`
        }}
        empty={["No client yet", "Create a client for each program that uses the interfaces."]}
      />
    </>
  )
}
