/** What the pages of operators share: their lists, secrets that are shown once, and what asks before something is lost. */
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { callWith, readAll, targetOf } from "../../api/operator.ts"
import type { Entry, Route } from "../../api/operator.ts"
import { operatorPages } from "../../nav.ts"
import { href, path } from "../../router.ts"
import { amount } from "../../ui/amounts.ts"
import { Download } from "../../ui/Download.tsx"
import { submitting, useActions } from "../../ui/forms.ts"
import { Empty, FaultNote, Loaded, PageHead, Said } from "../../ui/Frame.tsx"
import { Rows } from "../../ui/lists.tsx"
import type { Column } from "../../ui/lists.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { Facts, Plain, TextInput } from "../../ui/Parts.tsx"
import { Form } from "./Form.tsx"
import type { FormOf } from "./Form.tsx"

/** The pages of operators, above each of them. */
export const Nav = () => (
  <nav class="toolbar no-print" aria-label="Pages of operators">
    <div class="choices">
      {operatorPages.map(({ label, target }) => (
        <a key={target} href={href(target)} aria-current={path.value.startsWith(target) ? "true" : undefined}>
          {label}
        </a>
      ))}
    </div>
  </nav>
)

/** What the lines of a list can do. */
export interface ListWork {
  /** Takes an action, and says what was done; the list is read again. */
  readonly act: (action: () => Promise<unknown>, words?: string) => void
  /** Says what a form has done; the list is read again. */
  readonly tell: (words: string) => void
  /** Opens the form of the list, for something that is changed. */
  readonly edit: (id: string) => void
}

interface ListingProps<Of extends Route, New extends Route, Changed extends Route> {
  /** The route of the list, which is read and downloaded, and its parameters. */
  readonly list: Of
  readonly params?: Readonly<Record<string, string>>
  readonly title: string
  readonly lead?: ComponentChildren
  /** Whether it is one of several parts of a page. */
  readonly isPart?: boolean
  readonly idOf: (row: Entry<Of>) => string
  readonly columns: (work: ListWork) => ReadonlyArray<Column<Entry<Of>>>
  /** The form for something new, whose title its button has too. */
  readonly create: FormOf<New>
  readonly change?: Pick<FormOf<Changed>, "route" | "fields" | "editors" | "said"> & {
    /** The route by which one of them is read. */
    readonly present: Route
    /** What stands below the form, and changes by itself. */
    readonly more?: (row: Entry<Of>, work: Pick<ListWork, "act" | "tell">) => ComponentChildren
    readonly of: (row: Entry<Of>) => Pick<FormOf<Changed>, "params" | "title" | "values">
  }
  readonly empty: readonly [title: string, words: ComponentChildren]
  readonly order?: (one: Entry<Of>, other: Entry<Of>) => number
}

/** A list of what operators change, with the form for something new above it. */
export const Listing = <const Of extends Route, const New extends Route, const Changed extends Route>({
  change,
  columns,
  create,
  empty,
  idOf,
  isPart = false,
  lead,
  list,
  order,
  params = {},
  title
}: ListingProps<Of, New, Changed>) => {
  const target = targetOf(list, params)
  const state = usePolled(target, () => readAll(list, params))
  const { act, fault, said, tell } = useActions(state.reloadNow)
  /** What the form is about: `""` for something new. */
  const [open, setOpen] = useState<string>()
  /** What the form of a change is about, as it was when the form was opened. */
  const [present, setPresent] = useState<Entry<Of>>()
  const close = (): void => setOpen(undefined)
  const done = (words: string): void => {
    close()
    tell(words)
  }
  const openEntry = state.value?.rows.find((row) => idOf(row) === open)
  /** Opens the form of a change with what is read for it, whose version the change expects. */
  const edit = (id: string): void => {
    const row = state.value?.rows.find((row) => idOf(row) === id)
    if (row === undefined || change === undefined) return
    act(async () => {
      const { params } = change.of(row)
      setPresent(await callWith(change.present, { ...params }) as Entry<Of>)
      setOpen(id)
    })
  }
  return (
    <>
      <PageHead title={title} lead={lead} isPart={isPart}>
        <Download
          name={title.toLowerCase()}
          what={isPart ? title.toLowerCase() : undefined}
          paths={[target]}
        />
        {open === "" ? null : <Plain class="no-print" onClick={() => setOpen("")}>{create.title}</Plain>}
      </PageHead>
      <Said>{said}</Said>
      <FaultNote fault={fault} />
      {open === "" ? <Form {...create} done={done} cancel={close} /> : null}
      {openEntry === undefined || change === undefined
        ? null
        : (
          <div key={open}>
            <Form {...change} {...change.of(present ?? openEntry)} done={done} cancel={close} />
            {change.more?.(openEntry, { act, tell })}
          </div>
        )}
      <Loaded state={state}>
        {({ hasMore, rows }) => (
          <section class="card" aria-label={title}>
            {rows.length === 0
              ? <Empty title={empty[0]}>{empty[1]}</Empty>
              : (
                <>
                  <Rows
                    rows={order === undefined ? rows : rows.toSorted(order)}
                    id={idOf}
                    columns={columns({ act, tell, edit })}
                  />
                  <p class="totals">
                    {amount(rows.length)} {hasMore ? "shown; there are more" : "in all"}
                  </p>
                </>
              )}
          </section>
        )}
      </Loaded>
    </>
  )
}

/** A secret that the service shows this once, with a button that copies it. */
export const Secret = ({ children, close, value }: {
  readonly value: string
  /** Whose secret it is, and what to do with it. */
  readonly children: ComponentChildren
  readonly close: () => void
}) => {
  const [isCopied, setCopied] = useState(false)
  const shown = useRef<HTMLElement>(null)
  const copy = async (): Promise<void> => {
    // Browsers give the clipboard to pages over https and on the machine itself alone; elsewhere the secret is selected.
    await navigator.clipboard?.writeText(value).then(() => setCopied(true))
      .catch(() => undefined)
    if (shown.current !== null) getSelection()?.selectAllChildren(shown.current)
  }
  return (
    <section class="card form secret" aria-label="Secret" role="alert">
      <p>{children} Save the secret now: the service shows it only once.</p>
      <p class="secret-line">
        <code ref={shown}>{value}</code>
        <Plain onClick={() => void copy()}>
          {isCopied ? "Copied" : "Copy"}
        </Plain>
        <Plain onClick={close}>I have saved it</Plain>
      </p>
    </section>
  )
}

/** A form that acts once the reader has written the name of what is lost. */
export const Losing = ({ act, name, what, word }: {
  readonly word: string
  readonly name: string
  readonly what: ComponentChildren
  readonly act: () => void
}) => {
  const [written, setWritten] = useState("")
  return (
    <details class="card losing no-print">
      <summary>{word}…</summary>
      <form
        class="form"
        onSubmit={submitting(() => written === name && act())}
      >
        <p>{what}</p>
        <label>
          <span>
            Write <code>{name}</code> to confirm
          </span>
          <TextInput value={written} onInput={({ currentTarget }) => setWritten(currentTarget.value)} />
        </label>
        <p class="ends">
          <button type="submit" class="plain danger" disabled={written !== name}>{word}</button>
        </p>
      </form>
    </details>
  )
}

/** Settings that are shown, with a button that opens their form. */
export const Settings = <const Of extends Route>({ change, facts, note, tell, title }: {
  readonly title: string
  readonly facts: Parameters<typeof Facts>[0]["of"]
  readonly change: FormOf<Of>
  /** What stands in the form below its fields. */
  readonly note?: ComponentChildren
  readonly tell: (words: string) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  const done = (words: string): void => {
    close()
    tell(words)
  }
  return isOpen
    ? <Form {...change} cancel={close} done={done}>{note}</Form>
    : (
      <section class="card overview settings" aria-label={title}>
        <Facts of={facts} />
        <Plain class="no-print" onClick={() => setOpen(true)}>Change…</Plain>
      </section>
    )
}

/** A form that is seldom needed, below a summary that opens it. */
export const Seldom = <const Of extends Route>({ form, note, summary }: {
  readonly summary: string
  readonly note: string
  readonly form: FormOf<Of>
}) => {
  const [said, setSaid] = useState("")
  return (
    <details class="card losing no-print">
      <summary>{summary}…</summary>
      <Said>{said}</Said>
      <Form {...form} done={setSaid}>
        <p class="soft">{note}</p>
      </Form>
    </details>
  )
}
