import { Injectable } from '@nestjs/common';
import { isUnknownHere, type Application } from '../../applications/application.js';
import { isLogoName, logoOf, type Logo, type LogoName } from '../../policies/logo.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import { ClientRegistrationSettings } from '../client-registration-settings.js';
import { ClientRegistrationsStore } from '../client-registrations.store.js';
import { ClientPictures } from './client-pictures.js';

/** 100 KiB, of which a project may have ten thousand times as many at the very most. */
const MOST_BYTES = 102_400;
/** Fetches of one host's pictures within a minute. */
const FETCHES_OF_A_HOST = 30;
const EVERYBODY = 'everybody';

/**
 * The logos of unvetted clients (RFC 7591 §2, `logo_uri`). No browser loads one from its host: that would
 * reveal to the host who is about to sign in, and let it change the image afterwards. So it is fetched here, when a user
 * who has signed in is first asked about the client, and kept until the client names another one.
 */
@Injectable()
export class ClientLogos {
  constructor(
    private readonly registrations: ClientRegistrationsStore,
    private readonly pictures: ClientPictures,
    private readonly limiter: RateLimiter,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /**
   * Its name, if there is one to be had: fetched at once where nobody has tried for a while. Whoever comes meanwhile does without.
   *
   * @param askedFrom network address of the reader
   */
  async nameOf(application: Application, askedFrom: string): Promise<LogoName | undefined> {
    if (!isUnknownHere(application)) return undefined;
    const { id } = application;
    const known = await this.registrations.findLogo(id);
    if (known === undefined || known.name !== null) return known?.name ?? undefined;
    const { uri } = known;
    if (!known.isDue || !(await this.isAdmitted(uri, askedFrom))) return undefined;
    if (!(await this.registrations.claimLogo(id, uri))) return undefined;
    const content = await this.pictures.fetch(uri, MOST_BYTES);
    const logo = content && logoOf(content);
    // the client may name another one by now, or be gone
    return logo && (await this.registrations.keepLogo(id, uri, logo)) ? logo.name : undefined;
  }

  /** The picture of that name, as long as a client has it. */
  async find(name: string): Promise<Logo | undefined> {
    return isLogoName(name) ? await this.registrations.readLogo(name) : undefined;
  }

  /** Each is a call to somewhere at somebody's word: bounded by who asks, by where it goes, and in all. */
  private async isAdmitted(uri: string, askedFrom: string): Promise<boolean> {
    const { fetchesPerMinute, fetchesInAllPerMinute } = this.settings;
    return (
      (await this.limiter.hit('client-logo', askedFrom, fetchesPerMinute)).allowed &&
      (await this.limiter.hit('client-logo-host', new URL(uri).host, FETCHES_OF_A_HOST)).allowed &&
      (await this.limiter.hit('client-logo-all', EVERYBODY, fetchesInAllPerMinute)).allowed
    );
  }
}
