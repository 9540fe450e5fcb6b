// SQL by hand: a notice is claimed under a fencing number by one conditional statement, which also checks the state of the endpoint
import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import type { ClientRegistration } from '../../../domain/applications/application.js';
import { underProfile } from '../../../domain/applications/security-profile.js';
import {
  ClientRegistrationSettings,
  servesRegistration,
} from '../../../domain/client-registration/client-registration-settings.js';
import {
  LogoutNoticesStore,
  type ClaimedLogoutNotice,
  type LogoutClaim,
} from '../../../domain/logout/logout-notices.store.js';
import type { LogoutNoticeId, OrgId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { acquireLease, busyFor, leaseExpired, STILL_LEASED } from '../outbox/delivery-lease.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { columns, Table } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { LogoutEndpointEntity } from '../tables/logout-endpoint.entity.js';
import { LogoutNoticeEntity } from '../tables/logout-notice.entity.js';

/** From this many failures in a row on, an endpoint is paused, with one try now and then. */
const SHUT_AFTER = 5;
/** The longest pause: a notice that has waited for this long existed when the endpoint was last tried. */
const LONGEST_PAUSE_SECONDS = 900;
/** SQL: seconds between two tries of a paused endpoint, from half a minute, doubled each time. */
const PAUSE = `least(30 * 2 ^ least(failures - ${SHUT_AFTER}, 20), ${LONGEST_PAUSE_SECONDS})`;
/**
 * SQL: whether a notice `t` is given up, for an endpoint `e` that fails. A notice that was tried is given up after three hours of failures
 * since it was created, or after a day of failures. One that was never tried, because the endpoint was paused or others came first, is
 * given up after a day of failures, once the endpoint was tried since it was created. Time in which the endpoint answered does not count.
 */
const GIVEN_UP = `CASE
  WHEN t.attempts > 0 THEN
    greatest(t.created_at, e.failing_since) < app_now() - interval '3 hours' OR e.failing_since < app_now() - interval '1 day'
  ELSE
    e.failing_since < app_now() - interval '1 day'
    AND t.created_at < app_now() - make_interval(secs => ${LONGEST_PAUSE_SECONDS})
END`;

// applications of a removed organization are still notified of the end of its users' sessions
const CLAIM = {
  name: 'logout-notices-claim',
  text: `
    WITH free AS MATERIALIZED (
      SELECT t.id, t.application_id, t.created_at, t.attempts FROM logout_notices t
      WHERE t.id = $1 AND (t.state = 'pending' OR ${leaseExpired('t')})
    ), shut AS MATERIALIZED (
      SELECT e.application_id, ${GIVEN_UP} AS given_up
      FROM free t JOIN applications a ON a.id = t.application_id
      JOIN logout_endpoints e ON e.application_id = a.id AND e.uri = a.back_channel_logout_uri
      WHERE e.failures >= ${SHUT_AFTER}
    ), tried AS (
      -- when the pause is over, one of the waiting notices is tried
      UPDATE logout_endpoints e SET next_try_at = app_now() + make_interval(secs => $2::float8 / 1000)
      FROM shut WHERE e.application_id = shut.application_id AND e.next_try_at <= app_now()
      RETURNING e.application_id
    ), claimed AS (
      UPDATE logout_notices n SET ${acquireLease('$2::float8')}
      WHERE n.id = $1 AND (n.state = 'pending' OR ${leaseExpired('n')})
        AND (NOT EXISTS (SELECT FROM shut WHERE NOT given_up) OR EXISTS (SELECT FROM tried))
      RETURNING *
    )
    SELECT ${columns(LogoutNoticeEntity, 'n', ['id', 'fence', 'attempts', 'lastError', 'outboxId', 'orgId', 'userId', 'sessionId'])},
      ${columns(ApplicationEntity, 'a', ['clientId', 'devMode', 'clockSkewSeconds', 'idTokenAlgorithm', 'securityProfile', 'pairwiseSector', 'registration'])},
      a.state = 'active' AND p.state = 'active' AND o.state <> 'inactive' AS "applicationActive", a.back_channel_logout_uri AS uri,
      EXISTS (SELECT FROM shut) AND NOT EXISTS (SELECT FROM tried) AS "givenUp"
    FROM claimed n
    JOIN applications a ON a.id = n.application_id
    JOIN projects p ON p.id = a.project_id
    JOIN organizations o ON o.id = a.org_id`,
};

// notices that wait for a paused endpoint come back at random moments within its pause, so that each asks once in that time
function unclaimedNotice(entities: EntityManager) {
  const pause = `random() * make_interval(secs => ${PAUSE})`;
  return selecting(entities.createQueryBuilder(LogoutNoticeEntity, 'n'), ['state'])
    .addSelect(
      `extract(epoch FROM coalesce(n.claimedUntil, e.nextTryAt + ${pause}) - app_now())::float8 * 1000`,
      'lapsesInMs',
    )
    .leftJoin(LogoutEndpointEntity, 'e', `e.applicationId = n.applicationId AND e.failures >= ${SHUT_AFTER}`)
    .where('n.id = :id');
}

const END = {
  name: 'logout-notices-end',
  text: `
    WITH ended AS (
      UPDATE logout_notices SET state = $3, last_error = $4, finished_at = app_now(), claimed_until = NULL
      WHERE ${STILL_LEASED} RETURNING application_id
    ), recovered AS (
      DELETE FROM logout_endpoints e USING ended WHERE $5::boolean AND e.application_id = ended.application_id
    )
    SELECT application_id FROM ended`,
};

const RELEASE = {
  name: 'logout-notices-release',
  text: `
    UPDATE logout_notices SET state = 'pending', last_error = $3, claimed_until = NULL
    WHERE ${STILL_LEASED}
    RETURNING application_id`,
};

/** Counts a failure of the endpoint. A URI that the application has registered since starts from zero. */
const COUNT_FAILURE = {
  name: 'logout-notices-count-failure',
  text: `
    INSERT INTO logout_endpoints AS e (application_id, uri, failures, next_try_at) VALUES ($1, $2, 1, app_now())
    ON CONFLICT (application_id) DO UPDATE SET
      uri = excluded.uri,
      failures = CASE WHEN e.uri = excluded.uri THEN e.failures + 1 ELSE 1 END,
      failing_since = CASE WHEN e.uri = excluded.uri THEN e.failing_since ELSE app_now() END
`,
};
const PAUSE_ENDPOINT = {
  name: 'logout-notices-pause-endpoint',
  text: `
    UPDATE logout_endpoints SET next_try_at = app_now() + make_interval(secs => ${PAUSE})
    WHERE application_id = $1 AND uri = $2 AND failures >= ${SHUT_AFTER}`,
};

type ClaimedRow = Omit<ClaimedLogoutNotice, 'idTokenAlgorithm' | 'pairwiseSector'> & {
  idTokenAlgorithm: 'RS256' | null;
  pairwiseSector: string | null;
  registration: ClientRegistration | null;
};
interface UnclaimedRow {
  readonly state: string;
  readonly lapsesInMs: number | null;
}

@Injectable()
export class PgLogoutNoticesStore extends LogoutNoticesStore {
  private readonly rows: Table<LogoutNoticeEntity>;
  private readonly unclaimed: Query<UnclaimedRow, { readonly id: LogoutNoticeId }>;

  constructor(
    private readonly sql: Sql,
    private readonly registrations: ClientRegistrationSettings,
  ) {
    super();
    this.rows = new Table(sql, LogoutNoticeEntity);
    this.unclaimed = new Query(sql, 'logout-notices-why-not-claimed', unclaimedNotice);
  }

  override async findOwner(id: LogoutNoticeId): Promise<OrgId | undefined> {
    return (await this.rows.find({ id, finishedAt: IsNull() }))?.orgId;
  }

  override async claim(id: LogoutNoticeId, holdMs: number): Promise<LogoutClaim> {
    const row = await this.sql.row<ClaimedRow>(CLAIM, [id, holdMs]);
    if (row === undefined) return await this.whyNotClaimed(id);
    const { idTokenAlgorithm, pairwiseSector, registration, applicationActive, ...claimed } =
      underProfile(row);
    const notice = {
      ...claimed,
      applicationActive: applicationActive && servesRegistration(this.registrations, registration),
      ...(pairwiseSector !== null && { pairwiseSector }),
      ...(idTokenAlgorithm && { idTokenAlgorithm }),
    };
    return { kind: 'claimed', notice };
  }

  override async markDelivered(tx: Tx, claim: ClaimedLogoutNotice): Promise<boolean> {
    return (await this.sql.change(END, [claim.id, claim.fence, 'delivered', null, true], tx)) === 1;
  }

  override async markAbandoned(
    tx: Tx,
    claim: ClaimedLogoutNotice,
    reason: string,
    endpoint: 'answered' | 'silent',
  ): Promise<boolean> {
    const values = [claim.id, claim.fence, 'abandoned', reason, endpoint === 'answered'];
    return (await this.sql.change(END, values, tx)) === 1;
  }

  override async release(claim: ClaimedLogoutNotice, reason: string): Promise<boolean> {
    const values = [claim.id, claim.fence, reason];
    const row = await this.sql.row<{ application_id: string }>(RELEASE, values);
    if (row === undefined) return false;
    if (claim.uri !== null) {
      await this.sql.change(COUNT_FAILURE, [row.application_id, claim.uri]);
      await this.sql.change(PAUSE_ENDPOINT, [row.application_id, claim.uri]);
    }
    return true;
  }

  private async whyNotClaimed(id: LogoutNoticeId): Promise<LogoutClaim> {
    const row = await this.unclaimed.row({ id });
    if (row === undefined || row.state === 'delivered' || row.state === 'abandoned') {
      return { kind: 'finished' };
    }
    return busyFor(row.lapsesInMs);
  }
}
