/** Whether the reader wants notifications of the browser on this device: they choose them, and the browser has to permit them. */
import { signal } from "@preact/signals"

const key = "dockline-notices"

/** Where the browser has no notifications, as on pages over http, they cannot be permitted. */
const permission = (): NotificationPermission =>
  "Notification" in globalThis ? Notification.permission : "denied"

const read = (): "on" | "off" =>
  localStorage.getItem(key) === "on" && permission() === "granted" ? "on" : "off"

const chosen = signal(read())

/** What the reader has to know about the choice. */
const note = signal("")

const blocked =
  "The browser blocks notifications of this page. Allow them in the settings of this site, beside its address, and choose On again. \
Browsers allow none for pages over http."

const scope =
  "Wrong pallets, short departures, high exceptions and failing endpoints are told while a page of Dockline is open, also in the background."

const choose = async (option: string): Promise<void> => {
  localStorage.setItem(key, option)
  if (option === "on" && permission() === "default") await Notification.requestPermission()
  chosen.value = read()
  note.value = option === "off" ? "" : chosen.value === "on" ? scope : blocked
}

// Another tab may choose.
addEventListener("storage", (event) => {
  if (event.key === key) chosen.value = read()
})

export const notices = {
  name: "notices",
  title: "Notifications",
  options: [["off", "Off"], ["on", "On"]] as const,
  chosen,
  note,
  choose: (option: string): void => void choose(option)
}
