import type { X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import type { Application } from '../applications/application.js';
import { ApplicationsStore } from '../applications/applications.store.js';
import { TLS_AUTH_METHODS, type ClientAuthMethod, type TlsAuthMethod } from '../applications/oidc-config.js';
import { expectedName } from '../applications/tls-subject.js';
import { isNamed, readCertificate } from '../certificates/certificate-names.js';
import { isIssuedByOneOf, type ClientCertificate } from '../certificates/client-certificate.js';
import { Clock } from '../shared/clock.js';
import { refusedClient } from './client-authentication.js';

/** Settings of this module; also the token under which configuration provides them. */
export abstract class MutualTlsSettings {
  /** Whether a proxy hands certificates on. */
  abstract readonly served: boolean;
  /** Who may issue certificates for `tls_client_auth`, each by itself. */
  abstract readonly authorities: readonly X509Certificate[];
}

export function certificateMethods({ served, authorities }: MutualTlsSettings): readonly TlsAuthMethod[] {
  if (!served) return [];
  return authorities.length > 0 ? TLS_AUTH_METHODS : ['self_signed_tls_client_auth'];
}

export function isTlsAuthMethod(method: string | undefined): method is TlsAuthMethod {
  return (TLS_AUTH_METHODS as readonly (string | undefined)[]).includes(method);
}

/**
 * Mutual TLS as client authentication (RFC 8705 §2). The handshake with the proxy has proved that the sender has the
 * certificate's private key. Its issuer is verified here: the proxy is not trusted for that, since many forward unverified
 * certificates.
 */
@Injectable()
export class MutualTls {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly clock: Clock,
    private readonly settings: MutualTlsSettings,
  ) {}

  /** The methods that can be used as the service is configured: what discovery lists of those given. */
  served(methods: readonly ClientAuthMethod[]): readonly ClientAuthMethod[] {
    const ours = certificateMethods(this.settings);
    return methods.filter((method) => !isTlsAuthMethod(method) || ours.includes(method));
  }

  /** Whether the certificate is the application's, by the method that it is registered for. @throws OAuthError */
  async verify({ clientId, authMethod }: Application, certificate: ClientCertificate): Promise<boolean> {
    const rules = await this.applications.findCertificateRules(clientId, publicJwkOf(certificate));
    if (rules === undefined) return false;
    if (authMethod === 'self_signed_tls_client_auth') {
      if (rules.hasKey) return true;
      throw refusedClient('the key of the certificate is none of the registered ones');
    }
    if (authMethod !== 'tls_client_auth') return false;
    if (!isIssuedByOneOf(certificate, this.settings.authorities, this.clock.nowMs())) {
      throw refusedClient('no authority that is configured has issued the certificate, or not for this');
    }
    const contents = readCertificate(certificate.x509);
    const name = expectedName(rules.subject);
    if (contents !== undefined && name !== undefined && isNamed(contents, name)) return true;
    throw refusedClient('the certificate names somebody else');
  }
}

/** The members that make the key; null for a kind that nobody could register. */
function publicJwkOf({ x509 }: ClientCertificate): JWK | null {
  try {
    return x509.publicKey.export({ format: 'jwk' });
  } catch {
    return null;
  }
}
