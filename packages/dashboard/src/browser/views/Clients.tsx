/** The clients of an operator: who may do what, and a way to shut one out at once. */
import { useState } from "preact/hooks"
import { clients, enableClient } from "../api/operator.ts"
import type { ClientView } from "../api/operator.ts"
import { faultOf } from "../api/request.ts"
import type { Fault } from "../api/request.ts"
import { session } from "../session.ts"
import { Grants } from "../ui/Grants.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { FaultNote, Heads, Waiting } from "../ui/Parts.tsx"
import { AccessHead } from "./People.tsx"

interface LineProps {
  readonly client: ClientView
  readonly change: (enabled: boolean) => void
}

const Line = ({ change, client }: LineProps) => {
  const [isAsked, setAsked] = useState(false)
  const isSelf = client.id === session.value?.clientId
  return (
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
        {isSelf
          ? <span class="soft">You</span>
          : !client.enabled
          ? <button type="button" class="plain" onClick={() => change(true)}>Enable</button>
          : isAsked
          ? (
            <button
              type="button"
              class="plain danger"
              onBlur={() => setAsked(false)}
              onClick={() => {
                setAsked(false)
                change(false)
              }}
            >
              Disable now
            </button>
          )
          : <button type="button" class="plain" onClick={() => setAsked(true)}>Disable</button>}
      </td>
    </tr>
  )
}

/** The view. */
export const Clients = () => {
  const { fault, reload, reloadNow, value } = useLoaded("clients", clients)
  const [refused, setRefused] = useState<Fault>()
  useLive(undefined, {}, reload)
  const change = async ({ id }: ClientView, enabled: boolean): Promise<void> => {
    try {
      await enableClient(id, enabled)
      setRefused(undefined)
    } catch (thrown) {
      setRefused(faultOf(thrown))
    }
    reloadNow()
  }
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
      {[fault, refused].map((each) => each === undefined ? null : <FaultNote key={each.code} fault={each} />)}
      {value === undefined ? fault === undefined ? <Waiting /> : null : (
        <section class="card">
          <table class="table cards">
            <Heads names={["Client", "State", "May act at", ["Secrets"], ["Change"]]} />
            <tbody>
              {value.map((client) => (
                <Line
                  key={client.id}
                  client={client}
                  change={(enabled) => void change(client, enabled)}
                />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  )
}
