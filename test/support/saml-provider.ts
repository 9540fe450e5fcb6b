import { createSign, createVerify, randomBytes, X509Certificate } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { encrypt } from 'xml-encryption';
import { makeOwnKey, readOwnKey, type OwnKey } from '../../src/outbound/saml/own-key.js';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const SAML_NS =
  'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"';
export const FORMATS = {
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  emailAddress: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
};

/** What an AuthnRequest says, and the form that comes back goes with. */
export interface ReadRequest {
  readonly id: string;
  readonly callbackUrl: string;
  readonly issuer: string;
  readonly relayState: string;
  readonly xml: string;
  readonly parameters: URLSearchParams;
}

/** What an assertion says; whatever is left out is as it should be. */
export interface Said {
  readonly subject: string;
  readonly id?: string;
  readonly nameId?: string;
  readonly format?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly recipient?: string;
  readonly inResponseTo?: string;
  readonly method?: string;
  readonly expiresIn?: number;
  readonly issuedAgo?: number;
  readonly signedInAgo?: number;
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>;
  /** Markup of attributes, as it stands. */
  readonly more?: string;
  readonly qualifiers?: string;
  readonly sessionIndex?: string;
}

/** What a LogoutRequest says; whatever is left out is as it should be. */
export interface SaidLogout {
  readonly subject: string;
  readonly destination: string;
  readonly id?: string;
  readonly issuer?: string;
  readonly issuedAgo?: number;
  readonly expiresIn?: number;
  /** Markup of the name, as it stands. */
  readonly nameId?: string;
  readonly sessions?: readonly string[];
  readonly more?: string;
}

/** An identity provider that speaks SAML, by hand, so that a test can say anything and sign anything. */
export class SamlProvider {
  private constructor(
    readonly entityId: string,
    readonly key: OwnKey,
  ) {}

  static async start(name = 'idp'): Promise<SamlProvider> {
    return new SamlProvider(`https://${name}.test/saml`, readOwnKey(await makeOwnKey(new Date())));
  }

  get ssoUrl(): string {
    return `${this.entityId}/sso?tenant=1`;
  }

  get sloUrl(): string {
    return `${this.entityId}/slo?tenant=1`;
  }

  metadata(changes: Readonly<Record<string, string>> = {}): string {
    const { before = '', validUntil = '2099-01-01T00:00:00Z', binding = 'HTTP-Redirect' } = changes;
    const { logout = '' } = changes;
    return `<?xml version="1.0"?>${before}<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${this.entityId}" validUntil="${validUntil}">
      <md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
        <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${DSIG}"><ds:X509Data><ds:X509Certificate>
          ${this.key.certificate.replaceAll(/-----.*-----/g, '')}
        </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
        ${logout}
        <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${this.entityId}/post"/>
        <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${this.ssoUrl}"/>
      </md:IDPSSODescriptor></md:EntityDescriptor>`;
  }

  /** With a single logout service. */
  metadataWithLogout(): string {
    const at = (binding: string, url: string): string =>
      `<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${url}"/>`;
    return this.metadata({
      logout: at('HTTP-POST', `${this.entityId}/slo/post`) + at('HTTP-Redirect', this.sloUrl),
    });
  }

  /** @param certificate of the service, where its signature must be right */
  read(url: string, certificate?: string): ReadRequest {
    const { searchParams: parameters } = new URL(url);
    const xml = inflateRawSync(Buffer.from(parameters.get('SAMLRequest') ?? '', 'base64')).toString();
    if (certificate !== undefined) requireSignature(parameters, certificate);
    const find = (pattern: RegExp): string => pattern.exec(xml)?.[1] ?? '';
    return {
      id: find(/ ID="([^"]*)"/),
      callbackUrl: find(/AssertionConsumerServiceURL="([^"]*)"/),
      issuer: find(/Issuer[^>]*>([^<]*)</),
      relayState: parameters.get('RelayState') ?? '',
      xml,
      parameters,
    };
  }

  assertion(request: ReadRequest, said: Said): string {
    const { subject, id = newId(), format = FORMATS.persistent, issuer = this.entityId } = said;
    const { audience = request.issuer, recipient = request.callbackUrl, inResponseTo = request.id } = said;
    const { method = 'bearer', expiresIn = 300, issuedAgo = 0, signedInAgo = 0, more = '' } = said;
    const end = instant(expiresIn);
    const attributes = Object.entries(said.attributes ?? {}).map(
      ([name, values]) =>
        `<saml:Attribute Name="${name}">${[values]
          .flat()
          .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
          .join('')}</saml:Attribute>`,
    );
    const nameId =
      said.nameId ?? `<saml:NameID Format="${format}" ${said.qualifiers ?? ''}>${subject}</saml:NameID>`;
    return `<saml:Assertion ${SAML_NS} ID="${id}" Version="2.0" IssueInstant="${instant(-issuedAgo)}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject>${nameId}<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:${method}"><saml:SubjectConfirmationData NotOnOrAfter="${end}" Recipient="${recipient}" InResponseTo="${inResponseTo}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${instant(-300)}" NotOnOrAfter="${end}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${instant(-signedInAgo)}" SessionIndex="${said.sessionIndex ?? 's1'}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join('')}${more}</saml:AttributeStatement></saml:Assertion>`;
  }

  response(
    request: ReadRequest,
    inner: string,
    changes: {
      readonly id?: string;
      readonly destination?: string;
      readonly inResponseTo?: string;
      readonly status?: string;
    } = {},
  ): string {
    const { id = newId(), destination = request.callbackUrl, inResponseTo = request.id } = changes;
    const { status = 'Success' } = changes;
    const at = destination === '' ? '' : ` Destination="${destination}"`;
    const to = inResponseTo === '' ? '' : ` InResponseTo="${inResponseTo}"`;
    return `<samlp:Response ${SAML_NS} ID="${id}" Version="2.0" IssueInstant="${instant(0)}"${at}${to}><saml:Issuer>${this.entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>${inner}</samlp:Response>`;
  }

  sign(
    xml: string,
    element: 'Assertion' | 'Response' | 'LogoutRequest',
    { hash = 'sha256', canonicalization = EXCLUSIVE, key = this.key }: SigningChanges = {},
  ): string {
    const path = `//*[local-name(.)='${element}']`;
    const signed = new SignedXml({
      privateKey: key.privateKey,
      publicCert: key.certificate,
      signatureAlgorithm:
        hash === 'sha1' ? `${DSIG}rsa-sha1` : 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      canonicalizationAlgorithm: EXCLUSIVE,
    });
    signed.addReference({
      xpath: path,
      transforms: [`${DSIG}enveloped-signature`, canonicalization],
      digestAlgorithm: hash === 'sha1' ? `${DSIG}sha1` : `${XMLENC}sha256`,
    });
    signed.computeSignature(xml, {
      location: { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' },
    });
    return signed.getSignedXml();
  }

  logoutRequest(said: SaidLogout): string {
    const { subject, destination, id = newId(), issuer = this.entityId, issuedAgo = 0, more = '' } = said;
    const { expiresIn = 300, sessions = ['s1'] } = said;
    const nameId = said.nameId ?? `<saml:NameID Format="${FORMATS.persistent}">${subject}</saml:NameID>`;
    const indexes = sessions.map((one) => `<samlp:SessionIndex>${one}</samlp:SessionIndex>`).join('');
    return `<samlp:LogoutRequest ${SAML_NS} ID="${id}" Version="2.0" IssueInstant="${instant(-issuedAgo)}" NotOnOrAfter="${instant(expiresIn)}" Destination="${destination}"><saml:Issuer>${issuer}</saml:Issuer>${nameId}${indexes}${more}</samlp:LogoutRequest>`;
  }

  /** A signed query (saml-bindings-2.0-os §3.4.4.1). */
  query(
    xml: string,
    {
      relayState,
      key = this.key,
      algorithm = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      message = 'SAMLRequest',
    }: {
      readonly relayState?: string;
      readonly key?: OwnKey;
      readonly algorithm?: string;
      readonly message?: string;
    } = {},
  ): string {
    const parts = [
      [message, deflateRawSync(Buffer.from(xml)).toString('base64')],
      ...(relayState === undefined ? [] : [['RelayState', relayState]]),
      ['SigAlg', algorithm],
    ];
    // browsers write an apostrophe so, whoever signs it otherwise
    const encoded = (value: string): string => encodeURIComponent(value).replaceAll("'", '%27');
    const signed = parts.map(([name = '', value = '']) => `${name}=${encoded(value)}`).join('&');
    const signature = createSign(algorithm.endsWith('sha1') ? 'RSA-SHA1' : 'RSA-SHA256')
      .update(signed)
      .sign(key.privateKey, 'base64');
    return `${signed}&Signature=${encodeURIComponent(signature)}`;
  }

  /** What an honest provider answers: a signed assertion. */
  answer(request: ReadRequest, said: Said): string {
    return this.response(request, this.sign(this.assertion(request, said), 'Assertion'));
  }

  async encrypt(
    assertion: string,
    certificate: string,
    changes: { readonly keys?: string; readonly content?: string } = {},
  ): Promise<string> {
    const { keys = `${XMLENC}rsa-oaep-mgf1p`, content = 'http://www.w3.org/2009/xmlenc11#aes256-gcm' } =
      changes;
    const publicKey = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'pem' });
    const encrypted = await new Promise<string>((resolve, reject) => {
      encrypt(
        assertion,
        {
          rsa_pub: String(publicKey),
          pem: certificate,
          encryptionAlgorithm: content,
          keyEncryptionAlgorithm: keys,
          warnInsecureAlgorithm: false,
        } as Parameters<typeof encrypt>[1],
        (error: Error | null, result?: string) => {
          if (result === undefined) reject(error ?? new Error('nothing was encrypted'));
          else resolve(result);
        },
      );
    });
    return `<saml:EncryptedAssertion ${SAML_NS}>${encrypted}</saml:EncryptedAssertion>`;
  }
}

interface SigningChanges {
  readonly hash?: 'sha1' | 'sha256';
  readonly canonicalization?: string;
  readonly key?: OwnKey;
}

export function postedForm(xml: string, { relayState }: ReadRequest): Record<string, string> {
  return { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState };
}

export function newId(): string {
  return `_${randomBytes(16).toString('hex')}`;
}

function instant(inSeconds: number): string {
  return new Date(Date.now() + inSeconds * 1000).toISOString();
}

/** The same of an address as it stands, once a browser has followed it. */
export function requireSignatureOf(url: string, certificate: string): void {
  const raw = new URL(url).search.slice(1).split('&');
  const signed = ['SAMLResponse', 'RelayState', 'SigAlg'].flatMap((name) =>
    raw.filter((pair) => pair.startsWith(`${name}=`)),
  );
  const signature = raw.find((pair) => pair.startsWith('Signature='))?.slice('Signature='.length) ?? '';
  const isGood = createVerify('RSA-SHA256')
    .update(signed.join('&'))
    .verify(certificate, decodeURIComponent(signature), 'base64');
  if (!isGood) throw new Error('the answer is not signed by the service');
}

/** saml-bindings-2.0-os §3.4.4.1: over the parameters as they were encoded. */
function requireSignature(parameters: URLSearchParams, certificate: string): void {
  const signed = ['SAMLRequest', 'RelayState', 'SigAlg']
    .map((name) => `${name}=${encodeURIComponent(parameters.get(name) ?? '')}`)
    .join('&');
  const isGood = createVerify('RSA-SHA256')
    .update(signed)
    .verify(certificate, parameters.get('Signature') ?? '', 'base64');
  if (!isGood) throw new Error('the request is not signed by the service');
}
