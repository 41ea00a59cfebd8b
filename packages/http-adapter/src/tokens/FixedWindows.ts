/**
 * Counts events in windows of fixed length, one at a time for each key, in constant time. Beyond the capacity, the keys whose windows began
 * first are forgotten, and their counts restart.
 */

export interface Window {
  readonly count: number
  readonly endsAt: number
}

/** Counts of the windows that are open. */
export interface FixedWindows {
  readonly size: () => number
  /** The open window; a new empty window if none is open. */
  readonly peek: (key: string, now: number) => Window
  readonly count: (key: string, now: number) => Window
}

export const make = (lengthMillis: number, capacity: number): FixedWindows => {
  /** The windows in the order in which they began. */
  const windows = new Map<string, { count: number; readonly endsAt: number }>()

  /** Whether a window is open. A clock that was set back must not extend a window. */
  const isOpen = ({ endsAt }: Window, now: number): boolean => now < endsAt && endsAt - now <= lengthMillis

  const dropEnded = (now: number): void => {
    for (const [key, window] of windows) {
      if (isOpen(window, now)) return
      windows.delete(key)
    }
  }

  return {
    size: () => windows.size,
    peek: (key, now) => {
      const window = windows.get(key)
      return window !== undefined && isOpen(window, now) ? window : { count: 0, endsAt: now + lengthMillis }
    },
    count: (key, now) => {
      dropEnded(now)
      const window = windows.get(key)
      if (window !== undefined && isOpen(window, now)) {
        window.count++
        return window
      }
      const newWindow = { count: 1, endsAt: now + lengthMillis }
      windows.delete(key)
      windows.set(key, newWindow)
      dropOldest(windows, capacity)
      return newWindow
    }
  }
}

/** Drops the first entries of a map until it has no more than the capacity. */
export const dropOldest = (entries: Map<string, unknown>, capacity: number): void => {
  for (const oldest of entries.keys()) {
    if (entries.size <= capacity) return
    entries.delete(oldest)
  }
}
