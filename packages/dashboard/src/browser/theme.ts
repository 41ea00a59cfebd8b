/** The look of the pages on this device: light or dark (by default as in the system), and comfortable (the default) or compact. */
import { effect, signal } from "@preact/signals"
import { notices } from "./notices/choice.ts"
import type { Options } from "./ui/tables.ts"

/** A choice that is stored on this device; the root element gets it as an attribute for the style sheet. */
const look = (name: "theme" | "density", title: string, options: Options, usual: string) => {
  const key = `dockline-${name}`
  const savedTheme = localStorage.getItem(key)
  const choice = signal(options.find(([option]) => option === savedTheme)?.[0] ?? usual)
  effect(() => void (document.documentElement.dataset[name] = choice.value))
  const choose = (option: string): void => {
    choice.value = option
    localStorage.setItem(key, option)
  }
  return { name, title, options, chosen: choice, choose }
}

/** The choices of readers for this device. */
export const looks = [
  look("theme", "Appearance", [["auto", "System"], ["light", "Light"], ["dark", "Dark"]], "auto"),
  look("density", "Density", [["comfortable", "Comfortable"], ["compact", "Compact"]], "comfortable"),
  notices
]
