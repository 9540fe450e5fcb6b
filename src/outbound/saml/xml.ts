import { ProviderRefused } from '../../domain/identity-providers/provider-client.js';

/** What is used of an element of the parser's, whose own types are those of browsers. */
export interface XmlElement {
  readonly localName: string;
  readonly namespaceURI: string | null;
  /** Comments are no part of it. */
  readonly textContent: string | null;
  readonly childNodes: ArrayLike<XmlElement & { readonly nodeType: number }>;
  readonly attributes: ArrayLike<{ readonly localName: string; readonly value: string }>;
  hasAttribute(name: string): boolean;
  getAttribute(name: string): string | null;
  /** As XML. */
  toString(): string;
}

export const NAMESPACES = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
} as const;
type Namespace = keyof typeof NAMESPACES;

const ELEMENT = 1;
const MOST_CHARACTERS = 512 * 1024;
/** Opened and closed. */
const MOST_TAGS = 8_000;
/**
 * Parsers and XPath look at all attributes and all siblings for each of them: what is no work for a hundred stops this process for
 * minutes with ten thousand, and anybody may send that before a signature is checked.
 */
const MOST_ATTRIBUTES = 50;
const MOST_CHILDREN = 2_000;
const ATTRIBUTE = /=\s*["']/g;
/** Parsers and canonicalizations call themselves for each level. */
const DEEPEST = 64;
/** A document type can define entities; a stylesheet or any other instruction says nothing that is looked for here. */
const DECLARATION = /<!(?!--|\[CDATA\[)/;
const INSTRUCTION = /<\?(?!xml[\s?])/i;

/**
 * A document, or nothing: without a document type (so there is nothing to expand, and nothing to fetch), without instructions, and
 * no larger or deeper than anything that is honest.
 * @throws ProviderRefused
 */
export async function parseXml(text: string): Promise<XmlElement> {
  if (text.length > MOST_CHARACTERS) throw new ProviderRefused('the document is too large');
  if (DECLARATION.test(text)) throw new ProviderRefused('the document has a document type');
  if (INSTRUCTION.test(text)) throw new ProviderRefused('the document has processing instructions');
  const tags = text.split('<');
  if (tags.length > MOST_TAGS) throw new ProviderRefused('the document has too many elements');
  if (tags.some((tag) => (tag.match(ATTRIBUTE)?.length ?? 0) > MOST_ATTRIBUTES)) {
    throw new ProviderRefused('an element has too many attributes');
  }
  const root = await parsed(text);
  requireShallow(root);
  return root;
}

async function parsed(text: string): Promise<XmlElement> {
  const { parseDomFromString } = await library();
  try {
    const { documentElement } = (await parseDomFromString(text)) as unknown as {
      readonly documentElement: XmlElement;
    };
    return documentElement;
  } catch {
    throw new ProviderRefused('the document is not XML');
  }
}

/** Level by level, without calling itself. @throws ProviderRefused */
function requireShallow(root: XmlElement): void {
  let level: readonly XmlElement[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw new ProviderRefused('the document is too deep');
    if (level.some(({ childNodes }) => childNodes.length > MOST_CHILDREN)) {
      throw new ProviderRefused('an element has too many children');
    }
    level = level.flatMap((element) =>
      Array.from(element.childNodes).filter(({ nodeType }) => nodeType === ELEMENT),
    );
  }
}

/** Base64 as forms and metadata hold it, in UTF-8. @throws ProviderRefused */
export function decodeXml(base64: string): string {
  const bare = base64.replaceAll(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(bare)) throw new ProviderRefused('the message is not base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bare, 'base64'));
  } catch {
    throw new ProviderRefused('the message is not UTF-8');
  }
}

/** @throws ProviderRefused, whatever went wrong: how a decryption fails is nobody's business */
export async function decrypted(encrypted: XmlElement, key: string): Promise<string> {
  const { decryptXml } = await library();
  try {
    return await decryptXml(encrypted.toString(), key);
  } catch {
    throw new ProviderRefused('the assertion cannot be decrypted');
  }
}

/**
 * The bytes of an element that were signed, by one of these certificates; undefined where none is right. The library takes one
 * signature, of the element that it stands in, whose id no other element has.
 * @throws ProviderRefused for what it does not like
 */
export async function verifiedXml(
  xml: string,
  element: XmlElement,
  certificates: readonly string[],
): Promise<string | undefined> {
  const { getVerifiedXml } = await library();
  try {
    return getVerifiedXml(xml, element, [...certificates]) ?? undefined;
  } catch {
    throw new ProviderRefused('Invalid signature');
  }
}

/** Loaded by the first document there is: most installations never see one. */
async function library() {
  return await import('@node-saml/node-saml/lib/xml.js');
}

export function isElement(element: XmlElement, namespace: Namespace, name: string): boolean {
  return element.localName === name && element.namespaceURI === NAMESPACES[namespace];
}

export function childrenOf(element: XmlElement, namespace: Namespace, name: string): readonly XmlElement[] {
  return Array.from(element.childNodes).filter(
    (child) => child.nodeType === ELEMENT && isElement(child, namespace, name),
  );
}

/** The only one. @throws ProviderRefused for none and for several */
export function onlyChild(element: XmlElement, namespace: Namespace, name: string): XmlElement {
  const [first, ...others] = childrenOf(element, namespace, name);
  if (first === undefined || others.length > 0) throw new ProviderRefused(`there is not one ${name}`);
  return first;
}

export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.hasAttribute(name) ? (element.getAttribute(name) ?? undefined) : undefined;
}

export function textOf(element: XmlElement): string {
  return (element.textContent ?? '').trim();
}

export function* elementsIn(root: XmlElement): Generator<XmlElement> {
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    for (const child of Array.from(next.childNodes)) if (child.nodeType === ELEMENT) waiting.push(child);
  }
}
