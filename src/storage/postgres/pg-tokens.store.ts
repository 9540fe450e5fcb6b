import { Injectable } from '@nestjs/common';
import { type TokenQuestion, TokensStore } from '../../domain/tokens/tokens.store.js';
import type { Subject } from '../../domain/tokens/user-claims.js';
import { Sql } from './sql.js';
import { SUBJECT_COLUMN, SUBJECT_JOINS, type SubjectRow, toSubject } from './subject-row.js';

// every condition is a look-up by primary or unique key; a row comes back only when all of them hold
const FIND_LIVE = {
  name: 'tokens-find-subject-of-live-token',
  text: `
    SELECT ${SUBJECT_COLUMN}
    FROM users u
    JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    JOIN applications a ON a.client_id = $3 AND a.state = 'active' AND a.token_epoch = $4
    JOIN projects p ON p.id = a.project_id AND p.state = 'active'
    JOIN organizations ao ON ao.id = a.org_id AND ao.state = 'active'
    JOIN grants g ON g.id = $5 AND g.revoked_at IS NULL AND g.user_id = u.id AND g.application_id = a.id
    ${SUBJECT_JOINS}
    WHERE u.id = $1 AND u.state = 'active' AND u.token_epoch = $2
      AND NOT EXISTS (SELECT FROM revoked_tokens r WHERE r.jti = $6)
      AND ($7::text IS NULL OR EXISTS (SELECT FROM sessions s WHERE s.id = $7 AND s.ended_at IS NULL))
      AND ($8::text IS NULL
           OR EXISTS (SELECT FROM signing_keys k WHERE k.kid = $8 AND k.state IN ('current', 'previous')))
      AND ($9::int IS NULL
           OR EXISTS (SELECT FROM token_keys t WHERE t.id = $9 AND t.state IN ('current', 'previous')))`,
};

const FIND_BY_PAT = {
  name: 'tokens-find-subject-of-pat',
  text: `
    SELECT ${SUBJECT_COLUMN}, t.id AS token_id
    FROM personal_access_tokens t
    JOIN users u ON u.id = t.user_id AND u.state = 'active'
    JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    ${SUBJECT_JOINS}
    WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > app_now())`,
};

const LIST_CLIENT_IDS = {
  name: 'tokens-list-client-ids',
  text: `SELECT client_id FROM applications WHERE project_id = ANY ($1) AND state = 'active' ORDER BY client_id`,
};

const FIND_SUBJECT = {
  name: 'tokens-find-subject',
  text: `SELECT ${SUBJECT_COLUMN} FROM users u ${SUBJECT_JOINS} WHERE u.id = $1`,
};

@Injectable()
export class PgTokensStore extends TokensStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async findSubjectOfLiveToken(question: TokenQuestion): Promise<Subject | undefined> {
    const row = await this.sql.quick<SubjectRow>(FIND_LIVE, [
      question.subject,
      question.subjectEpoch,
      question.clientId,
      question.clientEpoch,
      question.grantId,
      question.jti,
      question.sessionId,
      question.kid,
      question.tokenKeyId,
    ]);
    return row === undefined ? undefined : toSubject(row);
  }

  override async findSubjectOfPersonalAccessToken(
    tokenHash: Buffer,
  ): Promise<{ subject: Subject; tokenId: string } | undefined> {
    const row = await this.sql.quick<SubjectRow & { token_id: string }>(FIND_BY_PAT, [tokenHash]);
    return row === undefined ? undefined : { subject: toSubject(row), tokenId: row.token_id };
  }

  override async listClientIds(projectIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.sql.rows<{ client_id: string }>(LIST_CLIENT_IDS, [projectIds]);
    return rows.map((row) => row.client_id);
  }

  override async findSubject(userId: string): Promise<Subject | undefined> {
    const row = await this.sql.row<SubjectRow>(FIND_SUBJECT, [userId]);
    return row === undefined ? undefined : toSubject(row);
  }
}
