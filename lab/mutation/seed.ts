/** Makes every law draw the same values in each run, so that catching a mutant does not depend on luck. */
import * as fc from "fast-check"

fc.configureGlobal({ seed: 20_261_121, endOnFailure: true })
