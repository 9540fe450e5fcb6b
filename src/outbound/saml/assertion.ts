import { claimAt, hasValue, type ExternalClaims } from '../../domain/identity-providers/claim-mapping.js';
import { LONGEST_SUBJECT, ProviderRefused } from '../../domain/identity-providers/provider-client.js';
import type { SamlAnswer, SamlName, SamlRequest } from '../../domain/identity-providers/saml/saml-client.js';
import {
  NAME_ID_FORMATS,
  type SamlSettings,
  type ServiceProviderAddresses,
} from '../../domain/identity-providers/saml/saml-kind.js';
import { FRESH_SECONDS } from '../../domain/sessions/proof.js';
import { CLAIM_NAMES } from './attribute-names.js';
import { attributeOf, childrenOf, isElement, onlyChild, parseXml, textOf, type XmlElement } from './xml.js';

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
/** How far clocks may be apart. */
export const SKEW_MS = 60_000;
/** With the name spaces that it may be of. */
const LONGEST_NAME = 1000;
const MOST_ATTRIBUTES = 500;

export interface Expected {
  readonly settings: SamlSettings;
  readonly request: SamlRequest;
  readonly addresses: ServiceProviderAddresses;
  readonly nowMs: number;
}

/**
 * What an assertion says, of the bytes that were signed and nothing beside them. The library has held audience and conditions
 * against what they must be; here is what it leaves out: who issued it, and that it was made for this request and this address
 * (saml-profiles-2.0-os §4.1.4.3).
 *
 * @throws ProviderRefused
 */
export async function readAssertion(signedXml: string, expected: Expected): Promise<SamlAnswer> {
  const assertion = await parseXml(signedXml);
  if (!isElement(assertion, 'assertion', 'Assertion'))
    throw new ProviderRefused('what was signed is no assertion');
  const { settings } = expected;
  const assertionId = attributeOf(assertion, 'ID') ?? '';
  if (assertionId === '') throw new ProviderRefused('the assertion has no ID');
  if (textOf(onlyChild(assertion, 'assertion', 'Issuer')) !== settings.entityId) {
    throw new ProviderRefused('the assertion is of another issuer');
  }
  const subject = onlyChild(assertion, 'assertion', 'Subject');
  requireConfirmed(subject, expected);
  requireAuthentication(assertion, expected);
  onlyChild(assertion, 'assertion', 'Conditions');
  const attributes = attributesOf(assertion);
  const name = nameOf(subject, sessionIndexOf(assertion), expected);
  const signedInAt = authenticatedAt(assertion);
  for (const [name, wanted] of Object.entries(settings.requiredClaims)) {
    if (!hasValue(claimAt(attributes, name), wanted)) {
      throw new ProviderRefused(`the attribute ${name} is not what it must be`);
    }
  }
  return {
    assertionId,
    subject: subjectOf(subject, attributes, expected),
    claims: claimsOf(subject, attributes, settings),
    authenticatedAt: signedInAt,
    isAnew: signedInAt !== undefined && expected.nowMs / 1000 - signedInAt <= FRESH_SECONDS,
    ...name,
  };
}

/** Meant for us, now, and in answer to what we asked: one confirmation that says all of it is enough. */
function requireConfirmed(subject: XmlElement, { request, addresses, nowMs }: Expected): void {
  const isGood = childrenOf(subject, 'assertion', 'SubjectConfirmation').some((confirmation) => {
    if (attributeOf(confirmation, 'Method') !== BEARER) return false;
    return childrenOf(confirmation, 'assertion', 'SubjectConfirmationData').some(
      (data) =>
        attributeOf(data, 'Recipient') === addresses.callbackUrl &&
        attributeOf(data, 'InResponseTo') === request.id &&
        Date.parse(attributeOf(data, 'NotOnOrAfter') ?? '') + SKEW_MS > nowMs &&
        !data.hasAttribute('NotBefore'),
    );
  });
  if (!isGood)
    throw new ProviderRefused('the assertion is not for this sign-in, not for this address, or too old');
}

/** When the user signed in there, where it matters, and that the provider does not call it over. */
function requireAuthentication(assertion: XmlElement, { request: { maxAge }, nowMs }: Expected): void {
  const statements = childrenOf(assertion, 'assertion', 'AuthnStatement');
  if (statements.length === 0) throw new ProviderRefused('the assertion says nothing of a sign-in');
  for (const statement of statements) {
    const end = attributeOf(statement, 'SessionNotOnOrAfter');
    if (end !== undefined && !(Date.parse(end) + SKEW_MS > nowMs)) {
      throw new ProviderRefused('the session at the provider is over');
    }
    const at = Date.parse(attributeOf(statement, 'AuthnInstant') ?? '');
    if (maxAge !== undefined && !(at + maxAge * 1000 + SKEW_MS >= nowMs)) {
      throw new ProviderRefused('the user signed in there too long ago');
    }
  }
}

/** Attributes by name; several values are a list, and a boolean of XML Schema is one. */
function attributesOf(assertion: XmlElement): ExternalClaims {
  const found = new Map<string, unknown[]>();
  for (const statement of childrenOf(assertion, 'assertion', 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, 'assertion', 'Attribute')) {
      const name = attributeOf(attribute, 'Name') ?? '';
      if (name === '' || name === '__proto__') continue;
      const values = childrenOf(attribute, 'assertion', 'AttributeValue').map(valueOf);
      found.set(name, [...(found.get(name) ?? []), ...values]);
    }
  }
  if (found.size > MOST_ATTRIBUTES) throw new ProviderRefused('there are too many attributes');
  return Object.fromEntries(
    [...found].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

function valueOf(element: XmlElement): unknown {
  const text = textOf(element);
  const type = Array.from(element.attributes).find(({ localName }) => localName === 'type')?.value ?? '';
  if (!/(^|:)boolean$/.test(type)) return text;
  return text === 'true' || text === '1';
}

/** The attributes, and beside them under the names of OpenID Connect those that directories call otherwise. */
function claimsOf(subject: XmlElement, attributes: ExternalClaims, settings: SamlSettings): ExternalClaims {
  const named = Object.entries(CLAIM_NAMES).flatMap(([claim, names]) => {
    const name = names.find((one) => Object.hasOwn(attributes, one));
    return name === undefined || Object.hasOwn(attributes, claim) ? [] : [[claim, attributes[name]] as const];
  });
  const [nameId] = childrenOf(subject, 'assertion', 'NameID');
  const isAddress = nameId !== undefined && attributeOf(nameId, 'Format') === NAME_ID_FORMATS.emailAddress;
  return {
    ...(isAddress && { email: textOf(nameId) }),
    ...attributes,
    ...Object.fromEntries(named),
    ...(settings.trustEmail && { email_verified: true }),
  };
}

/** By what the provider knows them, for good. @throws ProviderRefused */
function subjectOf(subject: XmlElement, attributes: ExternalClaims, expected: Expected): string {
  const { subjectAttribute } = expected.settings;
  const value =
    subjectAttribute === undefined ? subjectName(subject, expected) : claimAt(attributes, subjectAttribute);
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_SUBJECT || !isPlain(value)) {
    throw new ProviderRefused('the subject is none');
  }
  return value;
}

/**
 * The NameID. The same text in another format or in the name space of somebody else may be another person: the format must be
 * the one that was agreed, and a name that is not simply the provider's for us is written out with whose it is, as directories
 * do (`provider!service!name`). So is one with an exclamation mark, which could be mistaken for such.
 */
function subjectName(subject: XmlElement, { settings, addresses }: Expected): string {
  const nameId = onlyChild(subject, 'assertion', 'NameID');
  const format = formatOf(nameId);
  if (format !== NAME_ID_FORMATS[settings.nameIdFormat] || format === NAME_ID_FORMATS.transient) {
    throw new ProviderRefused(`the NameID is not of the format ${settings.nameIdFormat}`);
  }
  return qualifiedName(nameId, settings, addresses);
}

/** One that names no format is of the unspecified one (saml-core-2.0-os §2.2.2). */
function formatOf(nameId: XmlElement): string {
  return attributeOf(nameId, 'Format') ?? NAME_ID_FORMATS.unspecified;
}

/** A NameID as it is kept and looked for. @throws ProviderRefused for an empty one */
export function qualifiedName(
  nameId: XmlElement,
  settings: SamlSettings,
  addresses: ServiceProviderAddresses,
): string {
  const [ours, theirs] = [addresses.entityId, settings.entityId ?? ''];
  const qualifier = attributeOf(nameId, 'NameQualifier') ?? theirs;
  const service = attributeOf(nameId, 'SPNameQualifier') ?? ours;
  const name = textOf(nameId);
  if (name === '') throw new ProviderRefused('the NameID is empty');
  if (qualifier === theirs && service === ours && !name.includes('!')) return name;
  return `${qualifier}!${service}!${name}`;
}

function authenticatedAt(assertion: XmlElement): number | undefined {
  const [at] = childrenOf(assertion, 'assertion', 'AuthnStatement').map((statement) =>
    Date.parse(attributeOf(statement, 'AuthnInstant') ?? ''),
  );
  return at === undefined || Number.isNaN(at) ? undefined : at / 1000;
}

function sessionIndexOf(assertion: XmlElement): string | undefined {
  const [index] = childrenOf(assertion, 'assertion', 'AuthnStatement').map((statement) =>
    attributeOf(statement, 'SessionIndex'),
  );
  return index !== undefined && index !== '' && index.length <= LONGEST_SUBJECT && isPlain(index)
    ? index
    : undefined;
}

/**
 * By what the provider ends this session, and is asked to end its own. Nothing of an assertion without a NameID, or with one that
 * could not be kept: such a session ends by itself.
 */
function nameOf(
  subject: XmlElement,
  sessionIndex: string | undefined,
  { settings, addresses }: Expected,
): Pick<SamlAnswer, 'name' | 'session' | 'signOutHint'> {
  const [nameId, ...others] = childrenOf(subject, 'assertion', 'NameID');
  const text = nameId === undefined ? '' : textOf(nameId);
  if (nameId === undefined || others.length > 0 || text === '') return {};
  const name = qualifiedName(nameId, settings, addresses);
  const format = formatOf(nameId);
  if (name.length > LONGEST_NAME || !isPlain(name) || !isPlain(format)) return {};
  const found: SamlName = {
    nameId: text,
    format,
    nameQualifier: attributeOf(nameId, 'NameQualifier'),
    spNameQualifier: attributeOf(nameId, 'SPNameQualifier'),
    sessionIndex,
  };
  const isAsked = settings.signOutAtProvider === true && settings.sloUrl !== undefined;
  return { name, session: sessionIndex, ...(isAsked && { signOutHint: JSON.stringify(found) }) };
}

/** Without what XML cannot hold (XML 1.0 §2.2), nor a line's end: it is written into a request of ours. */
function isPlain(value: string): boolean {
  return !/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(value);
}
