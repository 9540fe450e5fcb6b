/** Base64 of crypt(3): its own alphabet, and the lowest six bits of each three bytes come first. */
export const CRYPT64 = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function encodeCrypt64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    const characters = Math.min(3, bytes.length - at) + 1;
    for (let index = 0; index < characters; index++) text += CRYPT64.charAt((group >> (6 * index)) & 0x3f);
  }
  return text;
}

/** Number that a little-endian run of characters means; the characters are of the alphabet. */
export function crypt64Number(text: string): number {
  let value = 0;
  for (let index = text.length - 1; index >= 0; index--) {
    value = value * 64 + CRYPT64.indexOf(text.charAt(index));
  }
  return value;
}
