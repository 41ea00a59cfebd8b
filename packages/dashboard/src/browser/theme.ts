/** How the pages look on this device: light or dark, comfortable or compact; as the system has it unless the reader chose. */
import { signal } from "@preact/signals"
import type { Signal } from "@preact/signals"

interface Look<Name extends string> {
  readonly chosen: Signal<Name>
  readonly choose: (name: Name) => void
  readonly apply: () => void
}

/** A choice that is kept on this device, and that the root element tells the style sheet. */
const look = <Name extends string>(
  name: "theme" | "density",
  options: ReadonlyArray<readonly [name: Name, label: string]>,
  usual: Name
): Look<Name> => {
  const key = `dockline-${name}`
  const stored = localStorage.getItem(key)
  const chosen = signal(options.find(([option]) => option === stored)?.[0] ?? usual)
  const apply = (): void => void (document.documentElement.dataset[name] = chosen.value)
  return {
    chosen,
    apply,
    choose: (option) => {
      chosen.value = option
      localStorage.setItem(key, option)
      apply()
    }
  }
}

export const themes = [["auto", "System"], ["light", "Light"], ["dark", "Dark"]] as const

export const densities = [["comfortable", "Comfortable"], ["compact", "Compact"]] as const

const theme = look("theme", themes, "auto")
const density = look("density", densities, "comfortable")

export const { choose: chooseTheme, chosen: chosenTheme } = theme

export const { choose: chooseDensity, chosen: chosenDensity } = density

/** Puts what was chosen into effect. */
export const applyLook = (): void => {
  theme.apply()
  density.apply()
}
