import { afterAll, beforeAll, describe, it } from 'vitest';
import { discoveryFaults } from './checks/discovery.js';
import { parseObject } from './checks/json.js';
import { jwksFaults } from './checks/jwks.js';
import { must } from './support/must.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build();
});
afterAll(() => stage.close());

describe('oidcc-config-certification-test-plan', () => {
  it('oidcc-discovery-endpoint-verification', async () => {
    const answer = await stage.http.send(stage.discoveryUrl);
    must('discovery', discoveryFaults(stage.discoveryUrl, answer));
    const keys = await stage.http.send(String(parseObject(answer.body)?.['jwks_uri']));
    must('keys', jwksFaults(parseObject(keys.body)));
  });
});
