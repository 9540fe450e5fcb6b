const STANDARD = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Decodes standard base64 (RFC 4648 §4), padded or not, and nothing that Node's decoder forgives: no foreign
 * or URL-safe character, no wrong padding, no leftover bits. Returns undefined for those and for empty text.
 */
export function decodeStrictBase64(text: string): Buffer | undefined {
  if (!STANDARD.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const padded = bytes.toString('base64');
  const canonical = text.endsWith('=') ? padded : padded.replace(/=+$/, '');
  return text === canonical ? bytes : undefined;
}
