/**
 * The palette: one field that opens every page, facility and number without a mouse.
 *
 * Guarantee: Enter runs the marked command, even while search results arrive. If no command matches yet when Enter
 * is pressed, the first result opens once it arrives. If nothing is chosen, the focus returns to where it was.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { faultOf, leave, root } from "./api/request.ts"
import type { Fault } from "./api/request.ts"
import { reachable, references, takeEarly } from "./nav.ts"
import type { PaletteContent } from "./nav.ts"
import { href, listHref, navigate } from "./router.ts"
import { choosePlace, place, places, slugOf } from "./session.ts"
import { looks } from "./theme.ts"
import { FaultNote } from "./ui/Frame.tsx"
import { find, pageOf } from "./views/Search.tsx"
import type { Finding } from "./views/Search.tsx"

const restMillis = 200

/** The least length of a text that is searched for as a number: shorter texts would have too many results. */
const shortest = 3

/** The results of a search for a text as a number, or the fault of the search. */
interface Sought {
  readonly text: string
  readonly commands: ReadonlyArray<Command>
  readonly fault?: Fault
}

/** Searches for a text as a number. There are no results until the answer for exactly this text has arrived. */
const useSearch = (text: string) => {
  const at = place.value
  const [last, setLast] = useState<Sought>()
  /** The last text that was searched for: later answers for other texts are ignored. */
  const lastText = useRef("")
  const search = (): void => {
    if (at === undefined || lastText.current === text) return
    lastText.current = text
    setLast(undefined)
    const show = (sought: Sought): void => {
      if (lastText.current === text) setLast(sought)
    }
    find(at, text, 1).then((results) => show({ text, commands: foundCommands(results) })).catch((error) => {
      show({ text, commands: [], fault: faultOf(error) })
      // So that another attempt searches again.
      if (lastText.current === text) lastText.current = ""
    })
  }
  const mayBeNumber = text.length >= shortest && at !== undefined
  useEffect(() => {
    if (!mayBeNumber) return
    const timer = setTimeout(search, restMillis)
    return () => clearTimeout(timer)
  }, [text])
  const answer = mayBeNumber && last?.text === text ? last : undefined
  return { answer, isSearching: mayBeNumber && answer === undefined, search }
}

const Keys = () => (
  <dl class="keys" tabIndex={0}>
    {[
      ["/", "Search, or go to a page"],
      ["Ctrl K", "The same, even while you type"],
      ["?", "These keys"],
      ["Esc", "Close, or leave the wall"],
      ...reachable().map(({ key, label }) => [`g ${key}`, label] as const)
    ].map(([key, what]) => (
      <div key={key}>
        <dt>{key!.split(" ").map((each) => <kbd key={each}>{each}</kbd>)}</dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
)

interface OptionsProps {
  readonly groups: ReadonlyArray<Group>
  readonly markedId: string
  readonly mark: (id: string) => void
  readonly take: (command: Command) => void
}

const elementOf = (id: string): string => `command-${encodeURIComponent(id)}`

const Options = ({ groups, mark, markedId, take }: OptionsProps) => (
  <div class="options" role="listbox" id="commands" aria-label="What can be done">
    {groups.map(({ commands, title }) => (
      <div key={title} role="group" aria-label={title}>
        <p class="group" aria-hidden="true">{title}</p>
        {commands.map((command) => (
          <div
            key={command.id}
            id={elementOf(command.id)}
            role="option"
            aria-selected={command.id === markedId}
            onMouseMove={() => mark(command.id)}
            onClick={() =>
              take(command)}
          >
            <span>{command.label}</span>
            <span class="hint">{command.hint}</span>
          </div>
        ))}
      </div>
    ))}
  </div>
)

export const Palette = ({ close, of }: { readonly of: PaletteContent; readonly close: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [firstText] = useState(takeEarly)
  const [text, setText] = useState(firstText.replaceAll("\n", ""))
  const [choice, setChosen] = useState("")
  /** The text for which Enter was pressed before its results arrived. Scanners press Enter right after a number. */
  const [awaitedText, setAwaited] = useState("")
  const { answer, isSearching, search } = useSearch(text.trim())
  const numbers = answer?.commands ?? []
  useLayoutEffect(() => dialog.current?.showModal(), [])

  const groups = [
    ...(numbers.length === 0 ? [] : [{ title: "Numbers", commands: numbers }]),
    ...commandsOf(text.trim())
  ]
  const all = groups.flatMap(({ commands }) => commands)
  const markedCommand = all.find(({ id }) => id === choice) ?? all[0]
  useEffect(() => {
    if (markedCommand !== undefined) {
      document.getElementById(elementOf(markedCommand.id))?.scrollIntoView({ block: "nearest" })
    }
  }, [markedCommand?.id])
  const move = (by: number): void => {
    if (markedCommand === undefined) return
    setChosen(all[(all.indexOf(markedCommand) + by + all.length) % all.length]?.id ?? "")
  }
  /** The command to run once the dialog is closed: while it is open, no element outside it can have the focus. */
  const chosenCommand = useRef<Command>(undefined)
  const take = (command: Command): void => {
    chosenCommand.current = command
    dialog.current?.close()
  }
  const searchNow = (): void => {
    setAwaited(text.trim())
    search()
  }
  useLayoutEffect(() => {
    if (answer === undefined || answer.text !== awaitedText) return
    setAwaited("")
    const [first] = answer.commands
    if (first !== undefined) take(first)
  }, [answer])
  /** Runs the marked command, or else searches; returns whether it did either. */
  const enter = (): boolean => {
    if (markedCommand !== undefined) take(markedCommand)
    else if (isSearching || answer?.fault !== undefined) searchNow()
    else return false
    return true
  }
  useEffect(() => {
    if (firstText.endsWith("\n")) enter()
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1)
    else if (event.key !== "Enter" || !enter()) return
    event.preventDefault()
  }
  return (
    <dialog
      class="card palette"
      ref={dialog}
      aria-label={of === "?" ? "Keys" : "Search, or go to a page"}
      onClose={() => {
        close()
        chosenCommand.current?.run()
      }}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      {of === "?" ? <Keys /> : (
        <>
          <input
            role="combobox"
            aria-label="Search, or go to a page"
            aria-expanded="true"
            aria-controls="commands"
            aria-activedescendant={markedCommand === undefined ? undefined : elementOf(markedCommand.id)}
            placeholder="A page, a facility, or a number"
            autocomplete="off"
            spellcheck={false}
            maxLength={1024}
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value)
              setChosen("")
              setAwaited("")
            }}
            onKeyDown={onKeyDown}
          />
          <Options groups={groups} markedId={markedCommand?.id ?? ""} mark={setChosen} take={take} />
          <FaultNote fault={answer?.fault} retry={searchNow} />
          <p class="hint" role="status">
            {isSearching
              ? "Searching…"
              : all.length === 0 && answer?.fault === undefined
              ? "Nothing has this name or number. The last six characters of a number are enough, but shorter numbers have to be complete."
              : ""}
          </p>
        </>
      )}
    </dialog>
  )
}

interface Command {
  readonly id: string
  readonly label: string
  /** The text beside the command: the group that it belongs to, or the key that does the same. */
  readonly hint: string
  readonly run: () => void
}

interface Group {
  readonly title: string
  readonly commands: ReadonlyArray<Command>
}

const goTo = (address: string) => (): void => {
  navigate(address.slice(root.length))
  document.getElementById("view")?.focus({ preventScroll: true })
}

const pages = (): ReadonlyArray<Command> =>
  reachable().map(({ key, label, target }) => ({
    id: target,
    label,
    hint: `g ${key}`,
    run: goTo(listHref(target))
  }))

const facilities = (): ReadonlyArray<Command> => {
  const here = place.value
  return places.value.filter((each) => here === undefined || slugOf(each) !== slugOf(here)).map((each) => ({
    id: `at ${slugOf(each)}`,
    label: `${each.business.name}: ${each.facility.name}`,
    hint: "Facility",
    run: () => choosePlace(slugOf(each))
  }))
}

const lookCommands = (): ReadonlyArray<Command> =>
  looks.flatMap(({ choose, choice, name, options, title }) =>
    options.filter(([option]) => option !== choice.value).map(([option, label]) => ({
      id: `${name} ${option}`,
      label: `${title}: ${label}`,
      hint: "",
      run: () => choose(option)
    }))
  )

const elsewhere = (): ReadonlyArray<Command> => [
  ...references.map(({ name, path }) => ({
    id: path,
    label: name,
    hint: "",
    run: () => location.assign(path)
  })),
  {
    id: "sign-out",
    label: "Sign out",
    hint: "",
    run: () => {
      leave()
      document.querySelector<HTMLFormElement>("form[action$='/sign-out']")?.requestSubmit()
    }
  }
]

const commandsOf = (text: string): ReadonlyArray<Group> => {
  const words = text.toLowerCase().split(/\s+/)
  const matching = (commands: ReadonlyArray<Command>): ReadonlyArray<Command> =>
    commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
  return [
    { title: "Go to", commands: matching(pages()) },
    { title: "Look at", commands: matching(facilities()) },
    { title: "More", commands: matching([...lookCommands(), ...elsewhere()]) }
  ].filter(({ commands }) => commands.length > 0)
}

const foundCommands = ({ removals, rows }: Finding): ReadonlyArray<Command> => [
  ...rows.map(({ hits, id }) => {
    const [hit] = hits
    const { facility, kind, shipmentNumber, text } = hit
    return {
      id: `shipment ${id}`,
      label: kind === "SHIPMENT" ? shipmentNumber : `${text}, on ${shipmentNumber}`,
      hint: facility.name,
      run: goTo(pageOf(hit))
    }
  }),
  ...removals.map(({ documentId, removedBy, shipmentNumber, text }) => ({
    id: `document ${documentId}`,
    label: `${text}, removed from ${shipmentNumber} by ${removedBy}`,
    hint: `Document ${documentId}`,
    run: goTo(href(`/documents/${documentId}`))
  }))
]
