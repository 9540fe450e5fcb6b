import { Injectable } from '@nestjs/common';
import type { Application } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { FetchedKeys } from '../../applications/keys/fetched-keys.js';
import { keyIdOf } from '../../applications/keys/key-set.js';
import { assertionProblem, MAX_ASSERTION_LENGTH } from '../../client-auth/assertion-rules.js';
import { ClientAuthSettings } from '../../client-auth/private-key-jwt.js';
import { Clock } from '../../shared/clock.js';
import { isSignedWith } from '../../signing-keys/assertion-key.js';
import { readJwt, type ReadJwt } from '../../signing-keys/read-jwt.js';

const TYPE = /^(?:application\/)?jwt$/i;

/** A JWT that the client signed with a key of its own: by the rules of its assertions, save that `sub` is a user. */
@Injectable()
export class ReadClientJwt {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly keys: FetchedKeys,
    private readonly settings: ClientAuthSettings,
    private readonly clock: Clock,
  ) {}

  /** Whom it names; undefined for whatever is not good, in any way. */
  async subject(token: string, client: Application): Promise<string | undefined> {
    const jwt = token.length > MAX_ASSERTION_LENGTH ? undefined : readJwt(token);
    if (jwt?.payload.sub === undefined) return undefined;
    const { payload } = jwt;
    const { clientId } = client;
    const expected = { clientId, audiences: [this.settings.issuer], nowSeconds: this.clock.nowSeconds() };
    const claims = { ...payload, sub: payload.iss ?? '' };
    if (assertionProblem(claims, expected) !== undefined) return undefined;
    return (await this.isSigned(jwt, client)) ? jwt.payload.sub : undefined;
  }

  private async isSigned(jwt: ReadJwt, { clientId }: Application): Promise<boolean> {
    const { typ } = jwt.header;
    const keyId = keyIdOf(jwt.header.kid);
    if (keyId === undefined) return false;
    if (typ !== undefined && (typeof typ !== 'string' || !TYPE.test(typ))) return false;
    // the key is the one that the header names, or the only one, and of this client
    const live = await this.applications.findLiveKey(clientId, keyId);
    const jwk = live && (await this.keys.open(live, keyId));
    return jwk !== undefined && isSignedWith(jwt, jwk);
  }
}
