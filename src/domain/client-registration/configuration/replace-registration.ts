import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OAuthError } from '../../shared/errors.js';
import { sha256 } from '../../shared/random.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import type { ReadMetadata } from '../metadata/client-metadata.js';
import { unfit } from '../metadata/metadata-fault.js';
import { ReadClientMetadata } from '../metadata/read-client-metadata.js';
import type { RegistrationAnswer } from '../registration-answer.js';
import { AuthenticateRegistration } from './authenticate-registration.js';
import { ReadRegistration } from './read-registration.js';
import { WriteRegistration } from './write-registration.js';

/** RFC 7592 §2.2: what a client may not send when it changes what it registered. */
const NOT_SENT = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
] as const;

/** A client replaces the whole of what it registered: what is left out goes (RFC 7592 §2.2). */
@Injectable()
export class ReplaceRegistration {
  constructor(
    private readonly authenticate: AuthenticateRegistration,
    private readonly metadata: ReadClientMetadata,
    private readonly write: WriteRegistration,
    private readonly readRegistration: ReadRegistration,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws OAuthError */
  async execute(clientId: string, token: string | undefined, given: unknown): Promise<RegistrationAnswer> {
    const found = await this.authenticate.execute(clientId, token);
    requireOwnWords(given, clientId);
    const stated = await this.metadata.state(given, found.metadata.software_statement);
    const before = await this.authenticate.recordOf(found);
    const wanted = this.metadata.again(stated, found.registration, before);
    await this.metadata.requireSector(wanted, before.config);
    const clientSecret = await this.unitOfWork.run(async (tx) => {
      const locked = await this.authenticate.lock(tx, found, clientId, token);
      requireSecret(given, locked.secretHash);
      const read = this.metadata.again(stated, found.registration, locked.record);
      requireSameSector(read, wanted);
      return await this.write.execute(tx, locked, read);
    });
    return await this.readRegistration.execute(clientId, token, clientSecret);
  }
}

/** @throws OAuthError invalid_request for what RFC 7592 §2.2 forbids, and for another client's name */
function requireOwnWords(given: unknown, clientId: string): void {
  const said = (typeof given === 'object' && given !== null ? given : {}) as Readonly<
    Record<string, unknown>
  >;
  if (said['client_id'] !== clientId) {
    throw new OAuthError('invalid_request', 'client_id must be that of the address');
  }
  const forbidden = NOT_SENT.find((name) => said[name] !== undefined);
  if (forbidden !== undefined) throw new OAuthError('invalid_request', `${forbidden} must not be sent`);
}

/**
 * What it left out is as it stands on file by now: another request of its own may have put another sector there, which nobody has asked
 * about these redirect URIs (security S502).
 */
function requireSameSector({ config: now }: ReadMetadata, { config: asked }: ReadMetadata): void {
  if (now.sectorIdentifierUri === asked.sectorIdentifierUri) return;
  throw unfit('sector_identifier_uri was changed meanwhile by another request');
}

/** A client may repeat its secret, and never choose one (RFC 7592 §2.2). */
function requireSecret(given: unknown, hash: Buffer | null): void {
  const { client_secret: secret } = given as { readonly client_secret?: unknown };
  if (secret === undefined) return;
  if (typeof secret === 'string' && hash !== null && timingSafeEqual(sha256(secret), hash)) return;
  throw new OAuthError('invalid_request', 'client_secret must be the present one');
}
