// Which role may open which pages of the console, and do what there: written by hand from docs/api.md ("Who may call"), not read
// from the program.

export const ROLES = [
  'IAM_OWNER',
  'IAM_OWNER_VIEWER',
  'ORG_OWNER',
  'ORG_USER_MANAGER',
  'ORG_OWNER_VIEWER',
] as const;
/** Roles for token exchange: they open nothing here. */
export const WITHOUT_CONSOLE = [
  'IAM_END_USER_IMPERSONATOR',
  'IAM_ADMIN_IMPERSONATOR',
  'ORG_END_USER_IMPERSONATOR',
  'ORG_ADMIN_IMPERSONATOR',
] as const;
export type Role = (typeof ROLES)[number];

const ALL: readonly Role[] = ROLES;
const VIEWERS: readonly Role[] = ['IAM_OWNER', 'IAM_OWNER_VIEWER', 'ORG_OWNER', 'ORG_OWNER_VIEWER'];
const USER_WRITERS: readonly Role[] = ['IAM_OWNER', 'ORG_OWNER', 'ORG_USER_MANAGER'];
const OWNERS: readonly Role[] = ['IAM_OWNER', 'ORG_OWNER'];
const INSTANCE_VIEWERS: readonly Role[] = ['IAM_OWNER', 'IAM_OWNER_VIEWER'];
const ROOT: readonly Role[] = ['IAM_OWNER'];

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** A page: who may open it, and what it asks the server for first. */
export interface PageOf {
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

export type Name = string | RegExp;

/** What can be done there: the button, link or box that is shown, or for no name all fields of the page; and the call that it makes. */
export interface Action {
  readonly name: Name;
  readonly role?: 'button' | 'link' | 'checkbox';
  readonly by: readonly Role[];
  /** Undefined where it only opens what another one sends. */
  readonly call?: Call;
  /** Stands there only after something was done, or in another organization. */
  readonly isRare?: boolean;
}

const get = (path: string): Call => ({ method: 'GET', path });
const post = (path: string, body: object = {}): Call => ({ method: 'POST', path, body });
const put = (path: string, body: object): Call => ({ method: 'PUT', path, body });
const del = (path: string): Call => ({ method: 'DELETE', path });

const PROVIDER = { kind: 'google', name: 'Google', clientId: 'abc', clientSecret: 'Marker-secret' };
const WEBHOOK = { name: 'Hook', url: 'https://hooks.example.com/', eventTypes: ['*'] };

const RELAY = { kind: 'smtp', name: 'Not added', host: 'smtp.quay.example', from: 'quay@quay.example' };

/** As the console calls them, where it says whom a page is for. */
export const LABELS: Readonly<Record<Role, string>> = {
  IAM_OWNER: 'Instance owner',
  IAM_OWNER_VIEWER: 'Instance viewer',
  ORG_OWNER: 'Organization owner',
  ORG_USER_MANAGER: 'User manager',
  ORG_OWNER_VIEWER: 'Organization viewer',
};
/** What only looks closer at what is there: for whoever sees the page. */
export const OF_FORMS: readonly Name[] = [/^Show /, /^Add /, /^Remove /, /: unit$/, /^$/];
export const EVERYWHERE: readonly Name[] = ['Copy', 'Show more', 'Remove the filters', 'Search by name'];
const OF_CHARTS: readonly Name[] = [
  /^Show as a /,
  /^(?:24 hours|7 days|30 days)$/,
  /^(?:This organization|The instance|All organizations)/,
];
const OF_PREVIEW: readonly Name[] = ['Light', 'Dark', 'Language', /^(?:Sign-in page|Mail|SMS)$/];
const OF_LEDGER: readonly Name[] = [
  'State',
  'Channel',
  'Kind of message',
  'From',
  'To',
  'Given up, can be sent again',
];
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
      { name: /^Remove: /, by: USER_WRITERS, call: del('management/v1/users/{user}/factors/totp') },
      // whoever reads no providers has none to choose
      { name: 'Link an identity', by: OWNERS },
      { name: 'Sign out everywhere', by: USER_WRITERS, call: del('management/v1/users/{user}/sessions') },
      {
        name: /^End: /,
        by: USER_WRITERS,
        call: del('management/v1/users/{user}/sessions/session-of-things'),
      },
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
      {
        name: /^Change the roles in /,
        by: USER_WRITERS,
        call: put('management/v1/users/{user}/grants/{user}', { roleKeys: [] }),
      },
      {
        name: /^Deactivate the roles in /,
        by: USER_WRITERS,
        call: post('management/v1/users/{user}/grants/{user}/_deactivate'),
      },
      {
        name: /^Reactivate: /,
        by: USER_WRITERS,
        call: post('management/v1/users/{user}/grants/{user}/_reactivate'),
        isRare: true,
      },
      { name: /^Take away: /, by: USER_WRITERS, call: del('management/v1/users/{user}/grants/{user}') },
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
      { name: /^Remove: /, by: USER_WRITERS, call: del('management/v1/users/{machine}/keys/{machine}') },
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
      { name: /^Remove: /, by: OWNERS, call: del('management/v1/projects/{project}/roles/keeper') },
      {
        name: 'Grant to an organization',
        by: OWNERS,
        call: post('management/v1/projects/{project}/grants', { grantedOrgId: '{user}', roleKeys: [] }),
      },
      {
        name: /^Change roles: /,
        by: OWNERS,
        call: put('management/v1/projects/{project}/grants/{user}', { roleKeys: [] }),
      },
      {
        name: /^Deactivate the grant to /,
        by: OWNERS,
        call: post('management/v1/projects/{project}/grants/{user}/_deactivate'),
      },
      {
        name: /^Remove the grant to /,
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
      { name: /^Remove: /, by: OWNERS, call: del('management/v1/projects/{project}/apps/{api}/keys/{api}') },
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
    uses: [/^Download as /, /^(?:All|Failed|Skipped|Updated|Created)/, 'Line'],
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
    uses: ['Recipient', 'Whole e-mail address or number', ...OF_LEDGER, ...OF_CHARTS],
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
        name: /^Change roles: /,
        by: OWNERS,
        call: put('management/v1/orgs/me/members/{user}', { roles: ['ORG_OWNER'] }),
      },
      { name: /^Remove: /, by: OWNERS, call: del('management/v1/orgs/me/members/{user}') },
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
      {
        name: /^Make primary: /,
        by: OWNERS,
        call: post('management/v1/orgs/me/domains/{domain}/_set_primary'),
      },
      {
        name: 'Check the DNS record',
        by: OWNERS,
        call: post('management/v1/orgs/me/domains/{domain}/_validate'),
      },
      { name: /^Remove: /, by: OWNERS, call: del('management/v1/orgs/me/domains/{domain}') },
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
      // not shown in the default organization, which this is
      { name: 'Deactivate', by: OWNERS, call: post('management/v1/orgs/me/_deactivate'), isRare: true },
      { name: 'Delete organization', by: OWNERS, call: del('management/v1/orgs/me'), isRare: true },
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
      { name: /^Change roles: /, by: ROOT, call: put('admin/v1/members/{user}', { roles: ['IAM_OWNER'] }) },
      { name: /^Remove: /, by: ROOT, call: del('admin/v1/members/{user}') },
    ],
  },
  {
    at: 'instance/keys',
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/keys'),
    actions: [
      {
        name: '',
        by: ROOT,
        call: put('admin/v1/keys/schedule', { rotationPeriod: '7776000s', leadTime: '86400s' }),
      },
      { name: 'Rotate now', by: ROOT, call: post('admin/v1/keys/_rotate') },
      { name: /^Have it sign now: /, by: ROOT, call: post('admin/v1/keys/{user}/_activate') },
      { name: /^Remove: /, by: ROOT, call: del('admin/v1/keys/{user}'), isRare: true },
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
      { name: /^Allow again: /, by: ROOT, call: del('admin/v1/sms_blocks/%2B9999') },
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
    at: 'instance/messages',
    seenBy: INSTANCE_VIEWERS,
    reads: post('admin/v1/notifications/_search'),
    uses: ['Organization', 'Provider', ...OF_LEDGER],
    actions: [
      {
        // once only those are shown that were given up
        name: 'Send all of these again',
        by: ROOT,
        call: post('admin/v1/notifications/_replay', { all: true }),
        isRare: true,
      },
    ],
  },
  {
    at: 'instance/messages/{message}',
    isInner: true,
    seenBy: INSTANCE_VIEWERS,
    reads: get('admin/v1/notifications/{message}'),
    actions: [{ name: 'Send again', by: ROOT, call: post('admin/v1/notifications/{message}/_replay') }],
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

export const PAGES: readonly PageOf[] = ROWS.map((row) => ({
  ...row,
  actions: [
    ...row.actions,
    ...IN_ALL_PARTS.flatMap(([parts, actions]) => (row.at.startsWith(parts) ? actions : [])),
  ],
}));
