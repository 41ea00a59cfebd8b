/** The commands of the palette: pages, facilities, the look of pages, the references, and the results for a number on paper. */
import { leave, root } from "../api/request.ts"
import { reachable, references } from "../nav.ts"
import { href, listHref, navigate } from "../router.ts"
import { choosePlace, place, places, slugOf } from "../session.ts"
import { looks } from "../theme.ts"
import { pageOf } from "../views/Search.tsx"
import type { Finding } from "../views/Search.tsx"

export interface Command {
  readonly id: string
  readonly label: string
  /** The text beside the command: the group that it belongs to, or the key that does the same. */
  readonly hint: string
  readonly run: () => void
}

export interface Group {
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
  looks.flatMap(({ choose, chosen, name, options, title }) =>
    options.filter(([option]) => option !== chosen.value).map(([option, label]) => ({
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

export const commandsOf = (text: string): ReadonlyArray<Group> => {
  const words = text.toLowerCase().split(/\s+/)
  const matching = (commands: ReadonlyArray<Command>): ReadonlyArray<Command> =>
    commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
  return [
    { title: "Go to", commands: matching(pages()) },
    { title: "Look at", commands: matching(facilities()) },
    { title: "More", commands: matching([...lookCommands(), ...elsewhere()]) }
  ].filter(({ commands }) => commands.length > 0)
}

export const foundCommands = ({ removals, rows }: Finding): ReadonlyArray<Command> => [
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
