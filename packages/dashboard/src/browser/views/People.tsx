/** The people whom an operator lets sign in, and what each of them may do. */
import { useState } from "preact/hooks"
import { call, readAll } from "../api/operator.ts"
import type { PersonView } from "../api/operator.ts"
import { href } from "../router.ts"
import { session } from "../session.ts"
import { Download } from "../ui/Download.tsx"
import { useFocus } from "../ui/focus.ts"
import { GrantLines, Grants, grantsOf, linesOf, newLine } from "../ui/Grants.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { AskedTwice, Empty, FaultNote, Heads, Loaded } from "../ui/Parts.tsx"
import { useWork } from "../ui/sending.ts"

/** The head of the two pages about access. */
export const AccessHead = (
  { children, lead, page }: {
    readonly page: "clients" | "people"
    readonly lead: preact.ComponentChildren
    readonly children?: preact.ComponentChildren
  }
) => (
  <>
    <div class="view-head">
      <div>
        <h1>{page === "people" ? "People" : "Clients"}</h1>
        <p class="lead">{lead}</p>
      </div>
      <Download name={page} paths={[`/api/v1/operator/${page}`]} />
      {children}
    </div>
    <nav class="toolbar" aria-label="Access">
      <div class="choices">
        <a href={href("/clients")} aria-current={page === "clients" ? "true" : undefined}>Clients</a>
        <a href={href("/people")} aria-current={page === "people" ? "true" : undefined}>People</a>
      </div>
    </nav>
  </>
)

/** Stands for the id of a new person. */
const added = ""

interface EditorProps {
  readonly person: PersonView | undefined
  readonly done: (said: string) => void
  readonly cancel: () => void
}

/** A form for a person who is to be added, or whose name or grants are to be changed. */
const Editor = ({ cancel, done, person }: EditorProps) => {
  const [lines, setLines] = useState(() => person === undefined ? [newLine()] : linesOf(person.grants))
  const { begin, fault } = useWork()
  const first = useFocus<HTMLInputElement>()

  const save = async (form: FormData): Promise<void> => {
    const textOf = (name: string): string => String(form.get(name) ?? "").trim()
    const [name, known, grants] = [textOf("name"), textOf("known"), grantsOf(lines)]
    if (person !== undefined) {
      await call("PATCH /v1/operator/people/:personId", { personId: person.id, body: { name, grants } })
      return done(`${name} has these grants within 5 seconds.`)
    }
    const identity = known.includes("@") ? { email: known } : { subject: known }
    await call("POST /v1/operator/people", { body: { name, grants, ...identity } })
    done(`${name} may sign in now.`)
  }

  const title = person === undefined ? "Add a person" : `Change ${person.name}`
  return (
    <form
      class="card form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        begin(() => save(form))
      }}
    >
      <h2>{title}</h2>
      <FaultNote fault={fault} />
      <div class="fields">
        <label>
          Name
          <input
            name="name"
            required
            maxLength={200}
            autocomplete="off"
            defaultValue={person?.name}
            ref={first}
          />
        </label>
        {person !== undefined ? null : (
          <label>
            E-mail, or subject at the provider
            <input name="known" required maxLength={255} autocomplete="off" spellcheck={false} />
          </label>
        )}
      </div>
      <GrantLines lines={lines} change={setLines} />
      <p class="ends">
        <button type="submit" class="primary">{person === undefined ? "Add" : "Save"}</button>
        <button type="button" class="plain" onClick={cancel}>Cancel</button>
      </p>
    </form>
  )
}

interface LineProps {
  readonly person: PersonView
  readonly edit: () => void
  readonly remove: () => void
}

const Line = ({ edit, person, remove }: LineProps) => (
  <tr>
    <td class="main">{person.name}</td>
    <td class="wide">
      {person.email ?? <span class="mono">{person.subject}</span>}
    </td>
    <td class="wide">
      <Grants grants={person.grants} />
    </td>
    <td class="number wide">
      <span class="buttons">
        <button type="button" class="plain" onClick={edit}>
          Change<span class="unseen">{" "}{person.name}</span>
        </button>
        {person.id === session.value?.clientId
          ? <span class="soft">You</span>
          : <AskedTwice word="Remove" of={person.name} act={remove} />}
      </span>
    </td>
  </tr>
)

export const People = () => {
  const state = useLoaded("people", () => readAll((page) => call("GET /v1/operator/people", page)))
  const { begin, fault } = useWork()
  const [said, setSaid] = useState("")
  /** The id of the person who is being written, or {@link added}. */
  const [written, setWritten] = useState<string>()
  useLive(undefined, {}, state.reload)

  const done = (words: string): void => {
    setSaid(words)
    setWritten(undefined)
    state.reloadNow()
  }
  const remove = ({ id, name }: PersonView): void =>
    begin(async () => {
      await call("DELETE /v1/operator/people/:personId", { personId: id })
      done(`${name} may not sign in any more. Open sessions end within 5 seconds.`)
    })
  return (
    <>
      <AccessHead
        page="people"
        lead="These people may sign in by the OpenID Connect provider of the service."
      >
        {written === added
          ? null
          : <button type="button" class="plain" onClick={() => setWritten(added)}>Add a person</button>}
      </AccessHead>
      <p class="said soft" role="status">{said}</p>
      <FaultNote fault={fault} />
      {written === undefined ? null : (
        <Editor
          key={written}
          person={state.value?.find(({ id }) => id === written)}
          done={done}
          cancel={() => setWritten(undefined)}
        />
      )}
      <Loaded state={state}>
        {(value) => (
          <section class="card">
            {value.length === 0
              ? (
                <Empty title="Nobody may sign in by the provider yet">
                  <p>
                    Add a person by the e-mail address that the provider has verified, or by their subject,
                    which the sign-in page shows to people who have not been added.
                  </p>
                </Empty>
              )
              : (
                <table class="table cards">
                  <Heads names={["Name", "Known by", "May act at", ["Change"]]} />
                  <tbody>
                    {value.map((person) => (
                      <Line
                        key={person.id}
                        person={person}
                        edit={() => setWritten(person.id)}
                        remove={() => remove(person)}
                      />
                    ))}
                  </tbody>
                </table>
              )}
          </section>
        )}
      </Loaded>
    </>
  )
}
