import { readFileSync } from 'node:fs';
import { faultsOf, faultsOfMigration, isLoopback } from './environment-faults.js';
import { environment, SECRETS, type Environment } from './environment.js';
import { givenVariables } from './given-variables.js';
import { withAccountOf } from './postgres-servers.js';
import { redisServersOf } from './redis-servers.js';

/**
 * The only reader of the environment: one schema (environment.ts), one pure function from variables to a frozen `AppConfig`.
 * Every fault is reported at once. Secrets may be given as `NAME` or as `NAME_FILE`, a path to read them from.
 */

export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

function group(env: Environment) {
  const redis = redisServersOf(env);
  const issuer = env.PUBLIC_URL;
  return {
    production: env.NODE_ENV === 'production',
    logLevel: env.LOG_LEVEL,
    issuer: { url: issuer, secure: issuer.startsWith('https://') },
    http: { host: env.HOST, port: env.PORT, trustedProxies: env.TRUSTED_PROXIES },
    ops: { host: env.OPS_HOST, port: env.OPS_PORT },
    postgres: {
      url: env.DATABASE_URL,
      /** Of each statement; no setting, since everything else counts on it. 0 for none. */
      statementTimeoutMs: 30_000 as number,
      /** Past a pooler, for what needs a session of its own. */
      directUrl:
        env.DATABASE_DIRECT_URL === undefined
          ? env.DATABASE_URL
          : withAccountOf(env.DATABASE_URL, env.DATABASE_DIRECT_URL),
      /** Set for `migrate` alone, which lets it use what it made. */
      serviceRole:
        env.DATABASE_SERVICE_ROLE === undefined
          ? undefined
          : { name: env.DATABASE_SERVICE_ROLE, password: env.DATABASE_SERVICE_PASSWORD },
      poolSize: env.DATABASE_POOL_SIZE,
      pipelineConnections: env.DATABASE_PIPELINE_CONNECTIONS,
      /** For reads that may lag; undefined where all go to the primary. */
      replica:
        env.DATABASE_READ_URL === undefined
          ? undefined
          : {
              url: withAccountOf(env.DATABASE_URL, env.DATABASE_READ_URL),
              mostLagMs: env.DATABASE_READ_LAG,
            },
    },
    redis,
    queues: {
      backend: env.QUEUE_BACKEND,
      /** A script of BullMQ's uses many keys of a queue: on a cluster the braces put all of them on one node. */
      prefix: redis.cluster === undefined ? env.QUEUE_PREFIX : `{${env.QUEUE_PREFIX}}`,
      /** Of keys that are used one by one, which a cluster spreads over its nodes. */
      keyPrefix: env.QUEUE_PREFIX,
      worked: env.WORKER_QUEUES,
      heartbeatIntervalMs: env.HEARTBEAT_INTERVAL,
      dashboardWrites: env.QUEUE_DASHBOARD_WRITES === 'true',
    },
    imports: {
      priority: env.IMPORT_PRIORITY,
      retentionMs: env.IMPORT_RETENTION,
      mostBytes: env.IMPORT_MAX_BYTES,
      space: {
        organizationBytes: env.IMPORT_ORGANIZATION_BYTES,
        instanceBytes: env.IMPORT_INSTANCE_BYTES,
        organizationJobs: env.IMPORT_ORGANIZATION_JOBS,
      },
    },
    /** How long what is over is kept on; undefined keeps it. */
    retention: {
      sessionMs: env.SESSION_RETENTION,
      notificationMs: env.NOTIFICATION_RETENTION,
      eventMs: env.EVENT_RETENTION,
    },
    masterKeys: { current: env.MASTER_KEY, previous: env.MASTER_KEY_PREVIOUS },
    keys: { algorithm: env.SIGNING_ALG },
    clientRegistration: {
      mode: env.CLIENT_REGISTRATION,
      documents: env.CLIENT_ID_METADATA_DOCUMENTS === 'on',
      openProject: env.CLIENT_REGISTRATION_PROJECT,
      unusedMs: env.CLIENT_REGISTRATION_UNUSED,
      statementIssuers: env.SOFTWARE_STATEMENT_ISSUERS ?? [],
    },
    resourceIndicatorsServed: env.RESOURCE_INDICATORS === 'on',
    requestObjectsServed: env.REQUEST_OBJECTS === 'signed',
    hybridFlowServed: env.HYBRID_FLOW === 'on',
    pairwiseSubjectsServed: env.PAIRWISE_SUBJECTS === 'on',
    jwtResponseModesServed: env.JWT_RESPONSE_MODES === 'on',
    frontChannelLogoutServed: env.FRONT_CHANNEL_LOGOUT === 'on',
    sessionManagementServed: env.SESSION_MANAGEMENT === 'on',
    /** Undefined where no proxy hands certificates of clients on. */
    mutualTls:
      env.MTLS_CERTIFICATE_HEADER === undefined
        ? undefined
        : {
            header: env.MTLS_CERTIFICATE_HEADER,
            format: env.MTLS_CERTIFICATE_FORMAT,
            /** Where clients with certificates ask, if not at the issuer. */
            baseUrl: env.MTLS_BASE_URL,
            authorities: env.MTLS_CA_CERTIFICATES ?? [],
          },
    dpopNonceRequired: env.DPOP_NONCE === 'required',
    lifetimes: {
      accessTokenMs: env.ACCESS_TOKEN_LIFETIME,
      idTokenMs: env.ID_TOKEN_LIFETIME,
      refreshIdleMs: env.REFRESH_TOKEN_IDLE,
      refreshAbsoluteMs: env.REFRESH_TOKEN_ABSOLUTE,
      refreshGraceMs: env.REFRESH_TOKEN_GRACE,
      codeMs: env.CODE_LIFETIME,
      sessionIdleMs: env.SESSION_IDLE,
      sessionAbsoluteMs: env.SESSION_ABSOLUTE,
    },
    passwords: {
      memoryKib: env.PASSWORD_MEMORY_KIB,
      iterations: env.PASSWORD_ITERATIONS,
      parallelism: env.PASSWORD_PARALLELISM,
      slots: env.PASSWORD_SLOTS,
      schemesOff: env.PASSWORD_SCHEMES_OFF,
      breachUrl: env.PASSWORD_BREACH_URL,
      responsePaddingMs: env.SIGN_IN_RESPONSE_PADDING,
    },
    /** Requests per minute and address before 429; 0 switches a limit off. Token and sign-in count failures only. */
    limits: {
      tokenFailuresPerMinute: env.RATE_LIMIT_TOKEN,
      signInFailuresPerMinute: env.RATE_LIMIT_SIGN_IN,
      newFlowsPerMinute: env.RATE_LIMIT_FLOW,
      mailRequestsPerMinute: env.RATE_LIMIT_MAIL,
      /** Of the whole instance: more raise the alarm. */
      refusedSignInsPerMinute: env.SIGN_IN_ALARM,
      registrationsPerMinute: env.RATE_LIMIT_REGISTRATION,
      /** From all addresses together, of clients that anyone registers. */
      openRegistrationsPerMinute: env.RATE_LIMIT_REGISTRATION_ALL,
      openRegistrationsPerDay: env.RATE_LIMIT_REGISTRATION_DAY,
      keysPerMinute: env.RATE_LIMIT_KEYS,
      /** Per caller, whatever the address. */
      apiCallsPerMinute: env.RATE_LIMIT_API,
    },
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    sms: {
      accountSid: env.TWILIO_ACCOUNT_SID,
      authToken: env.TWILIO_AUTH_TOKEN,
      from: env.TWILIO_FROM,
      messagingServiceSid: env.TWILIO_MESSAGING_SERVICE_SID,
      verifyServiceSid: env.TWILIO_VERIFY_SERVICE_SID,
      baseUrl: env.TWILIO_BASE_URL,
    },
    /** What stops somebody from having messages sent at our cost. */
    smsLimits: {
      countries: env.SMS_COUNTRIES,
      numberTypes: env.SMS_NUMBER_TYPES,
      cooldownSeconds: env.SMS_COOLDOWN / 1000,
      caps: {
        user: env.SMS_CAP_USER,
        number: env.SMS_CAP_NUMBER,
        prefix: env.SMS_CAP_PREFIX,
        address: env.SMS_CAP_ADDRESS,
        organization: env.SMS_CAP_ORGANIZATION,
      },
      /** In millionths, as the costs; 0 is no cap. */
      spendPerDay: env.SMS_SPEND_CAP,
      costs: env.SMS_COSTS,
      prefixTail: env.SMS_PREFIX_TAIL,
      conversion: {
        sends: env.SMS_CONVERSION_SENDS,
        percent: env.SMS_CONVERSION_PERCENT,
        windowSeconds: env.SMS_CONVERSION_WINDOW / 1000,
        graceSeconds: env.SMS_CONVERSION_GRACE / 1000,
      },
      blockSeconds: env.SMS_BLOCK / 1000,
    },
    /** Calls to URIs that others registered. On a developer's machine the applications are on loopback as well. */
    outbound: {
      privateAddresses: env.OUTBOUND_PRIVATE_ADDRESSES ?? (isLoopback(issuer) ? 'allow' : 'refuse'),
    },
    /** Undefined where no spans are sent. */
    tracing:
      env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
            serviceName: env.OTEL_SERVICE_NAME,
            resource: env.OTEL_RESOURCE_ATTRIBUTES ?? {},
            sampledShare: env.OTEL_TRACES_SAMPLER_ARG,
          },
    bootstrap: {
      orgName: env.BOOTSTRAP_ORG_NAME,
      primaryDomain: (env.BOOTSTRAP_PRIMARY_DOMAIN ?? new URL(issuer).hostname).toLowerCase(),
      adminUserName: env.BOOTSTRAP_ADMIN_USER_NAME,
      adminEmail: env.BOOTSTRAP_ADMIN_EMAIL,
      adminPassword: env.BOOTSTRAP_ADMIN_PASSWORD,
      adminLinkFile: env.BOOTSTRAP_ADMIN_LINK_FILE,
      serviceUserTokenFile: env.BOOTSTRAP_SERVICE_USER_TOKEN_FILE,
    },
  };
}

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
export type AppConfig = DeepReadonly<ReturnType<typeof group>>;

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/**
 * Variables → configuration.
 * @throws ConfigError with every fault found, none of which repeats a value
 */
export function readConfig(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): AppConfig {
  return read(given, readFile, faultsOf);
}

/** The same for `migrate`: the secrets of the database are all that it reads, so that it need not be given others. */
export function readMigrationConfig(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Pick<AppConfig, 'postgres' | 'queues'> {
  const others = SECRETS.filter((name) => !name.startsWith('DATABASE_'));
  const left = new Set<string>(others.flatMap((name) => [name, `${name}_FILE`]));
  const used = Object.fromEntries(Object.entries(given).filter(([name]) => !left.has(name)));
  return read(used, readFile, faultsOfMigration);
}

function read(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
  look: typeof faultsOf,
): AppConfig {
  const faults: string[] = [];
  const merged = givenVariables(given, readFile, faults);
  const parsed = environment.safeParse(merged);
  if (parsed.success) faults.push(...look(parsed.data, merged));
  else for (const issue of parsed.error.issues) faults.push(`${issue.path.join('.')}: ${issue.message}`);
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  return deepFreeze(group(parsed.data));
}

/** The class by which Nest hands the configuration around. */
export abstract class Config {
  abstract readonly app: AppConfig;
}

/** Reads the process's own environment; prints every fault and ends the process when there is one. */
export function loadConfig(): AppConfig {
  return orExit(readConfig);
}

export function loadMigrationConfig(): ReturnType<typeof readMigrationConfig> {
  return orExit(readMigrationConfig);
}

function orExit<Read>(readFrom: (given: NodeJS.ProcessEnv) => Read): Read {
  try {
    return readFrom(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(78); // EX_CONFIG of sysexits(3)
  }
}
