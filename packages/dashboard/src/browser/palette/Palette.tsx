/**
 * The palette: one field from which every page, facility and number is reached without a mouse.
 *
 * Guarantee: what is chosen by Enter is what is marked, also while answers to a search come in. Where nothing is chosen, the focus is
 * where it was before.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Opened } from "../keys.ts"
import { reachable } from "../nav.ts"
import { place } from "../session.ts"
import { find } from "../views/Search.tsx"
import { commandsOf, foundCommands } from "./commands.ts"
import type { Command, Group } from "./commands.ts"

/** How long somebody has to stop writing before a number is searched for. */
const restMillis = 200

/** Shorter numbers lead to too much. */
const shortest = 3

/** What a text leads to as a number; the last answer stays until the next one is there. */
const useSearch = (text: string) => {
  const [found, setFound] = useState<{ readonly text: string; readonly commands: ReadonlyArray<Command> }>()
  useEffect(() => {
    const at = place.value
    if (text.length < shortest || at === undefined) return setFound(undefined)
    let isLatest = true
    const timer = setTimeout(() => {
      find(at, text, 1).then((answer) => {
        if (isLatest) setFound({ text, commands: foundCommands(answer) })
      }).catch(() => undefined)
    }, restMillis)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [text])
  return { commands: found?.commands ?? [], isSearching: text.length >= shortest && found?.text !== text }
}

const Keys = () => (
  <dl class="keys">
    {[
      ["/", "Search, or go to a page"],
      ["Ctrl K", "The same, also while you write"],
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
  readonly marked: string
  readonly mark: (id: string) => void
  readonly take: (command: Command) => void
}

/** The id of the element of a command. */
const elementOf = (id: string): string => `command-${encodeURIComponent(id)}`

const Options = ({ groups, mark, marked, take }: OptionsProps) => (
  <div class="options" role="listbox" id="commands" aria-label="What can be done">
    {groups.map(({ commands, title }) => (
      <div key={title} role="group" aria-label={title}>
        <p class="group" aria-hidden="true">{title}</p>
        {commands.map((command) => (
          <div
            key={command.id}
            id={elementOf(command.id)}
            role="option"
            aria-selected={command.id === marked}
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

export const Palette = ({ close, of }: { readonly of: Opened; readonly close: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState("")
  const { commands: numbers, isSearching } = useSearch(text.trim())
  useLayoutEffect(() => dialog.current?.showModal(), [])

  const groups = [
    ...(numbers.length === 0 ? [] : [{ title: "Numbers", commands: numbers }]),
    ...commandsOf(text.trim())
  ]
  const all = groups.flatMap(({ commands }) => commands)
  const marked = all.find(({ id }) => id === chosen) ?? all[0]
  useEffect(() => {
    if (marked !== undefined) {
      document.getElementById(elementOf(marked.id))?.scrollIntoView({ block: "nearest" })
    }
  }, [marked?.id])
  const move = (by: number): void => {
    if (marked === undefined) return
    setChosen(all[(all.indexOf(marked) + by + all.length) % all.length]?.id ?? "")
  }
  /** Runs once the dialog is closed: until then nothing else can have the focus. */
  const taken = useRef<Command>(undefined)
  const take = (command: Command): void => {
    taken.current = command
    dialog.current?.close()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1)
    else if (event.key === "Enter" && marked !== undefined) take(marked)
    else return
    event.preventDefault()
  }
  return (
    <dialog
      class="card palette"
      ref={dialog}
      aria-label={of === "?" ? "Keys" : "Search, or go to a page"}
      onClose={() => {
        close()
        taken.current?.run()
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
            aria-activedescendant={marked === undefined ? undefined : elementOf(marked.id)}
            placeholder="A page, a facility, or a number"
            autocomplete="off"
            spellcheck={false}
            maxLength={1024}
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value)
              setChosen("")
            }}
            onKeyDown={onKeyDown}
          />
          <Options groups={groups} marked={marked?.id ?? ""} mark={setChosen} take={take} />
          <p class="hint" role="status">
            {isSearching
              ? "Searching…"
              : all.length === 0
              ? "Nothing has this name or number. The last six characters of a number suffice; a shorter one has to be whole."
              : ""}
          </p>
        </>
      )}
    </dialog>
  )
}
