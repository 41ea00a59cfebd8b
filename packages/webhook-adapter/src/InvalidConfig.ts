/**
 * What is wrong with a setting of this adapter that the composing program gives.
 */
import { Data } from "effect"

/** A setting cannot be used; the message names it and says what to write instead. */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{
  readonly setting: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.setting}: ${this.reason}`
  }
}
