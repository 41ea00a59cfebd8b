/**
 * The limits of a body's structure, the same for JSON and XML (D2.6). Its size is limited before it is read.
 */

/** Limits that a body must keep, or it is refused as malformed. */
export interface BodyLimits {
  /** The deepest nesting of objects and lists, or of elements in XML; the outermost one is level 1. */
  readonly maxDepth: number
}

/** The limits of D2.6. */
export const defaultLimits: BodyLimits = { maxDepth: 64 }
