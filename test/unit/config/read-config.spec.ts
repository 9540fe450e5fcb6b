import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../../src/config/config.js';
import { LONGEST_TOKEN_SECONDS } from '../../../src/domain/signing-keys/key-settings.js';

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://id.example.com',
  DATABASE_URL: 'postgres://app:x@db/identity',
  REDIS_URL: 'redis://:1nVf8xq2Kd@redis:6379',
  MASTER_KEY: randomBytes(32).toString('base64'),
};

function faults(env: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('configuration', () => {
  it('works without any variable, for development', () => {
    const config = readConfig({});
    expect(config.issuer.url).toBe('http://localhost:8080');
    expect(config.lifetimes.refreshGraceMs).toBe(10_000);
    expect(Object.isFrozen(config.issuer)).toBe(true);
  });

  it.each(['ACCESS_TOKEN_LIFETIME', 'ID_TOKEN_LIFETIME'])(
    'lets %s be no longer than keys are kept after they signed',
    (name) => {
      expect(faults({ [name]: `${LONGEST_TOKEN_SECONDS}s` })).toEqual([]);
      expect(faults({ [name]: `${LONGEST_TOKEN_SECONDS + 1}s` })).toEqual([expect.stringContaining(name)]);
    },
  );

  it('reads a production environment', () => {
    expect(readConfig(production).production).toBe(true);
  });

  it('calls private addresses only where the service itself is on loopback, unless it is told', () => {
    const kept = (env: Record<string, string>) => readConfig({ ...env }).outbound.privateAddresses;
    expect(kept({})).toBe('allow');
    expect(kept({ PUBLIC_URL: 'https://127.0.0.1:8443' })).toBe('allow');
    expect(kept(production)).toBe('refuse');
    expect(kept({ ...production, OUTBOUND_PRIVATE_ADDRESSES: 'allow' })).toBe('allow');
    expect(kept({ OUTBOUND_PRIVATE_ADDRESSES: 'refuse' })).toBe('refuse');
    expect(faults({ OUTBOUND_PRIVATE_ADDRESSES: 'yes' })[0]).toContain('OUTBOUND_PRIVATE_ADDRESSES');
  });

  it('sends spans where a collector is named, with what OpenTelemetry’s variables say', () => {
    expect(readConfig({ OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing).toBeUndefined();
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'https://collector.test:4318';
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({
      endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: {},
      serviceName: undefined,
      resource: {},
      sampledShare: 1,
    });
    const { tracing } = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-tenant=7',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,',
      OTEL_TRACES_SAMPLER_ARG: '0.05',
    });
    expect(tracing).toMatchObject({
      headers: { authorization: 'Bearer x', 'x-tenant': '7' },
      resource: { 'deployment.environment.name': 'test' },
      sampledShare: 0.05,
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://me:word@collector'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=%zz'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'all'],
  ])('refuses %s=%s', (name, value) => {
    expect(faults({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
  });

  it('reports every fault at once and repeats no value', () => {
    const found = faults({
      PORT: 'secret-value',
      CODE_LIFETIME: '60',
      SIGNING_ALG: 'none',
      PUBLIC_URL: 'nope',
    });
    expect(found.map((fault) => fault.split(':')[0]).toSorted()).toEqual([
      'CODE_LIFETIME',
      'PORT',
      'PUBLIC_URL',
      'SIGNING_ALG',
    ]);
    expect(found.join()).not.toContain('secret-value');
  });

  it.each([
    ['http://id.example.com', 'must be https in production'],
    ['https://id.example.com/', 'canonical form'],
    ['https://id.example.com/tenant', 'canonical form'],
    ['https://ID.example.com', 'canonical form'],
    ['https://id.example.com?x=1', 'query'],
    ['https://u:p@id.example.com', 'credentials'],
  ])('refuses PUBLIC_URL %s', (url, reason) => {
    expect(faults({ ...production, PUBLIC_URL: url }).join()).toContain(reason);
  });

  it('allows http on loopback in production', () => {
    expect(faults({ ...production, PUBLIC_URL: 'http://localhost:8080' })).toEqual([]);
  });

  it.each([
    [undefined, 'is required'],
    [Buffer.alloc(32, 1).toString('base64'), 'too regular'],
    [randomBytes(31).toString('base64'), '32 bytes'],
    ['not base64', '32 bytes'],
  ])('refuses MASTER_KEY %s in production', (key, reason) => {
    expect(faults({ ...production, MASTER_KEY: key }).join()).toContain(reason);
  });

  it('refuses the development secrets in production', () => {
    const development = readConfig({}).masterKeys.current;
    expect(faults({ ...production, MASTER_KEY: development }).join()).toContain('development key');
    expect(faults({ ...production, DATABASE_URL: undefined, REDIS_URL: '' })).toHaveLength(2);
  });

  it('refuses the development key wherever other machines can reach the service', () => {
    const reachable = { PUBLIC_URL: 'https://id.example.com' };
    expect(faults(reachable).join()).toContain('MASTER_KEY: is required off loopback');
    expect(faults({ ...reachable, MASTER_KEY: production.MASTER_KEY })).toEqual([]);
    const previous = readConfig({}).masterKeys.current;
    expect(faults({ ...production, MASTER_KEY_PREVIOUS: previous }).join()).toContain('MASTER_KEY_PREVIOUS');
  });

  it.each([
    ['DATABASE_QUICK_LANES', 'DATABASE_PIPELINE_CONNECTIONS', '2'],
    ['SIGN_IN_TIME_GRID', 'SIGN_IN_RESPONSE_PADDING', '1s'],
  ])('refuses %s, which is called %s now', (old, now, value) => {
    expect(faults({ [old]: value })).toEqual([`${old}: is called ${now} now`]);
    expect(faults({ [old]: '' })).toEqual([]);
    expect(faults({ [now]: value })).toEqual([]);
  });

  it.each([
    ['TRUSTED_PROXIES', 'nonsense'],
    ['MTLS_CERTIFICATE_HEADER', 'Client Cert'],
    ['MTLS_CERTIFICATE_HEADER', 'Authorization'],
    ['MTLS_CERTIFICATE_FORMAT', 'der'],
    ['MTLS_BASE_URL', 'http://mtls.id.example.com'],
    ['MTLS_CA_CERTIFICATES', 'nonsense'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['ACCESS_TOKEN_LIFETIME', '0s'],
    ['REFRESH_TOKEN_GRACE', '30d'],
    ['SIGN_IN_RESPONSE_PADDING', '0s'],
    ['PASSWORD_MEMORY_KIB', '8'],
    ['BOOTSTRAP_ADMIN_PASSWORD', 'a'],
    ['TWILIO_AUTH_TOKEN', 'local-mailbox'],
    ['MAIL_FROM', 'a@b.test\r\nBcc: c@d.test'],
  ])('refuses %s=%j in production', (name, value) => {
    expect(faults({ ...production, [name]: value })).toHaveLength(1);
  });

  it('refuses half a Twilio account, and what cannot be one', () => {
    const account = { TWILIO_ACCOUNT_SID: `AC${'1'.repeat(32)}`, TWILIO_AUTH_TOKEN: 'secret' };
    const from = { TWILIO_FROM: '+15005550006' };
    expect(faults({ ...production, ...account, ...from })).toEqual([]);
    expect(faults({ ...production, ...account, TWILIO_VERIFY_SERVICE_SID: `VA${'2'.repeat(32)}` })).toEqual(
      [],
    );
    expect(faults({ ...production, ...account }).join()).toContain('TWILIO_FROM');
    expect(faults({ ...production, ...from }).join()).toContain('TWILIO_ACCOUNT_SID');
    expect(faults({ ...production, ...account, ...from, TWILIO_AUTH_TOKEN: '' }).join()).toContain(
      'TWILIO_AUTH_TOKEN',
    );
    expect(faults({ ...production, ...account, ...from, TWILIO_ACCOUNT_SID: 'SK1' }).join()).toContain(
      'begin with AC',
    );
    const plain = { ...account, ...from, TWILIO_BASE_URL: 'http://twilio.example.com' };
    expect(faults({ ...production, ...plain }).join()).toContain('TWILIO_BASE_URL');
    expect(faults({ ...production, SMTP_URL: 'smtp://a b:c' }).join()).toContain('SMTP_URL');
  });

  it('takes proxies by address and by network', () => {
    const proxies = '127.0.0.1, 10.0.0.0/8, ::1, fd00::/8, loopback';
    expect(readConfig({ TRUSTED_PROXIES: proxies }).http.trustedProxies).toHaveLength(5);
  });

  it('reads secrets from files, and refuses both forms at once', () => {
    const key = randomBytes(32).toString('base64');
    const files: Record<string, string> = { '/run/secrets/key': `${key}\n` };
    const read = (path: string): string => {
      const text = files[path];
      if (text === undefined) throw new Error('no such file');
      return text;
    };
    expect(readConfig({ MASTER_KEY_FILE: '/run/secrets/key' }, read).masterKeys.current).toBe(key);
    expect(() => readConfig({ MASTER_KEY: key, MASTER_KEY_FILE: '/run/secrets/key' }, read)).toThrow(
      'not both',
    );
    expect(() => readConfig({ MASTER_KEY_FILE: '/nowhere' }, read)).toThrow('cannot be read');
  });

  it('puts passwords that stand apart into their URLs, whatever they are made of', () => {
    const apart = { ...production, DATABASE_URL: 'postgres://app@db/identity', DATABASE_PASSWORD: 'a/b@c%d' };
    expect(new URL(readConfig(apart).postgres.url).password).toBe(encodeURIComponent('a/b@c%d'));
    expect(faults({ ...production, DATABASE_PASSWORD: 'x' })).toEqual([
      'DATABASE_PASSWORD: DATABASE_URL has a password already; give one of them',
    ]);
    expect(faults({ REDIS_PASSWORD: 'x' })[0]).toContain('REDIS_PASSWORD: needs REDIS_URL');
    for (const socket of [
      'postgres:///identity?host=/run/postgresql',
      'postgres://app@/identity?host=/run',
    ]) {
      expect(faults({ ...apart, DATABASE_URL: socket })[0], socket).toContain(
        'DATABASE_PASSWORD: needs DATABASE_URL',
      );
    }
    expect(faults({ ...apart, DATABASE_PASSWORD: 'identity' })[0]).toContain('everybody tries');
  });

  it('takes an empty file for a secret that is not set', () => {
    expect(readConfig({ SMTP_URL_FILE: '/run/secrets/smtp_url' }, () => '\n').mail.smtpUrl).toBeUndefined();
    const both = { SMTP_URL: 'smtp://mail:25', SMTP_URL_FILE: '/run/secrets/smtp_url' };
    expect(readConfig(both, () => '').mail.smtpUrl).toBe('smtp://mail:25');
  });

  it('has a role for API and workers that is not the owner and has a password worth having', () => {
    const role = {
      ...production,
      DATABASE_SERVICE_ROLE: 'identity_service',
      DATABASE_SERVICE_PASSWORD: 'q8Zr1f',
    };
    expect(readConfig(role).postgres.serviceRole).toEqual({ name: 'identity_service', password: 'q8Zr1f' });
    expect(faults({ ...role, DATABASE_SERVICE_ROLE: 'app' })[0]).toContain('owns the schema');
    expect(faults({ ...role, DATABASE_SERVICE_PASSWORD: 'changeme' })[0]).toContain('everybody tries');
    expect(faults({ ...role, DATABASE_SERVICE_ROLE: undefined })[0]).toContain('is required beside');
  });
});
