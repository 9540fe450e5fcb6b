import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointFaults } from './checks/discovery.js';
import { LOGOUT } from './modules/logout.js';
import { ModuleRun, type ResponseType } from './support/module-run.js';
import { must } from './support/must.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build();
});
afterAll(() => stage.close());

const RESPONSE_TYPES: readonly ResponseType[] = ['code', 'id_token', 'id_token token'];

describe('oidcc-rp-initiated-logout-certification-test-plan', () => {
  it('oidcc-rp-initiated-logout-discovery-endpoint-verification', async () => {
    const { document } = await ModuleRun.begin(stage, { responseType: 'code', formPost: false });
    expect(document).toHaveProperty('end_session_endpoint');
    must('discovery', endpointFaults(document));
  });

  describe.each(RESPONSE_TYPES)('response type %s', (responseType) => {
    it.each(Object.entries(LOGOUT))('%s', async (_name, module) => {
      const run = await ModuleRun.begin(stage, { responseType, formPost: false });
      await expect(module(run)).resolves.toBeUndefined();
    });
  });
});
