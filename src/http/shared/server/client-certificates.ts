import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../../config/config.js';
import {
  readClientCertificate,
  type ClientCertificate,
} from '../../../domain/certificates/client-certificate.js';
import { Clock } from '../../../domain/shared/clock.js';
import { Log } from '../../../domain/shared/log.js';
import { oncePer } from '../../../domain/shared/once-per.js';
import { readCertificateHeader } from './certificate-header.js';
import { isForwardedByTrusted } from './forwarded.js';

/** The certificates of clients that a proxy hands on (RFC 8705 §6.5). Without the setting a request pays nothing. */
@Injectable()
export class ClientCertificates {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Of a request that a proxy of TRUSTED_PROXIES has sent on, and of no other: anybody can send the header. Where clients with
   * certificates have a host of their own, requests to any other have none: the proxy there may pass on what it was sent.
   * What cannot be read, or whose time is not now, is none.
   */
  of(request: FastifyRequest): ClientCertificate | undefined {
    const { mutualTls } = this.config.app;
    const header = mutualTls === undefined ? undefined : request.headers[mutualTls.header];
    if (mutualTls === undefined || header === undefined || header === '') return undefined;
    if (!isForwardedByTrusted(request)) {
      warn(this.log, 'came from an address that TRUSTED_PROXIES does not name, or without X-Forwarded-For');
      return undefined;
    }
    if (mutualTls.baseUrl !== undefined && !isSentTo(mutualTls.baseUrl, request)) {
      warn(this.log, 'came with a request to another host than that of MTLS_BASE_URL');
      return undefined;
    }
    const der = typeof header === 'string' ? readCertificateHeader(mutualTls.format, header) : undefined;
    if (der === undefined) {
      warn(this.log, `is not one certificate in the format ${mutualTls.format}`);
      return undefined;
    }
    return readClientCertificate(der, this.clock.nowMs());
  }
}

/** By `Host` as the proxy passes it on, never by `X-Forwarded-Host`, which a client may have written. */
function isSentTo(baseUrl: string, { headers }: FastifyRequest): boolean {
  const asked = `https://${headers.host ?? ''}`;
  return URL.canParse(asked) && new URL(asked).host === new URL(baseUrl).host;
}

/** A misconfigured proxy is logged at intervals; the content of the header is not logged. */
const warn = oncePer(60_000, (log: Log, problem: string) => {
  log.warn(`the header of MTLS_CERTIFICATE_HEADER does not count: it ${problem}`);
});
