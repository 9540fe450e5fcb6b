import { Injectable } from '@nestjs/common';
import { OAuthError } from '../../shared/errors.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { ClientRegistrationSettings } from '../client-registration-settings.js';
import { IssueRegistration } from '../issue-registration.js';
import { ReadClientMetadata } from '../metadata/read-client-metadata.js';
import type { RegistrationAnswer } from '../registration-answer.js';
import { OpenClientPlace } from './open-client-place.js';

/** Open registration, without a token, in the project that the configuration names. */
@Injectable()
export class RegisterOpenClient {
  constructor(
    private readonly settings: ClientRegistrationSettings,
    private readonly metadata: ReadClientMetadata,
    private readonly openPlace: OpenClientPlace,
    private readonly issue: IssueRegistration,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws OAuthError; ApiError not-found where the project is gone */
  async execute(given: unknown): Promise<RegistrationAnswer> {
    const { mode, openProject } = this.settings;
    if (mode !== 'open' || openProject === undefined) {
      throw new OAuthError('invalid_token', 'an initial access token is needed');
    }
    const read = await this.metadata.ofNew(given, 'anyone');
    const open = await this.openPlace.find();
    if (open === 'gone') {
      throw new OAuthError('temporarily_unavailable', 'clients cannot be registered at present');
    }
    if (open === 'full') {
      throw new OAuthError('temporarily_unavailable', 'too many clients are registered at present');
    }
    await this.metadata.requireSector(read);
    const place = { ...open, registration: 'anyone' } as const;
    return await this.unitOfWork.run(async (tx) => await this.issue.execute(tx, read, place));
  }
}
