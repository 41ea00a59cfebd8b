/** The people whom an operator lets sign in, and what each of them may do. */
import { call } from "../../api/operator.ts"
import type { PersonView } from "../../api/operator.ts"
import { session } from "../../session.ts"
import { AskedTwice, Plain } from "../../ui/Parts.tsx"
import { Form } from "./Form.tsx"
import { grantEditor, Grants, newGrants } from "./Grants.tsx"
import { Listing } from "./Parts.tsx"
import type { FormWork, ListWork } from "./Parts.tsx"

const route = "/v1/operator/people/:personId"

/** The form for a person who is to be added, or whose name or grants are to be changed. */
const formOf = ({ cancel, done, id }: FormWork, people: ReadonlyArray<PersonView>) => {
  const person = people.find((each) => each.id === id)
  const shared = { editors: { grants: grantEditor }, cancel } as const
  return person === undefined
    ? (
      <Form
        {...shared}
        route="POST /v1/operator/people"
        title="Add a person"
        word="Add"
        values={{ grants: newGrants() }}
        differing={() => ({ email: { label: "E-mail" } })}
        done={({ name }) => done(`${name} can sign in now.`)}
      />
    )
    : (
      <Form
        {...shared}
        key={id}
        route={`PATCH ${route}`}
        params={{ personId: id }}
        title={`Change ${person.name}`}
        word="Save"
        values={{ name: person.name, grants: person.grants }}
        done={({ name }) => done(`${name} has these grants within 5 seconds.`)}
      />
    )
}

/** What can be done with a person; nobody removes themselves. */
const Changes = ({ act, edit, person: { id, name } }: ListWork & { readonly person: PersonView }) => (
  <span class="buttons">
    <Plain onClick={() => edit(id)}>
      Change<span class="unseen">{" "}{name}</span>
    </Plain>
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
    id="people"
    title="People"
    lead="These people can sign in with the OpenID Connect provider of the service."
    rest="/v1/operator/people"
    read={(page) => call("GET /v1/operator/people", page)}
    idOf={({ id }) => id}
    columns={(work) => [
      ["Name", ({ name }) => name, "main"],
      ["Known by", ({ email, subject }) => email ?? <span class="mono">{subject}</span>, "wide"],
      ["May act at", ({ grants }) => <Grants grants={grants} />, "wide"],
      ["Change", (person) => <Changes person={person} {...work} />, "number wide"]
    ]}
    add="Add a person"
    form={formOf}
    empty={[
      "Nobody can sign in with the provider yet",
      "Add a person by the e-mail address that the provider has verified, or by their subject, which the sign-in page \
shows to people who have not been added."
    ]}
  />
)
