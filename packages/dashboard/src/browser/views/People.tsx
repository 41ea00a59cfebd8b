/** The people whom an operator lets sign in, and what each of them may do. */
import { useRef, useState } from "preact/hooks"
import { addPerson, changePerson, people, removePerson } from "../api/operator.ts"
import type { PersonView } from "../api/operator.ts"
import { faultOf } from "../api/request.ts"
import type { Fault } from "../api/request.ts"
import { href } from "../router.ts"
import { session } from "../session.ts"
import { Download } from "../ui/Download.tsx"
import { useFocus } from "../ui/focus.ts"
import { GrantLines, Grants, grantsOf, linesOf, newLine } from "../ui/Grants.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { Empty, FaultNote, Heads, Waiting } from "../ui/Parts.tsx"

/** The two pages of who has access. */
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

/** The id of a person who is not there yet. */
const added = ""

interface EditorProps {
  readonly person: PersonView | undefined
  readonly done: (said: string) => void
  readonly cancel: () => void
}

/** A form for a person who is to be added, or whose name or grants are to be changed. */
const Editor = ({ cancel, done, person }: EditorProps) => {
  const [lines, setLines] = useState(() => person === undefined ? [newLine()] : linesOf(person.grants))
  const [fault, setFault] = useState<Fault>()
  const first = useFocus<HTMLInputElement>()
  const busy = useRef(false)

  const save = async (form: FormData): Promise<void> => {
    if (busy.current) return
    busy.current = true
    const textOf = (name: string): string => String(form.get(name) ?? "").trim()
    const [name, known, grants] = [textOf("name"), textOf("known"), grantsOf(lines)]
    try {
      if (person === undefined) {
        await addPerson({ name, grants, ...(known.includes("@") ? { email: known } : { subject: known }) })
        done(`${name} may sign in now.`)
      } else {
        await changePerson(person.id, { name, grants })
        done(`${name} has these grants within 5 seconds.`)
      }
    } catch (thrown) {
      setFault(faultOf(thrown))
    }
    busy.current = false
  }

  const title = person === undefined ? "Add a person" : `Change ${person.name}`
  return (
    <form
      class="card form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        void save(new FormData(event.currentTarget))
      }}
    >
      <h2>{title}</h2>
      {fault === undefined ? null : <FaultNote fault={fault} />}
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

const Line = ({ edit, person, remove }: LineProps) => {
  const [isAsked, setAsked] = useState(false)
  const isSelf = person.id === session.value?.clientId
  return (
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
          {isSelf
            ? <span class="soft">You</span>
            : isAsked
            ? (
              <button type="button" class="plain danger" onClick={remove} onBlur={() => setAsked(false)}>
                Remove now<span class="unseen">{" "}{person.name}</span>
              </button>
            )
            : (
              <button type="button" class="plain" onClick={() => setAsked(true)}>
                Remove<span class="unseen">{" "}{person.name}</span>
              </button>
            )}
        </span>
      </td>
    </tr>
  )
}

/** The view. */
export const People = () => {
  const { fault, reload, reloadNow, value } = useLoaded("people", people)
  const [refused, setRefused] = useState<Fault>()
  const [said, setSaid] = useState("")
  /** The id of the person who is being written, or {@link added}. */
  const [written, setWritten] = useState<string>()
  useLive(undefined, {}, reload)

  const done = (words: string): void => {
    setSaid(words)
    setRefused(undefined)
    setWritten(undefined)
    reloadNow()
  }
  const remove = ({ id, name }: PersonView): void => {
    removePerson(id).then(
      () => done(`${name} may not sign in any more. Open sessions end within 5 seconds.`),
      (thrown) => setRefused(faultOf(thrown))
    )
  }
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
      {[fault, refused].map((each) => each === undefined ? null : <FaultNote key={each.code} fault={each} />)}
      {written === undefined ? null : (
        <Editor
          key={written}
          person={value?.find(({ id }) => id === written)}
          done={done}
          cancel={() => setWritten(undefined)}
        />
      )}
      {value === undefined ? fault === undefined ? <Waiting /> : null : (
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
    </>
  )
}
