/**
 * The arrows between the parts, each as a rule. `npm run layers` fails on the first one that points the wrong way.
 */

/** Each module of the domain, and the others that it may import: `shared`, and of these only what stands above it. */
const MODULES = {
  shared: [],
  events: [],
  passwords: [],
  permissions: [],
  secrets: [],
  sessions: [],
  consents: ['events', 'permissions'],
  idempotency: ['secrets'],
  outbox: ['events'],
  'signing-keys': ['events', 'secrets'],
  maintenance: ['events', 'sessions', 'signing-keys'],
  organizations: ['events', 'outbox', 'permissions', 'sessions'],
  policies: ['events', 'organizations', 'passwords', 'permissions'],
  projects: ['events', 'organizations'],
  applications: [
    'consents',
    'events',
    'organizations',
    'permissions',
    'policies',
    'projects',
    'signing-keys',
  ],
  notifications: ['events', 'organizations', 'outbox', 'policies', 'secrets'],
  'project-grants': ['events', 'organizations', 'projects'],
  'role-assignments': ['events', 'projects'],
  authorizations: ['applications', 'permissions'],
  'client-auth': ['applications', 'events', 'signing-keys'],
  users: [
    'events',
    'notifications',
    'organizations',
    'outbox',
    'passwords',
    'policies',
    'secrets',
    'sessions',
  ],
  passkeys: ['events', 'notifications', 'permissions', 'sessions', 'users'],
  members: ['consents', 'events', 'permissions', 'sessions', 'users'],
  'service-users': ['applications', 'events', 'permissions', 'policies', 'signing-keys', 'users'],
  'sign-in': ['events', 'notifications', 'passkeys', 'passwords', 'secrets', 'sessions', 'users'],
  tokens: [
    'applications',
    'authorizations',
    'consents',
    'organizations',
    'permissions',
    'policies',
    'signing-keys',
  ],
  accounts: [
    'events',
    'notifications',
    'passwords',
    'permissions',
    'policies',
    'service-users',
    'sessions',
    'users',
  ],
  authorize: [
    'applications',
    'authorizations',
    'consents',
    'organizations',
    'permissions',
    'project-grants',
    'role-assignments',
    'sessions',
    'sign-in',
    'signing-keys',
    'tokens',
    'users',
  ],
  bootstrap: [
    'applications',
    'events',
    'members',
    'organizations',
    'passwords',
    'permissions',
    'policies',
    'projects',
    'service-users',
    'users',
  ],
  grants: [
    'applications',
    'authorizations',
    'client-auth',
    'organizations',
    'permissions',
    'policies',
    'secrets',
    'service-users',
    'signing-keys',
    'tokens',
    'users',
  ],
  imports: [
    'applications',
    'events',
    'members',
    'notifications',
    'organizations',
    'outbox',
    'passwords',
    'permissions',
    'policies',
    'project-grants',
    'projects',
    'role-assignments',
    'service-users',
    'sessions',
    'users',
  ],
  logout: ['applications', 'events', 'notifications', 'outbox', 'signing-keys', 'tokens'],
  registration: [
    'authorize',
    'events',
    'notifications',
    'organizations',
    'passwords',
    'policies',
    'secrets',
    'sign-in',
    'users',
  ],
};

const moduleNames = Object.keys(MODULES);
for (const [index, [name, allowed]] of Object.entries(MODULES).entries()) {
  const below = allowed.filter((other) => !moduleNames.slice(0, index).includes(other));
  if (below.length > 0)
    throw new Error(`domain/${name} stands above ${below.join(', ')}: modules form no cycle`);
}

const moduleRules = Object.entries(MODULES).map(([name, allowed]) => ({
  name: `domain-${name}`,
  comment: `domain/${name} may use only: ${['shared', ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^src/domain/${name}/` },
  to: { path: '^src/domain/', pathNot: `^src/domain/(${[name, 'shared', ...allowed].join('|')})/` },
}));

/** What the outside can call, each for itself. */
const SURFACES = ['oidc', 'login', 'auth-api', 'management-api', 'admin-api', 'openapi', 'notifications'];

const surfaceRules = ['shared', ...SURFACES].map((name) => ({
  name: `surface-${name}`,
  comment: `http/${name} may use no surface${name === 'shared' ? '' : ' but itself'}; what two need moves down`,
  severity: 'error',
  from: { path: `^src/http/${name}/` },
  to: { path: `^src/http/(${SURFACES.filter((other) => other !== name).join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-stands-alone',
      comment: 'The domain knows no HTTP, no database, no queue: only itself and a few pure libraries',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: {
        pathNot: [
          '^src/domain/',
          '^node_modules/(zod|jose|libphonenumber-js|@node-rs/(argon2|bcrypt)|@simplewebauthn/server|@nestjs/common)/',
          // its exports are not resolved here
          '^@simplewebauthn/server/helpers$',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'domain-modules-are-listed',
      comment: 'A module of the domain has a row in MODULES above',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: `^src/domain/(${moduleNames.join('|')})/` },
      to: {},
    },
    {
      name: 'records-stand-below-imports',
      comment: 'One record is read and planned in the same way with an import and without',
      severity: 'error',
      from: { path: '^src/domain/imports/(records|formats)/' },
      to: { path: '^src/domain/imports/[^/]+\\.ts$' },
    },
    ...moduleRules,
    ...surfaceRules,
    {
      name: 'config-reads-only',
      severity: 'error',
      comment: 'Only what binds settings to the domain may see whose they are',
      from: { path: '^src/config/', pathNot: '^src/config/settings\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(config|domain/shared)/' },
    },
    {
      name: 'storage-uses-domain',
      severity: 'error',
      from: { path: '^src/storage/' },
      to: { path: '^(src|workers)/', pathNot: '^src/(storage|domain|config)/' },
    },
    {
      name: 'queues-use-domain',
      severity: 'error',
      from: { path: '^src/queues/' },
      to: { path: '^(src|workers)/', pathNot: '^src/(queues|domain|config)/' },
    },
    {
      name: 'outbound-uses-domain',
      severity: 'error',
      from: { path: '^src/outbound/' },
      to: { path: '^(src|workers)/', pathNot: '^src/(outbound|domain|config)/' },
    },
    {
      name: 'http-uses-domain',
      comment: 'HTTP speaks the protocol; what is remembered or queued is reached through the domain',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^(src|workers)/', pathNot: '^src/(http|pages|rendering|domain|config)/' },
    },
    {
      name: 'pages-and-mails-render',
      comment: 'Templates turn what the domain says into words and markup; they know nothing of who sends it',
      severity: 'error',
      from: { path: '^src/(pages|mails)/' },
      to: { path: '^(src|workers)/', pathNot: '^src/(rendering|domain)/|^src/$1/' },
    },
    {
      name: 'rendering-is-words-and-markup',
      comment: 'What pages and mails share; of the domain only what everything may use',
      severity: 'error',
      from: { path: '^src/rendering/' },
      to: { path: '^(src|workers)/', pathNot: '^src/(rendering|domain/shared)/' },
    },
    {
      name: 'words-are-read-in-one-place',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^src/rendering/(locales|message)\\.ts$' },
      to: { path: '^locales/|^node_modules/intl-messageformat/' },
    },
    {
      name: 'mails-are-bound-in-composition-roots',
      comment: 'The domain declares what is sent, the composition roots bind who renders it',
      severity: 'error',
      from: {
        path: '^(src|workers)/',
        pathNot: '^src/(mails/|api\\.module\\.ts$)|^workers/workers\\.module\\.ts$',
      },
      to: { path: '^src/mails/' },
    },
    {
      name: 'command-line-is-a-client',
      comment:
        'The command line for people reads files and speaks HTTP; of the service it shares what is pure',
      severity: 'error',
      from: { path: '^src/cli/(identity\\.ts$|commands\\.ts$|[a-z]+/)' },
      to: { path: '^(src|workers)/', pathNot: '^src/(cli/[a-z]+/|cli/commands\\.ts$|domain/|config/)' },
    },
    {
      name: 'nothing-imports-workers',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^workers/' },
    },
    {
      name: 'workers-use-no-http',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: '^src/http/' },
    },
    {
      name: 'twilio-and-nodemailer-stay-outbound',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^src/outbound/' },
      to: { path: '^node_modules/(twilio|nodemailer)/' },
    },
    {
      name: 'typeorm-and-pg-stay-in-storage',
      comment: 'Only the composition roots and src/ops may see the DataSource itself',
      severity: 'error',
      from: {
        path: '^(src|workers)/',
        pathNot: '^src/(storage|queues|ops|cli)/|^src/(main|api\\.module)\\.ts$|^workers/main\\.ts$',
      },
      to: { path: '^node_modules/(typeorm|pg)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
