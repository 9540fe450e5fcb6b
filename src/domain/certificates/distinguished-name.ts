import { elementsOf, oidOf, textOf, utf8TextOf, type DerElement } from './der.js';

/**
 * Distinguished names: as text (RFC 4514), and as certificates have them. A name is a row of sets of attributes. Two are the
 * same when they have the same sets in the same row, each attribute by its identifier and its value character by character:
 * no case is folded and no space is dropped, since whatever is let through in addition could be somebody else.
 */
interface Attribute {
  /** With dots. */
  readonly type: string;
  /** Undefined for a value that is no text whose characters are certain. */
  readonly text?: string | undefined;
  /** The value in DER as hex; text has none. */
  readonly der?: string;
}
type RelativeName = readonly Attribute[];
/** From the top down, as in the certificate. */
export type DistinguishedName = readonly RelativeName[];

/** Names of RFC 4514 §3, then those that OpenSSL writes beside; any other type goes by its identifier. */
const TYPES: Readonly<Record<string, string>> = {
  cn: '2.5.4.3',
  l: '2.5.4.7',
  st: '2.5.4.8',
  o: '2.5.4.10',
  ou: '2.5.4.11',
  c: '2.5.4.6',
  street: '2.5.4.9',
  dc: '0.9.2342.19200300.100.1.25',
  uid: '0.9.2342.19200300.100.1.1',
  sn: '2.5.4.4',
  serialnumber: '2.5.4.5',
  title: '2.5.4.12',
  businesscategory: '2.5.4.15',
  postalcode: '2.5.4.17',
  gn: '2.5.4.42',
  givenname: '2.5.4.42',
  organizationidentifier: '2.5.4.97',
  emailaddress: '1.2.840.113549.1.9.1',
  jurisdictionl: '1.3.6.1.4.1.311.60.2.1.1',
  jurisdictionst: '1.3.6.1.4.1.311.60.2.1.2',
  jurisdictionc: '1.3.6.1.4.1.311.60.2.1.3',
};

const TYPE = /([A-Za-z][A-Za-z0-9-]*|[0-2](?:\.(?:0|[1-9][0-9]*))+)=/y;
const HEX = /#((?:[0-9A-Fa-f]{2})+)/y;
// every character but the special ones, or a pair (RFC 4514 §3)
const TEXT = /(?:[^\0"+,;<>\\]|\\[\\"+,;<> #=]|\\[0-9A-Fa-f]{2})+/y;
const PIECE = /\\([0-9A-Fa-f]{2})|\\(.)|([^\\]+)/gsu;

/** Reads the whole text or nothing (RFC 4514 §3); undefined for what is none. */
export function parseDistinguishedName(text: string): DistinguishedName | undefined {
  const names: Attribute[][] = [[]];
  for (let at = 0; ; at += 1) {
    const attribute = attributeAt(text, at);
    if (attribute === undefined) return undefined;
    const set = names.at(-1) ?? [];
    // of one type there is no second in a set (X.501 §9.3)
    if (set.some(({ type }) => type === attribute.read.type)) return undefined;
    set.push(attribute.read);
    at = attribute.end;
    // text has the lowest first (RFC 4514 §2.1)
    if (at === text.length) return names.toReversed();
    if (text[at] === ',') names.push([]);
    else if (text[at] !== '+') return undefined;
  }
}

function attributeAt(
  text: string,
  at: number,
): { readonly read: Attribute; readonly end: number } | undefined {
  const [head, name = ''] = matchAt(TYPE, text, at) ?? [];
  const type = name.includes('.') ? name : TYPES[name.toLowerCase()];
  if (head === undefined || type === undefined) return undefined;
  const begin = at + head.length;
  const [hex, der] = matchAt(HEX, text, begin) ?? [];
  if (hex !== undefined && der !== undefined) {
    return { read: { type, der: der.toLowerCase() }, end: begin + hex.length };
  }
  const [written] = matchAt(TEXT, text, begin) ?? [];
  const value = written === undefined ? undefined : unescaped(written);
  if (written === undefined || value === undefined) return undefined;
  return { read: { type, text: value }, end: begin + written.length };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Undefined where a space or a # would have had to be escaped, or for bytes that are no UTF-8. */
function unescaped(written: string): string | undefined {
  if (/^[ #]/.test(written) || /(?:^|[^\\])(?:\\\\)* $/.test(written)) return undefined;
  const pieces = [...written.matchAll(PIECE)].map(([, hex, special, plain]) =>
    hex === undefined ? Buffer.from(special ?? plain ?? '') : Buffer.from(hex, 'hex'),
  );
  return utf8TextOf(Buffer.concat(pieces));
}

/** @param name the element of a certificate (RFC 5280 §4.1.2.4). @throws RangeError for what is none */
export function readDistinguishedName(name: DerElement): DistinguishedName {
  return elementsOf(name.content).map((set) =>
    elementsOf(set.content).map((attribute) => {
      const [type, value] = elementsOf(attribute.content);
      if (type === undefined || value === undefined) throw new RangeError('DER: half an attribute');
      return { type: oidOf(type.content), text: textOf(value), der: value.whole.toString('hex') };
    }),
  );
}

/** @param expected what `parseDistinguishedName` read @param actual what a certificate has */
export function isSameName(expected: DistinguishedName, actual: DistinguishedName): boolean {
  return (
    expected.length === actual.length && expected.every((set, index) => isSameSet(set, actual[index] ?? []))
  );
}

/** As many on both sides, and on one of them no type twice: so each has one of its own. */
function isSameSet(expected: RelativeName, actual: RelativeName): boolean {
  return (
    expected.length === actual.length &&
    expected.every(({ type, text, der }) =>
      actual.some((one) => one.type === type && (der === undefined ? one.text === text : one.der === der)),
    )
  );
}
