import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { ProviderHosts } from '../domain/notifications/providers/provider-hosts.js';
import { requireAllowedHost } from './guarded-lookup.js';

const INTERNAL_NAME = /^(localhost|.+\.localhost|.+\.internal|.+\.local)\.?$/i;
/** Letters, digits, hyphens and dots, as host names are (RFC 1123 §2.1), or an address. */
const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.?$/i;
const REFUSED = 'must not be an internal address';

/** The rules of `OUTBOUND_PRIVATE_ADDRESSES`, as far as they can be checked without DNS. */
@Injectable()
export class OutboundHosts extends ProviderHosts {
  private readonly allowPrivate: boolean;

  constructor(config: Config) {
    super();
    this.allowPrivate = config.app.outbound.privateAddresses === 'allow';
  }

  override problemWithHost(hostname: string): string | undefined {
    // the URL parser knows every spelling of an address: 0x7f000001, 127.1, [::ffff:7f00:1]
    const written = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
    if (!URL.canParse(`http://${written}/`)) return 'must be a host name or an address';
    const { hostname: host, username, port, pathname } = new URL(`http://${written}/`);
    if (username !== '' || port !== '' || pathname !== '/') return 'must be a host name or an address';
    if (!host.startsWith('[') && !HOST.test(host)) return 'must be a host name or an address';
    if (!this.allowPrivate && INTERNAL_NAME.test(host)) return REFUSED;
    try {
      requireAllowedHost(host, this.allowPrivate);
      return undefined;
    } catch {
      return REFUSED;
    }
  }

  override problemWithDirectory(text: string, startTls: boolean): string | undefined {
    if (!URL.canParse(text)) return 'must be URLs';
    const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
    if (protocol !== 'ldaps:' && protocol !== 'ldap:') return 'must start with ldaps:// or ldap://';
    if (protocol === 'ldap:' && !startTls && !this.allowPrivate)
      return 'must start with ldaps://, or have startTls';
    if (protocol === 'ldaps:' && startTls) return 'must start with ldap:// for startTls';
    if (username !== '' || password !== '') return 'must not contain credentials';
    if ((pathname !== '' && pathname !== '/') || search !== '' || hash !== '')
      return 'must end with the host or port';
    return this.problemWithHost(hostname);
  }

  override problemWithUrl(text: string): string | undefined {
    return this.problemWithVisit(text) ?? this.problemWithHost(new URL(text).hostname);
  }

  override problemWithVisit(text: string): string | undefined {
    if (!URL.canParse(text)) return 'must be an absolute URL';
    const url = new URL(text);
    const plain = url.protocol === 'http:' && this.allowPrivate;
    if (url.protocol !== 'https:' && !plain) return 'must start with https://';
    if (url.username !== '' || url.password !== '') return 'must not contain credentials';
    return url.hash === '' ? undefined : 'must not have a fragment';
  }
}
