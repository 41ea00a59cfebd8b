/** What is opened one after another, and closed in the opposite order, as far as it came. */
export class Opened {
  readonly #closers: Array<() => Promise<void> | void> = []

  add<A>(opened: A, close: (opened: A) => Promise<void> | void): A {
    this.#closers.push(() => close(opened))
    return opened
  }

  /** Closes all, whatever fails of it; throws the first failure. */
  async close(): Promise<void> {
    const failures: Array<unknown> = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close()
      } catch (failure) {
        failures.push(failure)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
