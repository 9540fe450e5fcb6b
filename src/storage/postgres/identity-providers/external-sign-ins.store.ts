// SQL by hand: what is good once is taken by one statement
import { Injectable } from '@nestjs/common';
import {
  EXTERNAL_SIGN_IN_SECONDS,
  ExternalSignInsStore,
  type ExternalSignIn,
} from '../../../domain/identity-providers/external-sign-ins.store.js';
import type { IdentityProviderId, SessionId, UserAgentId } from '../../../domain/shared/ids.js';
import { Sql } from '../sql.js';
import { columns } from '../table.js';
import { ExternalSignInEntity } from '../tables/identity-provider.entity.js';
import { written } from '../written.js';

const READ = ['flowId', 'linkSessionId', 'nonce', 'codeVerifier', 'maxAge'] as const;
const ADDED = written(ExternalSignInEntity, ['stateHash', 'providerId', 'userAgentId', ...READ]);
const ADD = {
  name: 'external-sign-ins-add',
  text: `
    INSERT INTO external_sign_ins (expires_at, ${ADDED.columns})
    VALUES (app_now() + interval '${EXTERNAL_SIGN_IN_SECONDS} seconds', ${ADDED.parameters})`,
};
const TAKE = {
  name: 'external-sign-ins-take',
  text: `
    DELETE FROM external_sign_ins s
    WHERE state_hash = $1 AND provider_id = $2 AND user_agent_id = $3 AND expires_at > app_now()
    RETURNING ${columns(ExternalSignInEntity, 's', READ)}`,
};

interface Place {
  readonly providerId: IdentityProviderId;
  readonly userAgentId: UserAgentId;
}

type TakenRow = Pick<ExternalSignInEntity, (typeof READ)[number]>;

@Injectable()
export class PgExternalSignInsStore extends ExternalSignInsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async add(stateHash: Buffer, place: Place, { purpose, ...signIn }: ExternalSignIn): Promise<void> {
    await this.sql.change(ADD, ADDED.valuesOf({ stateHash, ...place, ...signIn, ...purpose }));
  }

  override async take(
    stateHash: Buffer,
    { providerId, userAgentId }: Place,
  ): Promise<ExternalSignIn | undefined> {
    const row = await this.sql.row<TakenRow>(TAKE, [stateHash, providerId, userAgentId]);
    if (row === undefined) return undefined;
    const { flowId, linkSessionId, maxAge, ...secrets } = row;
    const purpose = flowId === null ? { linkSessionId: linkSessionId as SessionId } : { flowId };
    return { ...secrets, purpose, maxAge: maxAge ?? undefined };
  }
}
