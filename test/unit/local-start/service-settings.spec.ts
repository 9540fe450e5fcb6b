import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceSettings } from '../../../scripts/service-settings.mjs';
import { environment, SECRETS } from '../../../src/config/environment.js';

const isSetting = serviceSettings(path.join(import.meta.dirname, '../../..'));

describe('what of this shell the tests do not get', () => {
  it('is every setting of the service, also as a file', () => {
    const settings = Object.keys(environment.shape);
    expect(settings).toContain('SMS_SPEND_CAP');
    expect(settings).toContain('REDIS_SENTINELS');
    const files = SECRETS.map((name) => `${name}_FILE`);
    expect([...settings, ...files].filter((name) => !isSetting(name))).toEqual([]);
    expect(isSetting('OTEL_TRACES_SAMPLER')).toBe(true);
  });

  it.each(['PATH', 'HOME', 'CI', 'CHROMIUM_PATH', 'TEST_DIST', 'SCREENSHOTS', 'JAVA_HOME', 'NODE_OPTIONS'])(
    'is not %s',
    (name) => {
      expect(isSetting(name)).toBe(false);
    },
  );
});
