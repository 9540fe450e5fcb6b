import { Injectable } from '@nestjs/common';
import { ApiError, OAuthError } from '../shared/errors.js';
import { sha256 } from '../shared/random.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { InitialAccessTokensStore } from './initial-access/initial-access-tokens.store.js';
import { IssueRegistration } from './issue-registration.js';
import { ReadClientMetadata } from './metadata/read-client-metadata.js';
import { RegisterOpenClient } from './open/register-open-client.js';
import type { RegistrationAnswer } from './registration-answer.js';

/**
 * The client registration endpoint (RFC 7591 §3): an application of the project of an initial access token or, where anyone may
 * register, of the project that the configuration names.
 */
@Injectable()
export class RegisterClient {
  constructor(
    private readonly tokens: InitialAccessTokensStore,
    private readonly metadata: ReadClientMetadata,
    private readonly issue: IssueRegistration,
    private readonly openClient: RegisterOpenClient,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @param token the initial access token; without one only where anyone may register
   * @throws OAuthError invalid_token, or what is wrong with the metadata
   */
  async register(given: unknown, token: string | undefined): Promise<RegistrationAnswer> {
    const registering = token === undefined ? this.openClient.execute(given) : this.byToken(given, token);
    return await registering.catch((error: unknown) => {
      // nothing but the project can be gone
      if (error instanceof ApiError && error.kind === 'not-found') throw tokenRefused();
      throw error;
    });
  }

  private async byToken(given: unknown, token: string): Promise<RegistrationAnswer> {
    const hash = sha256(token);
    // who has no token learns nothing of what is taken; the use is counted where it is taken, in the transaction
    if (!(await this.tokens.isUsable(hash))) throw tokenRefused();
    const read = await this.metadata.ofNew(given, 'initial_access_token');
    await this.metadata.requireSector(read);
    return await this.unitOfWork.run(async (tx) => {
      const used = await this.tokens.use(tx, hash);
      if (used === undefined) throw tokenRefused();
      const { orgId, projectId, id: tokenId } = used;
      const place = { orgId, projectId, registration: 'initial_access_token', tokenId } as const;
      return await this.issue.execute(tx, read, place);
    });
  }
}

/** RFC 7591 §3.1: one that is over, used up, unknown or of a project that has gone looks like any other. */
function tokenRefused(): OAuthError {
  return new OAuthError('invalid_token', 'the initial access token is invalid, expired or used up');
}
