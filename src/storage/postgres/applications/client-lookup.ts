// SQL by hand: every request to the OAuth endpoints looks up its client; prepared, and several look-ups share one statement (micro-batch.ts)
import {
  BROWSER_SETTINGS,
  isUnknownHere,
  TOKEN_SETTINGS,
  type Application,
  type BrowserApplication,
  type ClientRegistration,
  type MissedSetting,
} from '../../../domain/applications/application.js';
import type { FrontChannel, FrontChannelLogoutSettings } from '../../../domain/applications/front-channel.js';
import { underProfile } from '../../../domain/applications/security-profile.js';
import {
  servesRegistration,
  type ClientRegistrationSettings,
} from '../../../domain/client-registration/client-registration-settings.js';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import type { ApplicationId, SessionId } from '../../../domain/shared/ids.js';
import { BRANDING_COLUMN, BRANDING_JOIN } from '../policies/branding-column.js';
import {
  LIFETIME_COLUMNS,
  lifetimeJoins,
  lifetimesOf,
  type LifetimesRow,
} from '../policies/lifetime-columns.js';
import type { Sql } from '../sql.js';
import { columns } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';
import { MicroBatch } from '../throughput/micro-batch.js';
import { clientEpoch } from '../tokens/epochs.js';

const ACTIVE = `a.state = 'active' AND p.state = 'active' AND o.state = 'active'`;
const CLIENT_COLUMNS = `
  ${columns(ApplicationEntity, 'a', ['id', 'orgId', 'projectId', 'clientId', 'name', 'clientSecretHash', 'registration', 'pairwiseSector', ...TOKEN_SETTINGS])},
  ${columns(ProjectEntity, 'p', ['projectRoleAssertion', 'projectRoleCheck', 'hasProjectCheck'])},
  ${ACTIVE} AS active, ${clientEpoch('o')} AS "tokenEpoch",
  a.back_channel_logout_uri IS NOT NULL AS "backChannelLogout",
  a.front_channel_logout_uri IS NOT NULL AS "frontChannelLogout", ${LIFETIME_COLUMNS}`;
const BROWSER_COLUMNS = `
  ${CLIENT_COLUMNS}, ${BRANDING_COLUMN}, ${columns(ApplicationEntity, 'a', [
    'missedSettings',
    'allowedScopes',
    ...BROWSER_SETTINGS,
  ])}`;
const FROM = `
  FROM applications a
  JOIN projects p ON p.org_id = a.org_id AND p.id = a.project_id
  JOIN organizations o ON o.id = a.org_id${lifetimeJoins('a.org_id')}`;

/** Most frames on one logout page: the browser loads all of them. */
const MOST_FRONT_CHANNELS = 100;
/** Clients that one statement looks up. */
const LARGEST_BATCH = 50;

// one JSON column, for the same reason as SUBJECT_COLUMN: every token request runs this
const FIND_CLIENTS = {
  name: 'applications-find-clients',
  text: `SELECT to_json(c) AS client FROM (SELECT ${CLIENT_COLUMNS} ${FROM} WHERE a.client_id = ANY ($1)) c`,
};
const FIND_BROWSER_CLIENT = {
  name: 'applications-find-browser-client',
  text: `SELECT ${BROWSER_COLUMNS} ${FROM} ${BRANDING_JOIN} WHERE a.client_id = $1`,
};
const FIND_BROWSER_APPLICATION = {
  name: 'applications-find-browser-application',
  text: `SELECT ${BROWSER_COLUMNS} ${FROM} ${BRANDING_JOIN} WHERE a.id = $1`,
};
const IS_ORIGIN_REGISTERED = {
  name: 'applications-is-origin-registered',
  text: `SELECT EXISTS (SELECT ${FROM} WHERE a.origins @> ARRAY[$1::text] AND ${ACTIVE}) AS found`,
};
const IS_ORIGIN_OF_CLIENT = {
  name: 'applications-is-origin-of-client',
  text: `SELECT EXISTS (SELECT ${FROM} WHERE a.client_id = $2 AND a.origins @> ARRAY[$1::text] AND ${ACTIVE}) AS found`,
};
// `sequence` is not raised: the settings do not change
const ADD_MISSED_SETTING = {
  name: 'applications-add-missed-setting',
  text: `
    UPDATE applications SET missed_settings = array_append(missed_settings, $2)
    WHERE id = $1 AND NOT missed_settings @> ARRAY[$2::text]`,
};

// by authorizations of every kind, also with a code that was never redeemed: the application may know of that sign-in. Organizations
// take turns, latest authorizations first, so that one with many applications does not displace others
const LIST_FRONT_CHANNELS = {
  name: 'applications-list-front-channels',
  text: `
    SELECT uri, "sessionId", registration, "pairwiseSector" FROM (
      SELECT a.front_channel_logout_uri AS uri, g.session_id AS "sessionId", a.registration,
        a.pairwise_sector AS "pairwiseSector",
        row_number() OVER (PARTITION BY a.org_id ORDER BY max(g.created_at) DESC, a.front_channel_logout_uri) AS turn
      ${FROM} JOIN authorizations g ON g.application_id = a.id
      WHERE g.session_id = ANY ($1) AND a.front_channel_logout_uri IS NOT NULL AND ${ACTIVE}
      GROUP BY a.org_id, uri, "sessionId", a.registration, "pairwiseSector"
    ) channels
    ORDER BY turn, uri LIMIT ${MOST_FRONT_CHANNELS}`,
};

/** The selected columns. */
type ClientRow = Omit<Application, 'project' | 'lifetimes'> &
  LifetimesRow & {
    frontChannelLogout: boolean;
    projectRoleAssertion: boolean;
    projectRoleCheck: boolean;
    hasProjectCheck: boolean;
  };
type ClientJson = Omit<ClientRow, 'clientSecretHash'> & { clientSecretHash: string | null };
type BrowserRow = ClientRow &
  Omit<BrowserApplication, keyof Application | 'organization'> & { branding: OrganizationBranding };

/** Clients as the endpoints of OAuth 2.0 and OpenID Connect need them. */
export class ClientLookup {
  private readonly clients = new MicroBatch<string, Application | undefined>(
    (clientIds) => this.findAll(clientIds),
    LARGEST_BATCH,
  );

  constructor(
    private readonly sql: Sql,
    private readonly registration: ClientRegistrationSettings,
    private readonly frontChannel: FrontChannelLogoutSettings,
  ) {}

  find(clientId: string): Promise<Application | undefined> {
    return this.clients.ask(clientId);
  }

  async findForBrowser(clientId: string): Promise<BrowserApplication | undefined> {
    const row = await this.sql.row<BrowserRow>(FIND_BROWSER_CLIENT, [clientId]);
    return row && this.browserApplicationOf(row);
  }

  async findForBrowserById(id: ApplicationId): Promise<BrowserApplication | undefined> {
    const row = await this.sql.row<BrowserRow>(FIND_BROWSER_APPLICATION, [id]);
    return row && this.browserApplicationOf(row);
  }

  async isOriginRegistered(origin: string): Promise<boolean> {
    return (await this.sql.row<{ found: boolean }>(IS_ORIGIN_REGISTERED, [origin]))?.found === true;
  }

  async isOriginOfClient(clientId: string, origin: string): Promise<boolean> {
    return (await this.sql.row<{ found: boolean }>(IS_ORIGIN_OF_CLIENT, [origin, clientId]))?.found === true;
  }

  async listFrontChannels(sessionIds: readonly SessionId[]): Promise<readonly FrontChannel[]> {
    if (!this.frontChannel.served || sessionIds.length === 0) return [];
    type ChannelRow = {
      uri: string;
      sessionId: SessionId;
      pairwiseSector: string | null;
      registration: ClientRegistration | null;
    };
    const rows = await this.sql.rows<ChannelRow>(LIST_FRONT_CHANNELS, [sessionIds]);
    return rows
      .filter(({ registration }) => servesRegistration(this.registration, registration))
      .map(({ uri, sessionId, pairwiseSector }) => ({ uri, sessionId, pairwiseSector }));
  }

  async addMissedSetting(id: ApplicationId, setting: MissedSetting): Promise<void> {
    await this.sql.change(ADD_MISSED_SETTING, [id, setting]);
  }

  /** Concurrent look-ups of one client share one row. */
  private async findAll(clientIds: readonly string[]): Promise<readonly (Application | undefined)[]> {
    const rows = await this.sql.pipelinedRows<{ client: ClientJson }>(FIND_CLIENTS, [
      [...new Set(clientIds)],
    ]);
    const found = new Map(rows.map(({ client }) => [client.clientId as string, this.ofJson(client)]));
    return clientIds.map((clientId) => found.get(clientId));
  }

  private ofJson(client: ClientJson): Application {
    const { clientSecretHash: hash } = client;
    // bytea in JSON is its hex form, `\\x…`
    const clientSecretHash = hash === null ? null : Buffer.from(hash.slice(2), 'hex');
    return this.applicationOf(Object.assign(client, { clientSecretHash }));
  }

  /**
   * Completes the row instead of copying it, since copying thirty members for every request shows in CPU profiles. Settings that the
   * security profile overrides are replaced (`underProfile`).
   */
  private applicationOf<Client extends ClientRow>(row: Client): Client & Application {
    return Object.assign(underProfile(row), {
      active: row.active && servesRegistration(this.registration, row.registration),
      frontChannelLogout: row.frontChannelLogout && this.frontChannel.served,
      project: {
        // a client that registered itself is not part of the project that it is stored in
        assertsRoles: row.projectRoleAssertion && !isUnknownHere(row),
        requiresRole: row.projectRoleCheck,
        requiresProject: row.hasProjectCheck,
      },
      lifetimes: lifetimesOf(row),
    });
  }

  private browserApplicationOf(row: BrowserRow): BrowserApplication {
    return Object.assign(this.applicationOf(row), { organization: row.branding });
  }
}
