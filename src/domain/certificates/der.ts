/**
 * Just enough of DER (X.690) to read names out of a certificate that OpenSSL has read before. Node prints them as text, in which
 * a separator cannot be distinguished from the same character in a value.
 */

/** One element: what it is, what is in it, and all of it. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** The elements that stand in a row, up to the last byte. @throws RangeError for anything else */
export function elementsOf(bytes: Buffer): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const element = elementAt(bytes, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

function elementAt(bytes: Buffer, at: number): DerElement {
  const tag = bytes.readUInt8(at);
  // no certificate has a tag number of several bytes
  if ((tag & 0x1f) === 0x1f) throw new RangeError('DER: a long tag');
  const first = bytes.readUInt8(at + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4) throw new RangeError('DER: a length that is not definite');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  const begin = at + 2 + lengthBytes;
  if (begin + length > bytes.length) throw new RangeError('DER: it ends early');
  return { tag, content: bytes.subarray(begin, begin + length), whole: bytes.subarray(at, begin + length) };
}

/** An object identifier with dots (X.690 §8.19). @throws RangeError */
export function oidOf(content: Buffer): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const [index, byte] of content.entries()) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    if ((byte & 0x80) !== 0) {
      if (index === content.length - 1) throw new RangeError('DER: an identifier that ends early');
      continue;
    }
    arcs.push(arc);
    arc = 0n;
  }
  const [first, ...others] = arcs;
  if (first === undefined) throw new RangeError('DER: an empty identifier');
  const top = first < 80n ? first / 40n : 2n;
  return [top, first - top * 40n, ...others].join('.');
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const ASCII_END = 0x80;

/** The text of a string type; undefined for one whose characters are not certain. */
export function textOf({ tag, content }: DerElement): string | undefined {
  switch (tag) {
    case 0x0c:
      return utf8TextOf(content);
    // PrintableString, IA5String
    case 0x13:
    case 0x16:
      return asciiTextOf(content);
    // BMPString
    case 0x1e:
      return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : undefined;
    default:
      return undefined;
  }
}

export function utf8TextOf(bytes: Buffer): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

export function asciiTextOf(bytes: Buffer): string | undefined {
  return bytes.every((byte) => byte < ASCII_END) ? bytes.toString('latin1') : undefined;
}
