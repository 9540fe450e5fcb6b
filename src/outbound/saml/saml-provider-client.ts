import { Injectable } from '@nestjs/common';
import type { Profile, SAML, SamlConfig } from '@node-saml/node-saml';
import { Config } from '../../config/config.js';
import { IdentityProvidersStore } from '../../domain/identity-providers/identity-providers.store.js';
import {
  ProviderRefused,
  ProviderUnavailable,
  type ForwardedParameters,
} from '../../domain/identity-providers/provider-client.js';
import {
  SamlClient,
  type SamlAnswer,
  type SamlLogout,
  type SamlMessage,
  type SamlName,
  type SamlProvider,
  type SamlRequest,
} from '../../domain/identity-providers/saml/saml-client.js';
import {
  NAME_ID_FORMATS,
  type SamlMetadata,
  type ServiceProviderAddresses,
} from '../../domain/identity-providers/saml/saml-kind.js';
import { Clock } from '../../domain/shared/clock.js';
import { randomToken } from '../../domain/shared/random.js';
import { CircuitBreaker } from '../circuit-breaker.js';
import { guardedFetch } from '../guarded-fetch.js';
import { requireKnownAlgorithms } from './algorithms.js';
import { readAssertion, SKEW_MS } from './assertion.js';
import { readLogoutRequest, signedAnswer, signedByForm, signedByQuery } from './logout-request.js';
import { readIdpMetadata } from './metadata.js';
import { makeOwnKey, readOwnKey, type OwnKey } from './own-key.js';
import {
  attributeOf,
  childrenOf,
  decodeXml,
  decrypted,
  elementsIn,
  isElement,
  NAMESPACES,
  onlyChild,
  parseXml,
  textOf,
  type XmlElement,
} from './xml.js';

/** Of one sign-in there is one, and some providers add another. */
const MOST_ASSERTIONS = 2;
const BINDINGS = 'urn:oasis:names:tc:SAML:2.0:bindings';
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
/** An assertion is made for a sign-in that waits for it: older ones are somebody's copies. */
const OLDEST_ASSERTION_MS = 600_000;

/**
 * SAML 2.0 by node-saml, which verifies signatures, decrypts and reads nothing but the bytes that were signed. What is here
 * stands before and after: what is let near the library at all (xml.ts, algorithms.ts), and what an assertion must say to be
 * the answer to our request (assertion.ts). The library is loaded by the first sign-in that needs it.
 */
@Injectable()
export class SamlProviderClient extends SamlClient {
  private readonly allowPrivate: boolean;
  private readonly breaker = new CircuitBreaker();

  constructor(
    config: Config,
    private readonly providers: IdentityProvidersStore,
    private readonly clock: Clock,
  ) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override async requestUrl(
    provider: SamlProvider,
    { prompts, maxAge }: ForwardedParameters,
    request: SamlRequest & { readonly relayState: string },
    addresses: ServiceProviderAddresses,
  ): Promise<string> {
    const { signRequests, nameIdFormat } = provider.settings;
    const saml = await this.library(provider, request.id, addresses, {
      // a session there that is too old would be refused afterwards
      forceAuthn: prompts.includes('login') || maxAge !== undefined,
      identifierFormat: nameIdFormat === 'unspecified' ? null : NAME_ID_FORMATS[nameIdFormat],
      ...(signRequests && { privateKey: (await this.keyOf(provider)).privateKey }),
    });
    return await saml.getAuthorizeUrlAsync(request.relayState, undefined, {});
  }

  override async readResponse(
    provider: SamlProvider,
    response: string,
    request: SamlRequest,
    addresses: ServiceProviderAddresses,
  ): Promise<SamlAnswer> {
    const { privateKey } = await this.keyOf(provider);
    await this.requireResponse(provider, decodeXml(response), privateKey, addresses);
    const { wantAssertionsSigned } = provider.settings;
    const saml = await this.library(provider, request.id, addresses, {
      decryptionPvk: privateKey,
      wantAssertionsSigned,
      wantAuthnResponseSigned: false,
    });
    const signed = await verified(saml, response);
    const nowMs = this.clock.nowSeconds() * 1000;
    return await readAssertion(signed, { settings: provider.settings, request, addresses, nowMs });
  }

  override async logoutRequestUrl(
    provider: SamlProvider,
    { nameId, format, ...name }: SamlName,
    { id, relayState }: { readonly id: string; readonly relayState: string },
    addresses: ServiceProviderAddresses,
  ): Promise<string | undefined> {
    const { sloUrl } = provider.settings;
    if (sloUrl === undefined) return undefined;
    const { privateKey } = await this.keyOf(provider);
    const saml = await this.library(provider, id, addresses, { logoutUrl: sloUrl, privateKey });
    const user = { issuer: addresses.entityId, nameID: nameId, nameIDFormat: format, ...name };
    return await saml.getLogoutUrlAsync(user as Profile, relayState, {});
  }

  /**
   * The library would do this too, but takes a query without a signature, looks for its parameters by parts of their names,
   * inflates whatever comes, and reads other bytes than those that were signed.
   */
  override async readLogoutRequest(
    { settings }: SamlProvider,
    message: SamlMessage,
    addresses: ServiceProviderAddresses,
  ): Promise<SamlLogout> {
    const nowMs = this.clock.nowSeconds() * 1000;
    if ('posted' in message) {
      const request = await signedByForm(message.posted, settings.certificates);
      return readLogoutRequest(request, { settings, addresses, nowMs });
    }
    const { request, relayState } = await signedByQuery(message.query, settings.certificates);
    return { ...readLogoutRequest(request, { settings, addresses, nowMs }), relayState };
  }

  override async logoutResponseUrl(
    provider: SamlProvider,
    { id, relayState }: SamlLogout,
    addresses: ServiceProviderAddresses,
  ): Promise<string> {
    const { sloUrl } = provider.settings;
    if (sloUrl === undefined) throw new ProviderRefused('the provider has no sloUrl');
    const saml = await this.library(provider, `_${randomToken(32)}`, addresses, { logoutUrl: sloUrl });
    const asked = { issuer: addresses.entityId, nameID: '', nameIDFormat: '', ID: id };
    const { searchParams } = new URL(await saml.getLogoutResponseUrlAsync(asked, '', {}, true));
    const { privateKey } = await this.keyOf(provider);
    return signedAnswer(sloUrl, searchParams.get('SAMLResponse') ?? '', relayState, privateKey);
  }

  override async ownMetadata(provider: SamlProvider, addresses: ServiceProviderAddresses): Promise<string> {
    const { generateServiceProviderMetadata } = await import('@node-saml/node-saml');
    const { signRequests, sloUrl, nameIdFormat, wantAssertionsSigned, wantAssertionsEncrypted } =
      provider.settings;
    const { privateKey, certificate } = await this.keyOf(provider);
    const metadata = generateServiceProviderMetadata({
      issuer: addresses.entityId,
      callbackUrl: addresses.callbackUrl,
      logoutCallbackUrl: addresses.logoutUrl,
      identifierFormat: NAME_ID_FORMATS[nameIdFormat],
      wantAssertionsSigned,
      generateUniqueId: () => `_${provider.id}`,
      // what is said of sign-outs is signed, whatever is said of sign-ins
      ...((signRequests || sloUrl !== undefined) && { privateKey, publicCerts: certificate }),
      // whoever reads that we can decrypt may begin to encrypt
      ...(wantAssertionsEncrypted && { decryptionPvk: privateKey, decryptionCert: certificate }),
    });
    return withBothBindings(metadata, signRequests);
  }

  override async readMetadata(xml: string): Promise<SamlMetadata> {
    return await readIdpMetadata(xml, this.clock.nowSeconds() * 1000);
  }

  override async fetchMetadata(url: string): Promise<SamlMetadata> {
    return await this.readMetadata(await this.fetchText(url));
  }

  override async makeKey(): Promise<string> {
    return await makeOwnKey(new Date());
  }

  /** Nothing of it is believed: this is what a response must be before its signature is worth a look. */
  private async requireResponse(
    { settings }: SamlProvider,
    xml: string,
    privateKey: string,
    addresses: ServiceProviderAddresses,
  ): Promise<void> {
    const root = await parseXml(xml);
    if (!isElement(root, 'protocol', 'Response')) throw new ProviderRefused('it is no response');
    requireKnownAlgorithms(root);
    requirePlainReferences(root);
    const status = onlyChild(onlyChild(root, 'protocol', 'Status'), 'protocol', 'StatusCode');
    if (attributeOf(status, 'Value') !== SUCCESS)
      throw new ProviderRefused('the provider says that it failed');
    const destination = attributeOf(root, 'Destination');
    // a message that is signed must say whom it is for, or it could be handed on to somebody else (saml-bindings-2.0-os §3.5.5.2)
    if (destination === undefined && childrenOf(root, 'signature', 'Signature').length > 0) {
      throw new ProviderRefused('the response is signed and has no Destination');
    }
    if (destination !== undefined && destination !== addresses.callbackUrl) {
      throw new ProviderRefused('the response is for another address');
    }
    for (const issuer of childrenOf(root, 'assertion', 'Issuer')) {
      if (textOf(issuer) !== settings.entityId)
        throw new ProviderRefused('the response is of another issuer');
    }
    // the library knows elements by their local names
    const assertions = Array.from(root.childNodes).filter(({ localName }) =>
      /^(Encrypted)?Assertion$/.test(localName ?? ''),
    );
    if (assertions.some(({ namespaceURI }) => namespaceURI !== NAMESPACES.assertion)) {
      throw new ProviderRefused('an assertion is of another name space');
    }
    // each is decrypted and parsed before any signature is known to be right
    if (assertions.length > MOST_ASSERTIONS) throw new ProviderRefused('there are too many assertions');
    const encrypted = childrenOf(root, 'assertion', 'EncryptedAssertion');
    if (settings.wantAssertionsEncrypted && encrypted.length !== 1) {
      throw new ProviderRefused('the assertion is not encrypted');
    }
    // the library looks into it without asking what is in there
    for (const one of encrypted) requireKnownAlgorithms(await parseXml(await decrypted(one, privateKey)));
  }

  private async library(
    { settings }: SamlProvider,
    requestId: string,
    { entityId, callbackUrl }: ServiceProviderAddresses,
    options: Partial<SamlConfig>,
  ): Promise<SAML> {
    const { ssoUrl, certificates } = settings;
    if (ssoUrl === undefined || certificates.length === 0)
      throw new ProviderUnavailable('there is no metadata');
    const { SAML: Library, ValidateInResponseTo } = await import('@node-saml/node-saml');
    return new Library({
      issuer: entityId,
      audience: entityId,
      callbackUrl,
      entryPoint: ssoUrl,
      idpCert: [...certificates],
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      disableRequestedAuthnContext: true,
      acceptedClockSkewMs: SKEW_MS,
      maxAssertionAgeMs: OLDEST_ASSERTION_MS,
      generateUniqueId: () => requestId,
      validateInResponseTo: ValidateInResponseTo.always,
      cacheProvider: onlyRequest(requestId),
      ...options,
    });
  }

  private async keyOf({ id }: SamlProvider): Promise<OwnKey> {
    const bundle = await this.providers.openSecret(id);
    if (bundle === undefined) throw new Error('a SAML provider has no key');
    return readOwnKey(bundle);
  }

  /** @throws ProviderUnavailable */
  private async fetchText(url: string): Promise<string> {
    try {
      const { status, text } = await this.breaker.run(
        `metadata ${new URL(url).origin}`,
        () => true,
        async () => {
          const headers = { accept: 'application/samlmetadata+xml, application/xml, text/xml' };
          const answer = await guardedFetch(url, { headers }, this.allowPrivate);
          // a refusal proves that the server is up: it may host the metadata of others, also of other organizations
          if (answer.status >= 500) throw new ProviderUnavailable(`status ${answer.status}`);
          return { status: answer.status, text: await answer.text() };
        },
      );
      if (status !== 200) throw new ProviderUnavailable(`status ${status}`);
      return text;
    } catch (error) {
      throw new ProviderUnavailable(error instanceof Error ? error.name : 'unknown');
    }
  }
}

/** The library names one binding of the single logout service, and has requests signed wherever there is a key. */
function withBothBindings(metadata: string, signsRequests: boolean): string {
  const both = metadata.replace(
    /( *)<SingleLogoutService Binding="[^"]*"( [^>]*\/>\n?)/,
    (_, indent: string, rest: string) =>
      ['HTTP-Redirect', 'HTTP-POST']
        .map((name) => `${indent}<SingleLogoutService Binding="${BINDINGS}:${name}"${rest}`)
        .join(''),
  );
  return signsRequests ? both : both.replace('AuthnRequestsSigned="true"', 'AuthnRequestsSigned="false"');
}

/** What the library asks for the requests that were made: the one of this browser, and no other. Which is open, the database knows. */
function onlyRequest(id: string): NonNullable<SamlConfig['cacheProvider']> {
  return {
    saveAsync: async () => null,
    getAsync: async (key) => (key === id ? new Date().toISOString() : null),
    removeAsync: async () => null,
  };
}

/** @returns the assertion's signed bytes @throws ProviderRefused for whatever the library does not like */
async function verified(saml: SAML, response: string): Promise<string> {
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
    const signed = profile?.getAssertionXml?.();
    if (signed !== undefined) return signed;
  } catch (error) {
    // its words have values of the response in them
    const said = error instanceof Error ? error.message : '';
    throw new ProviderRefused(
      KNOWN_FAULTS.find((fault) => said.includes(fault)) ?? 'the response is not valid',
    );
  }
  throw new ProviderRefused('the response has no assertion');
}

/** For the log, to diagnose a provider's settings. */
const KNOWN_FAULTS = [
  'Invalid signature',
  'audience mismatch',
  'no AudienceRestriction',
  'InResponseTo',
  'assertion expired',
  'assertion not yet valid',
  'multiple assertions',
  'No valid subject confirmation',
];

/**
 * A key may stand elsewhere in the message (XML Encryption §3.5.2). The library looks for it by an XPath with this address in it, so
 * it must be the id of an element, or anybody could have it compute what they like.
 * @throws ProviderRefused
 */
function requirePlainReferences(root: XmlElement): void {
  for (const element of elementsIn(root)) {
    if (element.localName !== 'RetrievalMethod') continue;
    if (!/^#[A-Za-z_][\w.-]{0,200}$/.test(attributeOf(element, 'URI') ?? '')) {
      throw new ProviderRefused('a reference to a key is no id');
    }
  }
}
