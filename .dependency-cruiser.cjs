/**
 * The arrows of the house, each as a rule. `npm run layers` fails on the first one that points the wrong way.
 */

/** Domain rooms that others may lean on; among themselves they form no cycle. */
const LEAVES =
  'shared|secrets|events|outbox|orgs|permissions|consents|clients|project-grants|user-grants|sessions|passwords|policies|notifications|keys|maintenance|idempotency';

/** What a room beside the leaves may import from other rooms. */
const ROOMS = {
  users: LEAVES,
  members: `users|${LEAVES}`,
  tokens: `keys|clients|${LEAVES}`,
  'sign-in': `users|${LEAVES}`,
  'client-auth': LEAVES,
  accounts: `users|${LEAVES}`,
  import: `users|${LEAVES}`,
  exports: `users|${LEAVES}`,
  'import-jobs': `import|users|accounts|members|${LEAVES}`,
  authorize: `client-auth|tokens|sign-in|users|${LEAVES}`,
  registration: `authorize|sign-in|users|${LEAVES}`,
  grants: `client-auth|tokens|sign-in|users|${LEAVES}`,
  logout: `tokens|${LEAVES}`,
  bootstrap: `members|users|tokens|${LEAVES}`,
};

const roomRules = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `domain-${room}`,
  comment: `domain/${room} may use only: ${allowed.replaceAll('|', ', ')}`,
  severity: 'error',
  from: { path: `^src/domain/${room}/` },
  to: { path: '^src/domain/', pathNot: `^src/domain/(${room}|${allowed})/` },
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
          '^node_modules/(zod|jose|libphonenumber-js|@node-rs/(argon2|bcrypt)|@nestjs/common)/',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'leaves-are-leaves',
      comment: 'A leaf room imports other leaves only',
      severity: 'error',
      from: { path: `^src/domain/(${LEAVES})/` },
      to: { path: '^src/domain/', pathNot: `^src/domain/(${LEAVES})/` },
    },
    ...roomRules,
    {
      name: 'config-reads-only',
      severity: 'error',
      from: { path: '^src/config/' },
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
      comment: 'Only the composition roots and the ops room may see the DataSource itself',
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
