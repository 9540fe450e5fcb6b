import { Injectable } from '@nestjs/common';
import { isUnknownHere, type Application } from '../../applications/application.js';
import { ClientRegistrationSettings } from '../client-registration-settings.js';
import { ClientRegistrationsStore, type InformationalMetadata } from '../client-registrations.store.js';

/** The client's own pages, for the people whom it asks (RFC 7591 §2). */
const CLIENT_LINKS = {
  website: 'client_uri',
  privacy: 'policy_uri',
  terms: 'tos_uri',
} as const satisfies Readonly<Record<string, keyof InformationalMetadata>>;
type ClientLinkKind = keyof typeof CLIENT_LINKS;

/** Never empty. */
export interface ClientLinks {
  /** Whether somebody here answers for who the client is. */
  readonly isKnown: boolean;
  readonly pages: readonly { readonly kind: ClientLinkKind; readonly url: string }[];
}

/** What a client that registered itself calls its pages, as far as people may be led there. */
@Injectable()
export class FindClientLinks {
  constructor(
    private readonly registrations: ClientRegistrationsStore,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /** Undefined for what has none, or was made by somebody here. */
  async of(application: Application | undefined): Promise<ClientLinks | undefined> {
    if (!application?.registration) return undefined;
    const metadata = (await this.registrations.findMetadata(application.id)) ?? {};
    const isKnown = !isUnknownHere(application);
    // what was taken in is https; a row that was written otherwise leads nowhere
    const pages = Object.entries(CLIENT_LINKS).flatMap(([kind, member]) => {
      const url = metadata[member];
      if (!isHttps(url) || (!isKnown && this.isOurs(url))) return [];
      return [{ kind: kind as ClientLinkKind, url }];
    });
    return pages.length === 0 ? undefined : { isKnown, pages };
  }

  /** A stranger's page would look like one of this service's. */
  private isOurs(url: string): boolean {
    return new URL(url).hostname === new URL(this.settings.issuer).hostname;
  }
}

/** Whether people see other pages than before. */
export function areOtherLinks(before: InformationalMetadata, after: InformationalMetadata): boolean {
  return Object.values(CLIENT_LINKS).some((member) => before[member] !== after[member]);
}

function isHttps(url: string | undefined): url is string {
  return url !== undefined && URL.canParse(url) && new URL(url).protocol === 'https:';
}
