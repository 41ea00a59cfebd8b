/** The people whom an operator lets sign in, and what each of them may do. */
import type { PersonView } from "@dockline/core/operator/OperatorView"
import { call } from "../../api/operator.ts"
import { session } from "../../session.ts"
import { AskedTwice, Plain } from "../../ui/Parts.tsx"
import { GrantChanges, grantEditor, Grants, newGrants } from "./Grants.tsx"
import { Listing } from "./Parts.tsx"
import type { ListWork } from "./Parts.tsx"

const route = "/v1/operator/people/:personId"

/** What can be done with a person; nobody removes themselves. */
const Changes = ({ act, edit, person: { id, name } }: ListWork & { readonly person: PersonView }) => (
  <span class="buttons">
    <Plain of={name} onClick={() => edit(id)}>Change</Plain>
    {id === session.value?.clientId
      ? <span class="soft">You</span>
      : (
        <AskedTwice
          word="Remove"
          of={name}
          act={() =>
            act(
              () => call(`DELETE ${route}`, { personId: id }),
              `${name} can no longer sign in. Open sessions end within 5 seconds.`
            )}
        />
      )}
  </span>
)

export const People = () => (
  <Listing
    list="GET /v1/operator/people"
    title="People"
    lead="These people can sign in with the OpenID Connect provider of the service."
    idOf={({ id }) => id}
    columns={(work) => [
      ["Name", ({ name }) => name, "main"],
      ["Known by", ({ email, subject }) => email ?? <span class="mono">{subject}</span>, "wide"],
      ["May act at", ({ grants }) => <Grants grants={grants} />, "wide"],
      ["Change", (person) => <Changes person={person} {...work} />, "number wide"]
    ]}
    create={{
      route: "POST /v1/operator/people",
      title: "Add a person",
      word: "Add",
      values: { grants: newGrants() },
      differing: () => ({ email: { label: "E-mail" } }),
      editors: { grants: grantEditor },
      said: ({ name }) => `${name} can sign in now.`
    }}
    change={{
      route: `PATCH ${route}`,
      present: `GET ${route}`,
      fields: ["name"],
      of: ({ id, name }) => ({ params: { personId: id }, title: `Change ${name}`, values: { name } }),
      said: ({ name }) => `${name} is the name now.`,
      more: ({ grants, id, name }, work) => (
        <GrantChanges
          of={{ path: "people/:personId", params: { personId: id } }}
          name={name}
          grants={grants}
          {...work}
        />
      )
    }}
    empty={[
      "Nobody can sign in with the provider yet",
      "Add a person by the e-mail address that the provider has verified, or by their subject, which the sign-in page \
shows to people who have not been added."
    ]}
  />
)
