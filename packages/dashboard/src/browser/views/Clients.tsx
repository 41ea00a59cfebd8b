/** The clients of an operator: who may do what, and a way to shut one out at once. */
import { call, readAll } from "../api/operator.ts"
import type { ClientView } from "../api/operator.ts"
import { session } from "../session.ts"
import { Grants } from "../ui/Grants.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { AskedTwice, FaultNote, Heads, Loaded } from "../ui/Parts.tsx"
import { useActions } from "../ui/sending.ts"
import { AccessHead } from "./People.tsx"

interface LineProps {
  readonly client: ClientView
  readonly change: (enabled: boolean) => void
}

const Change = ({ change, client }: LineProps) => {
  if (client.id === session.value?.clientId) return <span class="soft">You</span>
  return client.enabled
    ? <AskedTwice word="Disable" act={() => change(false)} />
    : <button type="button" class="plain" onClick={() => change(true)}>Enable</button>
}

const Line = ({ change, client }: LineProps) => (
  <tr>
    <td class="main">
      {client.id}
      <span class="sub">{client.name}</span>
    </td>
    <td class="end">
      <span class="badge" data-tone={client.enabled ? "ok" : "bad"}>
        {client.enabled ? "Enabled" : "Disabled"}
      </span>
    </td>
    <td class="wide">
      <Grants grants={client.grants} />
    </td>
    <td class="number wide" data-label="Secrets">{client.secrets.length}</td>
    <td class="number wide">
      <Change client={client} change={change} />
    </td>
  </tr>
)

export const Clients = () => {
  const state = useLoaded("clients", () => readAll((page) => call("GET /v1/operator/clients", page)))
  const { act, fault } = useActions(state.reloadNow)
  useLive(undefined, {}, state.reload)
  const change = (clientId: string, enabled: boolean): void =>
    act(() => call("PATCH /v1/operator/clients/:clientId", { clientId, body: { enabled } }))
  return (
    <>
      <AccessHead
        page="clients"
        lead={
          <>
            These programs may use the interfaces. <code>dockline client create</code>{" "}
            makes a new client and shows its secret once.
          </>
        }
      />
      <FaultNote fault={fault} />
      <Loaded state={state}>
        {(value) => (
          <section class="card">
            <table class="table cards">
              <Heads names={["Client", "State", "May act at", ["Secrets"], ["Change"]]} />
              <tbody>
                {value.map((client) => (
                  <Line
                    key={client.id}
                    client={client}
                    change={(enabled) => change(client.id, enabled)}
                  />
                ))}
              </tbody>
            </table>
          </section>
        )}
      </Loaded>
    </>
  )
}
