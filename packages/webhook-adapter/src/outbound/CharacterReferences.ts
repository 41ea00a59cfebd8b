/**
 * The character references of HTML for ASCII and Latin-1, which encoders write.
 */

/** Names of ASCII, each with its character. */
const ascii = (
  "excl ! quot \" num # dollar $ percnt % amp & apos ' lpar ( rpar ) ast * plus + comma , period . sol / colon : " +
  "semi ; lt < equals = gt > quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ] rbrack ] Hat ^ lowbar _ grave ` " +
  "lcub { lbrace { verbar | vert | rcub } rbrace } Tab \t NewLine \n"
).split(" ")

/** From U+00A0 to U+00FF. */
const latin1 = (
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 " +
  "sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc " +
  "Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve " +
  "Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute " +
  "acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde " +
  "ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
).split(" ")

export const characterReferences: ReadonlyMap<string, string> = new Map([
  ...ascii.flatMap((name, at) => at % 2 === 0 ? [[name, ascii[at + 1]!] as const] : []),
  ...latin1.map((name, at) => [name, String.fromCharCode(0xa0 + at)] as const)
])
