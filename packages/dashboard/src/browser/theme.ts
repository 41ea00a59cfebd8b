/** The theme, light or dark: that of the system unless the reader chose one. */
import { signal } from "@preact/signals"

/** What can be chosen. */
export const themes = [["auto", "System"], ["light", "Light"], ["dark", "Dark"]] as const

type Theme = (typeof themes)[number][0]

const key = "dockline-theme"

const isTheme = (text: string | null): text is Theme => themes.some(([theme]) => theme === text)

const stored = localStorage.getItem(key)

/** What has been chosen. */
export const chosenTheme = signal<Theme>(isTheme(stored) ? stored : "auto")

/** Puts the choice into effect. */
export const applyTheme = (): void => {
  document.documentElement.dataset["theme"] = chosenTheme.value
}

/** Chooses, and remembers the choice on this device. */
export const chooseTheme = (theme: Theme): void => {
  chosenTheme.value = theme
  localStorage.setItem(key, theme)
  applyTheme()
}
