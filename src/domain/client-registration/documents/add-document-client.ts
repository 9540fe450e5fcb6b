import { Injectable } from '@nestjs/common';
import { ApiError, OAuthError } from '../../shared/errors.js';
import type { ClientId } from '../../shared/ids.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import type { ReadMetadata } from '../metadata/client-metadata.js';
import { OpenClientPlace } from '../open/open-client-place.js';
import { StoreRegisteredClient } from '../store-registered-client.js';

/** Puts a client whose document was read for the first time on file. */
@Injectable()
export class AddDocumentClient {
  constructor(
    private readonly openPlace: OpenClientPlace,
    private readonly storeClient: StoreRegisteredClient,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws OAuthError where no more are taken */
  async execute(clientId: ClientId, read: ReadMetadata, freshSeconds: number): Promise<void> {
    const open = await this.openPlace.find();
    if (typeof open === 'string') {
      throw new OAuthError('temporarily_unavailable', 'new clients are not taken at present');
    }
    const place = { ...open, registration: 'document', clientId } as const;
    try {
      await this.unitOfWork.run((tx) =>
        this.storeClient.execute(tx, read, place, { tokenHash: null, freshSeconds }),
      );
    } catch (error) {
      // somebody who came at the same time has put it on file
      if (error instanceof ApiError && error.kind === 'already-exists') return;
      throw error;
    }
  }
}
