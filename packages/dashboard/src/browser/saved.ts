/** Views of lists that the reader has named, kept on this device: the filters of a list, for whichever facility is looked at. */
import { signal } from "@preact/signals"

export interface SavedView {
  readonly name: string
  readonly list: string
  /** Its filters as a query, without the facility. */
  readonly filters: string
}

/** The most views that are kept, and the longest name. */
export const mostViews = 50
export const longestName = 60

const key = "dockline-views"

const isView = (view: unknown): view is SavedView =>
  typeof view === "object" && view !== null &&
  ["name", "list", "filters"].every((name) => typeof (view as Record<string, unknown>)[name] === "string")

/** What is stored; nothing where it was not stored by these pages. */
const stored = (): ReadonlyArray<SavedView> => {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(key) ?? "[]")
    return Array.isArray(views) ? views.filter(isView).slice(0, mostViews) : []
  } catch {
    return []
  }
}

/** The views, in the order of their names; also those that other windows have saved. */
export const savedViews = signal(stored())
addEventListener("storage", () => void (savedViews.value = stored()))

/** Changes the stored views, which another window may have changed since they were read. */
const keep = (change: (views: ReadonlyArray<SavedView>) => ReadonlyArray<SavedView>): void => {
  savedViews.value = change(stored()).toSorted((one, other) => one.name.localeCompare(other.name))
  localStorage.setItem(key, JSON.stringify(savedViews.value))
}

const isSame = (one: SavedView, other: SavedView): boolean =>
  one.list === other.list && one.name === other.name

export const saveView = (view: SavedView): void =>
  keep((views) => [...views.filter((each) => !isSame(each, view)), view])

export const forgetView = (view: SavedView): void =>
  keep((views) => views.filter((each) => !isSame(each, view)))

export const addressOf = ({ filters, list }: SavedView): string => `${list}?${filters}`
