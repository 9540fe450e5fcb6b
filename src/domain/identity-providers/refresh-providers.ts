import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { IdentityProviderId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { IdentityProvidersStore, type IdentityProviderPlace } from './identity-providers.store.js';
import { ManageIdentityProviders } from './manage-identity-providers.js';
import { PrepareProvider } from './prepare-provider.js';
import { WarnOfExpiry } from './warn-of-expiry.js';

const AT_ONCE = 100;

/** Once a day: reads metadata again, so that new keys are known before they are used, and warns of what will expire. */
@Injectable()
export class RefreshProviders {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly prepare: PrepareProvider,
    private readonly manage: ManageIdentityProviders,
    private readonly expiry: WarnOfExpiry,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  async run(): Promise<{ readonly providers_read: number; readonly providers_expiring: number }> {
    // before anything goes out, which may take long
    const expiring = await this.expiry.run('identity_provider', this.providers);
    return { providers_read: await this.readAll(), providers_expiring: expiring };
  }

  private async readAll(): Promise<number> {
    let read = 0;
    let last: IdentityProviderId | undefined;
    for (;;) {
      const places = await this.providers.listRead(last, AT_ONCE);
      for (const place of places) if (await this.read(place)) read += 1;
      last = places.at(-1)?.id;
      if (places.length < AT_ONCE) return read;
    }
  }

  /** One that does not answer, or answers nonsense, is left as it is: what is known of it may be good for a long time. */
  private async read(place: IdentityProviderPlace): Promise<boolean> {
    try {
      const metadata = await this.prepare.metadataOf(place);
      await this.unitOfWork.run((tx) => this.manage.takeMetadata(tx, { ...place, actorId: null }, metadata));
      return true;
    } catch (error) {
      // PostgreSQL that is away is so for all of them; whatever else one document does, the others are read
      if (error instanceof ApiError && error.kind === 'unavailable') throw error;
      this.log.warn('metadata of an identity provider could not be read again', {
        providerId: place.id,
        reason: error instanceof ApiError ? error.message : 'it cannot be kept',
      });
      return false;
    }
  }
}
