// SQL by hand: a token is checked by one prepared statement, which checks others at the same time (micro-batch.ts)
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isUnknownHere, type ClientRegistration } from '../../../domain/applications/application.js';
import type { SecurityProfile } from '../../../domain/applications/oidc-config.js';
import {
  ClientRegistrationSettings,
  servesRegistration,
} from '../../../domain/client-registration/client-registration-settings.js';
import type { ApplicationId, OrgId } from '../../../domain/shared/ids.js';
import type { SigningAlgorithm } from '../../../domain/signing-keys/signing-key.js';
import type { Subject } from '../../../domain/tokens/claims/user-claims.js';
import {
  TokensStore,
  type LivePersonalAccessToken,
  type LiveSubject,
  type RolesAndMetadata,
  type TokenContext,
  type TokenQuestion,
  type TokenRevocation,
} from '../../../domain/tokens/tokens.store.js';
import { insertEvents } from '../events/insert-events.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { MicroBatch } from '../throughput/micro-batch.js';
import { primaryDomainJoin } from '../users/login-name.js';
import { mayNameProject } from './audience-rule.js';
import { clientEpoch, SUBJECT_EPOCH } from './epochs.js';
import { SUBJECT_COLUMN, SUBJECT_JOINS, toSubject, type SubjectRow } from './subject-row.js';

/** Tokens that one statement checks; more are checked by another one in the same turn of the event loop. */
const LARGEST_BATCH = 50;

// 'unseen': no session tells how the user signed in, for a token of an exchange or of a deleted session
// Every join is a look-up by primary or unique key; a token that does not meet all conditions has no row. Written as joins, since the
// planner would turn an EXISTS behind an OR into a scan of the whole table.
const CONTEXT = `
  CASE WHEN q.project_ids IS NOT NULL THEN json_build_object(
    'client_ids', (SELECT array_agg(c.client_id ORDER BY c.client_id) FROM applications c
                   WHERE c.project_id = ANY (string_to_array(q.project_ids, ' ')) AND c.state = 'active'
                     AND c.registration IS NULL
                     AND c.project_id <> ALL (coalesce(lost.projects, '{}'))),
    'auth_time', floor(extract(epoch FROM g.auth_time)), 'amr', g.amr, 'acr', g.acr,
    'unseen', coalesce(
      (SELECT s.proofs ? 'external' AND s.proofs - '{external,external-told}'::text[] = '{}' FROM sessions s WHERE s.id = g.session_id), true)) END`;

// a service user's own token has no authorization with a time; a minute more, since the clocks of two machines may differ
const ISSUED_FOR = {
  orgId: 'coalesce(a.org_id, u.org_id)',
  since: "coalesce(g.created_at, to_timestamp(q.issued_at) + interval '1 minute')",
};
const LOST_PROJECTS = `
  SELECT array_agg(f.id) AS projects FROM projects f
  WHERE q.audience IS DISTINCT FROM p.id AND f.id = ANY (string_to_array(q.audience, ' '))
    AND NOT ${mayNameProject({ project: 'f', ...ISSUED_FOR })}`;
// the clients of projects are in the audience of a JWT; only by a token exchange can a client be there without its project
const LOST_CLIENTS = `
  CASE WHEN lost.projects IS NOT NULL OR (g.lineage IS NOT NULL AND q.audience IS NOT NULL) THEN (
    SELECT array_agg(c.client_id) FROM applications c JOIN projects f ON f.id = c.project_id
    WHERE c.client_id = ANY (string_to_array(q.audience, ' ')) AND NOT ${mayNameProject({ project: 'f', ...ISSUED_FOR })}
  ) END`;

/** The parameters for each token: column, type and value. */
const ASKED: Readonly<Record<string, readonly [type: string, of: (question: TokenQuestion) => unknown]>> = {
  subject: ['text', ({ subject }) => subject],
  subject_epoch: ['int', ({ subjectEpoch }) => subjectEpoch],
  client_id: ['text', ({ clientId }) => clientId],
  client_epoch: ['int', ({ clientEpoch }) => clientEpoch],
  authorization_id: ['text', ({ authorizationId }) => authorizationId],
  jti: ['text', ({ jti }) => jti],
  session_id: ['text', ({ sessionId }) => sessionId],
  kid: ['text', ({ kid }) => kid],
  token_key_id: ['int', ({ tokenKeyId }) => tokenKeyId],
  project_ids: ['text', ({ projectIds }) => projectIds?.join(' ') ?? null],
  audience: ['text', ({ audience }) => audience?.join(' ') ?? null],
  issued_at: ['float8', ({ issuedAt }) => issuedAt],
};
const ASKED_LISTS = Object.values(ASKED).map(([type], index) => `$${index + 1}::${type}[]`);
const ASKED_VALUES = Object.values(ASKED).map(([, of]) => of);

const FIND_LIVE = {
  name: 'tokens-find-subjects-of-live-tokens',
  text: `
    SELECT q.number::int, ${SUBJECT_COLUMN}, g.claims -> 'userinfo' AS userinfo_claims, ${CONTEXT} AS context,
      p.id AS project_id, p.project_role_assertion, a.id AS application_id, a.registration, a.userinfo_algorithm,
      a.security_profile,
      CASE WHEN a.claims_webhook THEN a.org_id END AS claims_org_id, a.pairwise_sector,
      to_json(lost.projects) AS lost_projects, to_json(${LOST_CLIENTS}) AS lost_clients
    FROM unnest(${ASKED_LISTS.join(', ')}) WITH ORDINALITY AS q(${Object.keys(ASKED).join(', ')}, number)
    JOIN users u ON u.id = q.subject AND u.state = 'active'
    JOIN organizations o ON o.id = u.org_id AND o.state = 'active' AND ${SUBJECT_EPOCH} = q.subject_epoch
    LEFT JOIN authorizations g ON g.id = q.authorization_id AND g.user_id = q.subject AND g.revoked_at IS NULL
    LEFT JOIN applications a ON a.id = g.application_id AND a.client_id = q.client_id AND a.state = 'active'
    LEFT JOIN projects p ON p.id = a.project_id AND p.state = 'active'
    LEFT JOIN organizations ao ON ao.id = a.org_id AND ao.state = 'active' AND ${clientEpoch('ao')} = q.client_epoch
    LEFT JOIN revoked_tokens r ON r.jti = q.jti
    LEFT JOIN sessions s ON s.id = q.session_id
    LEFT JOIN signing_keys k ON k.kid = q.kid
    LEFT JOIN token_keys t ON t.id = q.token_key_id
    LEFT JOIN LATERAL (${LOST_PROJECTS}) AS lost ON true
    ${SUBJECT_JOINS}
    WHERE r.jti IS NULL
      -- a service user's own token has no authorization and no client; every other token must have both
      AND CASE WHEN q.authorization_id IS NULL THEN m.user_id IS NOT NULL ELSE p.id IS NOT NULL AND ao.id IS NOT NULL END
      -- for a token exchange, everything that it depends on must be valid as well
      AND (g.lineage IS NULL OR exchange_holds(g.lineage))
      AND (q.session_id IS NULL OR (s.id IS NOT NULL AND s.ended_at IS NULL))
      AND (q.kid IS NULL OR k.state IN ('current', 'previous'))
      AND (q.token_key_id IS NULL OR t.state IN ('current', 'previous'))`,
};

const FIND_BY_PAT = {
  name: 'tokens-find-subject-of-pat',
  text: `
    SELECT ${SUBJECT_COLUMN}, t.id AS token_id, floor(extract(epoch FROM t.created_at))::float8 AS issued_at,
           floor(extract(epoch FROM t.expires_at))::float8 AS expires_at
    FROM personal_access_tokens t
    JOIN users u ON u.id = t.user_id AND u.state = 'active'
    JOIN organizations o ON o.id = u.org_id AND o.state = 'active'
    ${SUBJECT_JOINS}
    WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > app_now())`,
};

const REVOKE = {
  name: 'tokens-revoke',
  text: `
    WITH revoked AS (
      INSERT INTO revoked_tokens (jti, expires_at) VALUES ($1, to_timestamp($2)) ON CONFLICT (jti) DO NOTHING
      RETURNING jti
    )
    ${insertEvents('data')}
    SELECT $4, 'access_token', jti, 1, 'access_token.revoked', jsonb_build_object('clientId', $3::text) FROM revoked`,
};

function clientsOfProjects(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ApplicationEntity, 'a'), ['clientId'])
    .where(`a.projectId = ANY (:projectIds) AND a.state = 'active' AND a.registration IS NULL`)
    .orderBy('a.clientId');
}

const FIND_SUBJECT = {
  name: 'tokens-find-subject',
  text: `SELECT ${SUBJECT_COLUMN} FROM users u ${SUBJECT_JOINS} WHERE u.id = $1`,
};

const FIND_ROLES_AND_METADATA = {
  name: 'role-and-metadata-find',
  text: `
    SELECT o.id AS "orgId", o.name AS "orgName", coalesce(d.domain, '') AS "primaryDomain",
      coalesce((SELECT json_agg(json_build_object('projectId', g.project_id, 'key', r.role_key, 'orgId', g.org_id,
                                                  'domain', coalesce(gd.domain, '')) ORDER BY r.role_key)
                FROM role_assignments g
                JOIN role_assignment_roles r ON r.role_assignment_id = g.id
                JOIN projects p ON p.id = g.project_id AND p.state = 'active'
                JOIN organizations po ON po.id = g.project_org_id AND po.state = 'active'
                JOIN organizations go ON go.id = g.org_id AND go.state = 'active'
                LEFT JOIN project_grants pg ON pg.id = g.project_grant_id
                ${primaryDomainJoin('g.org_id', 'gd')}
                WHERE coalesce(pg.state, 'active') = 'active' AND g.user_id = u.id AND g.project_id = ANY ($2) AND g.state = 'active'), '[]') AS roles,
      CASE WHEN $3 THEN (SELECT json_agg(json_build_array(m.key, encode(m.value, 'base64')) ORDER BY m.key)
                         FROM user_metadata m WHERE m.user_id = u.id) END AS metadata
    FROM users u
    JOIN organizations o ON o.id = u.org_id
    ${primaryDomainJoin('o.id')}
    WHERE u.id = $1`,
};

// for authorization requests that name projects, and for token exchanges
const REACHABLE = {
  name: 'project-audience-reachable',
  text: `
    SELECT p.id FROM projects p
    WHERE p.id = ANY ($2::text[]) AND p.state = 'active' AND ${mayNameProject({ project: 'p', orgId: '$1' })}
    UNION
    SELECT a.client_id FROM applications a JOIN projects p ON p.id = a.project_id AND p.state = 'active'
    WHERE a.client_id = ANY ($2) AND a.state = 'active' AND ${mayNameProject({ project: 'p', orgId: '$1' })}`,
};

type RolesAndMetadataRow = Omit<RolesAndMetadata, 'metadata'> & {
  metadata: [key: string, base64: string][] | null;
};

interface ContextJson {
  readonly client_ids: string[] | null;
  readonly auth_time: number | null;
  readonly amr: string[] | null;
  readonly acr: string | null;
  readonly unseen: boolean | null;
}

function toContext({
  client_ids: clientIds,
  auth_time: authTime,
  amr,
  acr,
  unseen,
}: ContextJson): TokenContext {
  return {
    clientIds: clientIds ?? [],
    ...(authTime === null ? {} : { authTime }),
    ...(amr === null ? {} : { amr }),
    ...(acr === null ? {} : { acr }),
    ...(unseen === true && { isUnseen: true as const }),
  };
}

@Injectable()
export class PgTokensStore extends TokensStore {
  private readonly liveTokens = new MicroBatch<TokenQuestion, LiveSubject | undefined>(
    (questions) => this.findSubjectsOfLiveTokens(questions),
    LARGEST_BATCH,
  );

  private readonly clients: Query<{ clientId: string }, { readonly projectIds: readonly string[] }>;

  constructor(
    private readonly sql: Sql,
    private readonly registrations: ClientRegistrationSettings,
  ) {
    super();
    this.clients = new Query(sql, 'tokens-list-client-ids', clientsOfProjects);
  }

  override findSubjectOfLiveToken(question: TokenQuestion): Promise<LiveSubject | undefined> {
    return this.liveTokens.ask(question);
  }

  override async findSubjectOfPersonalAccessToken(
    tokenHash: Buffer,
  ): Promise<LivePersonalAccessToken | undefined> {
    type PatRow = SubjectRow & { token_id: string; issued_at: number; expires_at: number | null };
    const row = await this.sql.pipelined<PatRow>(FIND_BY_PAT, [tokenHash]);
    if (row === undefined) return undefined;
    const { token_id: tokenId, issued_at: issuedAt, expires_at: expiresAt } = row;
    return { subject: toSubject(row), tokenId, issuedAt, ...(expiresAt === null ? {} : { expiresAt }) };
  }

  override async revoke({ jti, expiresAt, clientId, orgId }: TokenRevocation): Promise<void> {
    await this.sql.change(REVOKE, [jti, expiresAt, clientId, orgId]);
  }

  override async listClientIds(projectIds: readonly string[]): Promise<readonly string[]> {
    return (await this.clients.rows({ projectIds })).map(({ clientId }) => clientId);
  }

  override async findSubject(userId: string): Promise<Subject | undefined> {
    const row = await this.sql.row<SubjectRow>(FIND_SUBJECT, [userId]);
    return row === undefined ? undefined : toSubject(row);
  }

  override async findRolesAndMetadata(
    userId: string,
    { projectIds, metadata }: { readonly projectIds: readonly string[]; readonly metadata: boolean },
  ): Promise<RolesAndMetadata | undefined> {
    const values = [userId, projectIds, metadata];
    const row = await this.sql.pipelined<RolesAndMetadataRow>(FIND_ROLES_AND_METADATA, values);
    return (
      row && {
        ...row,
        metadata: Object.fromEntries(
          (row.metadata ?? []).map(([key, base64]) => [key, Buffer.from(base64, 'base64')]),
        ),
      }
    );
  }

  override async reachableAudience(orgId: OrgId, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.sql.pipelinedRows<{ id: string }>(REACHABLE, [orgId, ids]);
    return new Set(rows.map(({ id }) => id));
  }

  private async findSubjectsOfLiveTokens(
    questions: readonly TokenQuestion[],
  ): Promise<readonly (LiveSubject | undefined)[]> {
    type LiveRow = SubjectRow & {
      number: number;
      userinfo_claims: string[] | null;
      context: ContextJson | null;
      lost_projects: string[] | null;
      lost_clients: string[] | null;
      project_id: string | null;
      project_role_assertion: boolean;
      application_id: ApplicationId | null;
      registration: ClientRegistration | null;
      userinfo_algorithm: SigningAlgorithm | null;
      security_profile: SecurityProfile | null;
      claims_org_id: OrgId | null;
      pairwise_sector: string | null;
    };
    const asked = ASKED_VALUES.map((of) => questions.map(of));
    const rows = await this.sql.pipelinedRows<LiveRow>(FIND_LIVE, asked);
    const answers: (LiveSubject | undefined)[] = questions.map(() => undefined);
    for (const row of rows) {
      if (!servesRegistration(this.registrations, row.registration)) continue;
      answers[row.number - 1] = {
        subject: toSubject(row),
        userinfoClaims: row.userinfo_claims ?? [],
        ...(row.project_id === null
          ? {}
          : {
              clientProject: {
                id: row.project_id,
                // a client that registered itself is not part of the project that it is stored in
                assertsRoles: row.project_role_assertion && !isUnknownHere(row),
              },
            }),
        ...(row.application_id === null ? {} : { applicationId: row.application_id }),
        ...(row.userinfo_algorithm === null ? {} : { userinfoAlgorithm: row.userinfo_algorithm }),
        ...(row.security_profile === null ? {} : { securityProfile: row.security_profile }),
        ...(row.claims_org_id === null ? {} : { claimsWebhookOf: row.claims_org_id }),
        ...(row.pairwise_sector === null ? {} : { pairwiseSector: row.pairwise_sector }),
        ...(row.registration === null ? {} : { registration: row.registration }),
        ...(row.context === null ? {} : { context: toContext(row.context) }),
        lostAudience: [...(row.lost_projects ?? []), ...(row.lost_clients ?? [])],
      };
    }
    return answers;
  }
}
