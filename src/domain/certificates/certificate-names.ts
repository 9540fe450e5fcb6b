import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { asciiTextOf, elementsOf, oidOf, type DerElement } from './der.js';
import {
  isSameName,
  parseDistinguishedName,
  readDistinguishedName,
  type DistinguishedName,
} from './distinguished-name.js';

/** How a certificate may name its holder (RFC 8705 §2.1.2). */
export type NameKind = 'dn' | 'dns' | 'uri' | 'ip' | 'email';

export interface ExpectedName {
  readonly kind: NameKind;
  readonly value: string;
}

/** What is read of a certificate beyond what Node exposes. */
export interface CertificateContents {
  readonly subject: DistinguishedName;
  readonly alternativeNames: readonly DerElement[];
  /** Of what says how far it may be used and is not understood here (RFC 5280 §4.2): the identifiers. */
  readonly unknownCritical: readonly string[];
  /** Identifier of the algorithm that it is signed with. */
  readonly signatureAlgorithm: string;
  /** Identifier of the hash that its parameters name, which only those of RSASSA-PSS do (RFC 4055 §3.1). */
  readonly signatureHash: string | undefined;
}

const ALTERNATIVE_NAMES = '2.5.29.17';
/** Key usage, names, basic constraints, policies, extended key usage: what Node checks, or what is read here. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  '2.5.29.15',
  ALTERNATIVE_NAMES,
  '2.5.29.19',
  '2.5.29.32',
  '2.5.29.37',
]);
const SEQUENCE = 0x30;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const HASH = 0xa0;
const BOOLEAN = 0x01;

/** RFC 5280 §4.1. Undefined for a certificate that does not look like one. */
export function readCertificate({ raw }: X509Certificate): CertificateContents | undefined {
  try {
    const [certificate] = elementsOf(raw);
    const [signed] = elementsOf(certificate?.content ?? raw);
    const parts = elementsOf(signed?.content ?? raw).filter(({ tag }) => tag !== VERSION);
    // serial number, signature, issuer, validity, subject
    const [, signature, , , subject] = parts;
    if (signature?.tag !== SEQUENCE || subject?.tag !== SEQUENCE) return undefined;
    const [algorithm, parameters] = elementsOf(signature.content);
    const extensions = extensionsOf(parts.find(({ tag }) => tag === EXTENSIONS));
    const names = extensions.filter(({ type }) => type === ALTERNATIVE_NAMES);
    return {
      subject: readDistinguishedName(subject),
      alternativeNames: names.flatMap(({ value }) =>
        elementsOf(value).flatMap((sequence) => elementsOf(sequence.content)),
      ),
      unknownCritical: extensions
        .filter(({ type, critical }) => critical && !UNDERSTOOD.has(type))
        .map(({ type }) => type),
      signatureAlgorithm: oidOf(algorithm?.content ?? Buffer.alloc(0)),
      signatureHash: hashOf(parameters),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function hashOf(parameters: DerElement | undefined): string | undefined {
  if (parameters?.tag !== SEQUENCE) return undefined;
  const named = elementsOf(parameters.content).find(({ tag }) => tag === HASH);
  const [algorithm] = named === undefined ? [] : elementsOf(named.content);
  const [type] = algorithm === undefined ? [] : elementsOf(algorithm.content);
  return type && oidOf(type.content);
}

interface Extension {
  readonly type: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

function extensionsOf(wrapped: DerElement | undefined): readonly Extension[] {
  const list = wrapped === undefined ? [] : elementsOf(wrapped.content);
  return list.flatMap((sequence) =>
    elementsOf(sequence.content).map((extension) => {
      const [type, ...others] = elementsOf(extension.content);
      const [flag] = others;
      return {
        type: oidOf(type?.content ?? Buffer.alloc(0)),
        critical: flag?.tag === BOOLEAN && flag.content[0] !== 0,
        value: others.at(-1)?.content ?? Buffer.alloc(0),
      };
    }),
  );
}

/** Tags of GeneralName (RFC 5280 §4.2.1.6). */
const TAGS = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** Whether the certificate names its holder so. A pattern in it, such as `*.example.com`, is a text as any other. */
export function isNamed(
  { subject, alternativeNames }: CertificateContents,
  { kind, value }: ExpectedName,
): boolean {
  if (kind === 'dn') {
    const name = parseDistinguishedName(value);
    return name !== undefined && isSameName(name, subject);
  }
  const wanted = canonical(kind, value);
  return alternativeNames
    .filter(({ tag }) => tag === TAGS[kind])
    .some(({ content }) => {
      const found = kind === 'ip' ? content.toString('hex') : asciiTextOf(content);
      return found !== undefined && (kind === 'ip' ? found : canonical(kind, found)) === wanted;
    });
}

/** Host names have no case; what stands before the @ of an address may have one (RFC 5280 §7.2, §7.5). */
function canonical(kind: Exclude<NameKind, 'dn'>, value: string): string {
  if (kind === 'dns') return value.toLowerCase();
  if (kind === 'ip') return addressBytes(value).toString('hex');
  if (kind === 'uri') return value;
  const at = value.lastIndexOf('@');
  return value.slice(0, at) + value.slice(at).toLowerCase();
}

/** Four bytes or sixteen, as in the certificate. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // a URL writes an address of version 6 in one way, and what looks like version 4 in it as well
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => 0);
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...front, ...zeros, ...back].entries()) bytes.writeUInt16BE(group, index * 2);
  return bytes;
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

const DNS_NAME =
  /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const EMAIL = /^[!-?A-~]{1,64}@[A-Za-z0-9.-]{1,253}$/;
const PRINTABLE = /^[!-~]{1,2048}$/;

/** What is wrong with a name that certificates are to have; undefined for one that they can have. */
export function nameProblem({ kind, value }: ExpectedName): string | undefined {
  switch (kind) {
    case 'dn':
      return value.length <= 2048 && parseDistinguishedName(value) !== undefined
        ? undefined
        : 'must be a distinguished name as RFC 4514 writes it, such as CN=client,O=Example,C=DE';
    case 'dns':
      return DNS_NAME.test(value) ? undefined : 'must be a host name';
    case 'uri':
      return PRINTABLE.test(value) && URL.canParse(value) ? undefined : 'must be a URI';
    case 'ip':
      // a zone says something about one machine alone
      return isIP(value) !== 0 && !value.includes('%') ? undefined : 'must be an IP address';
    case 'email':
      return EMAIL.test(value) ? undefined : 'must be an e-mail address';
  }
}
