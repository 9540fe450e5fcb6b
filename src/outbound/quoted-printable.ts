const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const EQUALS = 0x3d;
/** With the sign that breaks it (RFC 2045 §6.7 rule 5). */
const LONGEST_LINE = 76;
const HEX = Buffer.from('0123456789ABCDEF');

/** Text as quoted-printable (RFC 2045 §6.7) in UTF-8: line breaks stay line breaks, no letter is cut in two. */
export function quotedPrintable(text: string): string {
  const bytes = Buffer.from(text);
  // three for each byte, and three for each line that is broken, which is no shorter than 64
  const out = Buffer.allocUnsafe(Math.ceil(bytes.length * 3.2) + 3);
  let length = 0;
  let column = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    const next = bytes[index + 1];
    if (byte === LF || (byte === CR && next === LF)) {
      if (byte === CR) index += 1;
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
      continue;
    }
    const isLiteral = byte === SPACE || byte === TAB ? !endsLine(next) : isPrintable(byte);
    if (column + (isLiteral ? 1 : 3 * bytesOfLetter(byte)) >= LONGEST_LINE) {
      out[length++] = EQUALS;
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
    }
    if (isLiteral) {
      out[length++] = byte;
      column += 1;
    } else {
      out[length++] = EQUALS;
      out[length++] = HEX[byte >> 4] ?? 0;
      out[length++] = HEX[byte & 15] ?? 0;
      column += 3;
    }
  }
  return out.toString('latin1', 0, length);
}

function isPrintable(byte: number): boolean {
  return byte > SPACE && byte < 0x7f && byte !== EQUALS;
}

/** Blanks there get lost on the way (RFC 2045 §6.7 rule 3). */
function endsLine(next: number | undefined): boolean {
  return next === undefined || next === LF || next === CR;
}

/** How many bytes the letter has that begins with this one; those that go on with it have their room already. */
function bytesOfLetter(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  if (byte >= 0xc0) return 2;
  return byte >= 0x80 ? 0 : 1;
}
