import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { given } from '../support/given.js';
import { goesTo, memberAtConsole, PASSWORD, settles } from './support/console.js';
import { useStage } from './support/stage.js';
import { oneOfEach } from './support/things.js';

// Each role at the console: the places and buttons that this table gives it, no others, and a refusal by the server of what is
// not shown. The table is written by hand from docs/api.md ("Who may call"), not read from the program.

const stage = useStage({ CLIENT_REGISTRATION: 'token' });

const ROLES = ['IAM_OWNER', 'IAM_OWNER_VIEWER', 'ORG_OWNER', 'ORG_USER_MANAGER', 'ORG_OWNER_VIEWER'] as const;
const WITHOUT_CONSOLE = [
  'IAM_END_USER_IMPERSONATOR',
  'IAM_ADMIN_IMPERSONATOR',
  'ORG_END_USER_IMPERSONATOR',
  'ORG_ADMIN_IMPERSONATOR',
] as const;
type Role = (typeof ROLES)[number];

const ALL: readonly Role[] = ROLES;
const VIEWERS: readonly Role[] = ['IAM_OWNER', 'IAM_OWNER_VIEWER', 'ORG_OWNER', 'ORG_OWNER_VIEWER'];
const USER_WRITERS: readonly Role[] = ['IAM_OWNER', 'ORG_OWNER', 'ORG_USER_MANAGER'];
const OWNERS: readonly Role[] = ['IAM_OWNER', 'ORG_OWNER'];
const INSTANCE_VIEWERS: readonly Role[] = ['IAM_OWNER', 'IAM_OWNER_VIEWER'];
const ROOT: readonly Role[] = ['IAM_OWNER'];

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** A page: who may open it, and what it asks the server for first. */
interface PageOf {
  readonly at: string;
  readonly seenBy: readonly Role[];
  /** Has no line in the side bar: one comes to it from another page. */
  readonly isInner?: boolean;
  /** Undefined for a page that only sends something. */
  readonly reads?: Call;
  readonly actions: readonly Action[];
  /** Buttons and fields that change nothing, for whoever sees the page. */
  readonly uses?: readonly Name[];
}

type Name = string | RegExp;

/** What can be done there: the button, link or box that is shown, or for no name all fields of the page; and the call that it makes. */
interface Action {
  readonly name: Name;
  readonly role?: 'button' | 'link' | 'checkbox';
  readonly by: readonly Role[];
  /** Undefined where it only opens what another one sends. */
  readonly call?: Call;
  /** Stands there only after something was done. */
  readonly isRare?: boolean;
}

const get = (path: string): Call => ({ method: 'GET', path });
const post = (path: string, body: object = {}): Call => ({ method: 'POST', path, body });
const put = (path: string, body: object): Call => ({ method: 'PUT', path, body });
const del = (path: string): Call => ({ method: 'DELETE', path });

const PROVIDER = { kind: 'google', name: 'Google', clientId: 'abc', clientSecret: 'Marker-secret' };
const WEBHOOK = { name: 'Hook', url: 'https://hooks.example.com/', eventTypes: ['*'] };

const RELAY = { kind: 'smtp', name: 'Not added', host: 'smtp.quay.example', from: 'quay@quay.example' };

/** What only looks closer at what is there: for whoever sees the page. */
const NOT_THEIRS = /You may not open this page/;
/** As the console calls them, where it says whom a page is for. */
const LABELS: Readonly<Record<Role, string>> = {
  IAM_OWNER: 'Instance owner',
  IAM_OWNER_VIEWER: 'Instance viewer',
  ORG_OWNER: 'Organization owner',
  ORG_USER_MANAGER: 'User manager',
  ORG_OWNER_VIEWER: 'Organization viewer',
};
const OF_FORMS: readonly Name[] = [/^Show /, /^Add /, /^Remove /, /: unit$/, /^$/];
const EVERYWHERE: readonly Name[] = ['Copy', 'Show more', 'Remove the filters', 'Search by name'];
const OF_CHARTS: readonly Name[] = [
  /^Show as a /,
  /^(?:24 hours|7 days|30 days)$/,
  /^(?:This organization|The instance|All organizations)/,
];
const OF_PREVIEW: readonly Name[] = ['Light', 'Dark', 'Language', /^(?:Sign-in page|Mail|SMS)$/];
const OF_LOG: readonly Name[] = [
  'Live',
  'Event',
  'Object type',
  'Object id',
  'From',
  'To',
  /^Details of event/,
  'Show older ones',
];

/** Of the instance and of an organization alike. */
function webhookPages(
  at: string,
  path: string,
  id: string,
  seenBy: readonly Role[],
  by: readonly Role[],
): readonly PageOf[] {
  return [
    { at: `${at}/new`, isInner: true, seenBy: by, actions: [{ name: '', by }] },
    {
      at: `${at}/${id}`,
      isInner: true,
      seenBy,
      reads: get(`${path}/${id}`),
      actions: [
        { name: '', by, call: put(`${path}/${id}`, WEBHOOK) },
        { name: 'Switch off', by, call: post(`${path}/${id}/_deactivate`) },
        { name: 'Send a ping', by, call: post(`${path}/${id}/_test`) },
        { name: 'Change the secret', by, call: post(`${path}/${id}/_change_secret`) },
        {
          // once a time is typed
          name: 'Send again',
          by,
          call: post(`${path}/${id}/_replay`, { from: '2026-01-31T12:00:00Z' }),
          isRare: true,
        },
        { name: 'Remove the webhook', by, call: del(`${path}/${id}`) },
      ],
    },
  ];
}

const POLICIES = [
  ['password', {}],
  ['lockout', {}],
  ['factors', {}],
  ['tokens', {}],
] as const;

const ROWS: readonly PageOf[] = [
  { at: 'orgs/{org}', seenBy: ALL, reads: get('management/v1/orgs/me'), uses: OF_CHARTS, actions: [] },
  {
    at: 'orgs/{org}/users',
    seenBy: ALL,
    reads: post('management/v1/users/_search'),
    uses: [/^Search names/, 'State'],
    actions: [
      {
        name: 'Add a user',
        role: 'link',
        by: USER_WRITERS,
        call: post('management/v1/users/human', {
          profile: { firstName: 'Not', lastName: 'Added' },
          email: { email: 'not-added@post.example' },
        }),
      },
      {
        name: 'Invite',
        role: 'link',
        by: USER_WRITERS,
        call: post('management/v1/users/human', {
          profile: { firstName: 'Not', lastName: 'Invited' },
          email: { email: 'not-invited@post.example' },
        }),
      },
      { name: 'Import', role: 'link', by: OWNERS, call: post('management/v1/imports?format=ndjson') },
      {
        name: 'Choose all that are shown',
        role: 'checkbox',
        by: USER_WRITERS,
        call: post('management/v1/users/_bulk', { action: 'lock', userIds: ['{user}'] }),
      },
      { name: /^Choose /, role: 'checkbox', by: USER_WRITERS },
    ],
  },
  ...['new', 'invite'].map((page): PageOf => ({
    at: `orgs/{org}/users/${page}`,
    isInner: true,
    seenBy: USER_WRITERS,
    uses: ['Show or hide the password'],
    actions: [{ name: '', by: USER_WRITERS }],
  })),
  {
    at: 'orgs/{org}/users/{user}',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/users/{user}'),
    actions: [
      {
        name: '',
        by: USER_WRITERS,
        call: put('management/v1/users/{user}/profile', { firstName: 'Not', lastName: 'Changed' }),
      },
      { name: 'Lock', by: USER_WRITERS, call: post('management/v1/users/{user}/_lock') },
      { name: 'Deactivate', by: USER_WRITERS, call: post('management/v1/users/{user}/_deactivate') },
      {
        name: 'Send a link to set a new password',
        by: USER_WRITERS,
        call: post('management/v1/users/{user}/password/_reset'),
      },
      { name: 'Delete user', by: USER_WRITERS, call: del('management/v1/users/{user}') },
    ],
  },
  {
    at: 'orgs/{org}/users/{user}/contact',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/users/{user}'),
    actions: [
      {
        name: '',
        by: USER_WRITERS,
        call: put('management/v1/users/{user}/email', { email: 'not-changed@post.example' }),
      },
    ],
  },
  {
    at: 'orgs/{org}/users/{user}/security',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/users/{user}/factors'),
    actions: [
      {
        name: 'Set a password',
        by: USER_WRITERS,
        call: post('management/v1/users/{user}/password', { password: 'Not-Set-At-All-9' }),
      },
      {
        name: 'Make a passkey link',
        by: USER_WRITERS,
        call: post('management/v1/users/{user}/passwordless/_link'),
      },
      { name: 'Reset all factors', by: USER_WRITERS, call: del('management/v1/users/{user}/factors') },
      { name: 'Remove', by: USER_WRITERS, call: del('management/v1/users/{user}/factors/totp') },
      // whoever reads no providers has none to choose
      { name: 'Link an identity', by: OWNERS },
      { name: 'Sign out everywhere', by: USER_WRITERS, call: del('management/v1/users/{user}/sessions') },
      { name: 'End', by: USER_WRITERS, call: del('management/v1/users/{user}/sessions/session-of-things') },
    ],
  },
  {
    at: 'orgs/{org}/users/{user}/roles',
    isInner: true,
    seenBy: ALL,
    reads: post('management/v1/users/{user}/grants/_search'),
    actions: [
      { name: '', by: USER_WRITERS },
      {
        name: 'Give',
        by: USER_WRITERS,
        call: post('management/v1/users/{user}/grants', { projectId: '{project}', roleKeys: [] }),
      },
      { name: /^Change the roles in /, by: USER_WRITERS },
      { name: 'Take away', by: USER_WRITERS, call: del('management/v1/users/{user}/grants/{user}') },
    ],
  },
  {
    at: 'orgs/{org}/users/{user}/metadata',
    isInner: true,
    seenBy: ALL,
    reads: post('management/v1/users/{user}/metadata/_search'),
    uses: ['Keys that begin with'],
    actions: [
      {
        name: 'Add metadata',
        by: USER_WRITERS,
        call: put('management/v1/users/{user}/metadata/not-added', { value: 'bm8=' }),
      },
      { name: /^Change /, by: USER_WRITERS },
      { name: /^Remove/, by: USER_WRITERS, call: del('management/v1/users/{user}/metadata/department') },
    ],
  },
  {
    at: 'orgs/{org}/users/{user}/messages',
    isInner: true,
    seenBy: VIEWERS,
    reads: post('management/v1/notifications/_search', { userId: '{user}' }),
    actions: [],
  },
  {
    at: 'orgs/{org}/users/{user}/events',
    isInner: true,
    seenBy: VIEWERS,
    reads: post('management/v1/events/_search', { aggregateId: '{user}' }),
    uses: ['About this user', 'Done by this user', /^Details of event/, 'Show more'],
    actions: [],
  },
  {
    at: 'orgs/{org}/service-users',
    seenBy: ALL,
    reads: post('management/v1/users/_search'),
    uses: ['Search names and ids', 'State'],
    actions: [
      {
        name: 'Add a service user',
        role: 'link',
        by: USER_WRITERS,
        call: post('management/v1/users/machine', { userName: 'not-added', name: 'Not added' }),
      },
    ],
  },
  {
    at: 'orgs/{org}/service-users/new',
    isInner: true,
    seenBy: USER_WRITERS,
    actions: [{ name: '', by: USER_WRITERS }],
  },
  {
    at: 'orgs/{org}/service-users/{machine}',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/users/{machine}'),
    actions: [
      {
        name: '',
        by: USER_WRITERS,
        call: put('management/v1/users/{machine}/machine', { name: 'Not changed' }),
      },
      { name: 'Lock', by: USER_WRITERS, call: post('management/v1/users/{machine}/_lock') },
      { name: 'Deactivate', by: USER_WRITERS, call: post('management/v1/users/{machine}/_deactivate') },
      {
        name: 'Add a key',
        by: USER_WRITERS,
        call: post('management/v1/users/{machine}/keys', { type: 'KEY_TYPE_JSON' }),
      },
      { name: 'Make a token', by: USER_WRITERS, call: post('management/v1/users/{machine}/pats') },
      { name: 'Remove', by: USER_WRITERS, call: del('management/v1/users/{machine}/keys/{machine}') },
      { name: 'Make a secret', by: USER_WRITERS, call: put('management/v1/users/{machine}/secret', {}) },
      { name: 'Remove the secret', by: USER_WRITERS, call: del('management/v1/users/{machine}/secret') },
      {
        name: 'Give',
        by: USER_WRITERS,
        call: post('management/v1/users/{machine}/grants', { projectId: '{project}', roleKeys: [] }),
      },
      { name: 'Delete service user', by: USER_WRITERS, call: del('management/v1/users/{machine}') },
    ],
  },
  {
    at: 'orgs/{org}/projects',
    seenBy: ALL,
    reads: post('management/v1/projects/_search'),
    uses: ['Search by name'],
    actions: [
      {
        name: 'Add a project',
        role: 'link',
        by: OWNERS,
        call: post('management/v1/projects', { name: 'Not added' }),
      },
    ],
  },
  {
    at: 'orgs/{org}/projects/new',
    isInner: true,
    seenBy: OWNERS,
    actions: [{ name: '', by: OWNERS }],
  },
  {
    at: 'orgs/{org}/projects/{project}',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/projects/{project}'),
    actions: [
      { name: '', by: OWNERS, call: put('management/v1/projects/{project}', { name: 'Not changed' }) },
      { name: 'Deactivate', by: OWNERS, call: post('management/v1/projects/{project}/_deactivate') },
      {
        name: 'Add an application',
        role: 'link',
        by: OWNERS,
        call: post('management/v1/projects/{project}/apps/oidc', {
          name: 'Not added',
          redirectUris: ['https://rp.test/cb'],
        }),
      },
      {
        name: 'Add role',
        by: OWNERS,
        call: post('management/v1/projects/{project}/roles', { roleKey: 'not-added', displayName: 'Not' }),
      },
      {
        name: /^Change: /,
        by: OWNERS,
        call: put('management/v1/projects/{project}/roles/keeper', { displayName: 'Not changed' }),
      },
      { name: 'Remove', by: OWNERS, call: del('management/v1/projects/{project}/roles/keeper') },
      {
        name: 'Grant to an organization',
        by: OWNERS,
        call: post('management/v1/projects/{project}/grants', { grantedOrgId: '{user}', roleKeys: [] }),
      },
      {
        name: 'Change roles',
        by: OWNERS,
        call: put('management/v1/projects/{project}/grants/{user}', { roleKeys: [] }),
      },
      {
        name: 'Deactivate',
        by: OWNERS,
        call: post('management/v1/projects/{project}/grants/{user}/_deactivate'),
      },
      {
        name: 'Remove',
        by: OWNERS,
        call: del('management/v1/projects/{project}/grants/{user}'),
      },
      { name: 'Delete project', by: OWNERS, call: del('management/v1/projects/{project}') },
    ],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/new',
    isInner: true,
    seenBy: OWNERS,
    uses: [/./],
    actions: [],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/{app}',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/projects/{project}/apps/{app}'),
    uses: ['Redirect URI of the request'],
    actions: [
      { name: '', by: OWNERS },
      {
        name: 'Deactivate',
        by: OWNERS,
        call: post('management/v1/projects/{project}/apps/{app}/_deactivate'),
      },
      {
        name: 'Delete application',
        by: OWNERS,
        call: del('management/v1/projects/{project}/apps/{app}'),
      },
    ],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/{app}/sign-in',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/projects/{project}/apps/{app}'),
    actions: [
      {
        name: 'Make a new secret',
        by: OWNERS,
        call: post('management/v1/projects/{project}/apps/{app}/oidc_config/_generate_client_secret'),
      },
    ],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/{api}',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/projects/{project}/apps/{api}/keys'),
    actions: [
      { name: '', by: OWNERS },
      { name: 'Deactivate', by: OWNERS },
      { name: 'Delete application', by: OWNERS },
      {
        name: 'Add a key',
        by: OWNERS,
        call: post('management/v1/projects/{project}/apps/{api}/keys', { type: 'KEY_TYPE_JSON' }),
      },
      { name: 'Remove', by: OWNERS, call: del('management/v1/projects/{project}/apps/{api}/keys/{api}') },
    ],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/{app}/tokens',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/projects/{project}/apps/{app}'),
    uses: ['User', 'Scopes', 'Show the claims'],
    actions: [],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/{app}/access',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/projects/{project}/apps/{app}'),
    actions: [],
  },
  {
    at: 'orgs/{org}/projects/{project}/applications/{app}/code',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/projects/{project}/apps/{app}'),
    uses: ['Framework', 'Shell', /^(?:curl|Node\.js)/],
    actions: [{ name: 'Register it', by: OWNERS }],
  },
  {
    at: 'orgs/{org}/imports',
    seenBy: OWNERS,
    reads: get('management/v1/imports'),
    uses: ['State'],
    actions: [
      {
        name: 'Import a file',
        role: 'link',
        by: OWNERS,
        call: post('management/v1/users/human/_import', {
          userName: 'not-imported',
          profile: { firstName: 'Not', lastName: 'Imported' },
          email: { email: 'not-imported@post.example' },
        }),
      },
    ],
  },
  {
    at: 'orgs/{org}/imports/new',
    isInner: true,
    seenBy: OWNERS,
    actions: [{ name: 'Choose a file', by: OWNERS }],
  },
  {
    at: 'orgs/{org}/imports/{import}',
    isInner: true,
    seenBy: OWNERS,
    reads: get('management/v1/imports/{import}'),
    uses: [/^Download as /, /^(?:All|Failed|Skipped|Updated|Created)/],
    actions: [
      {
        name: 'Send the held messages',
        by: OWNERS,
        call: post('management/v1/imports/{import}/_notify'),
      },
      {
        name: 'Try failed records again',
        by: OWNERS,
        call: post('management/v1/imports/{import}/_retry'),
      },
      { name: 'Undo the import', by: OWNERS, call: post('management/v1/imports/{import}/_undo') },
    ],
  },
  {
    at: 'orgs/{org}/sign-in',
    seenBy: ALL,
    reads: get('management/v1/policies/login'),
    actions: [],
  },
  {
    at: 'orgs/{org}/sign-in/login',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/policies/login'),
    actions: [{ name: '', by: OWNERS, call: put('management/v1/policies/login', {}) }],
  },
  ...POLICIES.map(([name, body]): PageOf => ({
    at: `orgs/{org}/sign-in/${name}`,
    isInner: true,
    seenBy: ALL,
    reads: get(`management/v1/policies/${name}`),
    actions: [
      { name: '', by: OWNERS, call: put(`management/v1/policies/${name}`, body) },
      { name: /^Use the /, by: OWNERS, call: del(`management/v1/policies/${name}`), isRare: true },
    ],
  })),
  {
    at: 'orgs/{org}/sign-in/branding',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/policies/branding'),
    uses: OF_PREVIEW,
    actions: [
      { name: '', by: OWNERS, call: put('management/v1/policies/branding', {}) },
      { name: 'Choose a picture', by: OWNERS },
    ],
  },
  {
    at: 'orgs/{org}/sign-in/texts',
    isInner: true,
    seenBy: ALL,
    reads: post('management/v1/templates/_search'),
    actions: [],
  },
  {
    at: 'orgs/{org}/sign-in/texts/initialise',
    isInner: true,
    seenBy: ALL,
    reads: get('management/v1/templates/initialise/en'),
    uses: OF_PREVIEW,
    actions: [
      {
        name: '',
        by: OWNERS,
        call: put('management/v1/templates/initialise/en', { title: 'Not said' }),
      },
      { name: /^Insert /, by: OWNERS },
      { name: /: Start from it$/, by: OWNERS },
      {
        name: 'Send me a test',
        by: OWNERS,
        call: post('management/v1/templates/initialise/en/_test'),
      },
    ],
  },
  {
    at: 'orgs/{org}/sign-in/providers',
    isInner: true,
    seenBy: VIEWERS,
    reads: post('management/v1/idps/_search'),
    actions: [
      { name: 'Add a provider', role: 'link', by: OWNERS, call: post('management/v1/idps', PROVIDER) },
    ],
  },
  {
    at: 'orgs/{org}/sign-in/providers/new',
    isInner: true,
    seenBy: OWNERS,
    uses: ['Show the secret'],
    actions: [{ name: '', by: OWNERS }],
  },
  {
    at: 'orgs/{org}/sign-in/providers/{idp}',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/idps/{idp}'),
    uses: ['Claims', 'Show the secret'],
    actions: [
      { name: '', by: OWNERS, call: put('management/v1/idps/{idp}', PROVIDER) },
      { name: 'Switch off', by: OWNERS, call: post('management/v1/idps/{idp}/_deactivate') },
      { name: 'Remove the provider', by: OWNERS, call: del('management/v1/idps/{idp}') },
    ],
  },
  {
    at: 'orgs/{org}/sign-in/migration',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/user_migration'),
    uses: ['Limits and details'],
    actions: [
      {
        name: '',
        by: OWNERS,
        call: put('management/v1/user_migration', {
          kind: 'webhook',
          url: 'https://old.example.com/',
          endsAt: new Date(Date.now() + 86_400_000).toISOString(),
        }),
      },
    ],
  },
  {
    at: 'orgs/{org}/messages',
    seenBy: VIEWERS,
    reads: post('management/v1/notifications/_search'),
    uses: [
      'Recipient',
      'E-mail address or number',
      'State',
      'Channel',
      'Kind of message',
      'From',
      'To',
      'Given up, can be sent again',
      ...OF_CHARTS,
    ],
    actions: [],
  },
  {
    at: 'orgs/{org}/messages/{message}',
    isInner: true,
    seenBy: VIEWERS,
    reads: get('management/v1/notifications/{message}'),
    actions: [
      {
        name: 'Send again',
        by: OWNERS,
        call: post('management/v1/notifications/{message}/_replay'),
      },
    ],
  },
  {
    at: 'orgs/{org}/events',
    seenBy: VIEWERS,
    reads: post('management/v1/events/_search'),
    uses: [...OF_LOG, 'Actor'],
    actions: [{ name: 'Export as NDJSON', by: VIEWERS, call: post('management/v1/events/_search') }],
  },
  {
    at: 'orgs/{org}/webhooks',
    seenBy: VIEWERS,
    reads: post('management/v1/webhooks/_search'),
    actions: [
      { name: 'Add a webhook', role: 'link', by: OWNERS, call: post('management/v1/webhooks', WEBHOOK) },
      {
        name: '',
        by: OWNERS,
        call: put('management/v1/claims_webhook', { url: 'https://hooks.example.com/' }),
      },
    ],
  },
  ...webhookPages('orgs/{org}/webhooks', 'management/v1/webhooks', '{webhook}', VIEWERS, OWNERS),
  {
    at: 'orgs/{org}/members',
    seenBy: VIEWERS,
    reads: post('management/v1/orgs/me/members/_search'),
    actions: [
      {
        name: 'Give somebody a role',
        by: OWNERS,
        call: post('management/v1/orgs/me/members', { userId: '{user}', roles: ['ORG_OWNER'] }),
      },
      {
        name: 'Change roles',
        by: OWNERS,
        call: put('management/v1/orgs/me/members/{user}', { roles: ['ORG_OWNER'] }),
      },
      { name: 'Remove', by: OWNERS, call: del('management/v1/orgs/me/members/{user}') },
    ],
  },
  {
    at: 'orgs/{org}/settings',
    seenBy: ALL,
    reads: post('management/v1/orgs/me/domains/_search'),
    actions: [
      { name: '', by: OWNERS, call: put('management/v1/orgs/me', { name: 'Not changed' }) },
      {
        name: 'Add a domain',
        by: OWNERS,
        call: post('management/v1/orgs/me/domains', { domain: 'not-added.example' }),
      },
      { name: 'Make primary', by: OWNERS, call: post('management/v1/orgs/me/domains/{domain}/_set_primary') },
      {
        name: 'Check the DNS record',
        by: OWNERS,
        call: post('management/v1/orgs/me/domains/{domain}/_validate'),
      },
      { name: 'Remove', by: OWNERS, call: del('management/v1/orgs/me/domains/{domain}') },
      {
        name: 'Make a SCIM token',
        by: OWNERS,
        call: post('management/v1/orgs/me/scim_tokens', { name: 'Not made' }),
      },
      {
        name: 'Make an initial access token',
        by: OWNERS,
        call: post('management/v1/orgs/me/initial_access_tokens', {
          name: 'Not made',
          projectId: '{project}',
        }),
      },
      { name: 'Deactivate', by: OWNERS, call: post('management/v1/orgs/me/_deactivate') },
      { name: 'Delete organization', by: OWNERS, call: del('management/v1/orgs/me') },
    ],
  },
  {
    at: 'instance/organizations',
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/orgs/_search'),
    uses: ['Search names'],
    actions: [
      {
        name: 'Add an organization',
        role: 'link',
        by: ROOT,
        call: post('admin/v1/orgs', { name: 'Not added' }),
      },
    ],
  },
  { at: 'instance/organizations/new', isInner: true, seenBy: ROOT, actions: [{ name: '', by: ROOT }] },
  {
    at: 'instance/members',
    seenBy: ROOT,
    reads: post('admin/v1/members/_search'),
    actions: [
      {
        name: 'Give somebody a role',
        by: ROOT,
        call: post('admin/v1/members', { userId: '{user}', roles: ['IAM_OWNER'] }),
      },
      { name: 'Change roles', by: ROOT, call: put('admin/v1/members/{user}', { roles: ['IAM_OWNER'] }) },
      { name: 'Remove', by: ROOT, call: del('admin/v1/members/{user}') },
    ],
  },
  {
    at: 'instance/keys',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/keys'),
    actions: [
      { name: 'Rotate now', by: ROOT, call: post('admin/v1/keys/_rotate') },
      { name: 'Have it sign now', by: ROOT, call: post('admin/v1/keys/{user}/_activate') },
      { name: 'Remove', by: ROOT, call: del('admin/v1/keys/{user}'), isRare: true },
      {
        name: 'Emergency rotation',
        by: ROOT,
        call: post('admin/v1/keys/_rotate', { emergency: true, confirm: true }),
      },
    ],
  },
  {
    at: 'instance/providers',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/notification_providers'),
    actions: [
      {
        name: 'Add a provider',
        role: 'link',
        by: ROOT,
        call: post('admin/v1/notification_providers', RELAY),
      },
      { name: 'Allow again', by: ROOT, call: del('admin/v1/sms_blocks/%2B9999') },
    ],
  },
  {
    at: 'instance/providers/new',
    isInner: true,
    seenBy: ROOT,
    uses: ['Show input'],
    actions: [{ name: '', by: ROOT }],
  },
  {
    at: 'instance/providers/{provider}',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/notification_providers/{provider}'),
    uses: ['Show input'],
    actions: [
      { name: '', by: ROOT, call: put('admin/v1/notification_providers/{provider}', RELAY) },
      {
        name: 'Activate',
        by: ROOT,
        call: post('admin/v1/notification_providers/{provider}/_activate'),
      },
      {
        name: 'Send a test',
        by: ROOT,
        call: post('admin/v1/notification_providers/{provider}/_test', { to: 'not-sent@post.example' }),
      },
      { name: 'Remove provider', by: ROOT, call: del('admin/v1/notification_providers/{provider}') },
    ],
  },
  {
    at: 'instance/queues',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/queues'),
    uses: [...OF_CHARTS, 'Jobs in detail'],
    actions: [],
  },
  {
    at: 'instance/settings',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/settings/oidc'),
    actions: [{ name: '', by: ROOT, call: put('admin/v1/settings/oidc', { accessTokenLifetime: '3600s' }) }],
  },
  {
    at: 'instance/settings/security',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/settings/security'),
    actions: [{ name: '', by: ROOT, call: put('admin/v1/settings/security', { enableImpersonation: true }) }],
  },
  {
    at: 'instance/settings/factors',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/settings/factors'),
    actions: [{ name: '', by: ROOT, call: put('admin/v1/settings/factors', {}) }],
  },
  {
    at: 'instance/settings/texts',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/templates/_search'),
    actions: [],
  },
  {
    at: 'instance/settings/texts/initialise',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/templates/initialise/en'),
    uses: OF_PREVIEW,
    actions: [
      { name: '', by: ROOT, call: put('admin/v1/templates/initialise/en', { title: 'Not said' }) },
      { name: /^Insert /, by: ROOT },
      { name: /: Start from it$/, by: ROOT },
      { name: 'Send me a test', by: ROOT, call: post('admin/v1/templates/initialise/en/_test') },
    ],
  },
  {
    at: 'instance/settings/identity-providers',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/idps/_search'),
    actions: [{ name: 'Add a provider', role: 'link', by: ROOT, call: post('admin/v1/idps', PROVIDER) }],
  },
  {
    at: 'instance/settings/identity-providers/new',
    isInner: true,
    seenBy: ROOT,
    uses: ['Show the secret'],
    actions: [{ name: '', by: ROOT }],
  },
  {
    at: 'instance/settings/identity-providers/{instanceIdp}',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/idps/{instanceIdp}'),
    uses: ['Claims', 'Show the secret'],
    actions: [
      { name: '', by: ROOT, call: put('admin/v1/idps/{instanceIdp}', PROVIDER) },
      { name: 'Activate', by: ROOT, call: post('admin/v1/idps/{instanceIdp}/_activate') },
      { name: 'Remove the provider', by: ROOT, call: del('admin/v1/idps/{instanceIdp}') },
    ],
  },
  {
    at: 'instance/events',
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/events/_search'),
    uses: [...OF_LOG, 'Actor id', 'Organization id'],
    actions: [{ name: 'Export as NDJSON', by: INSTANCE_VIEWERS, call: post('admin/v1/events/_search') }],
  },
  {
    at: 'instance/webhooks',
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/webhooks/_search'),
    actions: [{ name: 'Add a webhook', role: 'link', by: ROOT, call: post('admin/v1/webhooks', WEBHOOK) }],
  },
  ...webhookPages('instance/webhooks', 'admin/v1/webhooks', '{instanceWebhook}', INSTANCE_VIEWERS, ROOT),
];

/** What stands above every part of a thing's page, or in each. */
const IN_ALL_PARTS: readonly (readonly [parts: string, actions: readonly Action[]])[] = [
  [
    'orgs/{org}/users/{user}/',
    ['Lock', 'Deactivate', 'Send a link to set a new password'].map((name) => ({ name, by: USER_WRITERS })),
  ],
  [
    'orgs/{org}/projects/{project}/applications/{app}/',
    [
      { name: 'Deactivate', by: OWNERS },
      { name: '', by: OWNERS, isRare: true },
    ],
  ],
];

const PAGES: readonly PageOf[] = ROWS.map((row) => ({
  ...row,
  actions: [
    ...row.actions,
    ...IN_ALL_PARTS.flatMap(([parts, actions]) => (row.at.startsWith(parts) ? actions : [])),
  ],
}));

type Ids = Readonly<Record<string, string>>;

async function asRoot<Answer>(path: string, body: object, org = ''): Promise<Answer> {
  return await stage().asRoot('POST', path, body, org);
}

/** One of everything that the pages show. */
const things = given(async (): Promise<Ids> => {
  const made = await oneOfEach(stage(), (what) =>
    what === 'metadata key' ? 'department' : `Lighthouse ${what}`,
  );
  // a key that does not sign yet
  await asRoot('admin/v1/keys/_rotate', {});
  return { ...made };
});

function filled(text: string, ids: Ids): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `{${name}}`);
}

/** Their token, as the page sends it once it is loaded again: it is kept nowhere where one could read it. */
async function tokenOf(page: Page): Promise<string> {
  let token = '';
  page.on('request', (request) => {
    token = request.headers()['authorization'] ?? token;
  });
  await page.reload();
  await page.locator('#content h1').first().waitFor();
  await expect.poll(() => token).not.toBe('');
  return token;
}

async function statusOf({ method, path, body }: Call, authorization: string, ids: Ids): Promise<number> {
  const response = await fetch(`${stage().issuer}/${filled(path, ids)}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body !== undefined && { body: filled(JSON.stringify(body), ids) }),
  });
  return response.status;
}

/** Of the organization that they are in. */
async function countUsers(authorization: string): Promise<string> {
  const response = await fetch(`${stage().issuer}/management/v1/users/_search`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { details: { totalResult: string } }).details.totalResult;
}

async function placesOf(page: Page): Promise<readonly string[]> {
  return await page
    .locator('.mantine-AppShell-navbar a')
    .evaluateAll((all) => all.map((link) => (link.getAttribute('href') ?? '').replace('/console/', '')));
}

interface Control {
  readonly kind: 'button' | 'link' | 'field';
  readonly name: string;
  /** Where a link leads. */
  readonly to: string;
}

/** Everything on the page that can be pressed, followed, typed into or chosen, but for what sorts a list, which is for all who see it. */
const CONTROLS = `(() => {
  const nameOf = (element) =>
    element.getAttribute('aria-label') ??
    ((element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim() ||
      element.labels?.[0]?.textContent ||
      element.textContent ||
      element.getAttribute('placeholder') ||
      '');
  const named = (element) => nameOf(element).replace(/\\s+/g, ' ').replace(/ ?\\*$/, '').trim();
  const all = [...document.querySelectorAll('#content :is(a[href], button, [role=button], [role=menuitem], input, textarea, select)')];
  return all
    .filter((element) => !element.matches('thead button') && element.checkVisibility() && !element.matches('input:disabled, textarea:disabled, select:disabled, [readonly], [type=hidden], [type=file], .mantine-SegmentedControl-input'))
    .map((element) => ({
      kind: element.matches('a') ? 'link' : element.matches('input, textarea, select') ? 'field' : 'button',
      name: named(element),
      to: element.getAttribute('href') ?? '',
    }));
})()`;

async function controlsOf(page: Page): Promise<readonly Control[]> {
  return await page.evaluate<Control[]>(CONTROLS);
}

function isCalled(name: Name, control: Control): boolean {
  return typeof name === 'string' ? control.name === name : name.test(control.name);
}

const KINDS = { button: 'button', link: 'link', checkbox: 'field' } as const;

/** Whether a control is there; without a name, whether anything on the page can be typed into or chosen. */
function isOffered(
  controls: readonly Control[],
  { name, role = 'button' }: Action,
  uses: readonly Name[],
): boolean {
  return name === ''
    ? controls.some((control) => control.kind === 'field' && !uses.some((use) => isCalled(use, control)))
    : controls.some((control) => control.kind === KINDS[role] && isCalled(name, control));
}

/** The page of the table that an address is of: the one with the fewest gaps. Texts of all messages are alike. */
function pageAt(address: string): PageOf | undefined {
  return PAGES.filter(({ at }) =>
    new RegExp(`^${at.replaceAll(/\{\w+\}|(?<=texts\/)initialise/g, '[^/]+')}$`).test(address),
  ).toSorted((one, other) => one.at.split('{').length - other.at.split('{').length)[0];
}

/** Of every visitor. */
const ELSEWHERE = new Set(['/console/', '/account', '/account/security', '#content']);

/** Whether somebody with this role may have a control on this page: as the table has it, or a link to a page that is theirs. */
function isTheirs(control: Control, { actions, uses = [] }: PageOf, role: Role): boolean {
  const { kind, to } = control;
  if ([...EVERYWHERE, ...uses].some((name) => isCalled(name, control))) return true;
  const theirs = actions.filter(({ by }) => by.includes(role));
  if (kind === 'field')
    return theirs.some(
      (action) => action.name === '' || (action.role === 'checkbox' && isCalled(action.name, control)),
    );
  if (kind === 'button') {
    const opens = theirs.some(({ name }) => name === '');
    // what folds and unfolds a form, or shows what is typed into it
    return (
      theirs.some(({ name }) => name !== '' && isCalled(name, control)) ||
      (opens && OF_FORMS.some((name) => isCalled(name, control)))
    );
  }
  if (ELSEWHERE.has(to)) return true;
  const address = /^\/console\/([^?#]*)/.exec(to)?.[1];
  return address !== undefined && pageAt(address)?.seenBy.includes(role) === true;
}

describe.each(ROLES)('%s', (role) => {
  it(
    'finds the places, buttons and links of the table and no others, and is refused the rest',
    { timeout: 480_000 },
    async () => {
      const { page, visitor, orgId } = await memberAtConsole(stage(), role);
      const token = await tokenOf(page);
      const ids: Ids = { ...things, org: orgId, domain: 'unproven.example' };
      const at = (address: string): string => filled(address, ids);

      await expect
        .poll(async () => await placesOf(page))
        .toEqual(
          PAGES.flatMap(({ at: address, seenBy, isInner }) =>
            isInner !== true && seenBy.includes(role) ? [at(address)] : [],
          ),
        );

      const wrong: string[] = [];
      for (const row of PAGES) {
        const { at: address, seenBy, reads, actions, uses = [] } = row;
        if (seenBy.includes(role)) {
          await goesTo(page, at(address));
          await page.locator('#content h1').first().waitFor();
          await settles(page);
          if ((await page.getByText(NOT_THEIRS).count()) > 0) wrong.push(`${address} is refused`);
        } else {
          // from a page that is theirs: what is seen afterwards is not of the page before
          await goesTo(page, at('orgs/{org}'));
          await page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/console/${at(address)}`)})`);
          await page.locator('#content').getByText(NOT_THEIRS).first().waitFor();
          const words = (await page.locator('#content').textContent()) ?? '';
          const named = [...words.matchAll(/“([^”]+)”/g)].map(([, name]) => name);
          const scope = address.startsWith('instance/') ? 'IAM_' : 'ORG_';
          const wanted = seenBy.filter((one) => one.startsWith(scope)).map((one) => LABELS[one]);
          if (JSON.stringify(named) !== JSON.stringify([...wanted, 'Administrators']))
            wrong.push(`${address} says ${words}`);
        }
        const status = reads === undefined ? undefined : await statusOf(reads, token, ids);
        if (
          reads !== undefined &&
          (seenBy.includes(role) ? status !== 200 : ![403, 404].includes(status ?? 0))
        )
          wrong.push(`${reads.method} ${reads.path} answered ${status}`);
        const controls = await controlsOf(page);
        for (const control of controls)
          if (!isTheirs(control, row, role))
            wrong.push(`${address}: ${control.kind} "${control.name}" ${control.to} is not theirs`);
        for (const action of actions) {
          const label = `${address}: ${action.name === '' ? 'fields' : String(action.name)}`;
          const isHis = action.by.includes(role) && seenBy.includes(role);
          const isShown = isOffered(controls, action, [...EVERYWHERE, ...uses]);
          if (action.isRare !== true && isShown !== isHis)
            wrong.push(`${label} is ${isHis ? 'missing' : 'shown'}`);
          if (isHis || action.call === undefined) continue;
          const answer = await statusOf(action.call, token, ids);
          if (![403, 404].includes(answer)) wrong.push(`${label} answered ${answer} to a direct call`);
        }
      }
      expect(wrong).toEqual([]);
      // nor does a page that is not theirs ask the server for what it would show
      expect(visitor.complaints.splice(0)).toEqual([]);
    },
  );
});

describe('the table', () => {
  it('has a row for every page of the console', async () => {
    const { page } = await memberAtConsole(stage(), 'IAM_OWNER');
    const routes = await page.evaluate<string[]>(`Object.values(__TSR_ROUTER__.routesById)
      .filter((route) => route.id !== '__root__' && route.children === undefined)
      .map((route) => route.fullPath)`);
    const patterns = routes
      .filter((route) => !['/', '/callback'].includes(route))
      .map((route) => route.replace(/^\//, '').replace(/\/$/, ''));
    expect(patterns).not.toHaveLength(0);
    const without = patterns.filter((route) => {
      const pattern = route.replace(/\/\{-\$\w+\}/, '(?:/[^/]+)?').replaceAll(/\$\w+/g, '[^/]+');
      return !PAGES.some(({ at }) => new RegExp(`^${pattern}$`).test(at));
    });
    expect(without).toEqual([]);
  });

  it('has no call that the API does not have: a refusal of that would say nothing', async () => {
    const response = await fetch(`${stage().issuer}/openapi.json`);
    const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> };
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      ),
    );
    const calls = PAGES.flatMap(({ reads, actions }) => [reads, ...actions.map(({ call }) => call)]).flatMap(
      (call) => (call === undefined ? [] : [`${call.method} /${call.path.split('?')[0]}`]),
    );
    expect(calls.filter((call) => !served.some((pattern) => pattern.test(call)))).toEqual([]);
  });
});

describe.each(WITHOUT_CONSOLE)('%s, a role for token exchange', (role) => {
  it('finds no place, and is refused all of it', async () => {
    const { page, visitor } = await memberAtConsole(stage(), role);
    const token = await tokenOf(page);
    await expect.poll(async () => await placesOf(page)).toEqual([]);
    for (const { reads, actions } of PAGES)
      for (const call of [reads, ...actions.map((action) => action.call)])
        if (call !== undefined)
          expect([403, 404], `${call.method} ${call.path}`).toContain(
            await statusOf(call, token, { ...things, org: '' }),
          );
    expect(visitor.complaints).toEqual([]);
  });
});

describe('another organization', () => {
  it('shows nowhere to an owner of this one: lists, search, counts, events, the switch, addresses', async () => {
    const { page, visitor, orgId } = await memberAtConsole(stage(), 'ORG_OWNER');
    const token = await tokenOf(page);
    const before = await countUsers(token);
    const { id: other } = await asRoot<{ id: string }>('management/v1/orgs', { name: 'Smugglers Inc' });
    const { userId: stranger } = await asRoot<{ userId: string }>(
      'management/v1/users/human/_import',
      {
        userName: 'zyzzyva',
        profile: { firstName: 'Zyzzyva', lastName: 'Weevil' },
        email: { email: 'zyzzyva@smugglers.example', isEmailVerified: true },
        password: PASSWORD,
      },
      other,
    );
    const { id: project } = await asRoot<{ id: string }>(
      'management/v1/projects',
      { name: 'Contraband' },
      other,
    );
    const began = await fetch(`${stage().issuer}/management/v1/imports`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stage().credentials.adminServiceUser.pat}`,
        'content-type': 'application/x-ndjson',
        'x-zitadel-orgid': other,
      },
      body: `${JSON.stringify({ userName: 'weevil-2', profile: { firstName: 'W', lastName: 'Two' }, email: { email: 'w2@smugglers.example' } })}\n`,
    });
    const { id: foreignImport } = (await began.json()) as { id: string };
    expect(foreignImport).toMatch(/\w/);

    const base = `orgs/${orgId}`;
    const content = page.locator('#content');

    for (const path of ['users', 'projects', 'imports', 'messages', 'events', 'webhooks', 'members']) {
      await goesTo(page, `${base}/${path}`);
      await content.locator('h1').first().waitFor();
      await settles(page);
      await expect
        .poll(async () => (await content.textContent()) ?? '')
        .not.toMatch(/zyzzyva|weevil|contraband|smugglers/i);
    }
    await goesTo(page, `${base}/users?search=zyzzyva`);
    await page.getByText('Nothing fits this search').waitFor();
    await goesTo(page, `${base}/events?id=${stranger}`);
    await page.getByText('Nothing fits this search').waitFor();

    await page.keyboard.press('/');
    await page.getByPlaceholder('Search or go to').fill('zyzzyva');
    await page.getByRole('dialog').getByText('There is no such page').waitFor();
    await page.waitForLoadState('networkidle');
    await expect.poll(async () => await page.getByText('Zyzzyva Weevil').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect
      .poll(async () => await page.getByRole('button', { name: /^Switch organization/ }).count())
      .toBe(0);

    const headers = { authorization: token, 'content-type': 'application/json' };
    expect(await countUsers(token)).toBe(before);

    for (const path of [
      `management/v1/users/${stranger}`,
      `management/v1/users/${stranger}/sessions`,
      `management/v1/projects/${project}`,
      `management/v1/imports/${foreignImport}`,
      `management/v1/imports/${foreignImport}/events`,
      `management/v1/imports/${foreignImport}/results`,
    ]) {
      const response = await fetch(`${stage().issuer}/${path}`, { headers });
      expect(response.status, path).toBe(404);
      const named = await fetch(`${stage().issuer}/${path}`, {
        headers: { ...headers, 'x-zitadel-orgid': other },
      });
      expect(named.status, `${path} with the organization named`).toBe(403);
    }

    for (const path of [
      `orgs/${other}`,
      `orgs/${other}/users`,
      `orgs/${other}/projects/${project}`,
      `orgs/${other}/imports/${foreignImport}`,
      `orgs/${orgId}/users/${stranger}`,
      `orgs/${orgId}/projects/${project}`,
      `orgs/${orgId}/imports/${foreignImport}`,
    ]) {
      await goesTo(page, path);
      await content.locator('[role=alert], h1').first().waitFor();
      await settles(page);
      await expect
        .poll(async () => (await page.locator('body').textContent()) ?? '')
        .not.toMatch(/zyzzyva|weevil|contraband|smugglers/i);
    }
    for (const complaint of visitor.complaints.splice(0)) expect(complaint).toMatch(/^40[34] for /);
  });
});
