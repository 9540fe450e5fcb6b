import { Injectable } from '@nestjs/common';
import { type LiveSubject, type TokenQuestion, TokensStore } from '../../domain/tokens/tokens.store.js';
import type { Subject } from '../../domain/tokens/user-claims.js';
import { Batched } from './batched.js';
import { Sql } from './sql.js';
import { SUBJECT_COLUMN, SUBJECT_JOINS, type SubjectRow, toSubject } from './subject-row.js';

/** Questions that one statement answers; more wait for the next one of the same turn. */
const LARGEST_BATCH = 50;

// every join is a look-up by primary or unique key, and a question whose conditions do not all hold has no row.
// Written as joins throughout: the planner would turn an EXISTS behind an OR into a scan of the whole table.
const FIND_LIVE = {
  name: 'tokens-find-subjects-of-live-tokens',
  text: `
    SELECT q.number::int, ${SUBJECT_COLUMN}, g.claims -> 'userinfo' AS userinfo_claims,
      p.id AS project_id, p.project_role_assertion
    FROM unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[],
                $9::int[])
      WITH ORDINALITY AS q(subject, subject_epoch, client_id, client_epoch, grant_id, jti, session_id, kid,
                           token_key_id, number)
    JOIN grants g ON g.id = q.grant_id AND g.user_id = q.subject AND g.revoked_at IS NULL
    JOIN users u ON u.id = g.user_id AND u.state = 'active' AND u.token_epoch = q.subject_epoch
    JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    JOIN applications a ON a.id = g.application_id AND a.client_id = q.client_id AND a.state = 'active'
      AND a.token_epoch = q.client_epoch
    JOIN projects p ON p.id = a.project_id AND p.state = 'active'
    JOIN organizations ao ON ao.id = a.org_id AND ao.state = 'active'
    LEFT JOIN revoked_tokens r ON r.jti = q.jti
    LEFT JOIN sessions s ON s.id = q.session_id
    LEFT JOIN signing_keys k ON k.kid = q.kid
    LEFT JOIN token_keys t ON t.id = q.token_key_id
    ${SUBJECT_JOINS}
    WHERE r.jti IS NULL
      AND (q.session_id IS NULL OR (s.id IS NOT NULL AND s.ended_at IS NULL))
      AND (q.kid IS NULL OR k.state IN ('current', 'previous'))
      AND (q.token_key_id IS NULL OR t.state IN ('current', 'previous'))`,
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
  private readonly liveTokens = new Batched<TokenQuestion, LiveSubject | undefined>(
    (questions) => this.findSubjectsOfLiveTokens(questions),
    LARGEST_BATCH,
  );

  constructor(private readonly sql: Sql) {
    super();
  }

  override findSubjectOfLiveToken(question: TokenQuestion): Promise<LiveSubject | undefined> {
    return this.liveTokens.ask(question);
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

  private async findSubjectsOfLiveTokens(
    questions: readonly TokenQuestion[],
  ): Promise<readonly (LiveSubject | undefined)[]> {
    const column = <Key extends keyof TokenQuestion>(key: Key) => questions.map((question) => question[key]);
    type LiveRow = SubjectRow & {
      number: number;
      userinfo_claims: string[] | null;
      project_id: string;
      project_role_assertion: boolean;
    };
    const rows = await this.sql.quickRows<LiveRow>(FIND_LIVE, [
      column('subject'),
      column('subjectEpoch'),
      column('clientId'),
      column('clientEpoch'),
      column('grantId'),
      column('jti'),
      column('sessionId'),
      column('kid'),
      column('tokenKeyId'),
    ]);
    const answers: (LiveSubject | undefined)[] = questions.map(() => undefined);
    for (const row of rows) {
      answers[row.number - 1] = {
        subject: toSubject(row),
        userinfoClaims: row.userinfo_claims ?? [],
        clientProject: { id: row.project_id, assertsRoles: row.project_role_assertion },
      };
    }
    return answers;
  }
}
