/**
 * The choices of readers for this device: light or dark (by default as in the system), comfortable (the default) or compact, and
 * notifications of the browser, which the browser has to permit too.
 */
import { effect, signal } from "@preact/signals"
import { root } from "./api/request.ts"
import type { Options } from "./ui/words.ts"

/** A choice that is stored on this device; the root element gets it as an attribute for the style sheet. */
const look = (name: "theme" | "density", title: string, options: Options, usual: string) => {
  const key = `dockline-${name}`
  const savedOption = localStorage.getItem(key)
  const choice = signal(options.find(([option]) => option === savedOption)?.[0] ?? usual)
  effect(() => void (document.documentElement.dataset[name] = choice.value))
  const choose = (option: string): void => {
    choice.value = option
    localStorage.setItem(key, option)
  }
  return { name, title, options, choice, choose }
}

const key = "dockline-notices"

/** The browser's permission; denied where the browser has no notifications, as on pages over http. */
const permission = (): NotificationPermission =>
  "Notification" in globalThis ? Notification.permission : "denied"

const read = (): "on" | "off" =>
  localStorage.getItem(key) === "on" && permission() === "granted" ? "on" : "off"

const choice = signal(read())

/** A note for the reader about the choice. */
const note = signal("")

const blocked =
  "The browser blocks notifications of this page. Allow them in the settings of this site, beside its address, and choose On again. \
Browsers allow none for pages over http."

const unsupported =
  "This browser shows no notifications of pages. Browsers of phones may show none; choose On on a desktop."

const loadFault = "The code for notifications could not be loaded. Reload the page to get them."

const scope =
  "Wrong pallets, short departures, urgent exceptions and failing endpoints are shown while a page of Dockline is open, also in the background."

/** Shows a notification. Throws in some browsers, as on Android, even with the permission. */
export const notify = (title: string, options: NotificationOptions): Notification =>
  new Notification(title, { icon: `${root}/icon.svg`, ...options })

/** Shows a first notification, which says that notifications are on. `false` if the browser cannot show it. */
const showFirst = (): boolean => {
  try {
    notify("Notifications are on", { body: "Dockline tells you here what needs attention.", tag: key })
    return true
  } catch {
    return false
  }
}

const choose = async (option: string): Promise<void> => {
  localStorage.setItem(key, option)
  if (option === "on" && permission() === "default") await Notification.requestPermission()
  const isPermitted = read() === "on"
  const isShown = isPermitted && showFirst()
  if (!isShown) localStorage.setItem(key, "off")
  choice.value = read()
  note.value = option === "off" ? "" : isShown ? scope : isPermitted ? unsupported : blocked
}

// The choice may change in another tab.
addEventListener("storage", (event) => {
  if (event.key === key) choice.value = read()
})

export const notices = {
  name: "notices",
  title: "Notifications",
  options: [["off", "Off"], ["on", "On"]] as const,
  choice,
  note,
  choose: (option: string): void => void choose(option),
  /** Notes that nothing is watched, because the code that watches could not be loaded. */
  fail: (): void => {
    note.value = loadFault
  }
}

/** The choices of readers for this device. */
export const looks = [
  look("theme", "Appearance", [["auto", "System"], ["light", "Light"], ["dark", "Dark"]], "auto"),
  look("density", "Density", [["comfortable", "Comfortable"], ["compact", "Compact"]], "comfortable"),
  notices
]
