/** Makes every law draw the same values in each run: whether a mutant is caught must not be a matter of luck. */
import * as fc from "fast-check"

fc.configureGlobal({ seed: 20_261_121, endOnFailure: true })
