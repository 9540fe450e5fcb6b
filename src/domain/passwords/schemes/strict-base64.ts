const STANDARD = /^[A-Za-z0-9+/]+={0,2}$/;
/** Last characters that leave no bit over, where the last group has two characters (one byte) or three (two bytes). */
const LAST_OF_TWO = 'AQgw';
const LAST_OF_THREE = 'AEIMQUYcgkosw048';

/**
 * Bytes that a text of standard base64 (RFC 4648 §4) stands for, padded or not; nothing that Node's decoder forgives:
 * no foreign or URL-safe character, no wrong padding, no leftover bits. Undefined for those and for empty text.
 */
export function strictBase64Length(text: string): number | undefined {
  if (!STANDARD.test(text)) return undefined;
  let length = text.length;
  while (text.charCodeAt(length - 1) === 0x3d) length--;
  const padded = length < text.length;
  if (padded && text.length % 4 !== 0) return undefined;
  const rest = length % 4;
  const last = text.charAt(length - 1);
  const whole =
    rest === 0
      ? !padded
      : (rest === 2 && LAST_OF_TWO.includes(last)) || (rest === 3 && LAST_OF_THREE.includes(last));
  return whole ? Math.floor((length * 3) / 4) : undefined;
}

/** The bytes themselves. */
export function decodeStrictBase64(text: string): Buffer | undefined {
  return strictBase64Length(text) === undefined ? undefined : Buffer.from(text, 'base64');
}
