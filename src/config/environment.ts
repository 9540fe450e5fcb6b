import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { redisEnvironment } from './redis-servers.js';
import {
  address,
  authorities,
  baggage,
  caps,
  costs,
  countries,
  duration,
  headerName,
  key32,
  list,
  money,
  numberTypes,
  port,
  postgresUrl,
  publicUrl,
  rangeUrl,
  statementIssuers,
  twilioSid,
  whole,
  type Cap,
} from './setting-types.js';

/** Where a message costs about the same everywhere and pumping pays little. */
const QUIET_COUNTRIES =
  'AD AT AU BE BG CA CH CY CZ DE DK EE ES FI FR GB GG GR HR HU IE IM IS IT JE JP LI LT LU LV MC MT NL NO NZ PL PT RO SE SI SK SM US';

/** What a worker can serve: the queues by their names in the queue dashboard. */
export const QUEUE_NAMES = ['imports', 'notifications', 'notifications-bulk', 'keys', 'maintenance'] as const;

/** May be given as `NAME_FILE`, too. */
export const SECRETS = [
  'MASTER_KEY',
  'MASTER_KEY_PREVIOUS',
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'DATABASE_SERVICE_PASSWORD',
  'REDIS_URL',
  'REDIS_PASSWORD',
  'REDIS_SENTINEL_PASSWORD',
  'REDIS_TLS_CA',
  'REDIS_TLS_CERT',
  'REDIS_TLS_KEY',
  'MTLS_CA_CERTIFICATES',
  'SMTP_URL',
  'TWILIO_AUTH_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'BOOTSTRAP_ADMIN_PASSWORD',
] as const;

/** Works out of the box on a developer's machine and is known to everybody, so production refuses it. */
export const DEVELOPMENT_MASTER_KEY = Buffer.from('development-master-key-not-secret')
  .subarray(0, 32)
  .toString('base64');
export const DEVELOPMENT_DATABASE_URL = 'postgres://identity:identity@127.0.0.1:5432/identity';

function perHourAndDay(hour: number, day: number): readonly Cap[] {
  return [
    { most: hour, withinSeconds: 3_600 },
    { most: day, withinSeconds: 86_400 },
  ];
}

/** Every variable with its default; the README's table is held to it. */
export const environment = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).default('development'),
  PUBLIC_URL: publicUrl.default('http://localhost:8080'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  OPS_HOST: z.string().default('127.0.0.1'),
  OPS_PORT: port.optional(),
  TRUSTED_PROXIES: list.pipe(z.array(address)).default([]),
  DATABASE_URL: postgresUrl().default(DEVELOPMENT_DATABASE_URL),
  DATABASE_PASSWORD: z.string().optional(),
  DATABASE_DIRECT_URL: postgresUrl().optional(),
  DATABASE_READ_URL: postgresUrl('any').optional(),
  DATABASE_READ_LAG: duration(2_000, 3_600_000).default(10_000),
  DATABASE_SERVICE_ROLE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be the name of a role: lower-case letters, digits and _')
    .optional(),
  DATABASE_SERVICE_PASSWORD: z.string().optional(),
  DATABASE_POOL_SIZE: whole(2, 500).default(10),
  DATABASE_PIPELINE_CONNECTIONS: whole(0, 16).default(2),
  ...redisEnvironment,
  QUEUE_BACKEND: z.enum(['redis', 'postgres']).default('redis'),
  QUEUE_DASHBOARD_WRITES: z.enum(['true', 'false']).default('false'),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
    .default('identity'),
  MASTER_KEY: key32.default(DEVELOPMENT_MASTER_KEY),
  MASTER_KEY_PREVIOUS: list.pipe(z.array(key32)).default([]),
  MTLS_CERTIFICATE_HEADER: headerName.optional(),
  MTLS_CERTIFICATE_FORMAT: z.enum(['rfc9440', 'pem', 'xfcc']).default('rfc9440'),
  MTLS_BASE_URL: publicUrl
    .refine((text) => text.startsWith('https://'), 'must start with https://: certificates need TLS')
    .optional(),
  MTLS_CA_CERTIFICATES: authorities.optional(),
  DPOP_NONCE: z.enum(['off', 'required']).default('off'),
  CLIENT_REGISTRATION: z.enum(['off', 'token', 'open']).default('off'),
  CLIENT_REGISTRATION_PROJECT: z.string().min(1).max(200).optional(),
  CLIENT_ID_METADATA_DOCUMENTS: z.enum(['off', 'on']).default('off'),
  SOFTWARE_STATEMENT_ISSUERS: statementIssuers.optional(),
  CLIENT_REGISTRATION_UNUSED: duration(3_600_000, 315_360_000_000).default(15_552_000_000),
  REQUEST_OBJECTS: z.enum(['refused', 'signed']).default('refused'),
  RESOURCE_INDICATORS: z.enum(['off', 'on']).default('off'),
  HYBRID_FLOW: z.enum(['off', 'on']).default('off'),
  PAIRWISE_SUBJECTS: z.enum(['off', 'on']).default('off'),
  JWT_RESPONSE_MODES: z.enum(['off', 'on']).default('off'),
  FRONT_CHANNEL_LOGOUT: z.enum(['off', 'on']).default('off'),
  SESSION_MANAGEMENT: z.enum(['off', 'on']).default('off'),
  SIGNING_ALG: z.enum(['RS256', 'PS256', 'ES256', 'EdDSA']).default('RS256'),
  ACCESS_TOKEN_LIFETIME: duration(1_000, 2_592_000_000).default(43_200_000),
  ID_TOKEN_LIFETIME: duration(1_000, 2_592_000_000).default(43_200_000),
  REFRESH_TOKEN_IDLE: duration(1_000, 315_360_000_000).default(2_592_000_000),
  REFRESH_TOKEN_ABSOLUTE: duration(1_000, 315_360_000_000).default(7_776_000_000),
  REFRESH_TOKEN_GRACE: duration(0, 300_000).default(10_000),
  SESSION_IDLE: duration(60_000, 31_536_000_000).default(259_200_000),
  SESSION_ABSOLUTE: duration(60_000, 31_536_000_000).default(864_000_000),
  CODE_LIFETIME: duration(1_000, 600_000).default(60_000),
  PASSWORD_MEMORY_KIB: whole(8, 1_048_576).default(19_456),
  PASSWORD_ITERATIONS: whole(1, 10).default(2),
  PASSWORD_PARALLELISM: whole(1, 16).default(1),
  // two hashes that share a core and its cache take a quarter longer than one after the other
  PASSWORD_SLOTS: whole(1, 64).default(Math.min(3, availableParallelism())),
  PASSWORD_SCHEMES_OFF: list.default([]),
  PASSWORD_BREACH_URL: rangeUrl.optional(),
  SIGN_IN_RESPONSE_PADDING: duration(0, 10_000).default(1_000),
  RATE_LIMIT_TOKEN: whole(0, 1_000_000).default(60),
  RATE_LIMIT_SIGN_IN: whole(0, 1_000_000).default(60),
  SIGN_IN_ALARM: whole(0, 1_000_000).default(300),
  RATE_LIMIT_FLOW: whole(0, 1_000_000).default(600),
  RATE_LIMIT_MAIL: whole(0, 1_000_000).default(20),
  RATE_LIMIT_KEYS: whole(0, 1_000_000).default(6000),
  RATE_LIMIT_REGISTRATION: whole(0, 1_000_000).default(10),
  RATE_LIMIT_REGISTRATION_ALL: whole(0, 1_000_000).default(60),
  RATE_LIMIT_REGISTRATION_DAY: whole(0, 1_000_000).default(200),
  RATE_LIMIT_API: whole(0, 1_000_000).default(6000),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')
    .refine((text) => URL.canParse(text), 'must be a URL such as smtps://user:password@mail.example.com')
    .optional(),
  MAIL_FROM: z
    .string()
    .min(3)
    .max(320)
    .refine((text) => !/[\r\n]/.test(text), 'must be one line')
    .default('Identity Service <no-reply@localhost>'),
  TWILIO_ACCOUNT_SID: twilioSid('AC').optional(),
  TWILIO_AUTH_TOKEN: z.string().optional(),
  TWILIO_FROM: z.string().optional(),
  TWILIO_MESSAGING_SERVICE_SID: twilioSid('MG').optional(),
  TWILIO_VERIFY_SERVICE_SID: twilioSid('VA').optional(),
  TWILIO_BASE_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'must be a URL')
    .optional(),
  SMS_COUNTRIES: countries.default(QUIET_COUNTRIES.split(' ')),
  SMS_NUMBER_TYPES: numberTypes.default(['mobile', 'fixed_line_or_mobile']),
  SMS_COOLDOWN: duration(0, 86_400_000).default(60_000),
  SMS_CAP_USER: caps.default(perHourAndDay(5, 9)),
  SMS_CAP_NUMBER: caps.default(perHourAndDay(5, 9)),
  SMS_CAP_PREFIX: caps.default(perHourAndDay(30, 100)),
  SMS_CAP_ADDRESS: caps.default(perHourAndDay(20, 60)),
  SMS_CAP_ORGANIZATION: caps.default(perHourAndDay(500, 2_000)),
  SMS_SPEND_CAP: money.default(50_000_000),
  SMS_COSTS: costs.default({ default: 100_000, 1: 10_000 }),
  SMS_PREFIX_TAIL: whole(2, 6).default(4),
  SMS_CONVERSION_SENDS: whole(0, 1_000_000).default(20),
  SMS_CONVERSION_PERCENT: whole(1, 100).default(10),
  SMS_CONVERSION_WINDOW: duration(60_000, 2_592_000_000).default(86_400_000),
  SMS_CONVERSION_GRACE: duration(0, 3_600_000).default(300_000),
  SMS_BLOCK: duration(1_000, 2_592_000_000).default(21_600_000),
  OUTBOUND_PRIVATE_ADDRESSES: z.enum(['refuse', 'allow']).optional(),
  WORKER_QUEUES: list.pipe(z.array(z.enum(QUEUE_NAMES)).min(1)).default([...QUEUE_NAMES]),
  IMPORT_MAX_BYTES: whole(1024, 999_999_999_999).default(34_359_738_368),
  IMPORT_ORGANIZATION_BYTES: whole(1024, 999_999_999_999).default(8_589_934_592),
  IMPORT_INSTANCE_BYTES: whole(1024, 999_999_999_999).default(34_359_738_368),
  IMPORT_ORGANIZATION_JOBS: whole(1, 100_000).default(500),
  IMPORT_PRIORITY: z.enum(['requests', 'imports']).default('requests'),
  IMPORT_RETENTION: duration(60_000, 31_536_000_000).default(2_592_000_000),
  SESSION_RETENTION: duration(3_600_000, 31_536_000_000).default(2_592_000_000),
  NOTIFICATION_RETENTION: duration(86_400_000, 315_360_000_000).default(7_776_000_000),
  EVENT_RETENTION: duration(2_592_000_000, 315_360_000_000).optional(),
  HEARTBEAT_INTERVAL: duration(100, 600_000).default(5_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'must start with https:// or http://')
    .refine((text) => !URL.canParse(text) || new URL(text).password === '', 'must not contain credentials')
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: baggage.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).max(200).optional(),
  OTEL_RESOURCE_ATTRIBUTES: baggage.optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number<string>().min(0).max(1).default(1),
  BOOTSTRAP_ORG_NAME: z.string().min(1).max(200).default('Default'),
  BOOTSTRAP_PRIMARY_DOMAIN: z.string().min(1).max(253).optional(),
  BOOTSTRAP_ADMIN_USER_NAME: z.string().min(1).max(200).default('admin'),
  BOOTSTRAP_ADMIN_EMAIL: z.string().min(3).max(200).optional(),
  BOOTSTRAP_ADMIN_PASSWORD: z.string().min(1).max(1024).optional(),
  BOOTSTRAP_ADMIN_LINK_FILE: z.string().min(1).max(4096).optional(),
  BOOTSTRAP_SERVICE_USER_TOKEN_FILE: z.string().min(1).max(4096).optional(),
});
export type Environment = z.infer<typeof environment>;
