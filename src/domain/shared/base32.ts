const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6, as people copy it: in either case, with blanks or hyphens between groups, padded or not. */
export function fromBase32(text: string): Buffer | undefined {
  const digits = text.replace(/[ -]/g, '').replace(/=+$/, '').toUpperCase();
  const bytes = Buffer.alloc(Math.floor((digits.length * 5) / 8));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const digit of digits) {
    const value = ALPHABET.indexOf(digit);
    if (value < 0) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >> bits) & 0xff;
  }
  // what is left over is less than a digit's worth, and zero
  return bits < 5 && (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

/** Without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
    }
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31];
}
